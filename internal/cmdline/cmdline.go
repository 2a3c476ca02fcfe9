// Package cmdline reads the command lines of the programs that work on this repository. None of them may pass over what
// it does not know: who mistypes --help or a name must not start an hour's work.
package cmdline

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// Parse reads the options that package flag was told of, and gives the names behind them. Of these each must be known;
// without known ones there must be none. Usage says how the program is started, and below it what it does. What is wrong
// ends the program with 2, --help with 0.
func Parse(usage string, known ...string) (names []string) {
	flag.CommandLine.Init(os.Args[0], flag.ContinueOnError)
	switch err := parse(flag.CommandLine, os.Args[1:], os.Stderr, usage, known); err {
	case nil:
		return flag.Args()
	case flag.ErrHelp:
		os.Exit(0)
	default:
		os.Exit(2)
	}
	return nil
}

func parse(set *flag.FlagSet, args []string, out io.Writer, usage string, known []string) error {
	set.SetOutput(out)
	set.Usage = func() {
		fmt.Fprintln(out, "usage: "+usage)
		if len(known) > 0 {
			fmt.Fprintln(out, "names: "+strings.Join(known, ", "))
		}
		set.PrintDefaults()
	}
	if err := set.Parse(args); err != nil {
		return err
	}
	for _, name := range set.Args() {
		if !slices.Contains(known, name) {
			err := fmt.Errorf("%q is not known here", name)
			fmt.Fprintln(out, err)
			set.Usage()
			return err
		}
	}
	return nil
}
