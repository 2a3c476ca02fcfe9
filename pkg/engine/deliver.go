package engine

import (
	"slices"
	"sort"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/breaker"
	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/delivery"
	"github.com/Kayphoon/opencode-advisor/pkg/digest"
	"github.com/Kayphoon/opencode-advisor/pkg/evidence"
	"github.com/Kayphoon/opencode-advisor/pkg/guard"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/session"
	"github.com/Kayphoon/opencode-advisor/pkg/transcript"
)

// Fates of notes beside the reasons of evidence and guard.
const (
	fateDelivered  = "delivered"
	fateStale      = "stale"       // the cited lines changed before delivery
	fateOff        = "off"         // delivery of this severity is switched off
	fateRefuted    = "second_look" // the second look refuted it
	fateSuperseded = "superseded"  // the person spoke before it was said
)

// deliver takes the notes of a review through guard, second look, freshness and breaker, in this order, and
// puts what is left into the session. Silent notes go first and the one that wakes last, so that
// the host takes all of them in one batch. It tells whether it came to its end: the person may speak meanwhile, and then nothing is said.
func (e *Engine) deliver(p port, r *round, batch []said) bool {
	l, s := r.l, r.l.state
	var notes []protocol.Note
	for _, a := range batch {
		for _, d := range a.out.Dropped {
			e.record(l, d.Note, d.Reason, a.out.Trace, "")
		}
		notes = append(notes, a.out.Notes...)
	}
	if len(notes) == 0 {
		return true
	}
	ctx := guard.Context{Session: s.ID, Limits: limits(e.config.Config), Mutes: s.Mutes}
	if !r.begun {
		s.Guard.BeginReview()
		r.begun = true
	}
	said := s.Guard.Also(notes, ctx)
	l.dirty = true
	for _, d := range said.Dropped {
		if d.Reason == guard.Duplicate {
			l.state.AlsoBy(d.Note.ID, d.Note.Author)
		}
		e.record(l, d.Note, string(d.Reason), traces(batch, d.Note), "")
	}
	for _, bound := range said.Tell {
		e.notice(s.ID, "bound_"+string(bound), "info", guard.Bound(bound, ctx.Limits))
	}

	// All second looks come before the first check: each takes a while, in which lines change and the person mutes, and
	// a claimed wake may not wait.
	var left []protocol.Note
	for i, note := range said.Notes {
		note, refuted := e.secondLook(p, l, note)
		switch {
		case p.t.dead:
			e.takeBackNotes(l, batch, append(left, said.Notes[i:]...))
			return false
		case refuted:
			e.unsaid(l, batch, note, fateRefuted, "")
		default:
			left = append(left, note)
		}
	}
	sort.SliceStable(left, func(i, j int) bool { return left[i].Severity.Rank() > left[j].Severity.Rank() })

	var silent, waking []protocol.Note
	reasons := map[string]breaker.Reason{}
	for i, note := range left {
		note, reason, fate := e.check(p, r, batch, note, len(waking) > 0)
		switch {
		case p.t.dead: // the person spoke while the claim was on its way
			e.takeBackNotes(l, batch, append(silent, left[i:]...))
			return false
		case fate != "":
			e.unsaid(l, batch, note, fate, string(reason))
			continue
		case reason == breaker.Allowed:
			s.Guard.Woke(ctx.Limits)
			waking = append(waking, note)
		default:
			silent = append(silent, note)
		}
		reasons[note.ID] = reason
	}
	for _, note := range append(waking[:len(waking):len(waking)], silent...) {
		e.record(l, note, fateDelivered, traces(batch, note), string(reasons[note.ID]))
	}
	all := append(silent, waking...)
	for i, note := range all {
		rest := ""
		if i == len(all)-1 {
			rest = said.Digest
		}
		e.send(l, r.human, note, len(waking) > 0 && i == len(all)-1, rest)
	}
	if len(all) > 0 {
		e.saveFirst(l)
	}
	return true
}

