package protocol

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// depthOf gives the deepest nesting of brackets outside of strings, in valid JSON.
func depthOf(data []byte) (deepest int) {
	depth, inside := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inside && c == '\\':
			i++
		case c == '"':
			inside = !inside
		case inside:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

func FuzzDecodeBatch(f *testing.F) {
	for _, v := range filledEvents() {
		f.Add(AppendBatch(nil, Batch{Now: 1, Events: []Event{v}}))
	}
	for _, s := range []string{
		`{"now":1.5,"events":[{"x":1,"type":"tool","exit":"x"},{"type":"nope"},{},5,null]}`,
		`{"events":[{"type":"tool","exit":1e400,"exit":-0,"input":null,"files":[null]}]}`,
		`{"events":[{"type":"history","events":[{"type":"history","events":[{}]}]}]}`,
		`{"events":[{"type":"tool","diagnostics":[{"line":""}],"diagnostics":[null,{}]}],"now":""}`,
		"{\"events\":[{\"type\":\"timer\",\"id\":\"\\ud800\\u0041\xff\x7f\"}]}", `[]`, `{"events":`, "\x00",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, failures := DecodeBatch(data)
		if json.Valid(data) && depthOf(data) > MaxDepth {
			return // the reference has no bound
		}
		want, failed := referenceBatch(data)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", data, diff)
		}
		var paths []string
		for _, f := range failures {
			paths = append(paths, f.Path)
		}
		if diff := cmp.Diff(failed, paths); diff != "" {
			t.Errorf("%q failures (-want +got):\n%s", data, diff)
		}
		text := AppendBatch(nil, got)
		if !json.Valid(text) {
			t.Errorf("encoded to what is not JSON: %q", text)
		}
		again, failures := DecodeBatch(text)
		if diff := cmp.Diff(got, again, cmpopts.EquateEmpty()); diff != "" || failures != nil {
			t.Errorf("%q came back changed: %v (-first +second):\n%s", data, failures, diff)
		}
	})
}

func FuzzDecodeEffect(f *testing.F) {
	for _, v := range filledEffects() {
		f.Add(AppendEffect(nil, v))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := DecodeEffect(data)
		if err != nil {
			return
		}
		again, err := DecodeEffect(AppendEffect(nil, v))
		if diff := cmp.Diff(v, again, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Errorf("%q came back changed: %v (-first +second):\n%s", data, err, diff)
		}
	})
}

func FuzzString(f *testing.F) {
	for _, s := range []string{"", "a\"\\\n", "\x00\x1f\x7f", "\xff\xc3", "\u2028\U0001F600", "\xed\xa0\x80", "aaaaaaaa\"aaaaaaaaa"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		lit := AppendString(nil, s)
		var got string
		if err := json.Unmarshal(lit, &got); err != nil {
			t.Fatalf("AppendString(%q) = %s: %v", s, lit, err)
		}
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(s); err != nil {
			t.Fatal(err)
		}
		var want string
		if err := json.Unmarshal(b.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("AppendString(%q) reads as %q, want %q", s, got, want)
		}
		// Reading: what encoding/json wrote, and s itself taken as what stands between quotes.
		for _, text := range [][]byte{b.Bytes(), []byte(`"` + s + `"`)} {
			d := decoder{data: text}
			mine := d.text("")
			d.end()
			var theirs string
			err := json.Unmarshal(text, &theirs)
			if (err == nil) != (d.fatal == nil) || err == nil && mine != theirs {
				t.Errorf("reading %q = %q, %v; want %q, %v", text, mine, d.fatal, theirs, err)
			}
			if !utf8.ValidString(mine) {
				t.Errorf("reading %q gives invalid UTF-8 %q", text, mine)
			}
		}
	})
}

func FuzzValid(f *testing.F) {
	for _, s := range []string{`{}`, `[1,-0.5e+3,"a"]`, `{"a":{"b":[]}}`, `01`, `1.`, `-`, `tru`, `[1,]`, `{"a"}`, ` null `, nested(300)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		want := json.Valid(data) && depthOf(data) <= MaxDepth
		if got := Valid(data); got != want {
			t.Errorf("Valid(%q) = %v, want %v", data, got, want)
		}
	})
}
