// Command cmd prints the bench tables and keeps what is counted in a folder, one JSON file a bench:
//
//	go run ./internal/bench/cmd [-o testdata/bench] [name ...]
//
// It can also show every note of one scripted reviewer in the bench of the sessions, and then keeps nothing:
//
//	go run ./internal/bench/cmd -show stubborn
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	kept "github.com/Kayphoon/opencode-advisor/internal/bench"
	"github.com/Kayphoon/opencode-advisor/internal/bench/growth"
	"github.com/Kayphoon/opencode-advisor/internal/bench/sessions"
	"github.com/Kayphoon/opencode-advisor/pkg/bench"
)

var benches = []kept.Bench{growth.Bench, sessions.Bench}

func main() {
	out := flag.String("o", "testdata/bench", "folder for the JSON files")
	show := flag.String("show", "", "print all notes of this scripted reviewer")
	flag.Parse()
	look := func() error { return run(*out, flag.Args()) }
	if *show != "" {
		look = func() error { return closer(*show, flag.Args()) }
	}
	if err := look(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// closer shows what a reviewer says in the sessions that are named, or in all.
func closer(reviewer string, names []string) error {
	all, err := sessions.Load(sessions.Corpus + "/sessions")
	if err != nil {
		return err
	}
	for _, name := range names {
		if !slices.ContainsFunc(all, func(s *bench.Session) bool { return s.Name == name }) {
			return fmt.Errorf("there is no session %q in %s/sessions", name, sessions.Corpus)
		}
	}
	if len(names) > 0 {
		all = slices.DeleteFunc(all, func(s *bench.Session) bool { return !slices.Contains(names, s.Name) })
	}
	return sessions.Show(os.Stdout, all, reviewer)
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
		if err := kept.Write(out, b.Name, result); err != nil {
			return err
		}
	}
	return nil
}
