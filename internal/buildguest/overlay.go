package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// lean are packages of the standard library that the guest links in a smaller form, which is in the
// folder of that name. See RATIONALE.md.
var lean = []string{"embed", "fmt", "io/fs", "regexp"}

// writeOverlay writes the go command's overlay into dir: the runtime and Unicode's tables are patched, and of
// each lean package the first file is replaced by ours, the others are gone.
func writeOverlay(dir string) (string, error) {
	out, err := goTool("", "env", "GOROOT", "GOMOD")
	if err != nil {
		return "", err
	}
	goroot, gomod, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	replace, err := writePatched(goroot, dir, patches)
	if err != nil {
		return "", err
	}
	lists, err := writeUnicode(goroot, dir)
	if err != nil {
		return "", err
	}
	maps.Copy(replace, lists)
	for _, pkg := range lean {
		files, err := filepath.Glob(filepath.Join(goroot, "src", pkg, "*.go"))
		if err != nil {
			return "", err
		}
		ours := filepath.Join(filepath.Dir(gomod), "internal", "buildguest", "lean", pkg, path.Base(pkg)+".go")
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				replace[file], ours = ours, ""
			}
		}
		if ours != "" {
			return "", fmt.Errorf("find package %s: no Go files in %s", pkg, filepath.Join(goroot, "src", pkg))
		}
	}
	file, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, file, 0o600)
}
