package main

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

// TestUnicodeAsListsSaysTheSame asks for each class by all its names, and for some that there are not.
func TestUnicodeAsListsSaysTheSame(t *testing.T) {
	names := slices.Sorted(maps.Keys(unicode.Categories))
	names = slices.AppendSeq(names, maps.Keys(unicode.Scripts))
	names = slices.AppendSeq(names, maps.Keys(unicode.CategoryAliases))
	names = append(names, "greek", "uppercase letter", "Any", "ASCII", "Assigned", "lc", "Klingon", "")
	if len(names) < 200 {
		t.Fatalf("there are %d names", len(names))
	}
	dir := t.TempDir()
	goroot, err := goTool("", "env", "GOROOT")
	if err != nil {
		t.Fatal(err)
	}
	replace, err := writeUnicode(strings.TrimSpace(string(goroot)), dir)
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(flags ...string) string {
		args := append(append([]string{"run"}, flags...), "./testdata/classes")
		out, err := exec.Command("go", append(args, names...)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	want := run()
	if diff := cmp.Diff(want, run("-overlay", list)); diff != "" {
		t.Errorf("(-maps +lists):\n%s", diff)
	}
	if !strings.Contains(want, "\ngreek [") {
		t.Errorf("greek is not a class:\n%s", want)
	}
}
