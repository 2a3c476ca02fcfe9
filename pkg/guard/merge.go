package guard

import (
	"slices"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// maxCites is how many citations a note of several advisors keeps.
const maxCites = 5

// merged is a note, and those of several advisors that went into it.
type merged struct {
	note  protocol.Note
	parts []protocol.Note
}

// merge makes one note of those that several advisors have of one place. One advisor's own notes stay apart: it
// listed them side by side. The loudest is the note; what the others say beside it follows under their names.
func merge(notes []protocol.Note) []merged {
	var groups []merged
	for _, note := range notes {
		at := slices.IndexFunc(groups, func(g merged) bool {
			return !slices.ContainsFunc(g.parts, func(p protocol.Note) bool { return p.Author == note.Author }) &&
				slices.ContainsFunc(g.parts, func(p protocol.Note) bool { return onePlace(p, note) })
		})
		if at < 0 {
			groups = append(groups, merged{note: note, parts: []protocol.Note{note}})
			continue
		}
		groups[at].parts = append(groups[at].parts, note)
	}
	for i := range groups {
		if len(groups[i].parts) > 1 {
			groups[i].note = together(groups[i].parts)
		}
	}
	return groups
}

// onePlace tells whether two notes cite a line in common, or are one matter.
func onePlace(a, b protocol.Note) bool {
	for _, c := range a.Citations {
		for _, d := range b.Citations {
			if c.Path != "" && c.Line > 0 && cleanPath(c.Path) == cleanPath(d.Path) && c.Line <= max(d.Line, d.EndLine) && d.Line <= max(c.Line, c.EndLine) {
				return true
			}
		}
	}
	f, _ := fingerprintOf(a)
	g, _ := fingerprintOf(b)
	return f.same(g, false)
}

func together(parts []protocol.Note) protocol.Note {
	loudest := 0
	var authors []string
	for i, p := range parts {
		if p.Severity.Rank() > parts[loudest].Severity.Rank() {
			loudest = i
		}
		authors = append(authors, p.Author)
	}
	note := parts[loudest]
	own, _ := fingerprintOf(note)
	note.Citations = slices.Clone(note.Citations)
	for i, p := range parts {
		if i == loudest {
			continue
		}
		if f, _ := fingerprintOf(p); f.strict != own.strict && f.distance(own) > simNear {
			note.Text += "\n" + p.Author + ": " + p.Text
		}
		for _, c := range p.Citations {
			if len(note.Citations) < maxCites && !slices.ContainsFunc(note.Citations, func(d protocol.Citation) bool {
				return c.Kind == d.Kind && c.Path == d.Path && c.Line == d.Line && c.Pattern == d.Pattern && c.Call == d.Call
			}) {
				note.Citations = append(note.Citations, c)
			}
		}
		if note.Patch == "" {
			note.Patch = p.Patch
		}
	}
	note.Author = strings.Join(authors, ", ")
	return note
}
