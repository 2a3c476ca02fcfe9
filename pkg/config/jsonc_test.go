package config

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
)

func TestStandardBlanksWhatJSONDoesNotHave(t *testing.T) {
	tests := []struct{ doc, want string }{
		{`{"a": 1, /* one */ "b": [1, 2,],} // end`, `{"a": 1,           "b": [1, 2 ] }       `},
		{"\ufeff{}", "   {}"},
		{"// c\n{\n}\n", "    \n{\n}\n"},
		{"/* a\n b */ 1", "    \n      1"},
		{`"// not /* a comment */ here"`, `"// not /* a comment */ here"`},
		{`[true, false, null, -0.5e+3, "\u00e4\n"]`, `[true, false, null, -0.5e+3, "\u00e4\n"]`},
	}
	for _, tt := range tests {
		got, err := standard([]byte(tt.doc))
		if err != nil {
			t.Errorf("standard(%q): %v", tt.doc, err)
			continue
		}
		if len(got) != len(tt.doc) || strings.TrimRight(string(got), " ") != strings.TrimRight(tt.want, " ") {
			t.Errorf("standard(%q)\n = %q\nwant %q", tt.doc, got, tt.want)
		}
	}
}

func TestStandardSaysWhereATextIsWrong(t *testing.T) {
	tests := []struct{ doc, want string }{
		{"", "it is empty"},
		{"  // only this", "it is empty"},
		{"{\n  apiKey: 1}", "line 2, column 3: want a key in quotes"},
		{`{"a" 1}`, "line 1, column 6: want a colon after the key"},
		{`{"a": }`, "line 1, column 7: want a value"},
		{`{"a": 1 "b": 2}`, `line 1, column 9: want a comma or "}"`},
		{`[1, 2`, `line 1, column 6: want a comma or "]"`},
		{`{"a": "b`, "line 1, column 9: a quote that is not closed"},
		{"{\"a\": \"b\n\"}", "line 1, column 9: a line break or control character inside quotes"},
		{`["\x"]`, "line 1, column 4: an escape that JSON does not have"},
		{`[,]`, "line 1, column 2: want a value"},
		{`[1,,]`, "line 1, column 4: want a value"},
		{`{} {}`, "line 1, column 4: there is more text after the end"},
		{`/* open`, "line 1, column 1: a comment that does not end"},
		{`[01]`, `line 1, column 3: want a comma or "]"`},
		{`[1.]`, "line 1, column 4: want digits after the point"},
		{`[1e]`, "line 1, column 4: want digits in the exponent"},
		{strings.Repeat("[", maxDepth+2), "line 1, column 66: it nests deeper than 64 levels"},
	}
	for _, tt := range tests {
		_, err := standard([]byte(tt.doc))
		if err == nil || err.Error() != tt.want {
			t.Errorf("standard(%.40q) = %v, want %q", tt.doc, err, tt.want)
		}
	}
}

// FuzzStandard holds the reader against a well-kept one and against encoding/json.
func FuzzStandard(f *testing.F) {
	for _, s := range []string{`{}`, `[1,/**/2,]`, "// a\n{\"b\":\"\\u0041\"}", `{"a":{"b":[]},}`, `-1.5E-7`, "\"\x80\"", `[1 /`, `{"a":1,/*`, "\"\\ud800\"", "[\x01]", "// only", "1 // a\r2"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		got, err := standard(doc)
		if strings.Contains(string(doc), "\ufeff") || len(doc) > 10_000 {
			return // a byte order mark is ours to allow
		}
		want, wantErr := hujson.Standardize(append([]byte(nil), doc...))
		if err != nil {
			if wantErr == nil && !strings.Contains(err.Error(), "nests deeper") {
				t.Errorf("standard(%q): %v; hujson takes it", doc, err)
			}
			return
		}
		if !json.Valid(got) {
			t.Errorf("standard(%q) = %q, which is not JSON", doc, got)
		}
		if wantErr == nil && string(want) != string(got) {
			t.Errorf("standard(%q)\n = %q\nwant %q", doc, got, want)
		}
	})
}
