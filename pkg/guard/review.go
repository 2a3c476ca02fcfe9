package guard

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Outcome is what becomes of a whole review.
type Outcome struct {
	// Notes are to be delivered, loudest first.
	Notes []protocol.Note
	// Dropped are the decisions against a note.
	Dropped []Decision
	// Digest is one line about the notes that only a bound held back, to be delivered with
	// Notes; empty when there are none. Each matter is mentioned once.
	Digest string
	// Tell lists the bounds that the person should hear of now; see Bound.
	Tell []Reason
}

// Bounds of a digest.
const (
	maxDigest = 9  // matters that are named
	maxTitle  = 70 // characters of each
)

// Review begins a review and decides about its notes, blockers first.
func (g *Guard) Review(notes []protocol.Note, ctx Context) Outcome {
	g.BeginReview()
	return g.Also(notes, ctx)
}

// Also decides about notes of the running review that came later than others of it, from other advisors. What
// several advisors have of one place is merged; each of them passes the gates before that alone, so that no
// muted matter comes in with another. The bounds are those of the one review.
func (g *Guard) Also(notes []protocol.Note, ctx Context) Outcome {
	g.batch++
	var out Outcome
	var held []protocol.Note
	if slices.ContainsFunc(notes, func(n protocol.Note) bool { return n.Author != notes[0].Author }) {
		notes = slices.DeleteFunc(slices.Clone(notes), func(n protocol.Note) bool {
			n, _, _, reason := g.screen(n, ctx)
			if reason != "" {
				out.Dropped = append(out.Dropped, g.drop(n, reason))
			}
			return reason != ""
		})
	}
	groups := merge(notes)
	sort.SliceStable(groups, func(i, j int) bool { return groups[i].note.Severity.Rank() > groups[j].note.Severity.Rank() })
	for _, group := range groups {
		d := g.Admit(group.note, ctx)
		if d.Tell {
			out.Tell = append(out.Tell, d.Reason)
		}
		if d.Deliver {
			out.Notes = append(out.Notes, d.Note)
			g.parts(group.parts, d.Note, ctx)
			continue
		}
		out.Dropped = append(out.Dropped, d)
		switch d.Reason {
		case SessionQuota, BlockerQuota, MessageQuota, ReviewQuota:
			held = append(held, d.Note)
		}
	}
	if len(out.Notes) > 0 {
		out.Digest = g.digest(held, ctx)
	}
	return out
}

// digest writes one line about notes that were held back and remembers that they
// were mentioned. A note mentioned here may still be said in full later.
func (g *Guard) digest(held []protocol.Note, ctx Context) string {
	var titles []string
	more := 0
	for _, note := range held {
		fp, _ := fingerprintOf(note)
		if at, _ := g.known(fp); at >= 0 {
			continue
		}
		g.remember(entry{id: note.ID, review: g.review, fp: fp}, ctx.Limits.orDefault(), ctx.Mutes)
		if len(titles) >= maxDigest {
			more++
			continue
		}
		title, _, _ := strings.Cut(note.Text, "\n")
		titles = append(titles, string(note.Severity)+": "+cut(title, maxTitle))
	}
	if len(titles) == 0 {
		return ""
	}
	text := "Held back, " + strconv.Itoa(len(titles)+more) + " more: " + strings.Join(titles, "; ")
	if more > 0 {
		text += "; and " + strconv.Itoa(more) + " others"
	}
	return text + "."
}

// Bound says in one sentence, for the person, that a bound was reached.
func Bound(reason Reason, limits Limits) string {
	limits = limits.orDefault()
	switch reason {
	case SessionQuota:
		return "The advisor has said " + strconv.Itoa(limits.PerSession) + " notes in this session, which is its bound; it stays quiet from here on."
	case MessageQuota:
		return "The advisor has said " + strconv.Itoa(limits.PerMessage) + " notes since your last message; further ones are dropped until you write again."
	case BlockerQuota:
		return "The advisor has reported " + strconv.Itoa(limits.BlockersPerMessage) + " blockers since your last message; further ones are dropped until you write again."
	}
	return ""
}

// parts remembers what went into a note, so that none of it is said again alone.
func (g *Guard) parts(parts []protocol.Note, said protocol.Note, ctx Context) {
	if len(parts) < 2 {
		return
	}
	for _, p := range parts {
		fp, _ := fingerprintOf(cleanNote(p))
		g.remember(entry{id: said.ID, severity: said.Severity, review: g.review, message: g.message, fp: fp}, ctx.Limits.orDefault(), ctx.Mutes)
	}
}
