package sandbox

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// inert are git options under which nothing that a repository or worktree says can start a program.
var inert = []string{"-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false", "-c", "core.quotePath=false"}

// git runs git in a folder and returns its output. Git's own variables are dropped from the environment:
// inside a hook they would point at another repository.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	return gitInput(ctx, dir, "", nil, args...)
}

func gitInput(ctx context.Context, dir, stdin string, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append(slices.Clone(inert), args...)...)
	cmd.Dir = dir
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "GIT_") {
			cmd.Env = append(cmd.Env, entry)
		}
	}
	cmd.Env = append(cmd.Env, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	cmd.Env = append(cmd.Env, env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), nil
}

// index is the sandbox's own copy of the index that the checkout made: the base commit, with the times and
// sizes of its files, so that only touched files are read again. Programs in the sandbox cannot reach it.
func (wt *Worktree) index() string { return filepath.Join(wt.home, "index") }

// keepIndex copies the index before anything runs in the sandbox.
func (wt *Worktree) keepIndex() error { return copyFile(filepath.Join(wt.admin, "index"), wt.index()) }

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o600)
}

// inside runs git on the worktree with the given index, through git's own record of the worktree.
func (wt *Worktree) inside(ctx context.Context, index, stdin string, args ...string) (string, error) {
	env := []string{
		"GIT_DIR=" + wt.admin, "GIT_WORK_TREE=" + wt.Dir, "GIT_INDEX_FILE=" + index, "GIT_LITERAL_PATHSPECS=1",
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull,
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
	}
	return gitInput(ctx, wt.Dir, stdin, env, args...)
}

var safeDiff = []string{"diff", "--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules=all", "--no-color"}

// Changes lists the files that differ from the base commit, new ones included and ignored ones left out, as
// slash-separated paths relative to Dir, sorted. A new folder that is a repository of its own is listed as
// one entry that ends in a slash.
func (wt *Worktree) Changes(ctx context.Context) ([]string, error) {
	changed, err := wt.inside(ctx, wt.index(), "", append(slices.Clone(safeDiff), "--name-only", "-z")...)
	if err != nil {
		return nil, fmt.Errorf("list changes: %w", err)
	}
	created, err := wt.created(ctx)
	if err != nil {
		return nil, fmt.Errorf("list changes: %w", err)
	}
	paths := splitNul(changed + created)
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// created lists the untracked files, each ended by a NUL.
func (wt *Worktree) created(ctx context.Context) (string, error) {
	return wt.inside(ctx, wt.index(), "", "ls-files", "-z", "--others", "--exclude-standard")
}

func splitNul(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\x00"), "\x00")
}

// Diff is the whole change since the base commit, new files included, as a git patch. New folders that are
// repositories of their own are left out.
func (wt *Worktree) Diff(ctx context.Context) (string, error) {
	out, err := wt.diff(ctx)
	if err != nil {
		return "", fmt.Errorf("diff worktree: %w", err)
	}
	return out, nil
}

func (wt *Worktree) diff(ctx context.Context) (string, error) {
	created, err := wt.created(ctx)
	if err != nil {
		return "", err
	}
	var files strings.Builder
	for _, p := range splitNul(created) {
		if !strings.HasSuffix(p, "/") {
			files.WriteString(p + "\x00")
		}
	}
	index := wt.index() + ".diff"
	defer os.Remove(index)
	if err := copyFile(wt.index(), index); err != nil {
		return "", err
	}
	if files.Len() > 0 {
		if _, err := wt.inside(ctx, index, files.String(), "add", "--intent-to-add", "--pathspec-from-file=-", "--pathspec-file-nul"); err != nil {
			return "", err
		}
	}
	return wt.inside(ctx, index, "", safeDiff...)
}

// State is a value that stays the same as long as no changed file is touched: the list of changes, and
// size, mode and time of each file in it.
func (wt *Worktree) State(ctx context.Context) (string, error) {
	paths, err := wt.Changes(ctx)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	for _, p := range paths {
		fmt.Fprintf(sum, "%s\x00", p)
		if info, err := os.Lstat(filepath.Join(wt.Dir, filepath.FromSlash(p))); err == nil {
			fmt.Fprintf(sum, "%d %d %v\x00", info.Size(), info.ModTime().UnixNano(), info.Mode())
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// maxSearched bounds how much of one file Holding looks at.
const maxSearched = 64 << 20

// Holding lists the changed files that contain the secret.
func (wt *Worktree) Holding(ctx context.Context, secret string) ([]string, error) {
	paths, err := wt.Changes(ctx)
	if err != nil || secret == "" {
		return nil, err
	}
	var out []string
	for _, p := range paths {
		full := filepath.Join(wt.Dir, filepath.FromSlash(p))
		info, err := os.Lstat(full)
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxSearched {
			continue
		}
		data, err := os.ReadFile(full)
		if err == nil && bytes.Contains(data, []byte(secret)) {
			out = append(out, p)
		}
	}
	return out, nil
}
