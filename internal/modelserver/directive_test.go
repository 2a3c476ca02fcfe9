package modelserver

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func schema(name string, properties ...string) any {
	props := map[string]any{}
	for _, p := range properties {
		props[p] = map[string]string{"type": "string"}
	}
	return map[string]any{"type": "function", "function": map[string]any{
		"name": name, "parameters": map[string]any{"type": "object", "properties": props},
	}}
}

var v1Tools = []any{
	schema("read", "filePath", "offset"), schema("write", "filePath", "content"),
	schema("edit", "filePath", "oldString", "newString"), schema("bash", "command", "description"),
	schema("glob", "pattern", "path"), schema("consult_advisor", "question"),
}

var piTools = []any{
	schema("read", "path"), schema("write", "path", "content"), schema("edit", "path", "edits"),
	schema("bash", "command"), schema("find", "pattern"),
}

// firstCall is the tool call of an answer without streaming, as "name args".
func firstCall(t *testing.T, body string) string {
	t.Helper()
	var c struct {
		Choices []struct {
			Message struct {
				ToolCalls []struct {
					Function struct{ Name, Arguments string }
				} `json:"tool_calls"`
			}
		}
	}
	if err := json.Unmarshal([]byte(body), &c); err != nil {
		t.Fatal(err)
	}
	if calls := c.Choices[0].Message.ToolCalls; len(calls) == 1 {
		return calls[0].Function.Name + " " + calls[0].Function.Arguments
	}
	return ""
}

func TestDirectiveArgumentsFollowTheOfferedTools(t *testing.T) {
	s := start(t, `{"models": {"primary": [{"directive": true}]}}`)
	for _, c := range []struct {
		directive string
		tools     []any
		want      string
	}{
		{"[[read src/pay.js]]", v1Tools, `read {"filePath":"src/pay.js"}`},
		{"[[read src/pay.js]]", piTools, `read {"path":"src/pay.js"}`},
		{`[[write a.js x(b[0])\n]]`, v1Tools, `write {"content":"x(b[0])\n","filePath":"a.js"}`},
		{"[[write b.ts]]", piTools, `write {"content":"export const x = 1\n","path":"b.ts"}`},
		{"[[edit a.txt one => two]]", v1Tools, `edit {"filePath":"a.txt","newString":"two","oldString":"one"}`},
		{"[[edit a.txt]]", piTools, `edit {"edits":[{"newText":"goodbye","oldText":"hello"}],"path":"a.txt"}`},
		{"[[bash echo more; sleep 1]]", v1Tools, `bash {"command":"echo more; sleep 1","description":"run"}`},
		{"[[bash ls]]", []any{schema("shell", "command")}, `shell {"command":"ls"}`},
		{"[[glob *.go]]", piTools, `find {"pattern":"*.go"}`},
		{"[[consult_advisor which db?]]", v1Tools, `consult_advisor {"question":"which db?"}`},
		{`[[read {"filePath": "a", "offset": [[1]]}]] rest`, v1Tools, `read {"filePath":"a","offset":[[1]]}`},
	} {
		_, body := post(t, s, map[string]any{
			"model": "m1", "tools": c.tools, "messages": []any{map[string]string{"role": "user", "content": "H1: do it. " + c.directive}},
		})
		if diff := cmp.Diff(c.want, firstCall(t, body)); diff != "" {
			t.Errorf("%s: %s", c.directive, diff)
		}
	}
}

func TestDirectivesAreCarriedOutOnePerRequest(t *testing.T) {
	s := start(t, `{"models": {"primary": [{"directive": true}]}}`)
	user := func(text string) any { return map[string]string{"role": "user", "content": text} }
	tool := func() any { return map[string]string{"role": "tool", "content": "ok"} }
	assistant := map[string]string{"role": "assistant", "content": ""}
	h1 := user("H1: tidy. [[read a.txt]] [[bash echo 2]]")
	for _, c := range []struct {
		name     string
		messages []any
		tools    []any
		want     string // a call, or the text
	}{
		{"first", []any{h1}, v1Tools, `read {"filePath":"a.txt"}`},
		{"second", []any{h1, assistant, tool()}, v1Tools, `bash {"command":"echo 2","description":"run"}`},
		{"a note comes between", []any{h1, assistant, tool(), user("advisor: look out")}, v1Tools, `bash {"command":"echo 2","description":"run"}`},
		{"all done", []any{h1, assistant, tool(), assistant, tool()}, v1Tools, "Done (2 tool results)."},
		{"a wake after the end", []any{h1, assistant, tool(), assistant, tool(), assistant, user("advisor: blocker")}, v1Tools, "Done (2 tool results)."},
		{"a new human message ends the old", []any{h1, assistant, tool(), user("H2: thanks")}, v1Tools, "Done (0 tool results)."},
		{"no tools offered", []any{h1}, nil, "Done (0 tool results)."},
		{"content as parts", []any{map[string]any{"role": "user", "content": []any{map[string]string{"type": "text", "text": "[[read b]]"}}}}, v1Tools, `read {"filePath":"b"}`},
	} {
		_, body := post(t, s, map[string]any{"model": "m1", "tools": c.tools, "messages": c.messages})
		got := firstCall(t, body)
		if got == "" {
			got = text(t, body)
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTitleRequestsUseUpNothing(t *testing.T) {
	s := start(t, `{"models": {"m1": [{"text": "scripted"}]}}`)
	_, body := post(t, s, map[string]any{"model": "m1", "messages": []any{
		map[string]string{"role": "system", "content": "You are a title generator. Output one line."},
		map[string]string{"role": "user", "content": "[[read a]]"},
	}})
	if text(t, body) != "A test session" || s.Requests()[0].Kind != "title" {
		t.Errorf("title request: %s", body)
	}
	if _, body = ask(t, s, "m1", "hi", false); text(t, body) != "scripted" {
		t.Errorf("the reply was used up: %s", body)
	}
}
