package review

import (
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/evidence"
	"github.com/Kayphoon/opencode-advisor/pkg/llm"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/safefs"
	"github.com/Kayphoon/opencode-advisor/pkg/tools"
)

// What a file says was read in the delta only where the delta says it of that file.
func TestAQuoteInTheDeltaIsOfItsFile(t *testing.T) {
	b := &box{in: Input{Roots: []string{"/work", "C:/work"}}}
	for _, tt := range []struct {
		name, entry string
		want        bool
	}{
		{"another file", `{"tool":"read","args":{"path":"src/user.ts"},"result":"    return null\n"}`, false},
		{"the file", `{"tool":"read","args":{"path":"src/db.ts"},"result":"    return null\n"}`, true},
		{"its absolute path", `{"tool":"read","args":{"filePath":"/work/src/db.ts"},"result":"    return null\n"}`, true},
		{"its absolute path on Windows", `{"tool":"read","args":{"filePath":"C:\\work\\src\\db.ts"},"result":"    return null\n"}`, true},
		{"the same name elsewhere", `{"tool":"read","args":{"filePath":"/other/src/db.ts"},"result":"    return null\n"}`, false},
		{"a longer path", `{"tool":"read","args":{"path":"lib/src/db.ts"},"result":"    return null\n"}`, false},
		{"a longer name", `{"tool":"read","args":{"path":"src/db.tsx"},"result":"    return null\n"}`, false},
		{"a command", `{"tool":"bash","args":{"command":"cat ./src/db.ts"},"result":"    return null\n"}`, true},
		{"a search", `{"tool":"grep","args":{"pattern":"null"},"result":"src/db.ts:6:    return null\n"}`, true},
		{"a diff", `{"tool":"bash","args":{"command":"git diff"},"result":"--- a/src/db.ts\n+++ b/src/db.ts\n+    return null\n"}`, true},
		{"a patch", `{"tool":"patch","args":{"patch":"*** Update File: src/db.ts\n+    return null\n"}}`, true},
		{"words", `{"agent":"I changed src/db.ts. Now unknown ids return null"}`, true},
		{"named in one entry, said in another", `{"tool":"read","args":{"path":"src/db.ts"},"result":"a"}` + "\n" + `{"tool":"read","args":{"path":"src/user.ts"},"result":"return null"}`, false},
		{"a search that finds it in another file", `{"tool":"grep","args":{"pattern":"null"},"result":"src/db.ts:6:    return undefined\nsrc/user.ts:9:    return null\n"}`, false},
		{"a search that finds it in both", `{"tool":"grep","args":{"pattern":"null"},"result":"src/user.ts:9:    return null\nsrc/db.ts:6:    return null\n"}`, true},
		{"the lines around a find", `{"tool":"bash","args":{"command":"grep -C1 null src/*"},"result":"src/user.ts-8-  x\nsrc/user.ts:9:    return null\n--\nsrc/db.ts-5-    return null\nsrc/db.ts:6:  x\n"}`, true},
		{"the lines around a find in another file", `{"tool":"bash","args":{"command":"grep -C1 null src/*"},"result":"src/user.ts-8-    return null\nsrc/user.ts:9: x\n--\nsrc/db.ts:6:  x\n"}`, false},
		{"a search without numbers", `{"tool":"bash","args":{"command":"grep null src/*"},"result":"src/db.ts:  x\nsrc/user.ts:    return null\n"}`, false},
		{"a search for one that finds another", `{"tool":"bash","args":{"command":"grep -n null src/db.ts src/user.ts"},"result":"src/user.ts:9:    return null\n"}`, false},
		{"a search in one file", `{"tool":"bash","args":{"command":"grep -n null src/db.ts"},"result":"9:    return null\n"}`, true},
		{"under its heading", `{"tool":"grep","args":{"pattern":"null"},"result":"Found 2 matches\n/work/src/user.ts:\n  Line 9: x\n\n/work/src/db.ts:\n  Line 6:     return null\n"}`, true},
		{"under another heading", `{"tool":"grep","args":{"pattern":"null"},"result":"Found 2 matches\n/work/src/db.ts:\n  Line 9: x\n\n/work/src/user.ts:\n  Line 6:     return null\n"}`, false},
		{"under another heading on Windows", `{"tool":"grep","args":{"pattern":"null"},"result":"C:\\work\\src\\db.ts:\n  Line 9: x\nC:\\work\\src\\user.ts:\n  Line 6:     return null\n"}`, false},
		{"under its heading on Windows", `{"tool":"grep","args":{"pattern":"null"},"result":"C:\\work\\src\\user.ts:\n  Line 9: x\nC:\\work\\src\\db.ts:\n  Line 6:     return null\n"}`, true},
		{"a diff of two", `{"tool":"bash","args":{"command":"git diff"},"result":"--- a/src/db.ts\n+++ b/src/db.ts\n+    x\n--- a/src/user.ts\n+++ b/src/user.ts\n+    return null\n"}`, false},
		{"a patch of two", `{"tool":"patch","args":{"patch":"*** Update File: src/db.ts\n+    x\n*** Update File: src/user.ts\n+    return null\n"}}`, false},
		{"code that looks like a path", `{"tool":"read","args":{"path":"src/db.ts"},"result":"import a from './a'\nhttp://example.com/x\ncase a.b: x\n    return null\n"}`, true},
		{"its name at the end of a word", `{"agent":"xsrc/db.ts src/db.tsx return null"}`, false},
	} {
		b.shown = "<<<n\n" + tt.entry + "\nn>>>\n"
		if got := b.inDelta("src/db.ts", "\treturn null\n"); got != tt.want {
			t.Errorf("%s: in the delta %v, want %v", tt.name, got, tt.want)
		}
	}
	for _, entry := range []string{
		`{"tool":"read","args":{"path":"my docs/read me.ts"},"result":"    return null\n"}`,
		`{"tool":"read","args":{"path":"/work/my docs/read me.ts"},"result":"    return null\n"}`,
		`{"tool":"bash","args":{"command":"cat 'my docs/read me.ts'"},"result":"    return null\n"}`,
		`{"tool":"bash","args":{"command":"cat my\\ docs/read\\ me.ts"},"result":"    return null\n"}`,
		`{"tool":"grep","args":{"pattern":"null"},"result":"my docs/read me.ts:6:    return null\n"}`,
	} {
		if b.shown = entry + "\n"; !b.inDelta("my docs/read me.ts", "return null") {
			t.Errorf("a path with blanks in %s", entry)
		}
	}
	if b.inDelta("src/db.ts", " \n") {
		t.Error("a quote without a word was found")
	}
}

