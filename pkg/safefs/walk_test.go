package safefs

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/pkg/memfs"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

func walk(t *testing.T, disk *memfs.FS, start string) ([]string, Walked) {
	t.Helper()
	fs, err := New(disk, disk.Root())
	if err != nil {
		t.Fatal(err)
	}
	dir, err := fs.Resolve(start)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	seen, err := fs.Walk(dir, nil, func(e Entry) bool {
		name := e.Rel
		switch e.Kind {
		case protocol.KindDir:
			name += "/"
		case protocol.KindSymlink:
			name += "@"
		}
		got = append(got, name)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return got, seen
}

func tree(names ...string) *memfs.FS {
	disk := memfs.New("/work")
	for _, name := range names {
		disk.Write(name, "text of "+name)
	}
	return disk
}

func TestWalkLeavesOutWhatIsNotTheProjects(t *testing.T) {
	disk := tree(
		"main.go", "a/b.go", "a/c/d.go", "a-b.go",
		".git/HEAD", "a/.git/HEAD", ".hg/store",
		"node_modules/x/index.js", "a/node_modules/y.js", "dist/app.js", "target/debug/app", "vendor/v.go",
		"gen/keep.go", "gen/skip.log", ".env", ".aws/credentials", "certs/server.pem",
	)
	disk.Write(".gitignore", "*.log\n")
	disk.Symlink("main.go", "link.go")
	disk.Special("pipe")
	got, seen := walk(t, disk, ".")
	want := []string{".gitignore", "a/", "a/b.go", "a/c/", "a/c/d.go", "a-b.go", "certs/", "gen/", "gen/keep.go", "link.go@", "main.go"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	seen.Entries = 0
	if diff := cmp.Diff(Walked{Built: []string{"a/node_modules", "dist", "node_modules", "target", "vendor"}, BuiltCount: 5, Ignored: 1, Credentials: 3}, seen); diff != "" {
		t.Errorf("what was left out (-want +got):\n%s", diff)
	}
}

// The walk makes its paths many at a time; here it comes back from folders within, at and after such a piece.
func TestWalkNamesAllOfALargeFolder(t *testing.T) {
	var want []string
	disk := memfs.New("/work")
	for i := range 3*pathsAtOnce + 5 {
		name := fmt.Sprintf("a/%03d%.*s", i, i%7, "-longer")
		if i%11 != 0 && i != pathsAtOnce-1 && i != pathsAtOnce {
			disk.Write(name, "")
			want = append(want, name)
			continue
		}
		want = append(want, name+"/")
		for j := range i + 1 {
			file := fmt.Sprintf("%s/%03d", name, j)
			disk.Write(file, "")
			want = append(want, file)
		}
	}
	got, _ := walk(t, disk, "a")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWhatIsNamedIsWalkedThoughHidden(t *testing.T) {
	disk := tree("node_modules/x/index.js", "logs/a.log", "logs/deep/b.log", "out1/gen.txt", "src/a.go", "src/x.tmp")
	disk.Write(".gitignore", "/logs\nout1/*\n*.tmp\n")
	for start, want := range map[string][]string{
		"node_modules": {"node_modules/x/", "node_modules/x/index.js"},
		"logs":         {"logs/a.log", "logs/deep/", "logs/deep/b.log"},
		"logs/deep":    {"logs/deep/b.log"},
		"out1":         {"out1/gen.txt"},
		"src":          {"src/a.go"}, // not hidden itself, so the rules hold in it
		"src/x.tmp":    {"src/x.tmp"},
	} {
		if got, _ := walk(t, disk, start); !cmp.Equal(want, got) {
			t.Errorf("walk %s: %s", start, cmp.Diff(want, got))
		}
	}
}

func TestGitignoreMayTakeABuiltFolderBackIn(t *testing.T) {
	disk := tree("build/rules.mk", "x/build/skip.o", "src/.gitignore")
	disk.Write(".gitignore", "!/build/\n")
	got, _ := walk(t, disk, ".")
	want := []string{".gitignore", "build/", "build/rules.mk", "src/", "src/.gitignore", "x/"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWalkIsBounded(t *testing.T) {
	disk := memfs.New("/work")
	deep := ""
	for i := range MaxDepth + 3 {
		deep += fmt.Sprintf("d%d/", i)
	}
	disk.Write(deep+"bottom", "x")
	got, seen := walk(t, disk, ".")
	if len(got) != MaxDepth || seen.Stopped != "folders more than 64 deep were not looked into" {
		t.Errorf("deep tree: %d names, stopped %q", len(got), seen.Stopped)
	}

	// The other bounds are lowered here, to keep the test small.
	short := func(disk *memfs.FS, entries, work int) (int, string) {
		fs, err := New(disk, "/work")
		if err != nil {
			t.Fatal(err)
		}
		fs.maxEntries, fs.maxWork = entries, work
		root, _ := fs.Resolve(".")
		shown := 0
		seen, err := fs.Walk(root, nil, func(Entry) bool { shown++; return true })
		if err != nil {
			t.Fatal(err)
		}
		return shown, seen.Stopped
	}
	disk = memfs.New("/work")
	for i := range 1000 {
		disk.Write(fmt.Sprintf("d%d/f%03d", i%7, i), "")
	}
	if n, stopped := short(disk, 500, maxWork); n != 500 || stopped != "the walk ended at its bound after 500 names; name a folder to look in" {
		t.Errorf("wide tree: %d names, stopped %q", n, stopped)
	}
	// 2,000 rules that each search the name use up the work before the names.
	rules := ""
	for i := range 3000 {
		rules += fmt.Sprintf("*a*b*c*%d*\n", i)
	}
	disk.Write(".gitignore", rules)
	if n, stopped := short(disk, MaxEntries, 1_000_000); n > 200 || stopped == "" {
		t.Errorf("hostile rules: %d names, stopped %q", n, stopped)
	}
}

func TestWalkAsksWhetherItIsInterrupted(t *testing.T) {
	disk := memfs.New("/work")
	for i := range 3 * tick {
		disk.Write(fmt.Sprintf("f%05d", i), "")
	}
	fs, err := New(disk, "/work")
	if err != nil {
		t.Fatal(err)
	}
	root, _ := fs.Resolve(".")
	asked := 0
	if _, err := fs.Walk(root, func() { asked++ }, func(Entry) bool { return true }); err != nil || asked != 3 {
		t.Errorf("asked %d times, err %v; want 3, none", asked, err)
	}
}

func TestWalkGoesOnPastAFolderItCannotList(t *testing.T) {
	disk := tree("a/x", "b/y", "c/z")
	disk.Fail("b", protocol.ErrnoPermission)
	got, seen := walk(t, disk, ".")
	if diff := cmp.Diff([]string{"a/", "a/x", "b/", "c/", "c/z"}, got); diff != "" || seen.Failed != 1 {
		t.Errorf("failed %d, want 1; (-want +got):\n%s", seen.Failed, diff)
	}
}

// reads counts what is read, by path.
type reads struct {
	protocol.Files
	of map[string]int
}

func (r reads) Read(path string, want protocol.Info, offset int64, buf []byte) (int, protocol.Errno) {
	r.of[path]++
	return r.Files.Read(path, want, offset, buf)
}

// Whatever happens to rule files between two walks, a workspace that remembers what they said sees what a fresh one
// sees; and what did not change is read once.
func TestRememberedRulesAreThoseOfTheFiles(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	disk := tree("a", "b", "x/a", "x/b", "x/y/a", "x/y/b", "z/a", "z/b", ".git/HEAD")
	counted := reads{disk, map[string]int{}}
	kept, err := New(counted, "/work")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{".gitignore", ".git/info/exclude", "x/.gitignore", "x/y/.gitignore", "z/.gitignore"}
	rules := []string{"a\n", "b\n", "!a\n", "/a\n", "/x/y\n", "y/a\n", "z/\n", "*\n!b\n", "", "# none\n"}
	all := func(fs *FS, start string) (got []string) {
		dir, err := fs.Resolve(start)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fs.Walk(dir, nil, func(e Entry) bool { got = append(got, e.Rel); return true }); err != nil {
			t.Fatal(err)
		}
		return got
	}
	for range 400 {
		switch name := names[rng.Intn(len(names))]; rng.Intn(6) {
		case 0:
			disk.Remove(name)
		case 1:
			disk.Remove(name)
			disk.Symlink("a", name)
		case 2:
			disk.Remove(name)
			disk.Write(name, rules[rng.Intn(len(rules))])
		default:
			disk.Write(name, rules[rng.Intn(len(rules))])
		}
		for _, start := range []string{".", "x", "x/y", "z"} {
			fresh, err := New(disk, "/work")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(all(fresh, start), all(kept, start)); diff != "" {
				t.Fatalf("from %s (-fresh +kept):\n%s", start, diff)
			}
		}
	}
	for _, name := range names {
		disk.Write(name, "*.log\n")
	}
	clear(counted.of)
	for range 10 {
		all(kept, ".")
		all(kept, "x/y")
	}
	for name, n := range counted.of {
		if n > 1 {
			t.Errorf("%s was read %d times", name, n)
		}
	}
	if len(counted.of) != len(names) {
		t.Errorf("read: %v, want each of %d rule files once", counted.of, len(names))
	}
	for n := range 3 * maxIgnores {
		disk.Write(fmt.Sprintf("many/%d/.gitignore", n), strings.Repeat("a\n", n*3))
	}
	all(kept, ".")
	if len(kept.ignores) > maxIgnores {
		t.Errorf("the rules of %d files are remembered, at most %d may be", len(kept.ignores), maxIgnores)
	}
	for name, known := range kept.ignores {
		if len(known.rules) > maxKeptRules {
			t.Errorf("%d rules of %s are remembered", len(known.rules), name)
		}
	}
}
