package sandbox

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// run runs a command in a folder and returns its output.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@localhost",
		"GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@localhost")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v: %s", name, args, err, out)
	}
	return string(out)
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	run(t, dir, "git", "init", "-q", "-b", "main")
	write(t, filepath.Join(dir, "a.txt"), "hello\n")
	write(t, filepath.Join(dir, ".gitignore"), "*.log\n")
	run(t, dir, "git", "add", "-A")
	run(t, dir, "git", "commit", "-qm", "first")
	return dir
}

func sandboxOf(t *testing.T, repo string, o Options) *Worktree {
	t.Helper()
	if o.Root == "" {
		o.Root = filepath.Join(t.TempDir(), "root")
	}
	wt, err := New(context.Background(), repo, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := wt.Close(); err != nil {
			t.Error(err)
		}
	})
	return wt
}

func changes(t *testing.T, wt *Worktree) []string {
	t.Helper()
	got, err := wt.Changes(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestCloseLeavesTheRepositoryAsItWas(t *testing.T) {
	repo := repository(t)
	before := run(t, repo, "git", "worktree", "list")
	wt := sandboxOf(t, repo, Options{})
	if got, _ := os.ReadFile(filepath.Join(wt.Dir, "a.txt")); string(got) != "hello\n" {
		t.Errorf("a.txt in the worktree holds %q", got)
	}
	if !strings.Contains(run(t, repo, "git", "worktree", "list"), wt.Dir) {
		t.Error("git does not know the worktree")
	}
	locked := filepath.Join(wt.Dir, "cache", "locked") // a folder that nothing can be removed from
	write(t, filepath.Join(locked, "f"), "x")
	if err := os.Chmod(locked, 0o500); err != nil {
		t.Fatal(err)
	}
	if err := wt.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, run(t, repo, "git", "worktree", "list")); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(filepath.Dir(wt.Dir)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the sandbox is still there: %v", err)
	}
	if err := wt.Close(); err != nil {
		t.Errorf("a second Close: %v", err)
	}
}

func TestChangesAndDiff(t *testing.T) {
	wt := sandboxOf(t, repository(t), Options{})
	if got := changes(t, wt); len(got) != 0 {
		t.Errorf("changes of a fresh worktree: %v", got)
	}
	start, _ := wt.State(context.Background())

	write(t, filepath.Join(wt.Dir, "a.txt"), "goodbye\n")
	write(t, filepath.Join(wt.Dir, "new", "ü b.txt"), "new\n")
	write(t, filepath.Join(wt.Dir, "noise.log"), "ignored\n")
	run(t, wt.Dir, "git", "init", "-q", "nested")
	if diff := cmp.Diff([]string{"a.txt", "nested/", "new/ü b.txt"}, changes(t, wt)); diff != "" {
		t.Error(diff)
	}
	patch, err := wt.Diff(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"-hello\n+goodbye\n", "+++ b/new/ü b.txt", "+new\n"} {
		if !strings.Contains(patch, want) {
			t.Errorf("the diff lacks %q:\n%s", want, patch)
		}
	}
	if now, _ := wt.State(context.Background()); now == start {
		t.Error("the state did not change")
	}
	if err := os.Remove(filepath.Join(wt.Dir, "a.txt")); err != nil {
		t.Fatal(err)
	}
	if got := changes(t, wt); !slices.Contains(got, "a.txt") {
		t.Errorf("a removed file is no change: %v", got)
	}
}

func TestACommitInsideHidesNothing(t *testing.T) {
	wt := sandboxOf(t, repository(t), Options{})
	write(t, filepath.Join(wt.Dir, "b.txt"), "b\n")
	run(t, wt.Dir, "git", "add", "-A")
	run(t, wt.Dir, "git", "commit", "-qm", "sneaky")
	if diff := cmp.Diff([]string{"b.txt"}, changes(t, wt)); diff != "" {
		t.Error(diff)
	}
}

func TestNothingInTheWorktreeMakesGitRunAProgram(t *testing.T) {
	repo := repository(t)
	wt := sandboxOf(t, repo, Options{})
	proof := filepath.Join(t.TempDir(), "ran")
	evil := filepath.Join(wt.Dir, "evil")
	run(t, wt.Dir, "git", "init", "-q", "--bare", evil)
	for _, setting := range []string{"core.fsmonitor", "diff.x.command", "diff.x.textconv", "filter.x.clean"} {
		run(t, evil, "git", "config", setting, "touch "+proof)
	}
	run(t, evil, "git", "config", "core.bare", "false")
	write(t, filepath.Join(evil, "hooks", "post-index-change"), "#!/bin/sh\ntouch "+proof+"\n")
	write(t, filepath.Join(wt.Dir, ".gitattributes"), "* diff=x filter=x\n")
	write(t, filepath.Join(wt.Dir, ".git"), "gitdir: "+evil+"\n")
	write(t, filepath.Join(wt.Dir, "a.txt"), "goodbye\n")

	if got := changes(t, wt); !slices.Contains(got, "a.txt") {
		t.Errorf("changes: %v", got)
	}
	if patch, err := wt.Diff(context.Background()); err != nil || !strings.Contains(patch, "+goodbye") {
		t.Errorf("diff: %v:\n%s", err, patch)
	}
	if err := wt.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(proof); err == nil {
		t.Error("git started a program that the worktree named")
	}
	if out := run(t, repo, "git", "worktree", "list"); strings.Count(out, "\n") != 1 {
		t.Errorf("the worktree is still known: %s", out)
	}
}

func TestACrashedOwnersSandboxIsSweptAndALiveOneIsNot(t *testing.T) {
	repo, root := repository(t), filepath.Join(t.TempDir(), "root")
	live := sandboxOf(t, repo, Options{Root: root})
	dead := sandboxOf(t, repo, Options{Root: root})
	stray := exec.Command("sleep", "600")
	stray.Env = dead.Env()
	if err := stray.Start(); err != nil {
		t.Fatal(err)
	}
	gone := make(chan error, 1)
	go func() { gone <- stray.Wait() }()

	// A crash: the kernel drops the lock, nothing else happens.
	if err := dead.lock.abandon(); err != nil {
		t.Fatal(err)
	}
	dead.lock = nil
	if err := Sweep(root); err != nil {
		t.Fatal(err)
	}
	if err := <-gone; err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("the stray process ended with %v", err)
	}
	list := run(t, repo, "git", "worktree", "list")
	if strings.Contains(list, dead.Dir) || !strings.Contains(list, live.Dir) {
		t.Errorf("worktrees after the sweep:\n%s", list)
	}
	left, _ := filepath.Glob(filepath.Join(root, "*"))
	want := []string{filepath.Dir(live.Dir), filepath.Dir(live.Dir) + lockSuffix}
	if diff := cmp.Diff(want, left); diff != "" {
		t.Error(diff)
	}
}