// check looks at a note for the last time, and goes for the wake where it may have one. A fate says why it is not said.
func (e *Engine) check(p port, r *round, batch []said, note protocol.Note, woken bool) (_ protocol.Note, reason breaker.Reason, fate string) {
	s, v := r.l.state, batch[0].view
	if muted := s.Guard.Muted(note, s.Mutes); muted != "" { // since the review began to be delivered
		return note, "", string(muted)
	}
	channel := delivery.Channel(e.config.Delivery, note.Severity)
	if channel == config.ChannelOff {
		return note, "", fateOff
	}
	note, fresh := e.fresh(note, v)
	if !fresh {
		return note, "", fateStale
	}
	switch {
	case channel != config.ChannelWaking:
		return note, "", ""
	case woken:
		return note, breaker.Spent, ""
	}
	if reason = e.wake(p, r.l, r.human); p.t.dead {
		return note, reason, ""
	}
	// The claim took a moment, whatever came of it; the lines may have changed in it.
	if note, fresh = e.fresh(note, v); !fresh {
		fate = fateStale
	}
	return note, reason, fate
}

// unsaid takes back that a note was said, and remembers why it was not.
func (e *Engine) unsaid(l *live, batch []said, note protocol.Note, fate, wake string) {
	l.state.Guard.Retract(note.ID)
	e.record(l, note, fate, traces(batch, note), wake)
}

// takeBackNotes is for notes that the person outran: they were not said, and may be said by the next review, of which their work is a part.
func (e *Engine) takeBackNotes(l *live, batch []said, notes []protocol.Note) {
	for _, note := range notes {
		e.unsaid(l, batch, note, fateSuperseded, "")
	}
}

// traces says what the advisors of a note looked at.
func traces(batch []said, note protocol.Note) (list []string) {
	for _, a := range batch {
		if a.author == note.Author {
			return a.out.Trace
		}
		for _, author := range strings.Split(note.Author, ", ") {
			if a.author == author {
				for _, line := range a.out.Trace {
					list = append(list, author+": "+line)
				}
			}
		}
	}
	return list
}

// wake goes for the one wake between two human messages. The breaker is spent and saved
// before the answer is known: a claim is never taken back.
func (e *Engine) wake(p port, l *live, human string) breaker.Reason {
	claim, reason := l.state.GoForWake(e.wall, human, e.config.MaxWakesPerHour)
	if reason != breaker.Allowed {
		return reason
	}
	l.dirty = true // saved with the claim, though an earlier wait of this review saved before
	granted, other := p.claim(l.state.ID, claim)
	if p.t.dead {
		return breaker.Superseded
	}
	l.dirty = true
	return l.state.Claimed(e.wall, granted, other)
}

// fresh reads the cited places again. A note whose lines changed is stale; one whose
// lines moved gets the true line. A patch that does not apply is left out.
func (e *Engine) fresh(note protocol.Note, v *view) (protocol.Note, bool) {
	r := v.resolver()
	note, state := r.RecheckNote(note)
	if state == evidence.Stale {
		return note, false
	}
	if note.Patch != "" && !evidence.CheckPatch(note.Patch, firstPath(note), v) {
		note.Patch = ""
	}
	return note, true
}

func firstPath(n protocol.Note) string {
	for _, c := range n.Citations {
		if c.Path != "" {
			return c.Path
		}
	}
	return ""
}

// send puts one note into the session.
func (e *Engine) send(l *live, human string, note protocol.Note, wake bool, rest string) {
	s := l.state
	d := delivery.Effect(s.ID, human, e.redactNote(note), wake, rest)
	s.Delivered(session.Delivery{ID: d.ID, Note: note.ID, Severity: note.Severity, Turn: s.Turns, State: "sent", Woke: wake, Rest: rest})
	s.Counts.Add(session.CountDelivered, 1)
	l.dirty = true
	e.emit(d)
}

