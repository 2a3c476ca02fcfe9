package engine

import (
	"slices"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/budget"
	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/evidence"
	"github.com/Kayphoon/opencode-advisor/pkg/llm"
	"github.com/Kayphoon/opencode-advisor/pkg/review"
	"github.com/Kayphoon/opencode-advisor/pkg/rules"
	"github.com/Kayphoon/opencode-advisor/pkg/session"
	"github.com/Kayphoon/opencode-advisor/pkg/transcript"
)

// round is one review by all advisors that are called for.
type round struct {
	l       *live
	delta   transcript.Delta
	room    int
	updates int
	human   string
	rules   rules.Set
	used    budget.Use // of all advisors: the review has one budget

	key    string         // what the round waits for
	open   int            // advisors that have not answered
	done   []said         // answers that nothing was made of yet, in the order of the seats
	begun  bool           // the guard counts this review
	usable bool           // somebody did their work
	told   bool           // the person heard of a pause
	best   review.Outcome // of several advisors: as it is, so is the round
}

// said is what one advisor answered.
type said struct {
	seat
	out  review.Outcome
	view *view
	at   int // of the seat
}

// mergeMS is how long an answer waits for those of the others, so that notes of one place can be merged: a moment
// beside the seconds that a reviewer takes.
const mergeMS = 1_500

// lateMS is how long after its deadline a round waits for an advisor whose end got lost.
const lateMS = 5_000

