package engine

import (
	"errors"
	"slices"

	"github.com/Kayphoon/opencode-advisor/pkg/judge"
	"github.com/Kayphoon/opencode-advisor/pkg/llm"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/session"
	"github.com/Kayphoon/opencode-advisor/pkg/tools"
	"github.com/Kayphoon/opencode-advisor/pkg/transcript"
)

// live is a session that the guest holds in memory.
type live struct {
	state *session.State
	// loading: the stored state is on its way and events wait in early.
	loading bool
	origin  string // what it was forked from, while it is loaded
	early   []protocol.Event
	lost    int // events that early had no room for
	// observer: another process reviews this session.
	observer bool
	review   *task
	seats    int            // advisors that the review under way asks at most
	failing  map[string]int // reviews in a row without a usable answer, by advisor of several
	armed    bool           // a debounce runs
	waiting  bool           // a review is due and waits for room
	// behind: it is loaded anew, and what came since the stored state is in the host's history alone.
	behind bool
	// looked is when the lease was asked for last.
	looked int64
	// foreign: the stored state is of a newer version and is left as it is.
	foreign bool
	again   bool // an update came while a review ran
	dirty   bool
	first   *protocol.Save          // of this call, in front of its first delivery
	caches  map[string]*tools.Cache // of what each advisor read, by its name
	used    int64
	held    int64  // tokens set aside for requests under way
	shown   string // what the host's status line says of the budget
	judge   *judge.Session
	judged  int // asks that are being judged
}

// maxLive bounds the sessions in memory; the least recently used ones are stored and
// forgotten, and loaded again when they speak. A session in use holds some 50 KB.
const maxLive = 64

// dispatch hands an event to its session.
func (e *Engine) dispatch(ev protocol.Event) {
	switch ev := ev.(type) {
	case *protocol.Abort:
		e.abort(ev)
		return
	case *protocol.History:
		e.shareHistory(ev)
		if e.sessions[ev.Session] == nil {
			return // of a child that asked for something
		}
	}
	id := sessionOf(ev)
	if d, ok := ev.(*protocol.Decided); ok {
		id = e.topOf(d)
	}
	if id == "" {
		return
	}
	if ask, ok := ev.(*protocol.Consult); ok && ask.Ignored {
		e.emit(&protocol.Answer{Call: ask.Call, Session: id, Failed: true,
			Text: "Only the primary agent may ask the advisor. Go on without it, and say in your report what you were unsure about."})
		return
	}
	if !e.watching || e.files == nil {
		switch ev := ev.(type) {
		case *protocol.Session:
			e.emit(&protocol.Ignore{Session: id, Reason: "off"})
		case *protocol.Command:
			e.command(e.blank(id), ev)
		case *protocol.Permission:
			e.permission(e.blank(id), ev)
		}
		return
	}
	l := e.sessions[id]
	if l == nil {
		origin := ""
		if s, ok := ev.(*protocol.Session); ok {
			if reason := session.Unwatched(s, e.options()); reason != "" {
				e.emit(&protocol.Ignore{Session: id, Reason: reason})
				return
			}
			origin = s.Origin
		}
		l = e.load(id, origin)
	}
	e.used++
	l.used = e.used
	if l.loading {
		if len(l.early) < maxEarly || !passing(ev) {
			l.early = append(l.early, ev)
		} else {
			l.lost++
		}
		return
	}
	e.apply(l, ev)
}

func (e *Engine) options() session.Options {
	return session.Options{Mode: e.config.ReviewMode, Interval: e.config.ReviewInterval, Directory: e.init.Directory}
}

// load asks for the stored state of a session, and for that of its origin where there is none.
func (e *Engine) load(id, origin string) *live {
	e.evict()
	l := e.blank(id)
	l.loading, l.origin = true, origin
	e.sessions[id] = l
	e.emit(&protocol.Load{Session: id, Origin: origin})
	e.flushNotices(id)
	return l
}

// blank is a session that nothing is known of.
func (e *Engine) blank(id string) *live {
	return &live{state: session.New(id, transcript.New(e.logOptions())), caches: map[string]*tools.Cache{}, judge: &judge.Session{}}
}

// takeover is how long an observer waits before it asks for the lease again: as long as the lease of a
// process that died may stand, so that asking more often is of no use.
const takeover = 90_000

