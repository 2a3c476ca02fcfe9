package guard

import (
	"slices"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Guard is what one session has said so far. The zero value has said nothing.
// Methods change it in place; a copy is a fork.
type Guard struct {
	ring    []entry
	review  int // number of the running review, from 1
	message int // number of the last human message, from 1
	batch   int // of the running review, from 1: notes that advisors gave at one time
	// Notes delivered in the running review, since the last human message, and in all.
	inReview, inMessage, blockers, inSession int
	// calm is for how many more human messages concerns are nits.
	calm   int
	told   [len(Reasons)]bool
	counts Counts
}

// entry is one matter that was said, or only mentioned in a digest.
type entry struct {
	id       string
	severity protocol.Severity // as delivered last; empty: mentioned
	before   protocol.Severity // before that, for Retract
	review   int
	message  int
	fp       fingerprint
	batch    int // of the running review; not stored, for a review does not outlive its guest
}

// Context is what a decision depends on beside the state.
type Context struct {
	Session string // part of the note's id
	Limits  Limits
	Mutes   Mutes
}

// Decision is what becomes of a note.
type Decision struct {
	Deliver bool
	Reason  Reason // why not; empty when delivered
	// Note is the note, cleaned, with its id and with the severity it is to be delivered at.
	Note protocol.Note
	// Tell is set the first time in the session that a bound dropped something:
	// the person should hear of it once.
	Tell bool
}

// Counts tells what became of all notes so far.
func (g *Guard) Counts() Counts { return g.counts }

// Human notes a message that a person typed: what counts since the last one
// starts anew, and the calm after a wake wears off.
func (g *Guard) Human() {
	g.message++
	g.inMessage, g.blockers = 0, 0
	g.calm = max(g.calm-1, 0)
}

// Woke notes that a delivery woke the session.
func (g *Guard) Woke(limits Limits) { g.calm = limits.orDefault().ImmuneTurns }

// BeginReview starts the count of a review. Review calls it by itself.
func (g *Guard) BeginReview() {
	g.review++
	g.inReview, g.batch = 0, 0
}

// Admit decides about one note of the running review. The order of precedence is that of the
// package comment.
func (g *Guard) Admit(note protocol.Note, ctx Context) Decision {
	limits := ctx.Limits.orDefault()
	note, fp, known, reason := g.screen(note, ctx)
	if reason == "" {
		reason = g.full(note, limits)
	}
	if reason != "" {
		return g.drop(note, reason)
	}
	g.deliver(note, fp, known, limits, ctx.Mutes)
	return Decision{Deliver: true, Note: note}
}

// screen decides all but the bounds, and gives the note cleaned.
func (g *Guard) screen(note protocol.Note, ctx Context) (out protocol.Note, fp fingerprint, known int, reason Reason) {
	note = cleanNote(note)
	if note.Severity.Rank() == 0 {
		note.Severity = protocol.Nit
	}
	if note.Text == "" {
		return note, fp, -1, Empty
	}
	if contentFree(note.Text) {
		return note, fp, -1, ContentFree
	}
	fp, names := fingerprintOf(note)
	known, loudest := g.known(fp)
	note.ID = noteID(ctx.Session, fp)
	if known >= 0 {
		note.ID = g.ring[known].id
	}
	if reason := g.muted(note, fp, names, ctx.Mutes); reason != "" {
		return note, fp, known, reason
	}
	if g.calm > 0 && note.Severity == protocol.Concern {
		note = calmed(note)
		g.counts.Lowered++
	}
	if known >= 0 && note.Severity.Rank() <= loudest {
		return note, fp, known, Duplicate
	}
	return note, fp, known, ""
}

// calmed makes a nit of a concern and says why.
func calmed(note protocol.Note) protocol.Note {
	if note.Claimed == "" {
		note.Claimed = note.Severity
	}
	note.Severity = protocol.Nit
	note.Gates = append(slices.Clip(note.Gates), "cooldown: the session was woken a short time ago")
	return note
}

// known finds the matter of fp: where in the ring, -1 when it is new, and the
// rank of the loudest entry that is the same matter.
func (g *Guard) known(fp fingerprint) (at, loudest int) {
	at = -1
	for i, e := range g.ring {
		if !e.fp.same(fp, e.review == g.review && e.batch == g.batch) {
			continue
		}
		if rank := e.severity.Rank(); at < 0 || rank > loudest {
			at, loudest = i, rank
		}
	}
	return at, loudest
}

// Muted tells whether a note that was admitted has been muted since, and how; empty when it was not.
func (g *Guard) Muted(note protocol.Note, mutes Mutes) Reason {
	fp, names := fingerprintOf(note)
	return g.muted(note, fp, names, mutes)
}

// muted asks every matter that the note may be, not the loudest alone.
func (g *Guard) muted(note protocol.Note, fp fingerprint, names []string, mutes Mutes) Reason {
	if len(mutes.Notes) > 0 {
		for _, e := range g.ring {
			if slices.Contains(mutes.Notes, e.id) && (e.fp.same(fp, false) || e.fp.overlaps(fp)) {
				return mutes.reason(note, e.id, names)
			}
		}
	}
	return mutes.reason(note, note.ID, names)
}

// full tells which bound a note would pass.
func (g *Guard) full(note protocol.Note, limits Limits) Reason {
	switch {
	case g.inSession >= limits.PerSession:
		return SessionQuota
	case note.Severity == protocol.Blocker && g.blockers >= limits.BlockersPerMessage:
		return BlockerQuota
	case g.inMessage >= limits.PerMessage:
		return MessageQuota
	case g.inReview >= limits.PerReview:
		return ReviewQuota
	}
	return ""
}

func (g *Guard) drop(note protocol.Note, reason Reason) Decision {
	i := reasonIndex(reason)
	g.counts.Dropped[i]++
	d := Decision{Reason: reason, Note: note}
	switch reason {
	case SessionQuota, BlockerQuota, MessageQuota:
		d.Tell = !g.told[i]
		g.told[i] = true
	}
	return d
}

func (g *Guard) deliver(note protocol.Note, fp fingerprint, known int, limits Limits, mutes Mutes) {
	g.inReview++
	g.inMessage++
	g.inSession++
	g.counts.Delivered++
	if note.Severity == protocol.Blocker {
		g.blockers++
	}
	if known >= 0 {
		g.ring = slices.Clone(g.ring) // a fork keeps its own
		e := &g.ring[known]
		e.before, e.severity, e.review, e.message, e.batch = e.severity, note.Severity, g.review, g.message, g.batch
		return
	}
	g.remember(entry{id: note.ID, severity: note.Severity, review: g.review, message: g.message, fp: fp}, limits, mutes)
}

// remember adds a matter and forgets the oldest when the ring is full; a muted
// one is forgotten last, because the mute would end with it.
func (g *Guard) remember(e entry, limits Limits, mutes Mutes) {
	e.batch = g.batch
	g.ring = append(slices.Clone(g.ring), e)
	for len(g.ring) > limits.Ring {
		oldest := slices.IndexFunc(g.ring, func(e entry) bool { return !slices.Contains(mutes.Notes, e.id) })
		g.ring = slices.Delete(g.ring, max(oldest, 0), max(oldest, 0)+1)
	}
}

// Retract takes back that the note with this id was delivered, when it was not
// after all: its lines had changed by then, or the host refused. It may be
// said again.
func (g *Guard) Retract(id string) {
	at := slices.IndexFunc(g.ring, func(e entry) bool { return e.id == id && e.severity != "" })
	if at < 0 {
		return
	}
	g.ring = slices.Clone(g.ring)
	e := &g.ring[at]
	if e.review == g.review {
		g.inReview = max(g.inReview-1, 0)
	}
	if e.message == g.message {
		g.inMessage = max(g.inMessage-1, 0)
		if e.severity == protocol.Blocker {
			g.blockers = max(g.blockers-1, 0)
		}
	}
	g.inSession = max(g.inSession-1, 0)
	g.counts.Delivered = max(g.counts.Delivered-1, 0)
	review := e.review
	e.severity, e.before = e.before, ""
	kept := g.ring[:0]
	for i, e := range g.ring {
		// What other advisors said in the same note was not said either.
		if part := e.id == id && e.review == review && i != at; !part && (i != at || e.severity != "") {
			kept = append(kept, e)
		}
	}
	g.ring = kept
}
