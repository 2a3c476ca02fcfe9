//go:build unix

// Package guest gives tests and benchmarks the module as it is in the source
// right now, built once a process, and a folder in which wazero keeps it compiled.
package guest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// Wasm builds the module, or finds it built, and gives its bytes. Processes that
// ask at the same time wait for one another.
var Wasm = sync.OnceValues(func() ([]byte, error) {
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(root, ".cache", "guest")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	defer lock.Close() // and with it the lock
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return nil, fmt.Errorf("lock %s: %w", lock.Name(), err)
	}
	out := filepath.Join(dir, "superadvisor.wasm")
	build := exec.Command("go", "run", "./internal/buildguest", "-o", out)
	build.Dir = root
	if text, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build the guest: %w\n%s", err, text)
	}
	return os.ReadFile(out)
})

// CacheDir gives a folder for harness.Config.CacheDir. Like the build itself it
// lies in .cache of the checkout.
func CacheDir() (string, error) {
	root, err := moduleRoot()
	return filepath.Join(root, ".cache", "wazero"), err
}

var moduleRoot = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMOD: %w", err)
	}
	mod := strings.TrimSpace(string(out))
	if filepath.Base(mod) != "go.mod" {
		return "", fmt.Errorf("build the guest: not inside the module")
	}
	return filepath.Dir(mod), nil
})