// askAgain loads an observed session anew, in case that its reviewer is gone. The stored state
// is the reviewer's, and what came since then has to be asked for.
func (e *Engine) askAgain(l *live) {
	if e.now-l.looked < takeover {
		return
	}
	delete(e.sessions, l.state.ID)
	again := e.load(l.state.ID, "")
	again.used, again.behind = l.used, true
}

func (e *Engine) logOptions() transcript.Options {
	return transcript.Options{Redact: e.redact.Text, Root: e.init.Root}
}

// loaded lets the waiting events in. What cannot be read was set aside by the loader; the session
// then starts sealed: no wake until a person speaks.
func (e *Engine) loaded(ev *protocol.Loaded) {
	l := e.sessions[ev.Session]
	if l == nil || !l.loading {
		return
	}
	l.loading = false
	l.observer = !ev.Reviewer
	l.looked = e.now
	if ev.State != "" {
		if err := l.state.Restore([]byte(ev.State), e.logOptions()); err != nil {
			ev.Failure = err.Error()
			l.foreign = errors.Is(err, session.ErrNewer)
			if !l.foreign && !l.observer {
				// Damaged: out of the way of the next save, and not destroyed.
				e.emit(&protocol.Forget{Session: ev.Session, Keep: true})
			}
		}
	}
	if ev.State == "" && ev.Failure == "" && l.origin != "" {
		e.inherit(l, string(ev.Inherited))
	}
	if ev.Failure != "" {
		l.state = session.New(ev.Session, transcript.New(e.logOptions()))
		l.state.Sealed = true
		e.log("warn", "session "+ev.Session+": the stored state is not used ("+ev.Failure+"); no wake until the person speaks")
	}
	l.judge = judge.ParseSession([]byte(l.state.Judge))
	// The first session brings back what endpoints do not take, so that it is not asked anew.
	if !e.remembered && l.state.Models != "" {
		e.memory = llm.ParseMemory([]byte(l.state.Models))
	}
	e.remembered = true
	early := l.early
	l.early = nil
	if l.behind {
		early = append([]protocol.Event{&protocol.Session{Session: ev.Session}}, early...)
	}
	if l.lost > 0 {
		early = append(early, &protocol.Session{Session: ev.Session})
		e.tellLost(l, l.lost)
		l.lost = 0
	}
	for _, held := range early {
		e.safely("event "+held.EventType(), func() { e.apply(l, held) })
	}
	// A review that was due when the guest was replaced is still due.
	if l.state.Owed {
		e.arm(l)
	}
}

// inherit lets a fork that nothing is stored of go on from its origin: as this process holds it when it
// reviews it, else as it was stored.
func (e *Engine) inherit(l *live, stored string) {
	if from := e.sessions[l.origin]; from != nil && from.stores() {
		stored = string(from.state.Append(nil))
	}
	if stored == "" {
		e.log("info", "session "+l.state.ID+" was forked from "+l.origin+", of which nothing is known")
		return
	}
	from := session.New(l.origin, transcript.New(e.logOptions()))
	if err := from.Restore([]byte(stored), e.logOptions()); err != nil {
		e.log("warn", "session "+l.state.ID+": nothing is taken over from "+l.origin+": "+err.Error())
		return
	}
	l.state.Inherit(from)
	l.dirty = true
	e.start("wishes of the origin", l.state.ID, func(t *task) { port{e, t}.heedOrigin(l, from) })
}

// passing tells whether an event may be lost: the host's history has it, and nobody waits for its answer.
func passing(ev protocol.Event) bool {
	switch ev.(type) {
	case *protocol.Session, *protocol.Closed, *protocol.Consult, *protocol.Command, *protocol.Permission, *protocol.Abort, *protocol.History:
		return false
	}
	return true
}

// tellLost counts events that there was no room for, and tells of it once.
func (e *Engine) tellLost(l *live, n int) {
	l.state.Counts.Add(session.CountLost, int64(n))
	l.dirty = true
	if l.state.Tell("lost") {
		e.notice(l.state.ID, "lost", "info", "The advisor missed "+itoa(n)+" events of this session while it was starting. It reads the session's history instead; nobody is woken before that has come.")
	}
}

