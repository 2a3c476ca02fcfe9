package hosts

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

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
