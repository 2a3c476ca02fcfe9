package mutants

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A small repository with every shape of function, whose tests see every one of them.
var small = map[string]string{
	"go.mod": "module example.com/small\n\ngo 1.26\n",
	"a/a.go": `package a

import "strings"

const most = 3

type box[T any] struct{ items []T }

func (b *box[T]) put(_ int, item T) { b.items = append(b.items, item) }

type namer struct{ name string }

// String says what it is.
func (namer) String() string { return "a namer" }

func (n namer) rename(to ...string) (name string, changed bool) {
	name = strings.Join(to, " ")
	return name, name != n.name
}

// depth calls itself.
func depth(n int) int {
	if n >= most {
		return n
	}
	return depth(n + 1)
}

func first[T any](items []T) T { return items[0] }

func count(a, b int, rest ...int) int { return a + b + len(rest) }

var length = count(1, 2, 0)

func forever() bool { return true }
`,
	"a/a_test.go": `package a

import "testing"

func TestAll(t *testing.T) {
	b := &box[string]{}
	if b.put(1, "x"); len(b.items) != 1 {
		t.Error("put")
	}
	if (namer{}).String() != "a namer" {
		t.Error("String")
	}
	if name, changed := (namer{"a"}).rename("a", "b"); name != "a b" || !changed {
		t.Error("rename")
	}
	if depth(0) != 3 {
		t.Error("depth")
	}
	if first([]int{1, 2}) != 1 {
		t.Error("first")
	}
	if count(1, 2, 0) != 4 {
		t.Error("count")
	}
}

func TestLength(t *testing.T) {
	if length != 4 {
		t.Error("before main")
	}
}

func TestBroken(t *testing.T) { t.Error("always") }
`,
}

func TestRunTellsWhatBecameOfEachMutant(t *testing.T) {
	root := t.TempDir()
	for name, text := range small {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tests := func(run string) Tests { return Tests{Package: "a", Run: run} }
	mutants := []Mutant{
		{"a method of a generic type", "a/a.go", "b.items = append(b.items, item)", "", tests("TestAll")},
		{"a receiver without a name", "a/a.go", "\"a namer\"", "\"b\"", tests("TestAll")},
		{"named results", "a/a.go", "name != n.name", "false", tests("TestAll")},
		{"a call of itself", "a/a.go", "n + 1", "n + 2", tests("TestAll")},
		{"the same function again", "a/a.go", "if n >= most {", "if n > most {", tests("TestAll")},
		{"further arguments", "a/a.go", "+ len(rest)", "", tests("TestAll")},
		{"before main", "a/a.go", "+ len(rest)", "+ 0*len(rest)", tests("TestLength")},
		{"a constant", "a/a.go", "most = 3", "most = 4", tests("TestAll")},
		{"type parameters", "a/a.go", "items[0]", "items[1]", tests("TestAll")},
		{"nobody looks", "a/a.go", "return true }", "return false }", tests("TestAll")},
		{"its tests fail anyway", "a/a.go", "return true }", "return !true }", tests("TestBroken")},
		{"it has no tests", "a/a.go", "return true }", "return 1 < 0 }", tests("TestNothing")},
		{"stale", "a/a.go", "no such text", "", tests("TestAll")},
	}
	want := []string{
		"killed TestAll", "killed TestAll", "killed TestAll", "killed TestAll", "killed TestAll", "killed TestAll", "killed TestLength",
		"killed TestAll", "killed TestAll",
		"survived: no test of a fails", "its tests do not pass without it: exit status 1", "its tests do not pass without it: there are none",
		"a/a.go: stale: its text is not in the file any more",
	}
	try := func(mutants []Mutant) (got []string) {
		verdicts, err := Run(root, mutants, 2, func(Verdict) {})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range verdicts {
			word, _, _ := strings.Cut(v.Detail, "\n")
			if v.Killed {
				word = "killed " + word
			}
			got = append(got, word)
		}
		return got
	}
	if diff := cmp.Diff(want, try(mutants)); diff != "" {
		t.Error(diff)
	}
	// One that does not build is found, and takes none of the others along.
	few := []Mutant{mutants[0], {"no Go", "a/a.go", "return true }", "return 7 }", tests("TestAll")}, mutants[9]}
	if diff := cmp.Diff([]string{want[0], "does not build:", want[9]}, try(few)); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsWoven(t *testing.T) {
	src := small["a/a.go"]
	mutants := map[int]string{
		1: strings.Replace(src, "n + 1", "n + 2", 1),
		2: strings.Replace(src, "most = 3", "most = 4", 1),
		3: strings.Replace(src, "items[0]", "items[1]", 1),
		4: strings.Replace(src, "func depth(n int) int {", "func depth(n int64) int {", 1),
		5: src + "func init() {}\n",
		6: "no Go",
	}
	woven, left, err := weave(src, mutants)
	if diff := cmp.Diff([]int{2, 3, 4, 5, 6}, left); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if !strings.Contains(woven, "\treturn depth(n + 2)\n") || !strings.Contains(woven, "\treturn depth(n + 1)\n") {
		t.Errorf("a variant is missing:\n%s", woven)
	}
	again, _, _ := weave(src, map[int]string{1: mutants[1]})
	if again != woven {
		t.Errorf("what cannot be woven left something behind:\n%s", woven)
	}
}
