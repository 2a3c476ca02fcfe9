package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	prefix     = "run-"
	lockSuffix = ".lock"
)

// Sweep removes the sandboxes under a root (empty for the default one) whose owner no longer runs.
func Sweep(root string) error {
	root, err := privateRoot(root)
	if err != nil {
		return err
	}
	return sweep(root)
}

func sweep(root string) error {
	entries, err := os.ReadDir(root)
	if err != nil {
		return fmt.Errorf("sweep sandboxes: %w", err)
	}
	var problems []error
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), lockSuffix)
		if !ok || !strings.HasPrefix(name, prefix) {
			continue
		}
		l, err := tryLock(filepath.Join(root, e.Name()))
		if err != nil || l == nil { // in use, or swept by another process
			continue
		}
		home := filepath.Join(root, name)
		var note owner
		if data, err := os.ReadFile(filepath.Join(home, ownerFile)); err == nil {
			_ = json.Unmarshal(data, &note) // without a note there was no worktree yet
		}
		if err := remove(home, note.GitDir); err != nil {
			problems = append(problems, err, l.abandon())
			continue
		}
		problems = append(problems, l.release())
	}
	if err := errors.Join(problems...); err != nil {
		return fmt.Errorf("sweep sandboxes: %w", err)
	}
	return nil
}

// claim makes a new sandbox folder with a lock. The lock comes first, so that no sweep ever sees a folder
// in use without one.
func claim(root string) (home string, l *lock, err error) {
	for range 100 {
		f, err := os.CreateTemp(root, prefix+"*"+lockSuffix)
		if err != nil {
			return "", nil, err
		}
		path := f.Name()
		f.Close()
		l, err := tryLock(path)
		if err != nil {
			return "", nil, err
		}
		if l == nil { // a sweep took the file between the two steps
			continue
		}
		home := strings.TrimSuffix(path, lockSuffix)
		if err := os.Mkdir(home, 0o700); err != nil {
			return "", nil, errors.Join(err, l.release())
		}
		return home, l, nil
	}
	return "", nil, errors.New("no free name")
}

// remove ends a sandbox's processes and deletes its folder, then git's record of its worktree.
func remove(home, gitDir string) error {
	killStrays(home)
	if err := removeAll(home); err != nil {
		return err
	}
	if gitDir == "" {
		return nil
	}
	admin, err := findAdmin(gitDir, filepath.Join(home, "work"))
	if err != nil || admin == "" {
		return err
	}
	return os.RemoveAll(admin)
}

// removeAll is os.RemoveAll for trees that hold folders without write permission (Go's module cache has
// such). It never follows a symbolic link.
func removeAll(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}
