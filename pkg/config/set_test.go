package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSetKeepsEverythingElse(t *testing.T) {
	for _, c := range []struct{ name, doc, key, value, want string }{
		{"a new file", "", "enabled", "true", "{\n  \"enabled\": true\n}\n"},
		{"a new group", "", "consult.model", `"p/m"`, "{\n  \"consult\": { \"model\": \"p/m\" }\n}\n"},
		{"a value is replaced where it stands", "{\n  // mine\n  \"enabled\": true, // on\n  \"variant\": \"high\",\n}\n", "enabled", "false",
			"{\n  // mine\n  \"enabled\": false, // on\n  \"variant\": \"high\",\n}\n"},
		{"a comment stays with its line", "{\n\t\"variant\": \"high\" // mine, not yours\n}", "enabled", "true",
			"{\n\t\"variant\": \"high\", // mine, not yours\n\t\"enabled\": true\n}"},
		{"a trailing comma serves", "{\n  \"variant\": \"high\", // mine\n}", "enabled", "true",
			"{\n  \"variant\": \"high\", // mine\n  \"enabled\": true\n}"},
		{"on one line", `{"variant":"high"}`, "enabled", "true", `{"variant":"high", "enabled": true}`},
		{"on one line with a trailing comma", `{"variant":"high",}`, "enabled", "true", `{"variant":"high","enabled": true}`},
		{"an empty object", `{}`, "enabled", "true", `{ "enabled": true }`},
		{"a brace behind a member", "{\n  \"variant\": \"high\" }", "enabled", "true", "{\n  \"variant\": \"high\", \n  \"enabled\": true\n}"},
		{"inside a group", "{\n  \"consult\": {\n    \"maxTokens\": 2000\n  }\n}\n", "consult.model", `"p/m"`,
			"{\n  \"consult\": {\n    \"maxTokens\": 2000,\n    \"model\": \"p/m\"\n  }\n}\n"},
		{"a key that is there under its old name", `{"model": "a/b"}`, "watchdogModel", `"c/d"`, `{"model": "c/d"}`},
		{"consultModel", `{"consultModel": "a/b"}`, "consult.model", `"c/d"`, `{"consultModel": "c/d"}`},
		{"the name itself goes before the old one", `{"consultModel": "a/b", "consult": {"model": "e/f"}}`, "consult.model", `"c/d"`,
			`{"consultModel": "a/b", "consult": {"model": "c/d"}}`},
		{"the last of two is the one that counts", `{"enabled": true, "enabled": true}`, "enabled", "false", `{"enabled": true, "enabled": false}`},
		{"pi's older form", "{\n  \"enabled\": true,\n  \"provider\": \"openrouter\",\n  \"model\": \"anthropic/x\",\n  \"maxTokens\": 32000\n}\n", "consult.model", `"deepseek/deepseek-v4-pro"`,
			"{\n  \"enabled\": true,\n  \"provider\": \"deepseek\",\n  \"model\": \"deepseek-v4-pro\",\n  \"maxTokens\": 32000\n}\n"},
		{"pi's older form without a model", `{"provider": "openrouter"}`, "consult.model", `"p/a/b"`, `{"provider": "p", "model": "a/b"}`},
		{"pi's older form has the effort at the top", `{"provider": "p"}`, "consult.effort", `"high"`, `{"provider": "p", "effort": "high"}`},
		{"what looks like syntax inside a text", `{"systemPrompt": "{ \"enabled\": true, // }"}`, "enabled", "false",
			`{"systemPrompt": "{ \"enabled\": true, // }", "enabled": false}`},
		{"references are left alone", `{"provider": {"apiKey": "{env:KEY}"}}`, "enabled", "true", `{"provider": {"apiKey": "{env:KEY}"}, "enabled": true}`},
		{"a mark of the byte order", "\ufeff{\"enabled\": true}", "enabled", "false", "\ufeff{\"enabled\": false}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Set([]byte(c.doc), c.key, c.value)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestSetLeavesABrokenFileAlone(t *testing.T) {
	for _, c := range []struct{ doc, key, want string }{
		{`{"enabled": tru}`, "enabled", "line 1, column 13: want a value"},
		{`[1]`, "enabled", "it is not an object"},
		{`{"consult": 7}`, "consult.model", "consult is not an object"},
	} {
		if _, err := Set([]byte(c.doc), c.key, "true"); err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.doc, err, c.want)
		}
	}
}

// FuzzSet: whatever the document, the result can be read, has the value, and has all else as it was.
func FuzzSet(f *testing.F) {
	f.Add(`{"a": [1, 2,], // c` + "\n" + `}`)
	f.Add(`{"provider": "p", /* c */ "consult": {},}`)
	f.Fuzz(func(t *testing.T, doc string) {
		out, err := Set([]byte(doc), "variant", `"set"`)
		if err != nil {
			return
		}
		got, err := read(out)
		if err != nil || got.at("variant").string() != "set" {
			t.Fatalf("%q became %q: %v", doc, out, err)
		}
		was, err := read([]byte(doc))
		if err != nil {
			return // an empty one
		}
		others := func(v value) string {
			kept := value{kind: v.kind}
			for _, m := range v.members {
				if m.key != "variant" {
					kept.members = append(kept.members, m)
				}
			}
			return string(kept.json(nil))
		}
		if others(was) != others(got) {
			t.Fatalf("%q became %q", doc, out)
		}
	})
}