func TestEnvHoldsNoCredentialAndNoUserFolder(t *testing.T) {
	t.Setenv("AWS_SECRET_ACCESS_KEY", "s3cret")
	t.Setenv("OPENCODE_CONFIG", "/home/me/opencode.json")
	t.Setenv("HTTPS_PROXY", "http://me:s3cret@proxy:3128")
	t.Setenv("HTTP_PROXY", "http://proxy:3128")
	t.Setenv("TZ", "UTC")
	wt := sandboxOf(t, repository(t), Options{Env: []string{"EXTRA=1"}})
	env := map[string]string{}
	for _, entry := range wt.Env() {
		name, value, _ := strings.Cut(entry, "=")
		env[name] = value
		if strings.Contains(value, "s3cret") {
			t.Errorf("%s carries a credential", name)
		}
	}
	for name, want := range map[string]string{
		"HTTP_PROXY": "http://proxy:3128", "TZ": "UTC", "EXTRA": "1", "OPENCODE_DISABLE_PROJECT_CONFIG": "1",
		"OPENCODE_CONFIG": "", "PATH": os.Getenv("PATH"), "GIT_CONFIG_GLOBAL": os.DevNull,
	} {
		if env[name] != want {
			t.Errorf("%s=%q, want %q", name, env[name], want)
		}
	}
	for _, name := range []string{"HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"} {
		if !strings.HasPrefix(env[name], filepath.Dir(wt.Dir)) {
			t.Errorf("%s=%q lies outside the sandbox", name, env[name])
		}
		if info, err := os.Stat(env[name]); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

func TestHoldingFindsTheFilesWithASecret(t *testing.T) {
	wt := sandboxOf(t, repository(t), Options{})
	write(t, filepath.Join(wt.Dir, "leak.txt"), "OPENCODE_CONFIG_CONTENT={\"apiKey\":\"key-1234\"}")
	write(t, filepath.Join(wt.Dir, "fine.txt"), "key-")
	got, err := wt.Holding(context.Background(), "key-1234")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"leak.txt"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestErrorsSayWhatIsWrong(t *testing.T) {
	ctx, repo := context.Background(), repository(t)
	shared := filepath.Join(t.TempDir(), "shared")
	if err := os.Mkdir(shared, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(shared, 0o777); err != nil {
		t.Fatal(err)
	}
	linked := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(t.TempDir(), linked); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, repo string
		o          Options
		want       string
	}{
		{"no repository", t.TempDir(), Options{Root: filepath.Join(t.TempDir(), "r")}, "find repository at"},
		{"no such commit", repo, Options{Base: "nope", Root: filepath.Join(t.TempDir(), "r")}, `find commit "nope"`},
		{"an option as commit", repo, Options{Base: "--all", Root: filepath.Join(t.TempDir(), "r")}, `find commit "--all"`},
		{"a root open to others", repo, Options{Root: shared}, "must be a folder of this user with mode 0700"},
		{"a root that is a link", repo, Options{Root: linked}, "must be a folder of this user with mode 0700"},
	} {
		wt, err := New(ctx, c.repo, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
		if wt != nil {
			t.Errorf("%s: got a sandbox", c.name)
		}
	}
	if out := run(t, repo, "git", "worktree", "list"); strings.Count(out, "\n") != 1 {
		t.Errorf("a failed New left a worktree: %s", out)
	}
}

func TestTheRepositorysHooksDoNotRun(t *testing.T) {
	repo := repository(t)
	proof := filepath.Join(t.TempDir(), "ran")
	hook := filepath.Join(repo, ".git", "hooks", "post-checkout")
	write(t, hook, "#!/bin/sh\ntouch "+proof+"\n")
	if err := os.Chmod(hook, 0o755); err != nil {
		t.Fatal(err)
	}
	sandboxOf(t, repo, Options{})
	if _, err := os.Stat(proof); err == nil {
		t.Error("the post-checkout hook ran")
	}
}

func TestHiddenConfigComesBackAndWhatTheRunMadeIsAChange(t *testing.T) {
	repo := repository(t)
	write(t, filepath.Join(repo, ".opencode", "plugin", "a.js"), "theirs")
	write(t, filepath.Join(repo, ".opencode", "agent.md"), "theirs")
	write(t, filepath.Join(repo, "opencode.json"), "{}")
	run(t, repo, "git", "add", "-A")
	run(t, repo, "git", "commit", "-qm", "config")
	wt := sandboxOf(t, repo, Options{})
	restore, err := wt.HideConfig()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range projectConfig {
		if _, err := os.Lstat(filepath.Join(wt.Dir, name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there: %v", name, err)
		}
	}
	write(t, filepath.Join(wt.Dir, ".opencode", "agent.md"), "the run's")
	write(t, filepath.Join(wt.Dir, ".opencode", "new.md"), "the run's")
	if err := restore(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{".opencode/agent.md", ".opencode/new.md"}, changes(t, wt)); diff != "" {
		t.Error(diff)
	}
	if got, _ := os.ReadFile(filepath.Join(wt.Dir, ".opencode", "plugin", "a.js")); string(got) != "theirs" {
		t.Errorf("the plugin holds %q", got)
	}
}
