package engine

import (
	"slices"
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
	fateDelivered = "delivered"
	fateStale     = "stale"       // the cited lines changed before delivery
	fateOff       = "off"         // delivery of this severity is switched off
	fateRefuted   = "second_look" // the second look refuted it
)

// deliver takes the notes of a review through guard, freshness and breaker, in this order, and
// puts what is left into the session. Silent notes go first and the one that wakes last, so that
// the host takes all of them in one batch.
func (e *Engine) deliver(p port, r *round, batch []said) {
	l, human, v := r.l, r.human, batch[0].view
	s := l.state
	var notes []protocol.Note
	for _, a := range batch {
		for _, d := range a.out.Dropped {
			e.record(l, d.Note, d.Reason, a.out.Trace, "")
		}
		notes = append(notes, a.out.Notes...)
	}
	if len(notes) == 0 {
		return
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

	var silent []protocol.Note
	var waking *protocol.Note
	for _, note := range said.Notes {
		note, refuted := e.secondLook(p, l, note)
		if p.t.dead {
			return
		}
		if refuted {
			s.Guard.Retract(note.ID)
			e.record(l, note, fateRefuted, traces(batch, note), "")
			continue
		}
		if reason := s.Guard.Muted(note, s.Mutes); reason != "" { // since the review began to be delivered
			s.Guard.Retract(note.ID)
			e.record(l, note, string(reason), traces(batch, note), "")
			continue
		}
		channel := delivery.Channel(e.config.Delivery, note.Severity)
		if channel == config.ChannelOff {
			s.Guard.Retract(note.ID)
			e.record(l, note, fateOff, traces(batch, note), "")
			continue
		}
		note, fresh := e.fresh(note, v)
		if !fresh {
			s.Guard.Retract(note.ID)
			e.record(l, note, fateStale, traces(batch, note), "")
			continue
		}
		reason := breaker.Reason("")
		if channel == config.ChannelWaking && waking == nil {
			reason = e.wake(p, l, human)
			if p.t.dead {
				return // the person spoke while the claim was on its way
			}
		} else if channel == config.ChannelWaking {
			reason = breaker.Spent
		}
		if reason == breaker.Allowed {
			// The claim took a moment; the lines may have changed in it.
			if note, fresh = e.fresh(note, v); !fresh {
				s.Guard.Retract(note.ID)
				e.record(l, note, fateStale, traces(batch, note), string(reason))
				continue
			}
			s.Guard.Woke(ctx.Limits)
			waking = &note
		} else {
			silent = append(silent, note)
		}
		e.record(l, note, fateDelivered, traces(batch, note), string(reason))
	}
	all := silent
	if waking != nil {
		all = append(all, *waking)
	}
	for i, note := range all {
		rest := ""
		if i == len(all)-1 {
			rest = said.Digest
		}
		e.send(l, human, note, waking != nil && i == len(all)-1, rest)
	}
	if len(all) > 0 {
		e.saveFirst(l)
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
	claim, reason := l.state.GoForWake(e.now, human, e.config.MaxWakesPerHour)
	if reason != breaker.Allowed {
		return reason
	}
	l.dirty = true // saved with the claim, though an earlier wait of this review saved before
	granted, other := p.claim(l.state.ID, claim)
	if p.t.dead {
		return breaker.Superseded
	}
	l.dirty = true
	return l.state.Claimed(e.now, granted, other)
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

// redactNote takes secrets out of what goes to the session: a citation may quote a line that holds one.
func (e *Engine) redactNote(n protocol.Note) protocol.Note {
	n.Text = e.redact.Text(n.Text)
	n.Patch = e.redact.Text(guard.Printable(n.Patch))
	n.Citations = slices.Clone(n.Citations)
	for i := range n.Citations {
		c := &n.Citations[i]
		c.Quote = e.redact.Text(guard.Printable(c.Quote))
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
	l.state.Record(protocol.StoredNote{Note: n, Fate: fate, Turn: l.state.Turns, At: e.now, Tools: looked, Wake: wake})
	l.dirty = true
}
