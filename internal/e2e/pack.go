package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// PackageName is the package's name on npm.
const PackageName = "opencode-superadvisor"

// MaxTarball is the size, in bytes, that the packed package keeps under: what a person downloads.
const MaxTarball = 2_000_000

// Pack builds and packs the package in the checkout as it would be published, and returns the tarball's
// path inside the folder into.
func Pack(ctx context.Context, checkout, into string) (string, error) {
	if _, err := os.Stat(filepath.Join(checkout, "node_modules", "esbuild")); err != nil {
		return "", fmt.Errorf("pack the package: the build's tools are not installed: run npm ci --ignore-scripts in %s first", checkout)
	}
	if err := npm(ctx, checkout, "pack", "--loglevel=error", "--pack-destination", into); err != nil {
		return "", fmt.Errorf("pack the package: %w", err)
	}
	found, err := filepath.Glob(filepath.Join(into, PackageName+"-*.tgz"))
	if err != nil || len(found) != 1 {
		return "", fmt.Errorf("pack the package: %d tarballs in %s, want one (%v)", len(found), into, err)
	}
	return found[0], nil
}

// Install installs the tarball into a fresh npm project at dir and returns the folder of the installed package.
// It needs no registry: the package has no dependencies.
func Install(ctx context.Context, tarball, dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("install the package: %w", err)
	}
	manifest := []byte(`{"name": "somebody", "version": "1.0.0", "private": true}` + "\n")
	if err := os.WriteFile(filepath.Join(dir, "package.json"), manifest, 0o644); err != nil {
		return "", fmt.Errorf("install the package: %w", err)
	}
	if err := npm(ctx, dir, "install", "--offline", "--no-audit", "--no-fund", tarball); err != nil {
		return "", fmt.Errorf("install the package: %w", err)
	}
	return filepath.Join(dir, "node_modules", PackageName), nil
}

func npm(ctx context.Context, dir string, args ...string) error {
	cmd := exec.CommandContext(ctx, "npm", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm %s in %s: %w: %s", args[0], dir, err, strings.TrimSpace(string(out)))
	}
	return nil
}