// sendHeld sends what the host held back until the turn had ended, once the person's wishes are known.
func (e *Engine) sendHeld(l *live, ids []string) {
	e.start("held notes", l.state.ID, func(t *task) {
		port{e, t}.heed(l)
		for _, id := range ids {
			if e.sessions[l.state.ID] == l {
				e.sendAgain(l, id)
			}
		}
	})
}

// sendAgain sends what the host held back until the turn had ended. Much may have happened since: what the person muted
// or what is no longer true is not said.
func (e *Engine) sendAgain(l *live, id string) {
	s := l.state
	d := s.Again(id)
	if d == nil {
		return
	}
	l.dirty = true
	fate := fateStale
	if stored := s.Noted(d.Note); stored != nil {
		reason := s.Guard.Muted(stored.Note, s.Mutes)
		note, fresh := e.fresh(stored.Note, newView(e, l, "", transcript.Delta{}, false, e.config.Tools))
		if reason == "" && fresh {
			stored.Note = note
			again := delivery.Effect(s.ID, "", e.redactNote(note), false, d.Rest)
			again.ID = d.ID
			e.emit(again)
			return
		}
		if reason != "" {
			fate = string(reason)
		}
		stored.Fate = fate
		line := noted(stored.Note, fate, "")
		line.Kind = "withdrawn"
		e.journal(l, line)
	}
	d.State = fateStale
	s.Guard.Retract(d.Note)
	s.Counts.Add(session.CountDelivered, -1)
	s.Counts.Add("dropped."+fate, 1)
}

// saveFirst stores the session before its last deliveries are performed: what was said
// must not be forgotten by a crash right after it.
func (e *Engine) saveFirst(l *live) {
	if !l.stores() {
		return
	}
	at := slices.IndexFunc(e.out, func(ef protocol.Effect) bool {
		d, ok := ef.(*protocol.Deliver)
		return ok && d.Session == l.state.ID
	})
	if at < 0 {
		return
	}
	l.dirty = false
	l.first = e.saving(l)
	e.out = slices.Insert(e.out, at, protocol.Effect(l.first))
}

// hideWords takes secrets out of what a reviewer says, before anything cuts it: half a key is no longer known as one.
func (e *Engine) hideWords(n protocol.Note) protocol.Note {
	n.Text = e.redact.Text(n.Text)
	n.Citations = slices.Clone(n.Citations)
	for i := range n.Citations {
		n.Citations[i].Fact = e.redact.Text(n.Citations[i].Fact)
	}
	return n
}

// redactNote takes secrets out of what goes to the session beside the reviewer's words: a citation may quote a line that holds one.
func (e *Engine) redactNote(n protocol.Note) protocol.Note {
	n.Patch = e.redact.Text(guard.Printable(n.Patch))
	n.Citations = slices.Clone(n.Citations)
	for i := range n.Citations {
		c := &n.Citations[i]
		c.Quote = e.redact.Text(guard.Printable(c.Quote))
		c.Pattern = e.redact.Text(guard.Printable(c.Pattern))
		c.Fact = e.redact.Text(guard.Clean(c.Fact, 300))
		c.Excerpt = e.redact.Text(guard.Printable(c.Excerpt))
	}
	return n
}

// record remembers what became of a note, for `/advisor notes` and `why`.
func (e *Engine) record(l *live, n protocol.Note, fate string, trace []string, wake string) {
	if n.ID == "" { // dropped before the guard named it
		n.ID = "n_" + digest.Hex(12, "dropped", l.state.ID, n.Text)
	}
	if fate != fateDelivered {
		l.state.Counts.Add("dropped."+fate, 1)
	}
	// What the reviewer asked for and said is in the trace in its own words.
	looked := make([]string, len(trace))
	for i, line := range trace {
		looked[i] = e.redact.Text(line)
	}
	n = e.redactNote(n)
	e.journal(l, noted(n, fate, wake))
	l.state.Record(protocol.StoredNote{Note: n, Fate: fate, Turn: l.state.Turns, At: e.wall, Tools: looked, Wake: wake})
	l.dirty = true
}
