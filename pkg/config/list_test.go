package config

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/tailscale/hujson"
)

func TestAppendAndDrop(t *testing.T) {
	for _, c := range []struct{ name, doc, with, back string }{ // back is empty where it is doc
		{"a new file", "", "{\n  \"plugin\": [\"x\"]\n}\n", "{\n  \"plugin\": []\n}\n"},
		{"no list yet", "{\n  // mine\n  \"model\": \"a/b\" // chosen\n}\n", "{\n  // mine\n  \"model\": \"a/b\", // chosen\n  \"plugin\": [\"x\"]\n}\n",
			"{\n  // mine\n  \"model\": \"a/b\", // chosen\n  \"plugin\": []\n}\n"},
		{"on one line", `{"plugin":["a"]}`, `{"plugin":["a", "x"]}`, ""},
		{"on one line, empty", `{"plugin":[]}`, `{"plugin":["x"]}`, ""},
		{"on one line, with a comment", `{"plugin":[/* none */]}`, `{"plugin":["x"/* none */]}`, ""},
		{"a line each", "{\n\t\"plugin\": [\n\t\t\"a\"\n\t]\n}", "{\n\t\"plugin\": [\n\t\t\"a\",\n\t\t\"x\"\n\t]\n}", ""},
		{"a comment behind the last", "{\"plugin\": [\n  \"a\" // first, and only\n]}", "{\"plugin\": [\n  \"a\", // first, and only\n  \"x\"\n]}", ""},
		{"a trailing comma", "{\"plugin\": [\n  \"a\",\n],\n}", "{\"plugin\": [\n  \"a\",\n  \"x\"\n],\n}", "{\"plugin\": [\n  \"a\"\n],\n}"},
		{"options behind the last", "{\"plugin\": [\n  [\"a\", {\n    \"k\": 1\n  }]\n]}", "{\"plugin\": [\n  [\"a\", {\n    \"k\": 1\n  }],\n  \"x\"\n]}", ""},
		{"empty over lines", "{\n  \"plugin\": [\n    // none yet\n  ]\n}", "{\n  \"plugin\": [\n    // none yet\n    \"x\"\n  ]\n}", ""},
		{"lines of Windows", "{\r\n  \"plugin\": [\r\n    \"a\"\r\n  ]\r\n}\r\n", "{\r\n  \"plugin\": [\r\n    \"a\",\r\n    \"x\"\r\n  ]\r\n}\r\n", ""},
		{"a mark of the byte order", "\ufeff{\"plugin\":[\"a\"]}", "\ufeff{\"plugin\":[\"a\", \"x\"]}", ""},
		{"what looks like syntax inside a text", `{"t": "], // \" ,", "plugin": ["],/*"]}`, `{"t": "], // \" ,", "plugin": ["],/*", "x"]}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Append([]byte(c.doc), "plugin", `"x"`)
			if err != nil || string(got) != c.with {
				t.Fatalf("%v\n%s", err, cmp.Diff(c.with, string(got)))
			}
			specs, _, _ := Specs(got, "plugin")
			want := c.back
			if want == "" {
				want = c.doc
			}
			if got, err = Drop(got, "plugin", len(specs)-1); err != nil || string(got) != want {
				t.Errorf("without it: %v\n%s", err, cmp.Diff(want, string(got)))
			}
		})
	}
}

func TestDropInTheMiddle(t *testing.T) {
	for _, c := range []struct {
		name, doc string
		n         int
		want      string
	}{
		{"the first of a line", `{"plugin":["x", "a"]}`, 0, `{"plugin":["a"]}`},
		{"the middle of a line", `{"plugin":["a","x","b"]}`, 1, `{"plugin":["a","b"]}`},
		{"the last with a trailing comma", `{"plugin":["a","x",]}`, 1, `{"plugin":["a",]}`},
		{"a line of its own", "{\"plugin\":[\n  \"x\",\n  \"a\" // mine\n]}", 0, "{\"plugin\":[\n  \"a\" // mine\n]}"},
		{"a comment on its line stays", "{\"plugin\":[\n  \"x\", // ours\n  \"a\"\n]}", 0, "{\"plugin\":[\n   // ours\n  \"a\"\n]}"},
		{"a comma after a comment", "{\"plugin\":[\"a\" /* , */ , \"x\"]}", 1, "{\"plugin\":[\"a\" /* , */ ]}"},
		{"with options over lines", "{\"plugins\":[], \"plugin\":[\n  [\"x\", {\n    \"k\": 1\n  }],\n  \"a\"\n]}", 0, "{\"plugins\":[], \"plugin\":[\n  \"a\"\n]}"},
	} {
		got, err := Drop([]byte(c.doc), "plugin", c.n)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%s", c.name, err, cmp.Diff(c.want, string(got)))
		}
	}
}

func TestSpecs(t *testing.T) {
	got, there, err := Specs([]byte(`{"plugin": ["a", ["b", {"k": "v"}], {"package": "c", "options": {}}, {"source": "d"}, 7, {}, [], "e\u0041"]}`), "plugin")
	if d := cmp.Diff([]string{"a", "b", "c", "d", "", "", "", "eA"}, got); d != "" || !there || err != nil {
		t.Errorf("%v %v %s", there, err, d)
	}
	for _, c := range []struct{ doc, want string }{
		{`{"plugin": "a"}`, "plugin is not a list"},
		{`{"plugin": [`, "line 1, column 13: want \"]\" before the end"},
		{`[]`, "it is not an object"},
	} {
		if _, _, err := Specs([]byte(c.doc), "plugin"); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.doc, err, c.want)
		}
		if _, err := Append([]byte(c.doc), "plugin", `"x"`); err == nil {
			t.Errorf("%s: something was appended", c.doc)
		}
	}
}

// FuzzList: whatever the document, appending adds and dropping takes away the entry and nothing else: no byte is lost or
// changed, no comment goes, and every other value is what it was.
func FuzzList(f *testing.F) {
	for _, doc := range []string{"", "{}", `{"plugin":["a"]}`, "{\"plugin\":[\n \"a\", // c\n [\"b\",{}],\n]}", `{"plugin":[],"plugin":[1,2,3]}`,
		"{ /* a */ \"plugin\" /* b */ : /* c */ [ /* d */ 1 /* e */ , /* f */ {} /* g */ ] /* h */ }", "{\r\n\"k\":[],\r\n\"plugin\":[\r\n]}", "{\"plugin\":[1,\n2 ] }"} {
		f.Add(doc, 1)
	}
	f.Fuzz(func(t *testing.T, doc string, n int) {
		before, _, err := Specs([]byte(doc), "plugin")
		if err != nil || !utf8.ValidString(doc) { // the other reader wants that of comments too
			return
		}
		with, err := Append([]byte(doc), "plugin", `"x"`)
		if err != nil {
			t.Fatalf("append to %q: %v", doc, err)
		}
		if after, _, _ := Specs(with, "plugin"); !slices.Equal(after, append(slices.Clone(before), "x")) {
			t.Fatalf("%q has %q, want %q and x", with, after, before)
		}
		if strings.TrimSpace(strings.TrimPrefix(doc, "\ufeff")) != "" {
			subsequence(t, doc, string(with))
			if d := cmp.Diff(others(t, doc), others(t, string(with))); d != "" {
				t.Fatal("appending changed another value: ", d)
			}
		}
		if n = max(n, -n); n < 0 || len(before) == 0 {
			return
		}
		n %= len(before)
		less, err := Drop([]byte(doc), "plugin", n)
		if err != nil {
			t.Fatalf("drop %d of %q: %v", n, doc, err)
		}
		if after, _, _ := Specs(less, "plugin"); !slices.Equal(after, slices.Delete(slices.Clone(before), n, n+1)) {
			t.Fatalf("%q has %q, want %q without %d", less, after, before, n)
		}
		subsequence(t, string(less), doc)
		if d := cmp.Diff(others(t, doc), others(t, string(less))); d != "" {
			t.Fatal("dropping changed another value: ", d)
		}
	})
}

// subsequence fails when a text is not what remains of another with some bytes taken out.
func subsequence(t *testing.T, less, more string) {
	t.Helper()
	i := 0
	for j := 0; j < len(more) && i < len(less); j++ {
		if less[i] == more[j] {
			i++
		}
	}
	if i < len(less) {
		t.Fatalf("%q is not all in %q", less, more)
	}
}

// others gives every member but the list, as another reader has them.
func others(t *testing.T, doc string) map[string]any {
	t.Helper()
	plain, err := hujson.Standardize([]byte(doc))
	if err != nil {
		t.Fatalf("%q: %v", doc, err)
	}
	var v map[string]any
	if err := json.Unmarshal(plain, &v); err != nil {
		t.Fatalf("%q: %v", plain, err)
	}
	delete(v, "plugin")
	return v
}
