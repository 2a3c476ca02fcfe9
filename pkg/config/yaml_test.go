package config

import (
	"strings"
	"testing"
)

func TestTheYAMLThatIsRead(t *testing.T) {
	for _, c := range []struct{ name, doc, want string }{
		{"nothing", "# a comment\n\n", `{}`},
		{"words", "a: b\nc: d e # not this\n", `{"a":"b","c":"d e"}`},
		{"a document mark", "---\na: b\n", `{"a":"b"}`},
		{"nothing behind the colon", "a:\nb: c", `{"a":null,"b":"c"}`},
		{"numbers and switches are text", "a: 1\nb: true\nc: null", `{"a":"1","b":"true","c":"null"}`},
		{"double quotes", `a: "b: \"c\" # d"`, `{"a":"b: \"c\" # d"}`},
		{"single quotes", `a: 'it''s # so'`, `{"a":"it's # so"}`},
		{"an apostrophe", "a: don't # do", `{"a":"don't"}`},
		{"a hash within a word", "a: b#c", `{"a":"b#c"}`},
		{"a mapping below", "a:\n  b: c\n  d: e\nf: g", `{"a":{"b":"c","d":"e"},"f":"g"}`},
		{"a sequence below", "a:\n  - b\n  - 'c'\nd: e", `{"a":["b","c"],"d":"e"}`},
		{"a sequence at its key", "a:\n- b\n- c\nd: e", `{"a":["b","c"],"d":"e"}`},
		{"a sequence of mappings", "a:\n  - name: b\n    on: [c, \"d, e\"]\n  -\n    name: f\n  - g", `{"a":[{"name":"b","on":["c","d, e"]},{"name":"f"},"g"]}`},
		{"a wide dash", "a:\n  -   name: b\n      c: d", `{"a":[{"name":"b","c":"d"}]}`},
		{"an empty list", "a: []\nb: [c, ]", `{"a":[],"b":["c"]}`},
		{"a text block", "a: |\n  one: # two\n    three\n\n  four\nb: c", `{"a":"one: # two\n  three\n\nfour","b":"c"}`},
		{"a text block in a sequence", "a:\n  - b: |-\n      one\n      - two\n    c: d", `{"a":[{"b":"one\n- two","c":"d"}]}`},
		{"line ends of Windows", "a:\r\n  - b\r\n", `{"a":["b"]}`},
		{"a pattern", "a: \"**/*.go\"\nb: src/**", `{"a":"**/*.go","b":"src/**"}`},
	} {
		v, err := readYAML([]byte(c.doc))
		if err != nil || string(v.json(nil)) != c.want {
			t.Errorf("%s: %v, %s; want %s", c.name, err, v.json(nil), c.want)
		}
	}
}

func TestTheYAMLThatIsRefused(t *testing.T) {
	for _, c := range []struct{ name, doc, want string }{
		{"an anchor", "a: &x b", "line 1: it begins with &"},
		{"an alias", "a: b\nc: *x", "line 2: it begins with *"},
		{"a tag", "a: !!str b", "line 1: it begins with !"},
		{"braces", "a: {b: c}", "line 1: it begins with {"},
		{"folding", "a: >\n  b", "line 1: it begins with >"},
		{"a glob without quotes", "a: **/*.go", "line 1: it begins with *"},
		{"a second colon", "a: b: c", "line 1: there is a second colon"},
		{"an open quote", "a: \"b\nc: d", "line 1: a quote is not closed"},
		{"behind a quote", "a: 'b' c", "line 1: there is something behind"},
		{"an open list", "a: [b,\n c]", "line 1: want a list of words in brackets"},
		{"a nested list", "a: [[b]]", "line 1: it begins with ["},
		{"no colon", "a: b\nnonsense", "line 2: want a key"},
		{"deeper than its neighbours", "a: b\n   c: d", "line 2: it is indented more"},
		{"shallower than what it belongs to", "  a: b\nc: d", "line 2: it is indented less"},
		{"a tab", "a:\n\tb: c", "line 2: "},
		{"another document", "a: b\n---\nc: d", "line 2: "},
		{"too deep", nested(12), "nested too deep"},
		{"too long", strings.Repeat("x", maxYAML+1), "more than 65536 bytes"},
		{"too many lines", strings.Repeat("\n", maxYAMLLines+1), "more than 2000 lines"},
	} {
		v, err := readYAML([]byte(c.doc))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %s; want an error that says %q", c.name, err, v.json(nil), c.want)
		}
	}
}

func FuzzYAML(f *testing.F) {
	for _, s := range []string{"advisors:\n  - name: a\n    on: [edits]\n", "a: |\n  b\n", "- - a: b", "a: \"\\u0041\"", "a: [", "a:\n- b\n  - c"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		ParseRoster(doc, RosterName, false) // ends, and says what it found
	})
}

func nested(depth int) string {
	var b strings.Builder
	for i := range depth {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}
