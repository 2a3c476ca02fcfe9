package evidence

import (
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// minFact is how many letters and digits a fact must share with its line: "null" alone is
// in too many lines to prove that this one was seen.
const minFact = 6

// legacy resolves the seed's {file, line, observedFact}. It proves something
// only when the fact quotes the line: when it contains the whole of it, or
// when what it has in backticks or quotes is in it.
func (r *Resolver) legacy(c protocol.Citation, lines int) (protocol.Citation, Finding) {
	if f := r.outOfRange(c, lines); f.Status != "" {
		return c, f
	}
	if c.Line < 1 || strings.TrimSpace(c.Fact) == "" {
		return c, unknown("the citation has no quote; add the line's text, verbatim, as quote")
	}
	from, to := int(r.keptForm.starts[c.Line-1]), len(r.keptForm.text)
	if c.Line < len(r.keptForm.starts) {
		to = int(r.keptForm.starts[c.Line])
	}
	line := strings.TrimSpace(r.keptForm.text[from:to])
	whole := substance(line) >= minFact && strings.Contains(normalize(c.Fact).text, line)
	if whole {
		return r.settle(c, []span{{from, to}})
	}
	for _, part := range quoted(c.Fact) {
		text := normalize(part).text
		if substance(text) < minFact || weak(part) != "" {
			continue
		}
		if at := strings.Index(line, text); at >= 0 && len(r.keptForm.places([]string{text})) <= maxPlaces {
			return r.settle(c, []span{{from + at, from + at + len(text)}})
		}
	}
	return c, r.show(unknown("the observed fact does not quote "+place(c)+"; give the line's text, verbatim, as quote"), c.Line)
}

// quoted gives the parts of a text that stand in backticks or quotes.
func quoted(text string) []string {
	var parts []string
	for _, pair := range [...][2]string{{"`", "`"}, {`"`, `"`}, {"“", "”"}, {"「", "」"}} {
		for rest := text; ; {
			_, after, ok := strings.Cut(rest, pair[0])
			if !ok {
				break
			}
			part, tail, ok := strings.Cut(after, pair[1])
			if !ok {
				break
			}
			parts, rest = append(parts, part), tail
		}
	}
	return parts
}
