package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExplain(t *testing.T) {
	root := t.TempDir()
	if err := os.Symlink("/etc", filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"ls -la"}, "allow  safe-list: lists, or asks about a program or the machine\n"},
		{[]string{"rm -rf /"}, "deny  delete-outside: deletes outside the workspace and its worktrees\n"},
		{[]string{"--json", "git push -f"}, `{"decision":"deny","row":"git-force","reason":"rewrites or deletes branches that are already pushed"}` + "\n"},
		{[]string{"git push", "--json"}, `{"decision":"ask","row":"model","reason":"no fixed rule speaks; the model decides, and without it you are asked"}` + "\n"},
		{[]string{"--action", "edit", ".git/hooks/pre-commit"}, "deny  write-git: writes into .git, where hooks and configuration run code\n"},
		{[]string{"--action", "write", "--content", `{"scripts":{"postinstall":"x"}}`, "package.json"}, "deny  write-lifecycle: adds a package script that runs by itself on install or publish\n"},
		{[]string{"--action", "read", ".env"}, "ask  secret-read: shows credentials to the model\n"},
		{[]string{"--action", "webfetch", "http://127.0.0.1/"}, "deny  host-literal: contacts a literal IP address\n"},
		{[]string{"touch link/x"}, "deny  write-outside: writes outside the workspace and its worktrees\n"},
		{[]string{"rm -rf link/*"}, "deny  delete-outside: deletes outside the workspace and its worktrees\n"},
		{[]string{"touch new/deep/x"}, "ask  model: no fixed rule speaks; the model decides, and without it you are asked\n"},
		{[]string{"--worktrees", "/srv/wt", "touch /srv/wt/x"}, "ask  model: no fixed rule speaks; the model decides, and without it you are asked\n"},
	} {
		var out strings.Builder
		args := append([]string{"--explain", "--root", root, "--home", "/home/dev"}, tt.args...)
		if err := run(args, &out, io.Discard); err != nil || out.String() != tt.want {
			t.Errorf("%q: %q, %v; want %q", tt.args, out.String(), err, tt.want)
		}
	}
}

func TestRowsArePrinted(t *testing.T) {
	var out strings.Builder
	if err := run([]string{"--rows"}, &out, io.Discard); err != nil || !strings.Contains(out.String(), "deny   delete-outside       deletes outside") || strings.Count(out.String(), "\n") < 50 {
		t.Errorf("rows: %v\n%s", err, out.String())
	}
}

func TestWrongUseIsExplained(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"ls"}, "want --explain and one INPUT"},
		{[]string{"--explain"}, "want --explain and one INPUT, got 0"},
		{[]string{"--explain", "a", "b"}, "got 2"},
		{[]string{"--explain", "--action", "dance", "a"}, `--action: want one of bash, edit, write, read, webfetch, got "dance"`},
		{[]string{"--loud"}, "flag provided but not defined: -loud"},
	} {
		if err := run(tt.args, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.args, err, tt.want)
		}
	}
}
