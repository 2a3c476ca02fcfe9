package pattern

import (
	"path"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
)

func TestGlobsNamePaths(t *testing.T) {
	tests := []struct {
		glob    string
		yes, no []string
	}{
		{"*.go", []string{"a.go", "x/y/b.go", ".go"}, []string{"a.gox", "a.go/b"}},
		{"/*.go", []string{"a.go"}, nil},
		{"src/*.go", []string{"src/a.go"}, []string{"src/x/a.go", "x/src/a.go"}},
		{"src/**/*.go", []string{"src/a.go", "src/x/y/a.go"}, []string{"a.go", "src/a.ts"}},
		{"**/*.go", []string{"a.go", "x/a.go"}, []string{"a.ts", "a.go/b"}},
		{"{**/a,b/*}", []string{"a", "x/y/a", "b/x"}, []string{"x/b/x", "a/x"}},
		{"src/**", []string{"src/a", "src/x/y"}, []string{"src", "srcs/a"}},
		{"**", []string{"a", "x/y"}, nil},
		{"**/test/**", []string{"test/a", "x/test/a", "x/y/test/z/a"}, []string{"test", "tests/a"}},
		{"a/**/b/**/c", []string{"a/b/c", "a/b/b/c", "a/x/b/y/z/c"}, []string{"a/c", "a/b", "a/b/c/d"}},
		{"*.{ts,tsx}", []string{"a.ts", "x/a.tsx"}, []string{"a.js", "a.t"}},
		{"{src,lib}/*.{a,b{c,d}}", []string{"src/x.a", "lib/x.bd"}, []string{"src/x.b", "x.a"}},
		{"{a,b", []string{"{a,b"}, []string{"a"}},
		{"{a}", []string{"{a}"}, []string{"a"}},
		{"[a-c]?.t[!x]t", []string{"b1.tyt", "c\u00e9.t\u00e9t"}, []string{"d1.tyt", "b.tyt", "b1.txt"}},
		{"[[:digit:]][]x]", []string{"1]", "2x"}, []string{"a]", "1y"}},
		{`\*.\[a]`, []string{"*.[a]"}, []string{"b.[a]"}},
		{"a**b", []string{"ab", "axb", "x/axxb"}, []string{"a/b"}},
		{"./src/a", []string{"src/a"}, []string{"x/src/a"}},
		{"caf\u00e9*", []string{"caf\u00e9s"}, []string{"cafes"}},
	}
	for _, tt := range tests {
		g, err := CompileGlob(tt.glob)
		if err != nil {
			t.Errorf("%q: %v", tt.glob, err)
			continue
		}
		for _, p := range tt.yes {
			if !g.Match(p) {
				t.Errorf("%q must name %q", tt.glob, p)
			}
		}
		for _, p := range tt.no {
			if g.Match(p) {
				t.Errorf("%q must not name %q", tt.glob, p)
			}
		}
	}
}

func TestGlobsTellWhereToLook(t *testing.T) {
	for glob, want := range map[string]string{
		"dist/js/*.map": "dist/js", "dist/**": "dist", "*.go": "", "a/b": "a", "{a,b}/c": "", "**/x": "", "a/*/b/c": "a",
	} {
		g, err := CompileGlob(glob)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Dir(); got != want {
			t.Errorf("%q: got %q, want %q", glob, got, want)
		}
	}
}

func TestBadGlobsAreRefused(t *testing.T) {
	for glob, want := range map[string]string{
		"[a":                               "glob has a [ without its ]; write \\[ for the bracket itself",
		`a\`:                               "glob ends in a lone backslash",
		"[[:nope:]]":                       "glob has the unknown class [:nope:]",
		strings.Repeat("{a,b}", 8):         "glob spells out more than 128 alternatives; search in several steps",
		strings.Repeat("x", MaxGlob) + "*": "glob is 1025 bytes long; at most 1024 are allowed",
	} {
		if _, err := CompileGlob(glob); err == nil || err.Error() != want {
			t.Errorf("%.30q: got %v, want %s", glob, err, want)
		}
	}
}

// TestGlobsAgreeWithDoublestar compares every short pattern on every short path
// with the module that most Go programs use.
func TestGlobsAgreeWithDoublestar(t *testing.T) {
	var paths []string
	for _, p := range words("ab/", 5) {
		if p != "" && path.Clean(p) == p && p[0] != '/' {
			paths = append(paths, p)
		}
	}
	compared := 0
	for _, glob := range words("a*?/b", 5) {
		if glob == "" || path.Clean(glob) != glob || glob[0] == '/' || strings.Contains(glob, "***") {
			continue
		}
		g, err := CompilePath(glob)
		if err != nil {
			t.Fatalf("%q: %v", glob, err)
		}
		for _, p := range paths {
			want, _ := doublestar.Match(glob, p)
			// Git's final ** needs something to stand for; doublestar's does not.
			if strings.HasSuffix(glob, "/**") && glob != "**/**" && want {
				below, _ := doublestar.Match(glob+"/*", p)
				want = below
			}
			if got := g.Match(p); got != want {
				t.Fatalf("%q on %q: got %v, want %v", glob, p, got, want)
			}
			compared++
		}
	}
	t.Logf("%d pairs of glob and path", compared)
}

// TestGlobsWithASlashArePaths compares what a model writes, for which **/name is only a name, with the general way.
func TestGlobsWithASlashArePaths(t *testing.T) {
	for _, glob := range words("a*?/b", 5) {
		if path.Clean(glob) != glob || glob[0] == '/' || !strings.Contains(glob, "/") {
			continue
		}
		short, err := CompileGlob(glob)
		if err != nil {
			t.Fatalf("%q: %v", glob, err)
		}
		general, err := CompilePath(glob)
		if err != nil {
			t.Fatalf("%q: %v", glob, err)
		}
		for _, p := range words("ab/", 5) {
			if p == "" || path.Clean(p) != p || p[0] == '/' {
				continue
			}
			if got, want := short.Match(p), general.Match(p); got != want {
				t.Fatalf("%q on %q: got %v, want %v", glob, p, got, want)
			}
		}
	}
}
