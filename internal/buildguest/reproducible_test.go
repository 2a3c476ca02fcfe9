package main

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"testing"
)

// The module does not tell in which folder it was built.
func TestTheFolderDoesNotMatter(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "some", "other", "place")
	for _, name := range []string{"go.mod", "go.sum", "wasm", "pkg", "internal/buildguest/lean"} {
		from, to := filepath.Join(root, filepath.FromSlash(name)), filepath.Join(elsewhere, filepath.FromSlash(name))
		info, err := os.Stat(from)
		if err != nil {
			t.Fatal(err)
		}
		if info.IsDir() {
			err = os.CopyFS(to, os.DirFS(from))
		} else {
			var text []byte
			if text, err = os.ReadFile(from); err == nil {
				if err = os.MkdirAll(filepath.Dir(to), 0o755); err == nil {
					err = os.WriteFile(to, text, 0o644)
				}
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var sums [2][sha256.Size]byte
	for i, dir := range []string{root, elsewhere} {
		t.Chdir(dir)
		file, err := build(way{})
		if err != nil {
			t.Fatal(err)
		}
		sums[i] = sha256.Sum256(file)
	}
	if sums[0] != sums[1] {
		t.Errorf("built in two folders: %x and %x", sums[0], sums[1])
	}
}
