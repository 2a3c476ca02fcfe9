package bench

import (
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// hallucinating is sure of itself and makes its proofs up: files, lines, quotes, outputs and searches. When one
// is refused it makes up another.
type hallucinating struct{}

// inventions are its claims, and how each is proved. The lines are in no file of the corpus.
var inventions = []struct {
	text, category string
	proof          func(q request, path string) []protocol.Citation
}{
	{"The token is compared with ==, so it leaks through timing. Use a constant-time comparison.", "security", func(_ request, path string) []protocol.Citation {
		return []protocol.Citation{quote(path, 12, "if token == expectedToken {", "a plain comparison")}
	}},
	{"The helper that validates the input was deleted, and every caller now panics.", "bug", func(request, string) []protocol.Citation {
		return []protocol.Citation{quote("internal/validate/validate_helpers.go", 31, "func mustValidate(in Input) {", "the helper")}
	}},
	{"The suite was never run: the runner exits early with a usage message.", "test", func(q request, _ string) []protocol.Citation {
		id := "call_999"
		for _, a := range q.acts {
			if a.tool == "bash" {
				id = a.call
			}
		}
		return []protocol.Citation{{Kind: protocol.CiteCommand, Call: id, Excerpt: "usage: runner [--flags] <suite>", Fact: "what it printed"}}
	}},
	{"Nothing in the repository calls what was changed, so the change has no effect.", "goal", func(_ request, path string) []protocol.Citation {
		return []protocol.Citation{{Kind: protocol.CiteAbsence, Pattern: ".", Glob: "**/*", Fact: "no caller is found in " + path}}
	}},
	{"The loop deletes from the collection while it walks it, which skips every second element.", "bug", func(_ request, path string) []protocol.Citation {
		return []protocol.Citation{quote(path, 4, "for item in list(items.keys()): del items[item]", "the loop"), quote(path, 5, "items.pop(item, None)", "and again")}
	}},
	{"The password is written to the log in clear text.", "security", func(request, string) []protocol.Citation { return nil }},
	{"The migration drops the column before the copy has finished.", "bug", func(request, string) []protocol.Citation {
		return []protocol.Citation{quote("db/migrations/0042_drop_legacy.sql", 7, "ALTER TABLE accounts DROP COLUMN legacy_email;", "drops it first")}
	}},
	{"The retry has no bound and will hammer the server for ever.", "bug", func(_ request, path string) []protocol.Citation {
		return []protocol.Citation{{Kind: protocol.CiteLegacy, Path: path, Line: 100_000, Fact: "while true with no exit"}}
	}},
}

func (hallucinating) Answer(s *Scene, r protocol.HTTPSend) (*protocol.HTTP, int64) {
	q := parse(r.Body)
	n := q.mark()
	path := "src/main.ts"
	if f := q.files(); len(f) > 0 {
		path = f[len(f)-1]
	}
	switch {
	case q.rounds == 0 && n%3 == 0:
		// It even looks, and then says something else.
		return completion(r, "", read("look", path)), think(s, r)
	case q.rounds == 0, !q.advised, q.refused && q.rounds < 3:
		var calls []call
		for i := range 1 + n%2 {
			in := inventions[(n+i+3*q.rounds)%len(inventions)]
			s.matters[in.text] = "invented " + in.text
			severity := protocol.Blocker
			if (n+i)%3 == 1 {
				severity = protocol.Concern
			}
			calls = append(calls, advise("note_"+strconv.Itoa(q.rounds)+"_"+strconv.Itoa(i), note{in.text, severity, protocol.Confirmed, in.category, in.proof(q, path)}))
		}
		return completion(r, "", calls...), think(s, r)
	}
	return completion(r, "silent"), think(s, r)
}

// noisy reads a file and finds fault with whatever stands there: true quotes, beside the point, and
// soon the same again in other words.
type noisy struct {
	session *Session
	before  []remark
}

type remark struct {
	at    int // in remarks
	path  string
	quote string
	line  int
}

// remarks are beside the point, each in several wordings.
var remarks = []struct {
	category string
	severity protocol.Severity
	words    []string
}{
	{"style", protocol.Nit, []string{"This name says little; choose one that tells what the value is for.", "The identifier here is vague. A telling name would help the next reader.", "Consider renaming this: the present name does not explain its purpose."}},
	{"docs", protocol.Nit, []string{"A comment would help here; the intent is not obvious.", "There is no documentation for this line, and it deserves some.", "Please document what this is meant to do."}},
	{"robustness", protocol.Concern, []string{"This might fail under load; think about a limit.", "Under heavy load this could become a problem, so a bound would be wise.", "What happens here with a thousand users? Consider limiting it."}},
	{"design", protocol.Concern, []string{"This couples two things that ought to be apart; an interface between them would be cleaner.", "Two responsibilities are mixed here. Split them with an abstraction.", "Consider an interface here, so that both sides can change independently."}},
	{"test", protocol.Concern, []string{"No test covers this path, so a regression would go unnoticed.", "I see no test that exercises this line; one should be added.", "Test coverage is missing here."}},
	{"performance", protocol.Nit, []string{"This may allocate more than it needs to.", "There could be needless allocation here.", "Consider whether the extra allocation at this place can be avoided."}},
	{"style", protocol.Nit, []string{"A constant would be clearer than this literal.", "Magic values like this one are better named.", "Pull the literal out and name it."}},
	{"security", protocol.Concern, []string{"Make sure that this can never come from an untrusted source.", "If an attacker controls this value there may be trouble; validate it.", "Input validation should be considered at this place."}},
}

func (b *noisy) Answer(s *Scene, r protocol.HTTPSend) (*protocol.HTTP, int64) {
	q := parse(r.Body)
	if b.session != s.Session {
		*b = noisy{session: s.Session}
	}
	files := q.files()
	switch {
	case q.rounds == 0 && len(files) > 0:
		return completion(r, "", read("look", files[len(files)-1])), think(s, r)
	case q.rounds == 1 && !q.advised:
		path := files[len(files)-1]
		n := q.mark()
		var calls []call
		say := func(m remark, wording int) {
			kind := remarks[m.at]
			text := kind.words[wording%len(kind.words)]
			s.beside[text] = strconv.Itoa(m.at)
			calls = append(calls, advise("note_"+strconv.Itoa(len(calls)), note{text, kind.severity, protocol.Confirmed, kind.category,
				[]protocol.Citation{quote(m.path, m.line, m.quote, "see there")}}))
		}
		lines := remarkable(s, q.answers["look"])
		for i := range min(3, len(lines)) {
			l := lines[(n+7*i)%len(lines)]
			m := remark{(n + 3*i) % len(remarks), path, l.text, l.line}
			b.before = append(b.before, m)
			say(m, n+i)
		}
		// And two from before, of the same file, in other words.
		for i := range b.before {
			m := b.before[len(b.before)-1-i]
			if len(calls) < 5 && i >= 3 && m.path == path {
				if m.line = line(q.answers["look"], m.quote); m.line > 0 {
					say(m, n+i+1)
				}
			}
		}
		if len(calls) == 0 {
			break
		}
		return completion(r, "", calls...), think(s, r)
	}
	return completion(r, "silent"), think(s, r)
}

type numberedLine struct {
	line int
	text string
}

// remarkable are the lines of an answer that are no part of a label.
func remarkable(s *Scene, answer string) (all []numberedLine) {
	for l := range strings.Lines(answer) {
		number, text, ok := strings.Cut(strings.TrimSuffix(l, "\n"), "\t")
		n, err := strconv.Atoi(strings.TrimSpace(number))
		if !ok || err != nil || len(strings.TrimSpace(text)) < 8 {
			continue
		}
		labelled := false
		for _, p := range s.planted {
			labelled = labelled || strings.Contains(p.Quote, text+"\n") || p.Path != "$" && near(s, p, n)
		}
		if !labelled {
			all = append(all, numberedLine{n, text})
		}
	}
	return all
}

// near tells whether a line is so close to a label that a note about it would count as one about the label.
func near(s *Scene, p *planted, n int) bool {
	at := s.files.lineOf(p.Path, p.Quote)
	return at > 0 && n >= at-3 && n <= at+strings.Count(p.Quote, "\n")+2
}

// broken answers in every way that is no answer, in turn.
type broken struct{ n int }

func (b *broken) Answer(s *Scene, r protocol.HTTPSend) (*protocol.HTTP, int64) {
	b.n++
	ms := think(s, r)
	ok := func(body string) (*protocol.HTTP, int64) { return &protocol.HTTP{Status: 200, Body: body}, ms }
	switch b.n % 12 {
	case 1:
		return &protocol.HTTP{Status: 500, Body: `{"error":{"message":"internal"}}`}, ms
	case 2:
		return ok(`{"choices":[{"message":{"role":"assistant","content":""},"finish_reason":"stop"}]}`)
	case 3:
		return nil, 0 // never
	case 4:
		return ok("<html><body>Bad gateway</body></html>")
	case 5:
		return ok(`{"choices":[{"message":{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"advise","arguments":"{\"note\": \"half a"}}]},"finish_reason":"tool_calls"}]}`)
	case 6:
		return &protocol.HTTP{Failure: "network", Detail: "connection reset"}, ms
	case 7:
		return ok(`{"choices":[]}`)
	case 8:
		return ok("data: {\"choices\":[{\"delta\":{\"content\":\"The ses\"}}]}\n\ndata: {\"choi")
	case 9:
		return ok(`{"choices":[{"message":{"role":"assistant","content":"","reasoning_content":"Hm, let me think. What if"},"finish_reason":"length"}]}`)
	case 10:
		return ok(`{"choices":[{"message":{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"run_shell","arguments":"{\"cmd\":\"ls\"}"}}]},"finish_reason":"tool_calls"}]}`)
	case 11:
		return &protocol.HTTP{Status: 429, Headers: []protocol.Header{{Name: "retry-after", Value: "2"}}, Body: `{"error":{"message":"slow down"}}`}, ms
	}
	return ok("{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":null")
}