// apply feeds the state machine and does what it asks for.
func (e *Engine) apply(l *live, ev protocol.Event) {
	switch ev := ev.(type) {
	case *protocol.Signals:
		e.resume(ev.ID, ev)
		return
	case *protocol.Consult:
		e.consult(l, ev)
		return
	case *protocol.Command:
		e.command(l, ev)
		return
	case *protocol.Permission:
		e.permission(l, ev)
		return
	case *protocol.Decided:
		e.decided(l, ev)
		return
	}
	humans := l.state.Humans
	step := l.state.Apply(ev, e.options())
	switch ev := ev.(type) {
	case *protocol.User:
		if l.state.Humans > humans {
			e.journal(l, protocol.JournalLine{Kind: "human"})
			l.judge.Resume()
		}
	case *protocol.TurnEnd:
		if !ev.Resumes {
			e.journal(l, protocol.JournalLine{Kind: "turn", Outcome: ev.Outcome})
		}
	}
	l.dirty = l.dirty || step.Changed
	if step.Ignore != "" {
		e.emit(&protocol.Ignore{Session: l.state.ID, Reason: step.Ignore})
		e.close(l)
		return
	}
	if step.Gone {
		l.observer = true // nothing more is stored of it
		e.close(l)
		e.emit(&protocol.Forget{Session: l.state.ID})
		return
	}
	if step.Resync {
		e.emit(&protocol.Resync{Session: l.state.ID})
	}
	if step.Supersede && l.review != nil {
		l.state.Counts.Add(session.CountSuperseded, 1)
		e.supersede(l)
	}
	if step.Muted || step.Unmuted {
		e.tellMuted(l)
	}
	if step.Wished {
		e.wished(l)
	}
	if n := len(step.Unconfirmed); n > 0 {
		l.state.Counts.Add(session.CountUnconfirmed, int64(n))
		if l.state.Tell("unconfirmed") {
			e.notice(l.state.ID, "unconfirmed", "warning", "A note of the advisor was accepted by the host but never showed up in the session. Later ones may be lost too; see superadvisor log.")
		}
	}
	if len(step.Again) > 0 {
		e.sendHeld(l, step.Again)
	}
	if step.Due {
		e.arm(l)
	}
}

// supersede gives a running review up. Its delta was not committed and is part of the next.
func (e *Engine) supersede(l *live) {
	t := l.review
	l.review, l.again = nil, false
	l.state.Owed = false
	l.dirty = true
	e.cancel(t)
}

// close ends what runs for a session and drops it from memory. A review that was under way
// is still owed: the session may come back.
func (e *Engine) close(l *live) {
	owed := l.state.Owed
	e.drop(debounceKey(l))
	e.supersede(l)
	l.state.Owed = owed
	if l.stores() {
		e.save(l)
	}
	delete(e.sessions, l.state.ID)
}

// evict makes room for one more session.
func (e *Engine) evict() {
	for len(e.sessions) >= maxLive {
		var oldest *live
		for _, l := range e.sessions {
			if l.review == nil && !l.loading && !l.armed && !l.waiting && l.judged == 0 && (oldest == nil || l.used < oldest.used) {
				oldest = l
			}
		}
		if oldest == nil {
			return // all of them are at work; they end by themselves
		}
		e.close(oldest)
	}
}

// stores tells whether the session's state is ours to write: not while it is read, not what another
// process reviews, and not over what a newer version has written.
func (l *live) stores() bool { return !l.loading && !l.observer && !l.foreign }

func (e *Engine) save(l *live) {
	l.dirty = false
	if l.first != nil {
		// Earlier within this call is as good: nothing of it has reached anybody yet.
		*l.first = *e.saving(l)
		return
	}
	e.emit(e.saving(l))
}

func (e *Engine) saving(l *live) *protocol.Save {
	l.state.Models = protocol.JSON(e.memory.Append(nil))
	l.state.Directory, l.state.Host = e.init.Directory, e.init.Host
	if e.judging != nil {
		l.state.Judge = protocol.JSON(l.judge.AppendJSON(nil))
	}
	from := len(e.saved)
	e.saved = l.state.Append(e.saved)
	return &protocol.Save{Session: l.state.ID, State: protocol.JSON(protocol.TextOf(e.saved[from:]))}
}

// saveChanged stores what changed in this call, in the order of the sessions' ids.
func (e *Engine) saveChanged() {
	var changed []string
	for id, l := range e.sessions {
		if l.dirty && l.stores() || l.first != nil {
			changed = append(changed, id)
		}
	}
	slices.Sort(changed)
	for _, id := range changed {
		if l := e.sessions[id]; l.dirty && l.stores() {
			e.save(l)
		}
		e.sessions[id].first = nil
	}
}

// shutdown gives up what runs and stores what is known.
func (e *Engine) shutdown() {
	for _, id := range sortedIDs(e.sessions) {
		e.close(e.sessions[id])
	}
	e.ready = false
}
