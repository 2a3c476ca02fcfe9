package judge

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadActionKnowsTheNamesOfHosts(t *testing.T) {
	for _, tt := range []struct {
		name, kind, metadata string
		want                 Action
	}{
		{"nothing", "bash", ``, Action{}},
		{"a command", "bash", `{"command": "git push", "description": "x"}`, Action{Command: "git push"}},
		{"an escaped command", "bash", `{"command": "a\n\u0062"}`, Action{Command: "a\nb"}},
		{"a write", "write", `{"filePath": "/w/a", "content": "x"}`, Action{Path: "/w/a", Content: "x"}},
		{"a replacement", "edit", `{"file_path": "a", "old_string": "x", "new_string": "y"}`, Action{Path: "a", Content: "y", Before: "x"}},
		{"a diff", "edit", `{"filepath": "a", "diff": "+x"}`, Action{Path: "a", Content: "+x"}},
		{"several replacements", "multiedit", `{"filePath": "a", "edits": [{"oldString": "1", "newString": "2"}, {"newString": "3"}]}`, Action{Path: "a", Content: "2\n3\n"}},
		{"a URL", "webfetch", `{"url": "https://example.com"}`, Action{Resources: []string{"https://example.com"}}},
		{"an access", "external_directory", `{"path": "/x", "access": "read"}`, Action{Path: "/x", Access: "read"}},
		{"no such access", "external_directory", `{"access": "all"}`, Action{}},
		{"no text", "bash", `{"command": ["rm"]}`, Action{}},
		{"no JSON", "bash", `rm -rf /`, Action{}},
		{"cut by the loader", "bash", `{"command": "a\n[the advisor left out 9 bytes]\nb"}`, Action{Command: "a\n[the advisor left out 9 bytes]\nb", Cut: true}},
		{"too deep", "bash", strings.Repeat(`{"a":`, 500), Action{Cut: true}},
	} {
		tt.want.Kind = tt.kind
		if tt.kind == "write" || tt.kind == "edit" || tt.kind == "multiedit" {
			tt.want.Input = tt.metadata
		}
		if diff := cmp.Diff(tt.want, ReadAction(tt.kind, nil, []byte(tt.metadata), Place{}), cmp.Comparer(func(a, b Place) bool { return true })); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestWhatWasCutIsAsked(t *testing.T) {
	for _, a := range []Action{{Kind: "bash", Command: "ls", Cut: true}, {Kind: "edit", Path: "a.go", Content: "x", Cut: true}} {
		a.Place = corpusPlace
		if v := Floor(a); v.Decision != Ask || v.Row != "too-big" {
			t.Errorf("%s: %s %s", a.Kind, v.Decision, v.Row)
		}
	}
}

func TestACommandStartsWhereItsToolSays(t *testing.T) {
	place := Place{Roots: []string{"/w/app"}, Home: "/home/dev"}
	for _, tt := range []struct {
		metadata string
		cwd      string
		want     Decision
	}{
		{`{"command": "rm -rf build"}`, "", None},
		{`{"command": "rm -rf build", "workdir": "sub"}`, "/w/app/sub", None},
		{`{"command": "rm -rf build", "workdir": "/etc"}`, "/etc", Deny},
		{`{"command": "touch x", "workdir": "../other"}`, "/w/other", Deny},
		{`{"command": "touch ../x", "cwd": "/w/app/sub"}`, "/w/app/sub", None},
	} {
		a := ReadAction("bash", nil, []byte(tt.metadata), place)
		if v := Floor(a); a.Place.Cwd != tt.cwd || v.Decision != tt.want {
			t.Errorf("%s: in %q %s %s, want in %q %s", tt.metadata, a.Place.Cwd, v.Decision, v.Row, tt.cwd, tt.want)
		}
	}
	here, there := ReadAction("bash", nil, []byte(`{"command": "make"}`), place), ReadAction("bash", nil, []byte(`{"command": "make", "workdir": "sub"}`), place)
	if here.Key() == there.Key() {
		t.Error("approving a command in one folder approves it in another")
	}
}
