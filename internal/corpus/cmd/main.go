// Command cmd prints the corpora with their bars, and fails below them:
//
//	go run ./internal/corpus/cmd [-dir testdata/corpus] [name ...]
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"

	"github.com/Kayphoon/opencode-advisor/internal/cmdline"
	"github.com/Kayphoon/opencode-advisor/internal/corpus"
)

func main() {
	dir := flag.String("dir", "testdata/corpus", "the folder of the corpora")
	var known []string
	for _, suite := range corpus.Suites() {
		known = append(known, suite.Name)
	}
	names := cmdline.Parse("go run ./internal/corpus/cmd [options] [name ...]\nPrints what is caught and what is let through, of all corpora or of these.", known...)
	failed := false
	for _, suite := range corpus.Suites() {
		if len(names) > 0 && !slices.Contains(names, suite.Name) {
			continue
		}
		report, err := suite.Run(*dir)
		if err != nil {
			fmt.Fprintf(os.Stderr, "corpus %s: %v\n", suite.Name, err)
			failed = true
			continue
		}
		report.Print(os.Stdout, suite.Name)
		failed = failed || !report.Passed()
	}
	if failed {
		os.Exit(1)
	}
}
