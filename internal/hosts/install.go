package hosts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// Pinned versions. OpenCode and pi are those that the recorded traces come from; Bun is the one in package.json.
const (
	OpenCodeVersion = "1.18.33"
	PiVersion       = "0.73.1"
	BunVersion      = "1.4.5"
)

// installTimeout bounds one npm install: OpenCode's binary is 185 MB.
const installTimeout = 5 * time.Minute

// OpenCode returns the path of the opencode executable.
func OpenCode(ctx context.Context) (string, error) {
	// The platform package alone: opencode-ai is a launcher that finds it, and pulls in a second copy.
	name := "opencode-" + runtime.GOOS + "-" + npmArch(runtime.GOARCH)
	return install(ctx, name, OpenCodeVersion, filepath.Join(name, "bin", "opencode"))
}

// Bun returns the path of the bun executable.
func Bun(ctx context.Context) (string, error) {
	arch := npmArch(runtime.GOARCH)
	if arch == "arm64" {
		arch = "aarch64"
	}
	name := "@oven/bun-" + runtime.GOOS + "-" + arch
	return install(ctx, name, BunVersion, filepath.Join(filepath.FromSlash(name), "bin", "bun"))
}

// Pi returns the path of pi's command-line script, to be run with node.
func Pi(ctx context.Context) (string, error) {
	const name = "@mariozechner/pi-coding-agent"
	return install(ctx, name, PiVersion, filepath.Join(filepath.FromSlash(name), "dist", "cli.js"))
}

func npmArch(goarch string) string {
	if goarch == "amd64" {
		return "x64"
	}
	return goarch
}

// install makes sure that a package is in the cache and returns the path of one of its files. A lock file
// keeps processes that run at the same time from installing the same package twice; the finished folder is
// moved into place in one step, so a killed install leaves nothing that looks complete.
func install(ctx context.Context, name, version, file string) (string, error) {
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, strings.NewReplacer("/", "-", "@", "").Replace(name)+"-"+version)
	path := filepath.Join(dir, "node_modules", file)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	unlock, err := lock(ctx, dir+".lock")
	if err != nil {
		return "", fmt.Errorf("install host %s@%s: %w", name, version, err)
	}
	defer unlock()
	if _, err := os.Stat(path); err == nil { // another process was faster
		return path, nil
	}
	if err := npmInstall(ctx, dir, name+"@"+version); err != nil {
		return "", err
	}
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("install host %s@%s: the package has no %s", name, version, file)
	}
	return path, nil
}

func npmInstall(ctx context.Context, dir, spec string) error {
	ctx, cancel := context.WithTimeout(ctx, installTimeout)
	defer cancel()
	parent := filepath.Dir(dir)
	tmp, err := os.MkdirTemp(parent, "install-")
	if err != nil {
		return fmt.Errorf("install host %s: %w", spec, err)
	}
	defer os.RemoveAll(tmp)
	cmd := exec.CommandContext(ctx, "npm", "install", "--prefix", tmp, "--no-audit", "--no-fund", "--ignore-scripts", spec)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("install host %s: npm install failed (%w): is npm on the PATH and its registry reachable? "+
			"Once installed, %s is used without the network.\n%s", spec, err, dir, lastLines(out, 15))
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("install host %s: %w", spec, err)
	}
	if err := os.Rename(tmp, dir); err != nil {
		return fmt.Errorf("install host %s: %w", spec, err)
	}
	return nil
}

func lastLines(out []byte, n int) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// cacheDir is .cache/hosts in the checkout that this file was built from.
func cacheDir() (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, ".cache", "hosts")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("create host cache: %w", err)
	}
	return dir, nil
}

// Root is the folder of go.mod, found from the working directory upwards (a test runs in its package's folder).
func Root() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the checkout: %w", err)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("find the checkout: no go.mod in %s or above", start)
		}
	}
}

// lock waits for an exclusive lock on a file. The kernel drops it when the process dies.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			f.Close()
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, fmt.Errorf("wait for %s, held by another install: %w", path, ctx.Err())
		case <-tick.C:
		}
	}
}
