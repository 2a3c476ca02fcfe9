// Command cmd prints the corpora with their bars, and fails below them:
//
//	go run ./internal/corpus/cmd [-dir testdata/corpus] [name ...]
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"

	"github.com/Kayphoon/opencode-advisor/internal/corpus"
)

func main() {
	dir := flag.String("dir", "testdata/corpus", "the folder of the corpora")
	flag.Parse()
	failed := false
	ran := 0
	for _, suite := range corpus.Suites() {
		if flag.NArg() > 0 && !slices.Contains(flag.Args(), suite.Name) {
			continue
		}
		ran++
		report, err := suite.Run(*dir)
		if err != nil {
			fmt.Fprintf(os.Stderr, "corpus %s: %v\n", suite.Name, err)
			failed = true
			continue
		}
		report.Print(os.Stdout, suite.Name)
		failed = failed || !report.Passed()
	}
	if ran == 0 {
		fmt.Fprintf(os.Stderr, "corpus: no corpus called %q\n", flag.Args())
		failed = true
	}
	if failed {
		os.Exit(1)
	}
}
