package opencode

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestParseAndWriteToolFiles(t *testing.T) {
	for _, c := range []struct {
		name    string
		in      string
		files   []string
		written []string
		text    string
	}{
		{name: "no output"},
		{
			name: "1.x: a read and a write",
			in: `{"type":"text","part":{"type":"text","text":"I look first."}}
{"type":"tool_use","part":{"type":"tool","tool":"read","state":{"status":"completed","input":{"filePath":"a.go"},"output":"...","metadata":{"display":{"text":"package a","path":"/w/a.go"}}}}}
{"type":"tool_use","part":{"type":"tool","tool":"write","state":{"status":"completed","input":{"content":"x","filePath":"b/c.go"},"metadata":{"filepath":"/w/b/c.go","exists":false}}}}
{"type":"text","part":{"type":"text","text":"Done."}}
`,
			files:   []string{"a.go", "/w/a.go", "b/c.go", "/w/b/c.go"},
			written: []string{"b/c.go"},
			text:    "I look first.\nDone.",
		},
		{
			name:    "2.x: metadata within metadata, no input path",
			in:      `{"type":"tool_use","part":{"type":"tool","tool":"edit","state":{"status":"completed","input":{},"metadata":{"metadata":{"files":[{"file":"a.txt","patch":"..."}]}}}}}`,
			files:   []string{"a.txt"},
			written: []string{"a.txt"},
		},
		{
			name: "events of the 2.x server: name, input and end come apart",
			in: `{"type":"session.tool.input.started","data":{"callID":"c1","name":"write"}}
{"type":"session.tool.called","data":{"callID":"c1","input":{"path":"b.ts","content":"x"}}}
{"type":"session.tool.input.started","data":{"id":"c2","name":"edit"}}
{"type":"session.tool.called","data":{"id":"c2","input":{"path":"a.ts"}}}
{"type":"session.tool.failed","data":{"id":"c2","error":{"message":"no match"}}}
{"type":"session.tool.success","data":{"callID":"c1","structured":{"target":"/w/b.ts"}}}
{"type":"session.text.delta","data":{"text":"Do"}}
{"type":"session.text.ended","data":{"text":"Done."}}
{"type":"session.input.admitted","data":{"input":{"data":{"text":"the task"}}}}
`,
			files:   []string{"b.ts", "a.ts", "/w/b.ts"},
			written: []string{"b.ts"},
			text:    "Done.",
		},
		{
			name:    "plain text before, within and after the lines",
			in:      "Loading {plugins}...\n! note: {\"type\":\"tool_use\",\"part\":{\"tool\":\"write\",\"state\":{\"input\":{\"filePath\":\"x\"}}}} trailing\n{\"broken\n{\"type\":\"text\",\"part\":{\"text\":\"ok\"}}",
			files:   []string{"x"},
			written: []string{"x"},
			text:    "ok",
		},
		{
			name:  "a refused and a failed write author nothing",
			in:    `{"type":"tool_use","part":{"tool":"write","state":{"status":"error","input":{"filePath":"no.go"},"error":"The user rejected permission to use this specific tool call."}}}`,
			files: []string{"no.go"},
		},
		{
			name:  "a call relabelled invalid authors nothing, though it names the write tool",
			in:    `{"type":"tool_use","part":{"tool":"invalid","state":{"status":"completed","input":{"tool":"write","filePath":"big.txt"}}}}`,
			files: []string{"big.txt"},
		},
		{
			name:  "a read that mentions an edit",
			in:    `{"type":"tool_use","part":{"tool":"read","state":{"input":{"filePath":"a","name":"edit"}}}}`,
			files: []string{"a"},
		},
		{
			name:    "a marker at another depth and under another key",
			in:      `{"x":{"y":{"name":"write_file","z":{"file_path":"deep.go"}}}}`,
			files:   []string{"deep.go"},
			written: []string{"deep.go"},
		},
		{
			name:    "one file by two tools is one file",
			in:      `{"tool":"write","args":{"path":"a"}}` + "\n" + `{"tool":"edit","args":{"path":"a"}}`,
			files:   []string{"a"},
			written: []string{"a"},
		},
		{name: "reasoning is not text", in: `{"type":"reasoning","part":{"text":"hm"}}`},
		{name: "pieces that bring their own blanks", in: `{"type":"text","text":"hello "}` + "\n" + `{"type":"text","text":"world"}`, text: "hello world"},
		{name: "an array at the top", in: `[{"type":"text","text":"a"}]`, text: "a"},
	} {
		files, text := Parse([]byte(c.in))
		written := WriteToolFiles([]byte(c.in))
		if diff := cmp.Diff([]any{c.files, c.written, c.text}, []any{files, written, text}); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// The recorded run is the standard output of OpenCode 1.18.33 that read, wrote and edited one file each.
func TestParseRecordedRun(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "run-1.18.33.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	_, text := Parse(data)
	want := []any{[]string{"b.ts", "a.txt"}, "Calling read.\nCalling write.\nCalling edit.\nDone (3 tool results)."}
	if diff := cmp.Diff(want, []any{WriteToolFiles(data), text}); diff != "" {
		t.Error(diff)
	}
	s := parsed(data)
	if diff := cmp.Diff(Usage{Steps: 4, Input: 40, Output: 20}, s.usage); diff != "" {
		t.Error(diff)
	}
	if !strings.HasPrefix(s.session, "ses_") {
		t.Errorf("session %q", s.session)
	}
}

func TestResultsOfParseAreBounded(t *testing.T) {
	var in strings.Builder
	for i := range maxFiles + 10 {
		in.WriteString(`{"tool":"write","path":"f` + strings.Repeat("x", i%50) + string(rune('a'+i%26)) + strings.Repeat("y", i/1300) + `"}` + "\n")
	}
	in.WriteString(`{"tool":"write","path":"` + strings.Repeat("long", maxPath) + `"}` + "\n")
	for range 6 {
		in.WriteString(`{"type":"text","text":"` + strings.Repeat("z", maxPart+100) + `"}` + "\n")
	}
	files, text := Parse([]byte(in.String()))
	if len(files) > maxFiles || len(text) > maxText+1 || len(text) < maxText-10 {
		t.Errorf("%d files, %d bytes of text", len(files), len(text))
	}
	for _, f := range files {
		if len(f) >= maxPath {
			t.Errorf("a path of %d bytes", len(f))
		}
	}
}

func FuzzParse(f *testing.F) {
	recorded, err := os.ReadFile(filepath.Join("testdata", "run-1.18.33.jsonl"))
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(recorded)) {
		f.Add([]byte(line))
	}
	f.Add([]byte("text {\"type\":\"text\",\"text\":\"a\\ud800b\"} more\n{\"tool\":\"write\",\"path\":\"x\"}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		files, text := Parse(data)
		if utf8.Valid(data) && !utf8.ValidString(text) && len(text) < maxText {
			t.Errorf("text is no UTF-8: %q", text)
		}
		if len(text) > 2*len(data)+1 {
			t.Errorf("%d bytes of text from %d bytes", len(text), len(data))
		}
		seen := map[string]bool{}
		for _, name := range files {
			if name == "" || seen[name] {
				t.Errorf("file %q is empty or twice in the list", name)
			}
			seen[name] = true
		}
	})
}

func FuzzWriteToolFiles(f *testing.F) {
	f.Add([]byte(`{"type":"session.tool.called","data":{"callID":"c1","name":"write","input":{"path":"b"}}}` + "\n" + `{"type":"session.tool.success","data":{"callID":"c1"}}`))
	f.Add([]byte(`{"tool":"edit","part":{"state":{"status":"error","input":{"path":"a"}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, _ := Parse(data)
		known := map[string]bool{}
		for _, name := range all {
			known[name] = true
		}
		for _, name := range WriteToolFiles(data) {
			if !known[name] && len(all) < maxFiles {
				t.Errorf("%q was written but not named", name)
			}
		}
	})
}
