package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// projectConfig is what a repository can bring to configure OpenCode. OPENCODE_DISABLE_PROJECT_CONFIG is not
// enough: OpenCode 1.18 still imports the plugins in .opencode, and so runs a repository's code.
var projectConfig = []string{".opencode", "opencode.json", "opencode.jsonc"}

// HideConfig takes the project's OpenCode configuration out of the worktree for the time of a run. The returned
// function puts it back, and must be called. Where the run has made a file of the same name, the run's is kept:
// it is then a change like any other.
func (wt *Worktree) HideConfig() (restore func() error, err error) {
	held := filepath.Join(wt.home, "held")
	if err := os.MkdirAll(held, 0o700); err != nil {
		return nil, fmt.Errorf("hide project config: %w", err)
	}
	restore = func() error {
		for _, name := range projectConfig {
			if err := putBack(filepath.Join(held, name), filepath.Join(wt.Dir, name)); err != nil {
				return fmt.Errorf("restore project config: %w", err)
			}
		}
		return removeAll(held)
	}
	for _, name := range projectConfig {
		err := os.Rename(filepath.Join(wt.Dir, name), filepath.Join(held, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, errors.Join(fmt.Errorf("hide project config: %w", err), restore())
		}
	}
	return restore, nil
}

// putBack moves a file or folder to a place where something may have been made meanwhile. It follows no link.
func putBack(from, to string) error {
	info, err := os.Lstat(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	made, err := os.Lstat(to)
	if errors.Is(err, fs.ErrNotExist) {
		return os.Rename(from, to)
	}
	if err != nil {
		return err
	}
	if !info.IsDir() || !made.IsDir() {
		return nil
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := putBack(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return nil
}
