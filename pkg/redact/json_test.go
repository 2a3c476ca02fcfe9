package redact

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJSON(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"by name", `{"command":"git push","API_TOKEN":"abc1"}`, `{"command":"git push","API_TOKEN":"[redacted:token]"}`},
		{"by name, a plain word", `{"password":"hunter"}`, `{"password":"[redacted:password]"}`},
		{"by name, a number", `{"password": 123456, "n": 5}`, `{"password": "[redacted:password]", "n": 5}`},
		{"by name, in a list", `{"tokens":["a1b2"],"token":["abcd","efgh"]}`, `{"tokens":["a1b2"],"token":["[redacted:token]","[redacted:token]"]}`},
		{"the value's own kind", `{"apiKey":"` + key("gh", "p_", strings.Repeat("aB1", 12)) + `"}`, `{"apiKey":"[redacted:github-token]"}`},
		{"by a sibling", `[{"name":"DB_PASSWORD","value":"hunter"},{"name":"PORT","value":"5432"}]`, `[{"name":"DB_PASSWORD","value":"[redacted:password]"},{"name":"PORT","value":"5432"}]`},
		{"in text", `{"command":"export DB_PASSWORD=hunter2\ncd \"x\""}`, `{"command":"export DB_PASSWORD=[redacted:password]\ncd \"x\""}`},
		{"in a key", `{"PASSWORD=hunter2":1}`, `{"PASSWORD=[redacted:password]":1}`},
		{"in a URL with escaped slashes", `{"u":"https:\/\/a:hunter2@h\/x"}`, `{"u":"https://a:[redacted:url-password]@h/x"}`},
		{"a header keeps its scheme", `{"headers":{"Authorization":"Bearer abcdef"}}`, `{"headers":{"Authorization":"Bearer [redacted:authorization]"}}`},
		{"a schema", `{"properties":{"password":{"type":"string","description":"the token"}}}`, `{"properties":{"password":{"type":"string","description":"the token"}}}`},
		{"references and placeholders", `{"password":"$PW","token":"{env:T}","apiKey":"<your key>","secret":""}`, `{"password":"$PW","token":"{env:T}","apiKey":"<your key>","secret":""}`},
		{"what is not touched stays byte for byte", "{\"a\" : \"\\u0041\\/\" ,\n \"b\":[1e3,null,true]}", "{\"a\" : \"\\u0041\\/\" ,\n \"b\":[1e3,null,true]}"},
		{"a bare string", `"PASSWORD=hunter2"`, `"PASSWORD=[redacted:password]"`},
		{"not JSON", `{"password":"hunter2"`, `{"password":"[redacted:password]"`},
		{"empty", ``, ``},
		{"nested too deep for JSON is text", strings.Repeat("[", 300) + `"PASSWORD=hunter2"`, strings.Repeat("[", 300) + `"PASSWORD=[redacted:password]"`},
		{"half a surrogate pair", `{"a":"\ud800","password":"\ud800x"}`, `{"a":"\ud800","password":"[redacted:password]"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, report := New().JSON([]byte(tt.in))
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Error(diff)
			}
			if (report.Count > 0) != (tt.in != tt.want) {
				t.Errorf("the report counts %d", report.Count)
			}
		})
	}
}

func FuzzJSON(f *testing.F) {
	for _, s := range []string{`{"password":"a","b":["PASSWORD=hunter2"]}`, `{"name":"TOKEN","value":"abcdefgh"}`, `[{"token":["x1",{"a":1}]}]`, `"\ud800"`, `{"password":-1e5}`, `{"a":{`} {
		f.Add([]byte(s))
	}
	r := New("known-value-1")
	f.Fuzz(func(t *testing.T, raw []byte) {
		once, _ := r.JSON(raw)
		if json.Valid(raw) && len(raw) < 1000 && !json.Valid(once) {
			t.Fatalf("%s became %s, which is not JSON", raw, once)
		}
		twice, _ := r.JSON(once)
		if string(twice) != string(once) {
			t.Fatalf("%s became %s and then %s", raw, once, twice)
		}
	})
}
