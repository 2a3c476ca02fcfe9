package evidence

import (
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// minFact is how many letters and digits a fact must share with its line, in two words or
// more: "return" is in too many lines to prove that this one was seen.
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
	form := r.form()
	from, to := int(form.starts[c.Line-1]), len(form.text)
	if c.Line < len(form.starts) {
		to = int(form.starts[c.Line])
	}
	if from < to && form.text[from] == ' ' { // between this line's first word and the last line's
		from++
	}
	line := form.text[from:to]
	parts := quoted(c.Fact)
	if strings.Contains(normalize(c.Fact).text, line) {
		parts = append(parts, line)
	}
	for _, part := range parts {
		text := normalize(part).text
		if substance(text) < minFact || !twoWords(text) || weak(part) != "" {
			continue
		}
		if at := strings.Index(line, text); at >= 0 && len(form.places([]string{text})) <= maxPlaces {
			return r.settle(c, []span{{from + at, from + at + len(text)}})
		}
	}
	return c, r.show(unknown("the observed fact does not quote "+place(c)+"; give the line's text, verbatim, as quote"), c.Line)
}

// twoWords tells whether a text in normal form has two words or more.
func twoWords(text string) bool {
	return len(strings.FieldsFunc(text, func(r rune) bool { return !wordRune(r) })) > 1
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
