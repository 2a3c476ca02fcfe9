package engine

import (
	"slices"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/budget"
	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/evidence"
	"github.com/Kayphoon/opencode-advisor/pkg/llm"
	"github.com/Kayphoon/opencode-advisor/pkg/review"
	"github.com/Kayphoon/opencode-advisor/pkg/safefs"
	"github.com/Kayphoon/opencode-advisor/pkg/session"
	"github.com/Kayphoon/opencode-advisor/pkg/show"
	"github.com/Kayphoon/opencode-advisor/pkg/transcript"
)

func debounceKey(l *live) string { return "debounce_" + l.state.ID }

// arm lets a review begin once the debounce is over. While one runs, or the debounce does, there is
// nothing more to do than to remember: updates are merged, never queued.
func (e *Engine) arm(l *live) {
	l.state.Owed, l.dirty = true, true
	switch {
	case l.review != nil:
		l.again = true
	case l.armed, l.waiting:
	case e.config.DebounceMS == 0:
		e.startReview(l)
	default:
		l.armed = true
		e.after(debounceKey(l), int64(e.config.DebounceMS), func() {
			l.armed = false
			if e.sessions[l.state.ID] == l {
				e.startReview(l)
			}
		})
	}
}

// shareOfDelta is the part of a request that the delta may take; the rest is for instructions,
// tools and their answers.
const shareOfDelta = 0.5

// startReview begins a review, unless there is a reason not to.
func (e *Engine) startReview(l *live) {
	if l.review != nil {
		l.again = true
		return
	}
	seats, _ := e.team()
	seats = e.able(seats)
	why := e.hindrance(l, seats[0].endpoint)
	switch why {
	case string(budget.Held):
		e.await(l)
		return
	case muted:
		e.beginReview(l, 0)
		return
	}
	if why != "" {
		l.state.Counts.Add("review.skipped."+why, 1)
		l.state.Owed, l.dirty = false, true
		if l.observer {
			e.askAgain(l)
		}
		return
	}
	e.show(l, "")
	if e.config.ReviewGate == config.GateAuto && l.state.Log.Quiet() {
		// Not covered: it is part of the next delta.
		l.state.Counts.Add("review.skipped.quiet", 1)
		l.state.Owed, l.dirty = false, true
		return
	}
	if n := e.reviewing(); n > 0 && n+len(seats) > maxReviews {
		e.await(l)
		return
	}
	e.beginReview(l, len(seats))
}

// beginReview lets a review run that asks so many advisors at most.
func (e *Engine) beginReview(l *live, seats int) {
	// Until start returns, the session has no task that could be cancelled; the first wait of
	// the body comes after this line has run.
	l.seats = seats
	l.review = e.start("review", l.state.ID, func(t *task) {
		defer func() {
			if l.review == t && !t.dead { // it panicked: the next update may be reviewed all the same
				l.review, l.again = nil, false
				l.state.Owed, l.dirty = false, true
				l.state.Reviewed(string(review.Failed), false)
			}
		}()
		e.watch(t, l)
	})
	if l.review.next == nil {
		l.review = nil // it ended without a wait
	}
}

// maxReviews bounds the conversations of reviews under way at once. The loader has 16 requests open at most, and
// consultations and the judge must find room beside the reviews.
const maxReviews = 12

func (e *Engine) reviewing() (n int) {
	for _, l := range e.sessions {
		if l.review != nil {
			n += l.seats
		}
	}
	return n
}

// await lets a review wait for room.
func (e *Engine) await(l *live) {
	l.waiting = true
	e.queue = append(e.queue, l.state.ID)
}

// startWaiting begins reviews that waited for room, in the order in which they were due. Each is
// tried once: what still finds none waits again.
func (e *Engine) startWaiting() {
	for n := len(e.queue); n > 0 && e.reviewing() < maxReviews; n-- {
		l := e.sessions[e.queue[0]]
		e.queue = e.queue[1:]
		if l != nil && l.waiting {
			l.waiting = false
			e.safely("review of "+l.state.ID, func() { e.startReview(l) })
		}
	}
}

// muted hinders a review, unless that has been lifted beside the host.
const muted = "muted"

// cover counts everything so far as reviewed.
func (e *Engine) cover(l *live) {
	l.state.Log.Commit(l.state.Log.Cut(0).Cursor)
	l.state.Covered(l.state.Eligible)
}

// hindrance says why no review may begin now; empty when it may. What can never be
// reviewed (muted, another process's) is counted as covered, so that it does not pile up.
func (e *Engine) hindrance(l *live, c config.Endpoint) string {
	ep := endpoint(c)
	cover := func() { e.cover(l) }
	switch {
	case !e.config.Enabled:
		cover()
		return "off"
	case c.Transport == config.TransportNone:
		cover()
		return "no_model"
	case l.observer:
		cover()
		return "other_process"
	case l.state.Mutes.All:
		return muted
	case e.pauseOf(c).Active(e.now, ep.Fingerprint()):
		return "paused"
	}
	if most := e.config.ReviewsPerSession; most > 0 && l.state.Counts[session.CountStarted] >= int64(most) {
		cover()
		if l.state.Tell("reviewsPerSession") {
			e.notice(l.state.ID, "reviewsPerSession", "info", "The advisor has reached reviewsPerSession ("+itoa(most)+") and is quiet for the rest of this session. Raise it in advisor.json, or set 0 for no bound; it holds from the next start.")
		}
		return "reviewsPerSession"
	}
	// What is not reviewed for want of budget is kept, as far as the log holds it: the person may lift the bound.
	why := e.afford(l, 0)
	if why != budget.None {
		e.outOfBudget(l, why)
	}
	if why == budget.Day {
		e.tally("") // it may have been lifted in another process
	}
	return string(why)
}

