//go:build unix

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// privateRoot makes sure that the folder of all sandboxes exists and belongs to this user alone: the
// system's temporary folder is shared, and another user could have made it first.
func privateRoot(root string) (string, error) {
	if root == "" {
		root = filepath.Join(os.TempDir(), fmt.Sprintf("opencode-sandbox-%d", os.Getuid()))
	}
	if err := os.MkdirAll(root, 0o700); err != nil {
		return "", fmt.Errorf("create sandbox root: %w", err)
	}
	info, err := os.Lstat(root)
	if err != nil {
		return "", fmt.Errorf("check sandbox root: %w", err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || !ok || int(stat.Uid) != os.Getuid() || info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("check sandbox root: %s must be a folder of this user with mode 0700, not %v: "+
			"remove it, or set another root", root, info.Mode())
	}
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return "", fmt.Errorf("check sandbox root: %w", err)
	}
	return filepath.Abs(real)
}

// lock is an exclusive lock on a file, dropped by the kernel when the process ends.
type lock struct{ f *os.File }

// tryLock locks a file. It returns nil when another owner holds it, or when the file is gone.
func tryLock(path string) (*lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOFOLLOW, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, nil
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	// The file may have been removed, and made again, before the lock was ours.
	opened, err1 := f.Stat()
	named, err2 := os.Lstat(path)
	if err1 != nil || err2 != nil || !os.SameFile(opened, named) {
		f.Close()
		return nil, nil
	}
	return &lock{f: f}, nil
}

// release removes the lock file while it is locked, then unlocks it.
func (l *lock) release() error {
	err := os.Remove(l.f.Name())
	return errors.Join(err, l.f.Close())
}

// abandon unlocks the file and leaves it for a later sweep.
func (l *lock) abandon() error { return l.f.Close() }
