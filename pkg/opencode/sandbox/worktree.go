package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ProviderName is the id of the provider that the driver declares to OpenCode when no other is named.
const ProviderName = "forge"

// Options for New. The zero value is good.
type Options struct {
	// Base is the commit to check out, as git understands it; empty means HEAD.
	Base string
	// Root holds all sandboxes; empty means opencode-sandbox-<uid> in the system's temporary folder. It is
	// created for this user alone.
	Root string
	// Env is added to the environment of programs in the sandbox, as "NAME=value".
	Env []string
}

// Worktree is one sandbox. Its methods may be called from one goroutine at a time.
type Worktree struct {
	// Dir is the worktree: the folder that OpenCode works in. It and all other paths are absolute and free
	// of symbolic links.
	Dir string
	// Repo is the top folder of the repository that the worktree belongs to.
	Repo string
	// GitDir is the repository's git folder, shared by all of its worktrees.
	GitDir string
	// Commit is the full id of the commit that the worktree was made from.
	Commit string

	home  string // this sandbox's folder
	box   string // HOME, XDG and temporary folders
	admin string // git's record of the worktree, inside GitDir
	env   []string
	lock  *lock
}

// owner is the note that lets Sweep clean up after a crash.
type owner struct {
	GitDir string `json:"gitDir"`
}

const ownerFile = "owner.json"

// New makes a sandbox with a worktree of the repository that contains the folder repo. The caller must
// Close it.
func New(ctx context.Context, repo string, o Options) (_ *Worktree, err error) {
	wt := &Worktree{env: o.Env}
	if err := wt.locate(ctx, repo, o.Base); err != nil {
		return nil, err
	}
	root, err := privateRoot(o.Root)
	if err != nil {
		return nil, err
	}
	if err := sweep(root); err != nil {
		return nil, err
	}
	if wt.home, wt.lock, err = claim(root); err != nil {
		return nil, fmt.Errorf("create sandbox in %s: %w", root, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, wt.Close())
		}
	}()
	note, err := json.Marshal(owner{GitDir: wt.GitDir})
	if err != nil {
		return nil, fmt.Errorf("create sandbox: %w", err)
	}
	if err := os.WriteFile(filepath.Join(wt.home, ownerFile), note, 0o600); err != nil {
		return nil, fmt.Errorf("create sandbox: %w", err)
	}
	wt.box = filepath.Join(wt.home, "box")
	for _, name := range []string{"home", "config", "data", "cache", "state", "tmp"} {
		if err := os.MkdirAll(filepath.Join(wt.box, name), 0o700); err != nil {
			return nil, fmt.Errorf("create sandbox: %w", err)
		}
	}
	if err := SealConfig(filepath.Join(wt.box, "config", "opencode")); err != nil {
		return nil, err
	}
	if err := writeShell(wt.shell()); err != nil {
		return nil, err
	}
	wt.Dir = filepath.Join(wt.home, "work")
	if _, err := git(ctx, wt.Repo, "worktree", "add", "--quiet", "--detach", wt.Dir, wt.Commit); err != nil {
		return nil, fmt.Errorf("create worktree of %s: %w", wt.Repo, err)
	}
	if wt.admin, err = findAdmin(wt.GitDir, wt.Dir); err != nil {
		return nil, fmt.Errorf("create worktree of %s: %w", wt.Repo, err)
	}
	if wt.admin == "" {
		return nil, fmt.Errorf("create worktree of %s: git keeps no record of it in %s", wt.Repo, wt.GitDir)
	}
	if err := wt.keepIndex(); err != nil {
		return nil, fmt.Errorf("create worktree of %s: %w", wt.Repo, err)
	}
	return wt, nil
}

// locate resolves the repository and the base commit.
func (wt *Worktree) locate(ctx context.Context, repo, base string) error {
	out, err := git(ctx, repo, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir")
	if err != nil {
		return fmt.Errorf("find repository at %s: %w", repo, err)
	}
	top, common, _ := strings.Cut(strings.TrimSuffix(out, "\n"), "\n")
	var err1, err2 error
	wt.Repo, err1 = filepath.EvalSymlinks(top)
	wt.GitDir, err2 = filepath.EvalSymlinks(common)
	if err := errors.Join(err1, err2); err != nil {
		return fmt.Errorf("find repository at %s: %w", repo, err)
	}
	if base == "" {
		base = "HEAD"
	}
	out, err = git(ctx, repo, "rev-parse", "--verify", "--quiet", "--end-of-options", base+"^{commit}")
	if err != nil {
		return fmt.Errorf("find commit %q in %s: %w", base, wt.Repo, err)
	}
	wt.Commit = strings.TrimSpace(out)
	return nil
}

// Close ends what still runs in the sandbox and removes the sandbox with git's record of the worktree.
// Calling it again does nothing.
func (wt *Worktree) Close() error {
	if wt.lock == nil {
		return nil
	}
	err := remove(wt.home, wt.GitDir)
	err = errors.Join(err, wt.lock.release())
	wt.lock = nil
	if err != nil {
		return fmt.Errorf("remove sandbox: %w", err)
	}
	return nil
}

// Writable lists the folders that a program in the sandbox needs to write.
func (wt *Worktree) Writable() []string { return []string{wt.Dir, wt.box} }

// CacheHome and StateHome are the sandbox's XDG folders of these names: where plugins are installed, and where
// they keep what they know of a session.
func (wt *Worktree) CacheHome() string { return filepath.Join(wt.box, "cache") }

// StateHome: see CacheHome.
func (wt *Worktree) StateHome() string { return filepath.Join(wt.box, "state") }

// LogDir is where OpenCode keeps the logs of its runs in the sandbox.
func (wt *Worktree) LogDir() string { return filepath.Join(wt.box, "data", "opencode", "log") }

// KillStrays ends every process that was started in the sandbox and still runs, wherever it moved itself.
// It knows them by their environment, and works on Linux; elsewhere it does nothing.
func (wt *Worktree) KillStrays() { killStrays(wt.home) }

// findAdmin finds git's record of a worktree: the folder under worktrees/ whose gitdir file names it.
// It returns "" when there is none.
func findAdmin(gitDir, work string) (string, error) {
	entries, err := os.ReadDir(filepath.Join(gitDir, "worktrees"))
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		admin := filepath.Join(gitDir, "worktrees", e.Name())
		pointer, err := os.ReadFile(filepath.Join(admin, "gitdir"))
		if err == nil && strings.TrimSpace(string(pointer)) == filepath.Join(work, ".git") {
			return admin, nil
		}
	}
	return "", nil
}
