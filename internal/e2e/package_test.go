package e2e

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/internal/hosts"
)

func TestTarballIsSmall(t *testing.T) {
	info, err := os.Stat(tarball)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > MaxTarball {
		t.Errorf("%s has %d bytes, more than %d", filepath.Base(tarball), info.Size(), MaxTarball)
	}
}

func TestInstalledPackageHoldsWhatRunsAndNothingElse(t *testing.T) {
	manifest, err := os.ReadFile(filepath.Join(plugin, "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	var pkg struct {
		Files        []string
		Dependencies map[string]string
	}
	if err := json.Unmarshal(manifest, &pkg); err != nil {
		t.Fatal(err)
	}
	want := []string{"LICENSE", "README.md", "README.zh-CN.md", "package.json"}
	for _, name := range pkg.Files {
		if filepath.Ext(name) != "" {
			want = append(want, name)
			continue
		}
		for _, file := range filesUnder(t, filepath.Join("..", "..", filepath.FromSlash(name))) {
			if kind := filepath.Ext(file); kind != ".jsonl" && kind != ".txtar" && kind != ".md" {
				t.Errorf("%s/%s is shipped as data", name, file)
			}
			want = append(want, name+"/"+file)
		}
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, filesUnder(t, plugin)); diff != "" {
		t.Error(diff)
	}
	for _, name := range want {
		if strings.HasSuffix(name, ".ts") || strings.HasSuffix(name, ".go") {
			t.Errorf("it ships a source: %s", name)
		}
	}
	if len(pkg.Dependencies) > 0 {
		t.Errorf("it brings packages of others with it: %v", pkg.Dependencies)
	}
}

// filesUnder lists the files below a folder, in order, with slashes.
func filesUnder(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestInstalledPackageIsImportedByItsName(t *testing.T) {
	ctx := deadline(t, time.Minute)
	bun, err := hosts.Bun(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range []string{PackageName, PackageName + "/server", "./node_modules/" + PackageName + "/index.js"} {
		script := `import(` + "`" + entry + "`" + `).then(({ default: d }) => console.log(Object.keys(d).sort().join(), d.id, typeof d.setup, typeof d.server))`
		for _, program := range []string{"node", bun} {
			cmd := exec.CommandContext(ctx, program, "-e", script)
			cmd.Dir = project
			out, err := cmd.CombinedOutput()
			want := "id,server,setup " + PackageName + " function function"
			if got := strings.TrimSpace(string(out)); err != nil || got != want {
				t.Errorf("%s imports %s: got %q (%v), want %q", filepath.Base(program), entry, got, err, want)
			}
		}
	}
}
