package llm

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestArguments(t *testing.T) {
	for _, tt := range []struct {
		name, raw string
		whole     bool
		want      string // empty: malformed
	}{
		{"an object", `{"path":"a"}`, true, `{"path":"a"}`},
		{"nothing", "", true, `{}`},
		{"null", "null", true, `{}`},
		{"a string that holds one", `"{\"path\":\"a\"}"`, true, `{"path":"a"}`},
		{"a string in a string", `"\"{\\\"path\\\":1}\""`, true, `{"path":1}`},
		{"fenced", "```json\n{\"path\":\"a\"}\n```", true, `{"path":"a"}`},
		{"in prose", `Sure, I will call it with {"path":"a"} now.`, true, `{"path":"a"}`},
		{"after an empty one", `{}{"path":"a"}`, true, `{"path":"a"}`},
		{"only an empty one in prose", `args: {} `, true, `{}`},
		{"after a brace that is none", `use { here: {"path":"a"}`, true, `{"path":"a"}`},
		{"a comma too many", `{"a":[1,2,],"b":1,}`, true, `{"a":[1,2],"b":1}`},
		{"a bare line break", "{\"note\":\"one\ntwo\tthree\"}", true, `{"note":"one\ntwo\tthree"}`},
		{"a pattern's escapes", `{"pattern":"\bfind\d+\(\"x\"\)"}`, true, `{"pattern":"\bfind\\d+\\(\"x\"\\)"}`},
		{"a broken \\u", `{"a":"\u12"}`, true, `{"a":"\\u12"}`},
		{"Python's words", `{"a":True,"b":False,"c":None,"d":"True"}`, true, `{"a":true,"b":false,"c":null,"d":"True"}`},
		{"a bracket forgotten", `{"a":{"b":[1,2]}`, true, `{"a":{"b":[1,2]}}`},
		{"a bracket cut off", `{"a":{"b":[1,2]}`, false, ""},
		{"cut in a string", `{"note":"half`, true, ""},
		{"an array", `["a"]`, true, ""},
		{"a word", `a.go`, true, ""},
		{"mixed brackets", `{"a":[1}`, true, ""},
		{"nested too deep", `{"a":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`, true, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := arguments([]byte(tt.raw), tt.whole)
			if ok != (tt.want != "") || ok && string(got) != tt.want {
				t.Errorf("arguments(%q) = %q, %v; want %q", tt.raw, got, ok, tt.want)
			}
		})
	}
}

func FuzzArguments(f *testing.F) {
	for _, s := range []string{`{"a":1}`, "```json\n{\"a\":\"\\d\"}\n```", `{"a":[1,}`, `"{\"a\":1}"`, `{{{{`, `{"a":"\ud800"}`, "{\"a\":\"\x01\"}", `{}{`} {
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, raw []byte, whole bool) {
		got, ok := arguments(raw, whole)
		if !ok {
			return
		}
		if !json.Valid(got) || got[0] != '{' {
			t.Fatalf("arguments(%q) = %q, which is no object", raw, got)
		}
		if again, ok := arguments(got, true); !ok || string(again) != string(got) {
			t.Fatalf("arguments(%q) = %q, and of that %q, %v", raw, got, again, ok)
		}
		if trimmed := strings.TrimSpace(string(raw)); json.Valid(raw) && strings.HasPrefix(trimmed, "{") && string(got) != trimmed {
			t.Fatalf("valid arguments %q were changed to %q", trimmed, got)
		}
	})
}
