package bench

import (
	"slices"
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// target is a label that a review is about to look at.
type target struct {
	*planted
	call string // whose output shows it, for a command
}

// targets are the labels that the delta shows and that were not told yet. A model that knows its
// trade would suspect them; tempting ones too.
func targets(s *Scene, q request) (all []target) {
	for _, p := range s.planted {
		if strings.Contains(q.said, start(p.Why)) {
			continue
		}
		if call, ok := q.shows(p.Path, p.Quote); ok {
			all = append(all, target{p, call})
		}
	}
	return all
}

// start is the beginning of a text as a list of what was said shows it.
func start(text string) string { return text[:min(len(text), 100)] }

// honest looks each suspicion up, tells of what holds, with a true citation, and drops what does not.
type honest struct{}

func (honest) Answer(s *Scene, r protocol.HTTPSend) (*protocol.HTTP, int64) {
	q := parse(r.Body)
	all := targets(s, q)
	calls := look(q, all)
	if q.rounds == 1 && !q.advised {
		calls = nil
		for i, t := range all {
			if c, ok := told(q, i, t, t.Why, t.Severity, t.Category); ok {
				calls = append(calls, c)
			}
		}
	}
	if len(calls) == 0 || q.rounds > 1 {
		return completion(r, "silent"), think(s, r)
	}
	return completion(r, "", calls...), think(s, r)
}

// look opens the files of the suspicions, each once, and what may refute them. A command's output is in the delta
// already, so a suspicion of it needs a look at nothing; the list stands in for one.
func look(q request, all []target) (calls []call) {
	if q.rounds > 0 {
		return nil
	}
	opened := map[string]bool{}
	for _, t := range all {
		for _, path := range []string{t.Path, t.RefutePath} {
			switch {
			case path == "" || opened[path]:
			case path == "$":
				calls = append(calls, call{path, "glob", input("pattern", "*")})
			default:
				calls = append(calls, read(path, path))
			}
			opened[path] = true
		}
	}
	return calls
}

// told is the note about a suspicion that held, with its place as the file shows it now.
func told(q request, i int, t target, text string, severity protocol.Severity, category string) (call, bool) {
	id := strconv.Itoa(i)
	n := note{text: text, severity: severity, verdict: protocol.Confirmed, category: category}
	if t.Path == "$" {
		n.citations = []protocol.Citation{{Kind: protocol.CiteCommand, Call: t.call, Excerpt: strings.TrimSuffix(t.Quote, "\n"), Fact: "what the command printed"}}
		return advise("note_"+id, n), true
	}
	at := line(q.answers[t.Path], t.Quote)
	if at == 0 {
		return call{}, false // mended meanwhile
	}
	if t.Kind == Tempt && line(q.answers[t.RefutePath], t.RefuteQuote) > 0 {
		n.verdict = protocol.Refuted
		return advise("note_"+id, n), true
	}
	n.citations = []protocol.Citation{quote(t.Path, at, t.Quote, "this is the place")}
	return advise("note_"+id, n), true
}

// silent never finds anything.
type silent struct{}

func (silent) Answer(s *Scene, r protocol.HTTPSend) (*protocol.HTTP, int64) {
	return completion(r, "silent"), think(s, r)
}

// stubborn is honest once, and from then on brings every matter up again in every review, as a blocker:
// with a count, in other words, under another category, whatever the person said.
type stubborn struct {
	session *Session
	mine    []target
	times   int
}

func (b *stubborn) Answer(s *Scene, r protocol.HTTPSend) (*protocol.HTTP, int64) {
	q := parse(r.Body)
	if b.session != s.Session {
		*b = stubborn{session: s.Session}
	}
	if q.rounds == 0 {
		for _, p := range s.planted {
			if call, ok := q.shows(p.Path, p.Quote); ok && p.real() && !slices.ContainsFunc(b.mine, func(t target) bool { return t.planted == p }) {
				b.mine = append(b.mine, target{p, call})
			}
		}
	}
	all := slices.Clone(b.mine)
	calls := look(q, all)
	if q.rounds == 1 && !q.advised {
		calls = nil
		b.times++
		for i, t := range all {
			text, category := b.words(t, b.times+i)
			s.matters[text] = t.ID
			if first, rest, _ := strings.Cut(t.Quote, "\n"); b.times%3 == 2 && rest != "" {
				// The same place from its second line on.
				second := *t.planted.Label
				second.Quote = strings.TrimPrefix(t.Quote, first+"\n")
				t.planted = &planted{Label: &second}
			}
			if c, ok := told(q, i, t, text, protocol.Blocker, category); ok {
				calls = append(calls, c)
			}
		}
	}
	if len(calls) == 0 || q.rounds > 1 {
		return completion(r, "silent"), think(s, r)
	}
	return completion(r, "", calls...), think(s, r)
}

// words gives the same matter in one of many dresses.
func (b *stubborn) words(t target, n int) (text, category string) {
	categories := []string{t.Category, t.Category, "bug", "correctness", "goal"}
	forms := []func(string) string{
		func(s string) string { return s },
		func(s string) string { return "Reminder " + strconv.Itoa(n) + ": " + s },
		func(s string) string {
			return s + " This has still not been dealt with (seen " + strconv.Itoa(n) + " times)."
		},
		func(s string) string { return "URGENT. " + s },
		func(s string) string { return "As I said before and say again: " + s + " Please stop and fix it now." },
	}
	matters := append([]string{t.Why}, t.Again...)
	return forms[n%len(forms)](matters[n%len(matters)]), categories[n%len(categories)]
}
