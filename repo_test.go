// Package repo holds the rules of the house as tests.
package repo

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/Kayphoon/opencode-advisor/"

// layers is the order of the packages that the guest is made of. A package
// imports from layers before its own, and from no others: so nothing that
// decides can come to depend on what runs it.
var layers = [][]string{
	{"pkg/protocol", "pkg/pattern", "pkg/digest", "pkg/utc", "pkg/budget"},
	{"pkg/config", "pkg/transcript", "pkg/safefs", "pkg/redact", "pkg/llm", "pkg/memfs"},
	{"pkg/breaker", "pkg/guard", "pkg/evidence", "pkg/tools", "pkg/dialog", "pkg/rules"},
	{"pkg/session", "pkg/review", "pkg/consult", "pkg/judge", "pkg/delivery"},
	{"pkg/show", "pkg/report", "pkg/bench"},
	{"pkg/cli"},
	{"pkg/engine"},
	{"wasm"},
}

// native packages run outside of the guest and may import what they need.
var native = []string{"pkg/harness", "pkg/opencode"}

// barred is what no package of the guest may import, with the reason.
var barred = map[string]string{
	"os":            "files come through protocol.Files, the environment through Need",
	"os/exec":       "the guest runs nothing",
	"os/signal":     "the guest has no process",
	"net":           "requests go through the host",
	"net/http":      "requests go through the host",
	"io/fs":         "files come through protocol.Files",
	"io/ioutil":     "files come through protocol.Files",
	"path/filepath": "it follows the machine it was built for; paths here have slashes",
	"syscall":       "the guest asks its host and nothing else",
	"plugin":        "the guest loads nothing",
	"log":           "it writes to the process; lines go through Emit",
	"log/slog":      "it writes to the process; lines go through Emit",
	"crypto/rand":   "randomness comes in with Init, so that a run can be replayed",
	"sync":          "there is one goroutine",
	"context":       "there is one goroutine, and deadlines are the host's",
	"crypto/sha256": "it brings Go's FIPS module and os, 0.5 MB; use pkg/digest",
	"fmt":           "it costs 0.7 MB of the module with what it needs, and the guest is built without it; use + and strconv",
	"time":          "it brings time zones and settings, 0.2 MB; use pkg/utc",
	"runtime/debug": "it brings os and time",
	"encoding/json": "it costs 0.7 MB of the module and is slow there; use the codec and jsonparser",
	"regexp":        "patterns go through pkg/pattern, whose steps are counted",
	"text/template": "it keeps every method of every type in the module",
	"html/template": "it keeps every method of every type in the module",
}

// timers are what of package time needs a clock or a goroutine.
var timers = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer"}

func layerOf(pkg string) int {
	return slices.IndexFunc(layers, func(l []string) bool { return slices.Contains(l, pkg) })
}

// source is one Go file that git tracks or could.
type source struct {
	name string // from the root, with slashes
	file *ast.File
}

func (s source) pkg() string { return path.Dir(s.name) }
func (s source) test() bool  { return strings.HasSuffix(s.name, "_test.go") }

var fset = token.NewFileSet()

// sources parses every Go file of the repository but those of testdata.
func sources(t *testing.T) (all []source) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || d.Name() == "dist" || name != "." && strings.HasPrefix(d.Name(), ".")) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		all = append(all, source{filepath.ToSlash(name), f})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 50 {
		t.Fatalf("%d Go files found, want all of them", len(all))
	}
	return all
}

func imports(f *ast.File) (names []string) {
	for _, i := range f.Imports {
		name, _ := strconv.Unquote(i.Path.Value)
		names = append(names, name)
	}
	return names
}

func TestImportsRunOneWay(t *testing.T) {
	for _, s := range sources(t) {
		if s.test() || slices.ContainsFunc(native, func(n string) bool { return s.pkg() == n || strings.HasPrefix(s.pkg(), n+"/") }) {
			continue
		}
		top, _, _ := strings.Cut(s.pkg(), "/")
		layer := layerOf(s.pkg())
		if layer < 0 {
			if top == "wasm" || top == "pkg" && s.pkg() != "pkg/protocol/gen" {
				t.Errorf("%s: package %s has no place in the table of layers", s.name, s.pkg())
			}
			continue
		}
		for _, name := range imports(s.file) {
			own, ok := strings.CutPrefix(name, module)
			if !ok {
				continue
			}
			if other := layerOf(own); other < 0 || other >= layer {
				t.Errorf("%s imports %s, which does not come before it: see the table of layers", s.name, own)
			}
		}
	}
}

// The guest has no files, no network, no clock and one goroutine: a blocked export is a trap.
func TestTheGuestReachesOutThroughItsPortsAlone(t *testing.T) {
	for _, s := range sources(t) {
		if s.test() || layerOf(s.pkg()) < 0 {
			continue
		}
		for _, name := range imports(s.file) {
			if why, ok := barred[name]; ok {
				t.Errorf("%s imports %s: %s", s.name, name, why)
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			what := ""
			switch n := n.(type) {
			case *ast.GoStmt:
				what = "starts a goroutine"
			case *ast.ChanType, *ast.SendStmt, *ast.SelectStmt:
				what = "uses a channel"
			case *ast.UnaryExpr:
				if n.Op == token.ARROW {
					what = "uses a channel"
				}
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains(timers, n.Sel.Name) {
					what = "uses time." + n.Sel.Name + "; the clock is the host's"
				}
			}
			if what != "" {
				t.Errorf("%s %s", fset.Position(n.Pos()), what)
			}
			return true
		})
	}
}

