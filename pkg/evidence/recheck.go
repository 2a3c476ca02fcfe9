package evidence

import (
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Freshness is what came of reading a citation again.
type Freshness string

// The freshnesses. Moved: the same lines stand elsewhere now, and Line and
// EndLine say where.
const (
	Same  Freshness = "same"
	Moved Freshness = "moved"
	Stale Freshness = "stale"
)

// Recheck reads the cited place again, at the moment of delivery. Lines that
// changed or are gone make the citation stale, unless the same lines stand
// elsewhere in the file. An absence is searched for again. A command's output
// is history and cannot change.
func (r *Resolver) Recheck(c protocol.Citation) (protocol.Citation, Freshness) {
	switch c.Kind {
	case protocol.CiteCommand:
		return c, Same
	case protocol.CiteAbsence:
		if c.Status != protocol.CiteVerified {
			return c, Same
		}
		if _, f := r.absence(c); f.Status != protocol.CiteVerified {
			return c, Stale
		}
		return c, Same
	}
	if c.Path == "" || c.Status == protocol.CiteMissing {
		return c, Same
	}
	r.kept = "" // read anew
	path, _, err := r.open(c.Path)
	if c.Hash == "" {
		// Nothing was matched; the note may still be about a file that is gone now.
		if f := unreadable(c.Path, err); err != nil && f.Status == protocol.CiteMissing {
			return c, Stale
		}
		return c, Same
	}
	if err != nil || path != c.Path {
		return c, Stale
	}
	if hashLines(r.keptText, c.Line, c.EndLine) == c.Hash {
		return c, Same
	}
	if c.Kind == protocol.CiteLegacy {
		return r.legacyAgain(c)
	}
	found := findIn(r.form(), c.Quote)
	if len(found) > maxPlaces {
		return c, Stale
	}
	return r.again(c, found)
}

// again takes the nearest place whose lines are the same as they were.
func (r *Resolver) again(c protocol.Citation, found []span) (protocol.Citation, Freshness) {
	var same []span
	for _, s := range found {
		if hashLines(r.keptText, r.form().line(s.from), r.form().line(s.to-1)) == c.Hash {
			same = append(same, s)
		}
	}
	if len(same) == 0 {
		return c, Stale
	}
	c.Line, c.EndLine = r.form().nearest(same, c.Line)
	return c, Moved
}

// legacyAgain looks for the one line that a legacy citation was matched with.
func (r *Resolver) legacyAgain(c protocol.Citation) (protocol.Citation, Freshness) {
	best, n := 0, 0
	for line := range strings.Lines(r.keptText) {
		n++
		if hashText(strings.TrimRight(line, " \t\r\n")) == c.Hash && (best == 0 || abs(n-c.Line) < abs(best-c.Line)) {
			best = n
		}
	}
	if best == 0 {
		return c, Stale
	}
	c.Line, c.EndLine = best, best
	return c, Moved
}

func abs(n int) int { return max(n, -n) }

// RecheckNote rechecks every citation of a note. One stale citation makes the
// note stale: what it says rests on all of them.
func (r *Resolver) RecheckNote(note protocol.Note) (protocol.Note, Freshness) {
	cites := make([]protocol.Citation, len(note.Citations))
	worst := Same
	for i, c := range note.Citations {
		var f Freshness
		switch cites[i], f = r.Recheck(c); f {
		case Stale:
			return note, Stale
		case Moved:
			worst = Moved
		}
	}
	note.Citations = cites
	return note, worst
}
