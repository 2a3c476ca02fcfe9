package plugin_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/internal/hosts"
	"github.com/Kayphoon/opencode-advisor/pkg/opencode/plugin"
)

func pack(t *testing.T, files map[string]string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "probe.tgz")
	if err := hosts.WriteTarball(path, files); err != nil {
		t.Fatal(err)
	}
	return path
}

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const manifest = `{"name": "probe", "version": "1.2.3", "main": "./index.js", "exports": {".": "./index.js", "./server": "./dist/plugin.js"}}`

func TestAFolderIsGivenByItsServerEntryAndAFileByItself(t *testing.T) {
	dir := folder(t, map[string]string{"package.json": manifest, "dist/plugin.js": "", "index.js": ""})
	for path, want := range map[string]string{
		dir:                            "file://" + filepath.Join(dir, "dist/plugin.js"),
		filepath.Join(dir, "index.js"): "file://" + filepath.Join(dir, "index.js"),
	} {
		if spec, err := plugin.Place(t.TempDir(), path); err != nil || spec != want {
			t.Errorf("%s: got %q, %v; want %q", path, spec, err, want)
		}
	}
}

func TestATarballIsUnpackedWhereTheHostInstalls(t *testing.T) {
	cache := t.TempDir()
	for _, c := range []struct{ name, at string }{
		{"probe", "opencode/packages/probe@1.2.3/node_modules/probe"},
		{"@me/probe", "opencode/packages/@me/probe@1.2.3/node_modules/@me/probe"},
	} {
		tarball := pack(t, map[string]string{
			"package/package.json":   strings.ReplaceAll(manifest, `"probe"`, `"`+c.name+`"`),
			"package/dist/plugin.js": "plugin",
		})
		for range 2 { // a second time replaces the first
			spec, err := plugin.Place(cache, tarball)
			if err != nil || spec != c.name+"@1.2.3" {
				t.Errorf("%s: got %q, %v", c.name, spec, err)
			}
		}
		if got, _ := os.ReadFile(filepath.Join(cache, c.at, "dist/plugin.js")); string(got) != "plugin" {
			t.Errorf("%s: the entry holds %q", c.name, got)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(cache, "opencode/packages/.unpack-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestWhatCannotBePlacedIsAnErrorAndWritesNothingOutside(t *testing.T) {
	root := t.TempDir()
	for _, c := range []struct{ name, path, want string }{
		{"a missing file", filepath.Join(root, "none.tgz"), "is it built?"},
		{"an entry that is not built", folder(t, map[string]string{"package.json": manifest}), "is it built?"},
		{"no manifest", t.TempDir(), "package.json"},
		{"no entry", folder(t, map[string]string{"package.json": `{"name": "x", "version": "1.0.0"}`}), "neither exports"},
		{"a file outside of the package", pack(t, map[string]string{"../out.js": "x"}), "leaves the package"},
		{"a name outside of the cache", pack(t, map[string]string{"package/package.json": strings.ReplaceAll(manifest, `"probe"`, `"../../../out"`)}), "cannot be a package's name"},
		{"a version outside of the cache", pack(t, map[string]string{"package/package.json": strings.ReplaceAll(manifest, `"1.2.3"`, `"1/../../../../out"`)}), "cannot be a package's name"},
		{"no tarball", filepath.Join(folder(t, map[string]string{"x.tgz": "not gzip"}), "x.tgz"), "gzip"},
	} {
		spec, err := plugin.Place(filepath.Join(root, "deep", "cache"), c.path)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "place plugin") {
			t.Errorf("%s: got %q, %v; want %q", c.name, spec, err, c.want)
		}
	}
	if found, _ := filepath.Glob(filepath.Join(root, "*out*")); len(found) > 0 {
		t.Errorf("written outside: %v", found)
	}
}
