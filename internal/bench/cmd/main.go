// Command cmd prints the bench tables and keeps what is counted in a folder, one JSON file a bench:
//
//	go run ./internal/bench/cmd [-o testdata/bench] [name ...]
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/Kayphoon/opencode-advisor/internal/bench"
	"github.com/Kayphoon/opencode-advisor/internal/bench/growth"
	"github.com/Kayphoon/opencode-advisor/internal/bench/sessions"
)

var benches = []bench.Bench{growth.Bench, sessions.Bench}

func main() {
	out := flag.String("o", "testdata/bench", "folder for the JSON files")
	flag.Parse()
	if err := run(*out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(out string, names []string) error {
	var known []string
	for _, b := range benches {
		known = append(known, b.Name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return fmt.Errorf("there is no bench %q; there are %s", name, strings.Join(known, ", "))
		}
	}
	for _, b := range benches {
		if len(names) > 0 && !slices.Contains(names, b.Name) {
			continue
		}
		fmt.Printf("%s: %s\n", b.Name, b.Title)
		result, err := b.Run(os.Stdout)
		if err != nil {
			return fmt.Errorf("%s: %w", b.Name, err)
		}
		fmt.Println()
		if result == nil {
			continue
		}
		if err := bench.Write(out, b.Name, result); err != nil {
			return err
		}
	}
	return nil
}
