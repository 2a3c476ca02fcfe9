package bench

import (
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// lookedAt is a reviewer whose concerns and blockers another model tries to refute, where the person sets
// "verify": "refute". That model is right eight times of ten, cannot tell once, and is wrong once.
type lookedAt struct{ Reviewer }

const lookOptions = `{"watchdogModel":"fake/reviewer","provider":{"baseURL":"http://127.0.0.1:9/v1","apiKey":"sk-bench"},"verify":"refute","verifyModel":"fake/second"}`

func (l lookedAt) Answer(s *Scene, r protocol.HTTPSend) (*protocol.HTTP, int64) {
	if !strings.Contains(r.Body, `"model":"second"`) {
		return l.Reviewer.Answer(s, r)
	}
	q := parse(r.Body)
	n := noteOf(q.delta)
	if q.rounds == 0 && len(n.Citations) > 0 && n.Citations[0].Path != "" {
		return completion(r, "", read("look", n.Citations[0].Path)), think(s, r)
	}
	holds := s.tellsOfPlanted(n)
	switch spread(0, 9, s.Session.Name, n.Text) {
	case 0:
		holds = !holds
	case 1:
		return completion(r, "UNSURE: I could not tell."), think(s, r)
	}
	if holds {
		return completion(r, "HOLDS: nothing else catches it."), think(s, r)
	}
	return completion(r, "REFUTED: it is beside the point here."), think(s, r)
}

// noteOf reads the note that a second look is about.
func noteOf(text string) (n protocol.Note) {
	_, text, _ = strings.Cut(text, "<<<")
	from, to := strings.Index(text, "{"), strings.LastIndex(text, "}")
	if from >= 0 && to > from {
		n, _ = protocol.DecodeNote([]byte(text[from : to+1])) // a note that cannot be read tells of nothing
	}
	return n
}

func (s *Scene) tellsOfPlanted(n protocol.Note) bool {
	if s.isBeside(n.Text) {
		return false
	}
	var cites []cite
	for _, c := range n.Citations {
		path, text := c.Path, c.Quote
		if c.Kind == protocol.CiteCommand {
			path, text = "$", c.Excerpt
		}
		cites = append(cites, cite{path, c.Line, shown(text)})
	}
	about := s.about(cites)
	return about != nil && about.real() && !about.mended
}