// ask holds the conversation with one advisor.
func (e *Engine) ask(p port, r *round, s seat) said {
	l := r.l
	tools := s.Tools
	if tools == nil {
		tools = e.config.Tools
	}
	v := newView(e, l, s.author, r.delta, true, tools)
	v.rules = r.rules
	set := r.rules
	set.Files = append(set.Files[:len(set.Files):len(set.Files)], s.given...)
	text := set.Render(e.config.MaxRequestBytes * rulesShare / 100)
	m, since := p.meter(l, session.RoleReview, s.endpoint), e.now
	m.round = &r.used
	out := review.Run(p.model(m), review.Input{
		Endpoint:        endpoint(s.endpoint),
		System:          e.config.SystemPrompt,
		Role:            s.role,
		Rules:           text,
		RulesNonce:      e.rulesNonce(text),
		Decisions:       decisions(l.state),
		Redact:          e.redact.Text,
		Roots:           []string{e.files.Root(), strings.ReplaceAll(e.init.Root, `\`, "/")},
		Delta:           r.delta,
		Half:            func() review.Delta { return r.delta.Fit(r.room / 2) },
		Nonce:           e.nonce(),
		Steps:           e.config.MaxToolSteps,
		MaxBytes:        e.config.MaxRequestBytes,
		Deadline:        e.now + int64(e.config.TimeoutMS),
		RequireEvidence: e.config.RequireEvidence,
		Enough:          m.enough,
	}, v.tools, v.resolver(), v.ledger)
	l.dirty = true
	for key, n := range out.Citations {
		l.state.Counts.Add("citation."+key, int64(n))
	}
	end := string(out.Kind)
	if p.t.dead {
		end = "superseded"
	}
	e.journal(l, e.spent("review", end, s.endpoint, since, m.used))
	for i := range out.Notes {
		out.Notes[i] = e.hideWords(out.Notes[i])
		out.Notes[i].Author = s.author
		if s.Ceiling != "" {
			out.Notes[i] = evidence.Lower(out.Notes[i], s.Ceiling, "ceiling: "+s.author+" says a "+string(s.Ceiling)+" at most")
		}
	}
	for i := range out.Dropped {
		out.Dropped[i].Note = e.hideWords(out.Dropped[i].Note)
		out.Dropped[i].Note.Author = s.author
	}
	return said{seat: s, out: out, view: v}
}

// gather asks the advisors side by side, each as a task of its own with its own deadline, and
// takes what they say as it comes. What one of them does, fails or never does, concerns the others in nothing.
func (e *Engine) gather(p port, r *round, seats []seat) {
	t := p.t
	r.key, r.open = e.id("r"), len(seats)
	var tasks []*task
	for i, s := range seats {
		e.safely("review by "+s.author, func() {
			tasks = append(tasks, e.start("review by "+s.author, t.session, func(own *task) {
				defer func() { // a panic ends it as well
					r.open--
					e.soon = append(e.soon, r.key)
				}()
				a := e.ask(port{e, own}, r, s)
				a.at = i
				r.add(a)
			}))
		})
	}
	end := e.now + int64(e.config.TimeoutMS) + lateMS
	until := int64(0) // when the answers that are there are taken, though others are on their way
	for (r.open > 0 || len(r.done) > 0) && !t.dead && (e.now < end || len(r.done) > 0) {
		switch {
		case len(r.done) > 0 && (r.open == 0 || until != 0 && e.now >= until):
			batch := r.done
			r.done, until = nil, 0
			e.took(p, r, batch)
			continue
		case len(r.done) > 0 && until == 0:
			until = e.now + mergeMS
		}
		wait := end - e.now
		if until != 0 {
			wait = min(wait, until-e.now)
		}
		e.waitFor(t, r.key, max(wait, 1), nil)
	}
	for _, own := range tasks {
		e.cancel(own)
	}
}

// add puts an answer where its seat has it, so that the order of notes does not hang on who was first.
func (r *round) add(a said) {
	at := len(r.done)
	for at > 0 && r.done[at-1].at > a.at {
		at--
	}
	r.done = append(r.done[:at:at], append([]said{a}, r.done[at:]...)...)
}

// took makes of answers what is to be made of them.
func (e *Engine) took(p port, r *round, batch []said) {
	l := r.l
	if slices.ContainsFunc(batch, func(a said) bool { return len(a.out.Notes) > 0 }) {
		dirty := l.dirty
		l.dirty = false // stored once, with what is said
		p.heed(l)
		if l.dirty = l.dirty || dirty; p.t.dead {
			return // nothing is covered yet
		}
	}
	for _, a := range batch {
		r.usable = r.usable || a.out.Kind.Usable() || overflowed(a.out.Failure)
	}
	covers := r.open == 0 && r.usable
	for _, a := range batch {
		if a.out.Kind == review.Budget { // it says nothing of the reviewer's health
			l.state.Counts.Add("review."+string(a.out.Kind), 1)
			continue
		}
		e.trouble(l, endpoint(a.endpoint), a.out)
		if a.author == "" {
			e.wellness(l, a.out, e.pauseOf(a.endpoint).Told != "")
			continue
		}
		e.seatHealth(l, a)
		r.told = r.told || e.pauseOf(a.endpoint).Told != ""
		if r.best.Kind == "" || !r.best.Kind.Usable() && a.out.Kind.Usable() || a.out.Kind == review.Notes {
			r.best = a.out
		}
	}
	if e.deliver(p, r, batch) && covers {
		l.state.Log.Commit(r.delta.Cursor)
		l.state.Covered(r.updates)
		l.dirty = true
	}
}

// seatHealth counts how an advisor of several did, and tells the person once when it does not work.
func (e *Engine) seatHealth(l *live, a said) {
	name := "advisor." + a.counter() + "."
	l.state.Counts.Add(name+string(a.out.Kind), 1)
	if l.failing == nil {
		l.failing = map[string]int{}
	}
	if a.out.Kind.Usable() {
		delete(l.failing, a.author)
		return
	}
	l.failing[a.author]++
	if ep := endpoint(a.endpoint); l.failing[a.author] == session.Degraded && e.pauses[ep.Fingerprint()].Told == "" {
		e.notice(l.state.ID, e.episode(l, name+"degraded"), "warning", "The advisor "+a.author+" is not working: "+itoa(session.Degraded)+" reviews in a row gave no usable answer (last: "+
			string(a.out.Kind)+"). The others go on. "+advice(a.out))
	}
}

// trouble tells the person of a failure that they can mend, once, and leaves its endpoint alone for a while.
func (e *Engine) trouble(l *live, ep llm.Endpoint, out review.Outcome) {
	pause, tell := e.pauses[ep.Fingerprint()].After(out.Failure, e.now, ep.Fingerprint())
	if e.pauses[ep.Fingerprint()] = pause; pause == (llm.Pause{}) {
		delete(e.pauses, ep.Fingerprint())
	}
	if f, ok := llm.AsFailure(out.Failure); ok {
		e.log("warn", "review of "+l.state.ID+": "+f.Error())
		if tell {
			e.notice(l.state.ID, e.episode(l, "pause_"+string(f.Kind)), "warning", "The advisor pauses: "+f.Error()+". "+f.Mend())
		}
	}
}

// pauseOf is the pause of an endpoint.
func (e *Engine) pauseOf(c config.Endpoint) llm.Pause { return e.pauses[endpoint(c).Fingerprint()] }
