// Command judge says what the permission judge's fixed rules make of an action,
// without a model:
//
//	go run ./examples/judge --explain 'rm -rf build'
//	go run ./examples/judge --explain --json --action edit --content '{"scripts":{"postinstall":"x"}}' package.json
//	go run ./examples/judge --rows
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/judge"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "judge:", err)
		}
		os.Exit(2)
	}
}

func run(args []string, out, usage io.Writer) error {
	flags := flag.NewFlagSet("judge", flag.ContinueOnError)
	flags.SetOutput(usage)
	explain := flags.Bool("explain", false, "say what the fixed rules decide about INPUT")
	asJSON := flags.Bool("json", false, "print {decision, row, reason} as JSON")
	action := flags.String("action", "bash", "the kind of INPUT: bash, edit, write, read, webfetch")
	content := flags.String("content", "", "the new text of an edit or write")
	root := flags.String("root", "", "the workspace (default: this folder)")
	worktrees := flags.String("worktrees", "", "further worktrees, separated by commas")
	home := flags.String("home", "", "the home folder (default: yours)")
	rows := flags.Bool("rows", false, "print the table of the fixed rules")
	flags.Usage = func() {
		fmt.Fprintln(usage, "usage: judge --explain [--json] [--action KIND] [--content TEXT] [--root DIR] [--worktrees DIRS] [--home DIR] INPUT\n       judge --rows")
		flags.PrintDefaults()
	}
	// Options may stand behind INPUT too.
	var inputs []string
	for {
		if err := flags.Parse(args); err != nil {
			return err
		}
		if args = flags.Args(); len(args) == 0 {
			break
		}
		inputs, args = append(inputs, args[0]), args[1:]
	}
	if *rows {
		printRows(out)
		return nil
	}
	if !*explain || len(inputs) != 1 {
		flags.Usage()
		return fmt.Errorf("want --explain and one INPUT, got %d", len(inputs))
	}
	if kinds := []string{"bash", "edit", "write", "read", "webfetch"}; !slices.Contains(kinds, *action) {
		return fmt.Errorf("--action: want one of %s, got %q", strings.Join(kinds, ", "), *action)
	}
	place, err := placeOf(*root, *worktrees, *home)
	if err != nil {
		return err
	}
	v := judge.Explain(judge.ActionOf(*action, inputs[0], *content, place))
	if *asJSON {
		_, err = fmt.Fprintf(out, "%s\n", v.AppendJSON(nil))
		return err
	}
	_, err = fmt.Fprintf(out, "%s  %s: %s\n", v.Decision, v.Row, v.Reason)
	return err
}

// placeOf describes the workspace, with symlinks resolved as the real judge does.
func placeOf(root, worktrees, home string) (judge.Place, error) {
	p := judge.Place{Home: home, Real: real}
	if home == "" {
		p.Home, _ = os.UserHomeDir()
	}
	list := []string{root}
	if worktrees != "" {
		list = append(list, strings.Split(worktrees, ",")...)
	}
	for i, dir := range list {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return p, fmt.Errorf("resolve %s: %w", dir, err)
		}
		list[i] = abs
	}
	p.Roots, p.Worktrees = list[:1], list[1:]
	return p, nil
}

// real resolves the symlinks of a path of which the last elements may not exist.
func real(path string) (string, bool) {
	rest := ""
	for dir := path; ; dir = filepath.Dir(dir) {
		resolved, err := filepath.EvalSymlinks(dir)
		if err == nil {
			return filepath.Join(resolved, rest), true
		}
		if !os.IsNotExist(err) || dir == filepath.Dir(dir) {
			return "", false
		}
		// A link to nowhere would be followed by whoever writes to it.
		if _, err := os.Lstat(dir); err == nil {
			return "", false
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

func printRows(out io.Writer) {
	for _, r := range judge.Rows() {
		fmt.Fprintf(out, "%-5s  %-19s  %s\n", r.Decision, r.ID, r.Reason)
	}
}
