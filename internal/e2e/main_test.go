package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/Kayphoon/opencode-advisor/internal/hosts"
)

// The package as a person gets it, made once for all tests.
var (
	tarball string // as npm pack makes it
	project string // a fresh npm project that has it installed
	plugin  string // its folder there
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "superadvisor-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if err := install(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func install(dir string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	checkout, err := hosts.Root()
	if err != nil {
		return err
	}
	if tarball, err = Pack(ctx, checkout, dir); err != nil {
		return err
	}
	project = filepath.Join(dir, "somebody")
	plugin, err = Install(ctx, tarball, project)
	return err
}

// deadline bounds one test. Nothing waits for as long when things are well.
func deadline(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}
