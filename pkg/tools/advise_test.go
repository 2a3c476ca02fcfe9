package tools

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

func TestAdviseReadsNotes(t *testing.T) {
	quote := protocol.Citation{Kind: protocol.CiteQuote, Path: "src/db.ts", Line: 45, Quote: "  return null", Fact: "it returns null"}
	legacy := protocol.Citation{Kind: protocol.CiteLegacy, Path: "src/db.ts", Line: 45, Fact: "it returns null"}
	note := func(cites ...protocol.Citation) protocol.Note {
		return protocol.Note{Text: "user may be null", Severity: protocol.Blocker, Verdict: protocol.Confirmed, Citations: cites}
	}
	const head = `{"note":"user may be null","severity":"blocker","verdict":"confirmed",`
	tests := []struct {
		name, args string
		want       protocol.Note
	}{
		{"as the schema says", head + `"category":"bug","suggestedPatch":"--- a\n","citations":[
			{"kind":"quote","path":"src/db.ts","line":45,"quote":"  return null","fact":"it returns null"},
			{"kind":"absence","pattern":"validate\\(","glob":"src/**","fact":"never validated"},
			{"kind":"command","call":"call_1","excerpt":"1 failed","fact":"the test fails"}]}`,
			protocol.Note{Text: "user may be null", Severity: protocol.Blocker, Verdict: protocol.Confirmed, Category: "bug", Patch: "--- a", Citations: []protocol.Citation{
				quote,
				{Kind: protocol.CiteAbsence, Pattern: `validate\(`, Glob: "src/**", Fact: "never validated"},
				{Kind: protocol.CiteCommand, Call: "call_1", Excerpt: "1 failed", Fact: "the test fails"},
			}}},
		{"the older form", head + `"evidence":{"file":"src/db.ts","line":"45","observedFact":"it returns null"}}`, note(legacy)},
		{"a list of the older form", head + `"evidence":[{"file":"src/db.ts","line":45,"observedFact":"it returns null"}]}`, note(legacy)},
		{"one object for the list", head + `"citations":{"path":"src/db.ts","line":45.0,"quote":"  return null","fact":"it returns null"}}`, note(quote)},
		{"a list written as a text", head + `"citations":"[{\"path\":\"src/db.ts:45\",\"quote\":\"  return null\",\"fact\":\"it returns null\"}]"}`, note(quote)},
		{"a range of lines", head + `"citations":[{"path":"src/db.ts","lines":"45-47","line":"L45-L47","quote":"  return null\n","fact":"it returns null"}]}`, note(quote)},
		{"the place in the path", head + `"citations":[{"path":"src/db.ts#L45","quote":"  return null","fact":"it returns null"}]}`, note(quote)},
		{"a citation written as a text", head + `"citations":["src/db.ts:45: it returns null"]}`, note(legacy)},
		{"fields beside the note", `{"severity":"blocker","text":"user may be null","verdict":"confirmed","file":"src/db.ts","line":45,"quote":"  return null","fact":"it returns null"}`, note(quote)},
		{"loud and in other words", `{"message":" user may be null ","severity":"BLOCKING!","verdict":"Verified","evidence":[{}]}`, note()},
		{"one note in a list", `{"notes":[{"text":"user may be null","severity":"critical","verdict":true}]}`, note()},
		{"nothing but the note", `{"note":"user may be null"}`, protocol.Note{Text: "user may be null", Severity: protocol.Nit}},
		{"refuted needs no words", `{"note":"","verdict":"refuted","severity":"nit"}`, protocol.Note{Severity: protocol.Nit, Verdict: protocol.Refuted}},
		{"a category of many words", `{"note":"x","category":"Security / Auth issue"}`, protocol.Note{Text: "x", Severity: protocol.Nit, Category: "security"}},
		{"a kind that contradicts the fields", head + `"citations":[{"kind":"command","path":"src/db.ts","line":45,"quote":"  return null","excerpt":"","fact":"it returns null","call":""}]}`, note(quote)},
	}
	for _, tt := range tests {
		got, err := ParseAdvise([]byte(tt.args))
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: err %v (-want +got):\n%s", tt.name, err, diff)
		}
	}
}

func TestAdviseTakesFiveCitationsAtMost(t *testing.T) {
	one := `{"path":"a","line":1,"quote":"x","fact":"y"}`
	n, err := ParseAdvise([]byte(`{"note":"x","citations":[` + strings.Repeat(one+",", 9) + one + `]}`))
	if err != nil || len(n.Citations) != MaxCitations {
		t.Errorf("got %d citations, %v; want %d", len(n.Citations), err, MaxCitations)
	}
}

func TestAdviseRefusesWithAWayToMend(t *testing.T) {
	tests := []struct{ args, want string }{
		{`{}`, `"note" is missing; say in one to three sentences what is wrong and what to do`},
		{`{"note":"x","severity":"catastrophe"}`, `"severity" must be nit, concern or blocker, and is "catastrophe"`},
		{`{"note":"x","severity":3}`, `"severity" must be nit, concern or blocker, and is "3"`},
		{`{"note":"x","verdict":{"a":1}}`, `"verdict" must be a text, and is an object`},
		{`{"note":"x","verdict":"surely"}`, `"verdict" must be confirmed, refuted or uncertain, and is "surely"`},
		{`{"notes":[{"note":"x"},{"note":"y"}]}`, `"notes" must be one text, and is a list of 2; call advise once for each note`},
		{`{"note":"x","suggestedPatch":{"a":1}}`, `"suggestedPatch" must be a text, and is an object`},
		{`{"note":"x","citations":[7]}`, `citation 1: must be an object with kind, path, line, quote and fact, and is a number`},
		{`{"note":"x","citations":[{"quote":"y"}]}`, `citation 1: a quote needs "path": the file that it is from, relative to the workspace`},
		{`{"note":"x","citations":[{"kind":"absence","fact":"y"}]}`, `citation 1: an absence needs "pattern": what a search does not find`},
		{`{"note":"x","citations":[{"kind":"command","fact":"y"}]}`, `citation 1: a command needs "call" and "excerpt": the id of the tool call and words of its output`},
		{`{"note":"x","citations":[{"path":"a","line":1,"quote":"b","fact":"c"},{"fact":"it is so"}]}`, `citation 2: needs a path, line and quote, or a pattern, or a call and excerpt; it has only "it is so"`},
		{`{"note":"x","citations":[{"path":"a","line":"first","quote":"b"}]}`, `citation 1: "line" must be a number, and is "first"`},
		{`{"note":"x","citations":"[{"}`, `"citations" must be a list of objects, and is a text that is not JSON`},
	}
	for _, tt := range tests {
		if n, err := ParseAdvise([]byte(tt.args)); err == nil || err.Error() != tt.want {
			t.Errorf("%s: got %+v, %v\nwant %s", tt.args, n, err, tt.want)
		}
	}
}
