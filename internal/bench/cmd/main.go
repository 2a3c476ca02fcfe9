// Command cmd prints the bench tables and keeps what is counted in a folder, one JSON file a bench:
//
//	go run ./internal/bench/cmd [-o testdata/bench] [name ...]
//
// It can also look closer at the bench of the sessions, and then keeps nothing: every note of one scripted reviewer,
// or what a real model does at an OpenAI-compatible endpoint, with its key in an environment variable:
//
//	go run ./internal/bench/cmd -show stubborn
//	go run ./internal/bench/cmd -model deepseek-chat -url https://api.deepseek.com/v1 -key-env DEEPSEEK_API_KEY [session ...]
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
	show := flag.String("show", "", "print all notes of this scripted reviewer")
	model := flag.String("model", "", "let this model watch the sessions")
	url := flag.String("url", "", "base URL of its endpoint")
	keyEnv := flag.String("key-env", "", "environment variable that holds its key")
	flag.Parse()
	var err error
	switch {
	case *show != "":
		err = closer(flag.Args(), func(all []*sessions.Session) error { return sessions.Show(os.Stdout, all, *show) })
	case *model != "":
		err = closer(flag.Args(), func(all []*sessions.Session) error { return watch(all, *model, *url, *keyEnv) })
	default:
		err = run(*out, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// closer looks at the sessions that are named, or at all.
func closer(names []string, look func([]*sessions.Session) error) error {
	all, err := sessions.Load(sessions.Corpus + "/sessions")
	if err != nil {
		return err
	}
	for _, name := range names {
		if !slices.ContainsFunc(all, func(s *sessions.Session) bool { return s.Name == name }) {
			return fmt.Errorf("there is no session %q in %s/sessions", name, sessions.Corpus)
		}
	}
	if len(names) > 0 {
		all = slices.DeleteFunc(all, func(s *sessions.Session) bool { return !slices.Contains(names, s.Name) })
	}
	return look(all)
}

func watch(all []*sessions.Session, name, url, keyEnv string) error {
	m := &sessions.Model{URL: url, Name: name}
	if url == "" {
		return fmt.Errorf("-model needs -url, the base URL of an OpenAI-compatible endpoint, which usually ends in /v1")
	}
	if keyEnv != "" {
		if m.Key = os.Getenv(keyEnv); m.Key == "" {
			return fmt.Errorf("-key-env: the environment variable %s is not set", keyEnv)
		}
	}
	row, err := m.Watch(all, os.Stderr)
	if err != nil {
		return err
	}
	sessions.Result{Rows: []sessions.Row{row}}.Print(os.Stdout)
	return nil
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