type delta string

func (d delta) Prefix() string       { return "" }
func (d delta) Suffix(string) string { return string(d) }
func (d delta) Resolve(string) (string, error) {
	return "a.ts", nil
}
func (d delta) ReadFile(string, int) (string, error) { return "const limit = 10\n", nil }
func (d delta) Search(string, string, int) (evidence.Found, error) {
	return evidence.Found{}, nil
}

// A model that the delta was too long for saw half of it, and what stood in the other half was not read.
func TestWhatWasLeftOutForAShortContextWasNotRead(t *testing.T) {
	const whole = `{"tool":"read","args":{"path":"a.ts"},"result":"const limit = 10"}` + "\n"
	for _, half := range []delta{whole, "half\n"} {
		ledger := &safefs.Ledger{}
		asked := 0
		out := Run(func(_ llm.Endpoint, req llm.Request, _ int64, shrink func(llm.Request) (llm.Request, bool)) (llm.Reply, error) {
			if asked++; asked > 1 {
				return llm.Reply{Text: "silent"}, nil
			}
			if req, _ = shrink(req); !strings.Contains(req.Messages[1].Text, string(half)) {
				t.Error("the request does not have the half")
			}
			return llm.Reply{ToolCalls: []llm.ToolCall{{ID: "c", Name: "advise", Args: []byte(`{"note":"The limit is too low.","severity":"concern","category":"bug","verdict":"confirmed","citations":[{"kind":"quote","path":"a.ts","line":1,"quote":"const limit = 10"}]}`)}}}, nil
		}, Input{Delta: delta(whole), Half: func() Delta { return half }, Steps: 3, RequireEvidence: true},
			tools.NewToolbox(&tools.Env{}, nil, true), &evidence.Resolver{Files: delta(""), Ledger: ledger}, ledger)
		want := protocol.Nit
		if half == whole {
			want = protocol.Concern
		}
		if len(out.Notes) != 1 || out.Notes[0].Severity != want {
			t.Errorf("half %q: notes %+v, want one %s", half, out.Notes, want)
		}
	}
}
