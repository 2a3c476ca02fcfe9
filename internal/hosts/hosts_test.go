package hosts

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func project(t *testing.T) *Project {
	t.Helper()
	p, err := NewProject(t.TempDir(), map[string]string{"a.txt": "hello\n"})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// pack writes a package tarball as npm pack does.
func pack(t *testing.T, files map[string]string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "probe-1.0.0.tgz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	zw := gzip.NewWriter(f)
	tw := tar.NewWriter(zw)
	for name, content := range files {
		err := errors.Join(
			tw.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content))}),
			func() error { _, err := tw.Write([]byte(content)); return err }(),
		)
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(tw.Close(), zw.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestInstallIsSafeAgainstASecondOneAndReportsFailure(t *testing.T) {
	cache := t.TempDir()
	// A fake npm that makes one file of the package, and counts its runs.
	fake := `#!/bin/sh
echo run >> "` + cache + `/runs"
[ "$7" = "broken@1" ] && { echo "registry is down" >&2; exit 1; }
mkdir -p "$3/node_modules/tool" && echo ok > "$3/node_modules/tool/bin"
`
	if err := os.WriteFile(filepath.Join(cache, "npm"), []byte(fake), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", cache+":"+os.Getenv("PATH"))
	if err := os.WriteFile(filepath.Join(cache, "go.mod"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(cache)

	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			path, err := install(context.Background(), "tool", "1", "tool/bin")
			if err != nil || path != filepath.Join(cache, ".cache/hosts/tool-1/node_modules/tool/bin") {
				t.Errorf("install: %s, %v", path, err)
			}
		})
	}
	wg.Wait()
	if runs, _ := os.ReadFile(filepath.Join(cache, "runs")); string(runs) != "run\n" {
		t.Errorf("npm ran %d times", strings.Count(string(runs), "run"))
	}
	_, err := install(context.Background(), "broken", "1", "broken/bin")
	if err == nil || !strings.Contains(err.Error(), "registry is down") || !strings.Contains(err.Error(), "install host broken@1") {
		t.Errorf("a failing npm: got %v", err)
	}
	_, err = install(context.Background(), "tool", "2", "tool/other")
	if err == nil || !strings.Contains(err.Error(), "has no tool/other") {
		t.Errorf("a package without the file: got %v", err)
	}
	left, _ := filepath.Glob(filepath.Join(cache, ".cache/hosts/install-*"))
	if len(left) > 0 {
		t.Errorf("unfinished installs are left: %v", left)
	}
}

func TestPluginFolderIsGivenByItsServerEntry(t *testing.T) {
	p := project(t)
	dir := t.TempDir()
	manifest, _ := json.Marshal(map[string]any{
		"name": "x", "version": "1.0.0", "main": "./index.js", "exports": map[string]string{".": "./index.js", "./server": "./dist/plugin.js"},
	})
	if err := os.WriteFile(filepath.Join(dir, "package.json"), manifest, 0o644); err != nil {
		t.Fatal(err)
	}
	spec, err := p.placePlugin(dir)
	if want := "file://" + filepath.Join(dir, "dist/plugin.js"); err != nil || spec != want {
		t.Errorf("got %q, %v; want %q", spec, err, want)
	}
	if _, err := p.placePlugin(filepath.Join(dir, "none.tgz")); err == nil {
		t.Error("a missing plugin is no error")
	}
	if _, err := p.placePlugin(pack(t, map[string]string{"../out.js": "x"})); err == nil || !strings.Contains(err.Error(), "leaves the package") {
		t.Errorf("a package that leaves its folder: got %v", err)
	}
}
