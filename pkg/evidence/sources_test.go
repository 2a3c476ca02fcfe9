package evidence

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sources reads the Go files of this repository's packages: real code, with
// all that repeats in it.
func sources(t *testing.T) tree {
	t.Helper()
	files := make(tree)
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		files[filepath.ToSlash(filepath.Join("pkg", path[len("../"):]))] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Three lines of a real file are found where they stand, and in no file that has not got them.
func TestQuotesOfRealFiles(t *testing.T) {
	files := sources(t)
	other := files["pkg/evidence/resolve.go"]
	squashed := squash(other)
	var proved, plain, refused int
	for path, text := range files {
		r := &Resolver{Files: tree{path: text, "other.go": other}}
		lines := splitLines(text)
		form := normalize(text)
		for n := 0; n+3 <= len(lines); n += 17 {
			quote := strings.Join(lines[n:n+3], "\n")
			if !provable(&form, quote) {
				plain++
				continue
			}
			c, f := r.Resolve(quoteOf(path, n+1, strings.ReplaceAll(quote, "\t", "  ")))
			if !f.Proves() || c.Line > n+3 || c.EndLine < n+1 {
				t.Errorf("%s:%d: %s at %d-%d\n%s", path, n+1, c.Status, c.Line, c.EndLine, quote)
			}
			proved++
			if strings.Contains(squashed, squash(quote)) {
				continue
			}
			if c, f := r.Resolve(quoteOf("other.go", n+1, quote)); f.Proves() {
				t.Errorf("a quote of %s:%d is %s at %d-%d of resolve.go\n%s", path, n+1, c.Status, c.Line, c.EndLine, quote)
			}
			refused++
		}
	}
	t.Logf("%d files: %d quotes found, %d refused in another file, %d prove nothing", len(files), proved, refused, plain)
	if proved < 200 || refused < 200 {
		t.Errorf("only %d and %d quotes were tried", proved, refused)
	}
}
