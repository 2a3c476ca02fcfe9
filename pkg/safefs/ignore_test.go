//go:build linux

package safefs

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/internal/diskfs"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// repo is a git repository in which git and Walk are asked the same.
type repo struct {
	t   *testing.T
	dir string
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	r := &repo{t, t.TempDir()}
	r.git("init", "-q")
	return r
}

func (r *repo) git(args ...string) []byte {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	// No person's or machine's own excludes.
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "HOME="+r.dir, "XDG_CONFIG_HOME="+r.dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return out
}

func (r *repo) write(name, text string) {
	r.t.Helper()
	full := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// compare checks that Walk shows the files that git would show as untracked.
func (r *repo) compare() {
	r.t.Helper()
	var want []string
	for _, name := range bytes.Split(r.git("ls-files", "-z", "--others", "--exclude-standard"), []byte{0}) {
		if len(name) > 0 {
			want = append(want, string(name))
		}
	}
	sort.Strings(want)
	disk, err := diskfs.New(r.dir)
	if err != nil {
		r.t.Fatal(err)
	}
	fs, err := New(disk, r.dir)
	if err != nil {
		r.t.Fatal(err)
	}
	root, err := fs.Resolve(".")
	if err != nil {
		r.t.Fatal(err)
	}
	var got []string
	if _, err := fs.Walk(root, nil, func(e Entry) bool {
		if e.Kind != protocol.KindDir {
			got = append(got, e.Rel)
		}
		return true
	}); err != nil {
		r.t.Fatal(err)
	}
	sort.Strings(got)
	if diff := cmp.Diff(want, got); diff != "" {
		var rules strings.Builder
		for _, name := range append(got, want...) {
			if filepath.Base(name) == ".gitignore" {
				text, _ := os.ReadFile(filepath.Join(r.dir, name))
				fmt.Fprintf(&rules, "%s:\n%s\n", name, text)
			}
		}
		root, _ := os.ReadFile(filepath.Join(r.dir, ".gitignore"))
		r.t.Errorf("(-git +walk):\n%s\n.gitignore:\n%s\n%s", diff, root, rules.String())
	}
}

func TestIgnoreRulesAreGits(t *testing.T) {
	names := []string{
		"a.log", "b.txt", "x/a.log", "x/y/a.log", "x/y/b.txt", "gen/one.go", "gen/sub/two.go", "sub/gen/three.go",
		"foo/bar/baz.c", "foo/baz.c", "bar/foo/baz.c", "#hash", "!bang", "space ", "star*name", "back\\slash", "[b]", "temp1", "temp22", "tempA",
		"deep/a/b/c/d.txt", "deep/d.txt", "caf\u00e9", "doc/frotz/x", "a/doc/frotz/x", "keep/only/this.txt", "keep/only/that.txt", "UPPER.LOG", "q?", "a-b", "a]b",
	}
	for name, rules := range map[string]string{
		"suffix":            "*.log\n",
		"anchored":          "/a.log\n/gen\n",
		"folder only":       "gen/\nb.txt/\n",
		"middle slash":      "foo/bar\ndoc/frotz/\n",
		"negation":          "*.log\n!x/a.log\n",
		"folder stays shut": "gen/\n!gen/one.go\n",
		"last rule wins":    "*.txt\n!b.txt\nx/y/b.txt\n",
		"double star":       "**/baz.c\ndeep/**/d.txt\n",
		"double star end":   "gen/**\n!gen/one.go\n",
		"all but one":       "/keep/only/*\n!/keep/only/this.txt\n",
		"whitelist":         "*\n!*/\n!*.go\n!.gitignore\n",
		"escapes":           "\\#hash\n\\!bang\nspace\\ \nstar\\*name\nback\\\\slash\n\\[b]\nq\\?\n",
		"blanks":            "a.log   \n\n   \n# b.txt\nb.txt\t\n",
		"classes":           "temp[0-9]\na[]-]b\n[!a-z]bang\ncaf?\n",
		"posix":             "temp[[:digit:]][[:digit:]]\ntemp[[:upper:]]\n",
		"crlf and bom":      "\xef\xbb\xbf*.log\r\n/b.txt\r\n",
		"broken":            "temp[0-9\nb.txt\\\n*.log\n",
		"slashes":           "/\n//\ngen//\n/x/y\n",
		"star crosses not":  "foo*baz.c\nfoo/*\n",
		"stars in names":    "a**log\n**.txt\nde**p/\n",
		"dot":               "./a.log\nfoo/./baz.c\n",
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			for _, file := range names {
				r.write(file, "x")
			}
			r.write(".gitignore", rules)
			r.compare()
		})
	}
}

func TestNestedRulesAndExcludesAreGits(t *testing.T) {
	r := newRepo(t)
	for _, name := range []string{"a.log", "x/a.log", "x/y/a.log", "x/y/b.tmp", "b.tmp", "x/only/z", "only/z", "x/local", "local"} {
		r.write(name, "x")
	}
	r.write(".gitignore", "*.log\n/only\n")
	r.write("x/.gitignore", "!a.log\n/y/*.tmp\n/local\n")
	r.write("x/y/.gitignore", "a.log\n!b.tmp\n")
	r.write(".git/info/exclude", "b.tmp\n!local\nlocal\n")
	r.compare()
}

// TestRandomRulesAreGits puts made-up rules over a made-up tree, from a fixed seed.
func TestRandomRulesAreGits(t *testing.T) {
	rng := rand.New(rand.NewSource(7))
	pick := func(from ...string) string { return from[rng.Intn(len(from))] }
	r := newRepo(t)
	for _, a := range []string{"a", "b", "ab", "c"} {
		for _, b := range []string{"a", "b", "ab"} {
			for _, c := range []string{"a", "b", "ba"} {
				r.write("d"+a+"/d"+b+"/"+c, "x")
			}
			r.write("d"+a+"/"+b, "x")
		}
		r.write(a, "x")
	}
	line := func() string {
		var s strings.Builder
		if rng.Intn(4) == 0 {
			s.WriteByte('!')
		}
		if rng.Intn(4) == 0 {
			s.WriteByte('/')
		}
		for n := 1 + rng.Intn(3); n > 0; n-- {
			s.WriteString(pick("a", "b", "da", "db", "d*", "*", "**", "*a", "*b*", "?", "d?", "[ab]", "d[!a]", "ab", "**a"))
			if n > 1 {
				s.WriteByte('/')
			}
		}
		if rng.Intn(4) == 0 {
			s.WriteByte('/')
		}
		return s.String() + "\n"
	}
	for range 120 {
		for _, at := range []string{".gitignore", "da/.gitignore", "db/da/.gitignore", ".git/info/exclude"} {
			text := ""
			for range rng.Intn(4) {
				text += line()
			}
			r.write(at, text)
		}
		r.compare()
		if t.Failed() {
			return
		}
	}
}