// What the guest's own packages do not import, a library might.
func TestNothingHeavyOrFarReachingIsLinkedIntoTheGuest(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./wasm")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	by := map[string][]string{} // who imports a package
	for line := range strings.Lines(string(out)) {
		names := strings.Fields(line)
		for _, name := range names[1:] {
			by[name] = append(by[name], names[0])
		}
	}
	// The guest's build gives these a stand-in, see internal/buildguest.
	by["regexp"] = slices.DeleteFunc(by["regexp"], func(from string) bool { return from == "mvdan.cc/sh/v3/fileutil" })
	if len(by[module+"pkg/engine"]) == 0 {
		t.Fatalf("go list does not name the engine:\n%s", out)
	}
	for _, name := range []string{"net", "net/http", "os/exec", "plugin", "log", "regexp", "encoding/json", "text/template"} {
		if from := by[name]; len(from) > 0 {
			t.Errorf("%v import %s into the guest: %s; `GOOS=wasip1 GOARCH=wasm go list -deps -f '{{.ImportPath}}: {{.Imports}}' ./wasm` shows all", from, name, barred[name])
		}
	}
}

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	docs, seen := map[string]string{}, map[string]bool{}
	for _, s := range sources(t) {
		if strings.HasSuffix(s.file.Name.Name, "_test") || s.test() && s.pkg() != "." {
			continue
		}
		seen[s.pkg()] = true
		if s.file.Doc != nil {
			docs[s.pkg()] += s.file.Doc.Text()
		}
	}
	for pkg := range seen {
		if doc := docs[pkg]; !strings.HasPrefix(doc, "Package ") && !strings.HasPrefix(doc, "Command ") {
			t.Errorf("package %s has no comment that begins with Package or Command", pkg)
		}
	}
}

// commandLines are the ways to read a command line whole: what is not known can be refused.
var commandLines = regexp.MustCompile(`cmdline\.Parse\(|flag\.NArg\(|flag\.Args\(|flag\.NewFlagSet\(|len\(os\.Args\)`)

func TestNoProgramPassesOverItsCommandLine(t *testing.T) {
	reads := map[string]bool{} // by package, whether it does
	for _, s := range sources(t) {
		if s.file.Name.Name != "main" || s.test() || slices.Contains([]string{"wasm", "internal/patternprobe"}, s.pkg()) { // these run as modules, which are given none
			continue
		}
		text, err := os.ReadFile(s.name)
		if err != nil {
			t.Fatal(err)
		}
		reads[s.pkg()] = reads[s.pkg()] || commandLines.Match(text)
	}
	for pkg, reads := range reads {
		if !reads {
			t.Errorf("%s looks at no command line: who asks it for --help starts its work; use internal/cmdline", pkg)
		}
	}
}

func TestTestsDoNotWaitOrLookAway(t *testing.T) {
	for _, s := range sources(t) {
		if !s.test() {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			x, ok := sel.X.(*ast.Ident)
			switch {
			case !ok:
			case x.Name == "time" && sel.Sel.Name == "Sleep":
				t.Errorf("%s sleeps: wait for what is to happen, or own the clock", fset.Position(n.Pos()))
			case (x.Name == "t" || x.Name == "b") && strings.HasPrefix(sel.Sel.Name, "Skip"):
				t.Errorf("%s skips: a test that cannot run must fail", fset.Position(n.Pos()))
			}
			return true
		})
	}
}

// tracked gives the text files that git tracks.
func tracked(t *testing.T) map[string][]byte {
	t.Helper()
	out, err := exec.Command("git", "ls-files", "-z").Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	files := map[string][]byte{}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		text, err := os.ReadFile(name)
		if os.IsNotExist(err) {
			continue // deleted and not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(text[:min(len(text), 8000)], []byte{0}) {
			files[name] = text
		}
	}
	return files
}

func TestNoFileNamesTheMachineItWasWrittenOn(t *testing.T) {
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "env", "GOMODCACHE", "GOCACHE", "GOROOT").Output()
	if err != nil {
		t.Fatalf("go env: %v", err)
	}
	places := append(strings.Fields(string(out)), root)
	for name, text := range tracked(t) {
		for _, place := range places {
			if bytes.Contains(text, []byte(place+"/")) || bytes.Contains(text, []byte(place+"\"")) {
				t.Errorf("%s names %s", name, place)
			}
		}
	}
}

func TestNoFilePutsWorkOff(t *testing.T) {
	// The words as a comment begins or a colon follows; as the subject of a text they may stand.
	marks := regexp.MustCompile(`(?://|#|\*|<!--)\s*(?:TODO|FIXME)\b|\b(?:TODO|FIXME)[:(]`)
	for name, text := range tracked(t) {
		if name == "repo_test.go" || strings.HasPrefix(name, "testdata/") || strings.Contains(name, "/testdata/") {
			continue // the rule itself, and what was recorded from others
		}
		if at := marks.FindIndex(text); at != nil {
			t.Errorf("%s:%d puts work off: do it, or leave the word out", name, 1+bytes.Count(text[:at[0]], []byte("\n")))
		}
	}
}

// What a build or a test made belongs to no commit. Binary are a picture, and what a test needs so.
func TestNoFileIsWhatABuildMade(t *testing.T) {
	for name, text := range tracked(t) {
		if bytes.IndexByte(text, 0) >= 0 && name != "docs/report.png" && !strings.Contains(name, "testdata/") {
			t.Errorf("%s is binary: remove it with git rm --cached, and name it in .gitignore", name)
		}
	}
}