// watch is one review from the first signal to the last delivery.
func (e *Engine) watch(t *task, l *live) {
	p := port{e, t}
	was := l.state.Mutes.All
	if p.heed(l); t.dead {
		return
	}
	if was || l.state.Mutes.All {
		if l.state.Mutes.All {
			e.cover(l)
			l.state.Counts.Add("review.skipped."+muted, 1)
		} else {
			l.again = true // nothing else has been looked at yet
		}
		e.reviewed(t, l)
		return
	}
	if p.signals(l); t.dead {
		return
	}
	room := int(float64(e.config.MaxRequestBytes) * shareOfDelta)
	delta := l.state.Log.Cut(room)
	updates := l.state.Eligible
	if delta.Empty() {
		l.state.Counts.Add("review.skipped.nothing", 1)
		l.state.Log.Commit(delta.Cursor)
		l.state.Covered(updates)
		e.reviewed(t, l)
		return
	}
	team, problems := e.team()
	seats := e.able(team)
	seats = slices.DeleteFunc(slices.Clone(seats), func(s seat) bool { return !s.calls(delta) })
	for _, s := range team {
		if !slices.ContainsFunc(seats, func(o seat) bool { return o.author == s.author }) {
			l.state.Counts.Add("advisor."+s.counter()+".skipped", 1)
		}
	}
	if len(seats) == 0 {
		l.state.Counts.Add("review.skipped.triggers", 1)
		l.state.Log.Commit(delta.Cursor)
		l.state.Covered(updates)
		e.reviewed(t, l)
		return
	}
	l.state.Counts.Add(session.CountStarted, 1)
	r := &round{l: l, delta: delta, room: room, updates: updates, human: l.state.Breaker.Human}
	if r.rules = e.rules(p, delta.Files); t.dead {
		return
	}
	e.tellRules(l, r.rules, problems)
	if len(seats) == 1 {
		a := e.ask(p, r, seats[0])
		if t.dead {
			return // the person spoke, or the session is gone
		}
		e.took(p, r, []said{a})
	} else {
		e.gather(p, r, seats)
	}
	if r.best.Kind != "" && !t.dead {
		e.wellness(l, r.best, r.told)
	}
	e.reviewed(t, l)
}

// reviewed frees the session for its next review.
func (e *Engine) reviewed(t *task, l *live) {
	if t.dead {
		return
	}
	l.review = nil
	l.state.Owed, l.dirty = false, true
	if l.again {
		l.again = false
		if l.state.Log.Pending() > 0 {
			e.arm(l)
		}
	}
}

// overflowed tells whether even half of the delta was too long for the model. It will
// not get shorter, so it counts as covered.
func overflowed(err error) bool {
	f, ok := llm.AsFailure(err)
	return ok && f.Kind == llm.KindOverflow
}

// wellness counts how a review ended and tells the person when the advisor does not work, once.
func (e *Engine) wellness(l *live, out review.Outcome, told bool) {
	sick, well := l.state.Reviewed(string(out.Kind), out.Kind.Usable())
	// One trouble, one notice: a pause has told of it already.
	if sick && !told {
		e.notice(l.state.ID, e.episode(l, "degraded"), "warning", "The advisor is not working: "+itoa(session.Degraded)+" reviews in a row gave no usable answer (last: "+
			string(out.Kind)+"). The session is not affected. "+advice(out))
	}
	if well {
		e.log("info", "session "+l.state.ID+": the advisor works again")
	}
}

// episode gives a notice's key a number, so that trouble which ended and came back is told
// again, by a guest that was replaced meanwhile too.
func (e *Engine) episode(l *live, key string) string {
	l.state.Counts.Add("told."+key, 1)
	return key + "_" + itoa(int(l.state.Counts["told."+key]))
}

// advice is what a person can do about a reviewer that does not work.
func advice(out review.Outcome) string {
	if f, ok := llm.AsFailure(out.Failure); ok {
		if mend := f.Mend(); mend != "" {
			return mend
		}
	}
	switch out.Kind {
	case review.Empty:
		return "The reviewer's model says nothing at all; try another watchdogModel."
	case review.Unparsed:
		return "The reviewer's model does not answer in a form that can be read; try another watchdogModel."
	}
	return "See the advisor's log."
}

// decisions tells the reviewer what is closed: what the person muted, and what was said already.
func decisions(s *session.State) string {
	var b strings.Builder
	for _, c := range s.Mutes.Categories {
		b.WriteString("- nothing of category " + c + "\n")
	}
	for _, path := range s.Mutes.Paths {
		b.WriteString("- nothing about " + path + "\n")
	}
	const most = 8 // what a reviewer is likely to say again is recent
	said := 0
	for i := len(s.Notes) - 1; i >= 0 && said < most; i-- {
		n := s.Notes[i]
		if n.Fate == fateDelivered {
			b.WriteString("- said already: " + show.OneLine(n.Note.Text, 160) + "\n")
			said++
		}
	}
	return b.String()
}

var (
	_ review.Delta    = transcript.Delta{}
	_ review.Ledger   = (*safefs.Ledger)(nil)
	_ evidence.Ledger = (*safefs.Ledger)(nil)
)
