package judge

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/memfs"
)

// labelled is one case of testdata/corpus/judge.
type labelled struct {
	ID, Class, Label, Kind       string
	Command, Shell, Path, Access string
	Content, Before, Session     string
	Resources, Files             []string
	WorktreesUnknown, Redacted   bool
	Floor                        Decision
	Row                          string
}

// corpusPlace is where every case of the corpus happens.
var corpusPlace = Place{Roots: []string{"/home/dev/app"}, Worktrees: []string{"/home/dev/app-feature"}, Home: "/home/dev", Files: memfs.Repository("/home/dev/app")}

func (l labelled) action() Action {
	a := Action{Kind: l.Kind, Command: l.Command, Shell: l.Shell, Path: l.Path, Access: l.Access,
		Content: l.Content, Before: l.Before, Resources: l.Resources, Place: corpusPlace}
	a.Place.WorktreesUnknown = l.WorktreesUnknown
	if len(l.Files) > 0 {
		a.Place.Files = memfs.Repository("/home/dev/app", l.Files...)
	}
	return a
}

func corpus(t testing.TB) []labelled {
	t.Helper()
	files, err := filepath.Glob("../../testdata/corpus/judge/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("find the corpus: %v, %d files", err, len(files))
	}
	var out []labelled
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			var l labelled
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatalf("%s: %v in %s", name, err, line)
			}
			out = append(out, l)
		}
	}
	return out
}

func TestFloorDecidesTheCorpusAsLabelled(t *testing.T) {
	for _, l := range corpus(t) {
		if v := Floor(l.action()); v.Decision != l.Floor || v.Row != l.Row {
			t.Errorf("%s: %s %q: got %s %s, want %s %s", l.ID, l.Kind, l.Command+l.Path+strings.Join(l.Resources, " "), v.Decision, v.Row, l.Floor, l.Row)
		}
	}
}
