// Command patternprobe runs patterns that take a plain backtracking matcher for
// ever, and prints how many steps each took before it ended. Its test runs it
// natively and as WebAssembly: the bound is counted, so both must print the same.
package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/pattern"
)

// hostile are patterns with nested or overlapping repeats, for each way through the
// package: the automaton, the backtracking matcher with its table, and without.
var hostile = []string{
	`(a+)+$`,
	`(a|a)*b`,
	`(a|aa)+$`,
	`^(([a-z])+.)+[A-Z]([a-z])+$`,
	`(?=a)(a+)+$`,
	`^(?=(a|a)*.b?$)(?:a|a|aa)+!(?<!aa!)`,
	`(?>a|aa)+(a|a)*$`,
	`^(?!.*(a+)+b$)(a|a)*$`,
	`(a*)*\1$`,
	`(a+)+\1b?$`,
	`(.*)(.*)(.*)(.*)\4\3\2\1x`,
	`((a{0,30}){0,30})\2b`,
}

func main() {
	if err := probe(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "patternprobe:", err)
		os.Exit(1)
	}
}

func probe(w io.Writer) error {
	line := []byte(strings.Repeat("a", 6000) + "!")
	for _, expr := range hostile {
		p, err := pattern.Compile(expr, pattern.Flags{})
		if err != nil {
			return fmt.Errorf("compile %s: %w", expr, err)
		}
		found := p.MatchLine(line)
		if _, err := fmt.Fprintf(w, "%s: match %v, gave up %v, %d steps\n", expr, found, p.GaveUp() > 0, p.Spent()); err != nil {
			return err
		}
	}
	return nil
}
