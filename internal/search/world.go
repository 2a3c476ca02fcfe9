package search

import (
	"fmt"
	"strconv"

	"github.com/Kayphoon/opencode-advisor/pkg/breaker"
	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/delivery"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/session"
	"github.com/Kayphoon/opencode-advisor/pkg/transcript"
)

// The clock goes on by a second with every human message, and all wakes fall into one hour. What lies between two
// messages takes no time, and what claims take is told apart by world.open.
const (
	epoch  = 1_700_000_000_000
	second = 1_000
)

// maxLate bounds the human messages that a process has yet to hear.
const maxLate = 2

// world is the host, the state folder and the processes. Human messages are numbered from 1 in the order
// in which they were typed; 0 is none.
type world struct {
	humans uint8
	wakes  uint8
	since  uint8  // wakes since the last human message
	woken  uint32 // by number of the human message that the review began under
	claims uint32 // files in the claims folder, by number of the name
	echo   uint8  // our last message went out under this human message; 0 is none yet
	disk   int32  // the stored state
	before int32  // and what it was before the last save
	procs  [2]process

	// reach is the last human message that can have been typed before the wake arrives which a process claimed
	// last: while open, one that is typed now as well. gone is that of processes that have ended.
	reach    [2]uint8
	open     [2]bool
	gone     uint8
	goneOpen bool
}

// process is one guest with its loader.
type process struct {
	alive  bool
	memory int32
	review bool
	under  uint8 // the human message that the review began under
	claim  claim // of the running review
	other  uint8 // the reach of the others' claims, as the host told it with the claim
	heard  uint8 // human messages that it has heard
	resync bool  // the history was asked for
}

type claim uint8

const (
	unasked claim = iota
	granted       // asked, and the answer is on its way
	denied
)

// step is what the session's state machine made of an event.
type step struct {
	memory                          int32
	due, supersede, resync, changed bool
}

type stepKey struct {
	memory int32
	event  string
}

type changeKey struct {
	memory int32
	name   string
	under  uint8
}

// walker holds what is the same for all worlds of a search.
type walker struct {
	host     Host
	rules    Rules
	memories memories
	names    map[string]int // numbers of claims' names
	steps    map[stepKey]step
	changes  map[changeKey]changed
	stored   map[int32]int32 // memory -> what a restart gets back of it
	ids      []string        // of the messages that we can have sent, by human message
}

func newWalker(h Host, r Rules) *walker {
	w := &walker{
		host: h, rules: r, names: map[string]int{}, steps: map[stepKey]step{}, changes: map[changeKey]changed{}, stored: map[int32]int32{},
		memories: memories{index: map[string]int32{}},
	}
	for i := range 32 {
		w.ids = append(w.ids, delivery.MessageID(sessionID, "n_0123456789ab", humanID(uint8(i))))
	}
	return w
}

func (w *walker) start() world {
	s := session.New(sessionID, transcript.New(transcript.Options{}))
	first := process{alive: true, memory: w.memories.number(canonical(s, w.ids))}
	return world{disk: none, before: none, procs: [2]process{first, {memory: none}}}
}

// notTyped is the number from which on messages are not a person's: x1 and so on. Only a broken rule
// lets a review begin under one.
const notTyped = 27

func humanID(n uint8) string {
	switch {
	case n == 0:
		return ""
	case n >= notTyped:
		return "x" + strconv.Itoa(int(n-notTyped))
	}
	return "m" + strconv.Itoa(int(n))
}

func humanNumber(id string) uint8 {
	for n := range uint8(32) {
		if humanID(n) == id {
			return n
		}
	}
	return notTyped // an echo of ours
}

func (w *walker) created(n uint8) int64 {
	if !w.host.Times {
		return 0
	}
	return epoch + int64(n)*second
}

// now is the time of whatever happens after the last human message.
func (wd world) now() int64 { return epoch + int64(wd.humans)*second + second/2 }

// typed lets a person type one more message; the claims that are open reach behind it. False: too much is
// yet to be heard.
func (wd world) typed() (world, bool) {
	wd.humans++
	wd.since = 0
	for i := range wd.procs {
		if wd.open[i] {
			wd.reach[i] = wd.humans
		}
		if p := &wd.procs[i]; p.alive && wd.humans-p.heard > maxLate {
			return wd, false
		}
	}
	if wd.goneOpen {
		wd.gone = wd.humans
	}
	return wd, true
}

// late is how many human messages a process has yet to hear.
func (wd world) late(i int) uint8 {
	if !wd.procs[i].alive {
		return 0
	}
	return wd.humans - wd.procs[i].heard
}

// forget leaves out reaches that are behind what every process has heard: no claim to come asks for them. Where that is
// wrong a claim is granted too often, and the search tells.
func (wd world) forget() world {
	least := wd.humans
	for i := range wd.procs {
		if wd.procs[i].alive {
			least = min(least, wd.procs[i].heard)
		}
	}
	for i := range wd.reach {
		if !wd.open[i] && wd.reach[i] < least {
			wd.reach[i] = 0
		}
	}
	if !wd.goneOpen && wd.gone < least {
		wd.gone = 0
	}
	return wd
}

// die ends a process. What it claimed may still arrive.
func (wd world) die(i int) world {
	wd.gone, wd.goneOpen = max(wd.gone, wd.reach[i]), wd.goneOpen || wd.open[i]
	wd.reach[i], wd.open[i] = 0, false
	wd.procs[i] = process{memory: none}
	return wd
}

func (w *walker) message(n uint8) *protocol.User {
	return &protocol.User{Session: sessionID, ID: humanID(n), Text: "go on", Typed: true, Created: w.created(n)}
}

// history is the session's messages, as the host would list them.
func (w *walker) history(wd world) *protocol.History {
	h := &protocol.History{Session: sessionID}
	for n := uint8(1); n <= wd.humans; n++ {
		h.Events = append(h.Events, w.message(n))
	}
	if wd.echo > 0 {
		h.Events = append(h.Events, &protocol.User{Session: sessionID, ID: w.ids[wd.echo], Advisor: true, Typed: true})
	}
	return h
}

// apply lets a process hear an event. Name tells events apart.
func (w *walker) apply(memory int32, name string, ev protocol.Event) step {
	key := stepKey{memory, name}
	if st, ok := w.steps[key]; ok {
		return st
	}
	s := w.memories.all[memory].state()
	out := w.rules.Apply(s, ev, session.Options{Mode: config.ModeStep, Interval: 1})
	st := step{w.memories.number(canonical(s, w.ids)), out.Due, out.Supersede, out.Resync, out.Changed}
	w.steps[key] = st
	return st
}

// changed is what a call of the wake's procedure did.
type changed struct {
	memory int32
	claim  string
	reason breaker.Reason
}

// change lets the state of a process be changed by f; name and under tell changes apart.
func (w *walker) change(memory int32, name string, under uint8, f func(*session.State) (string, breaker.Reason)) changed {
	key := changeKey{memory, name, under}
	if c, ok := w.changes[key]; ok {
		return c
	}
	s := w.memories.all[memory].state()
	claim, reason := f(s)
	c := changed{w.memories.number(canonical(s, w.ids)), claim, reason}
	w.changes[key] = c
	return c
}

// hear does with an event what the engine does: a due review begins, an outdated one ends.
func (w *walker) hear(wd world, i int, name string, ev protocol.Event) world {
	p := &wd.procs[i]
	if !p.alive {
		return wd
	}
	st := w.apply(p.memory, name, ev)
	p.memory = st.memory
	if st.supersede {
		p.review, p.under, p.claim, p.other = false, 0, unasked, 0
	}
	if st.due && !p.review {
		p.review, p.under = true, humanNumber(w.memories.all[p.memory].human)
	}
	p.resync = p.resync || st.resync
	if !st.changed {
		return wd
	}
	return w.save(wd, i)
}

func (w *walker) all(wd world, name string, ev protocol.Event) world {
	for i := range wd.procs {
		wd = w.hear(wd, i, name, ev)
	}
	return wd
}

// save writes the state when a restart would get something else back than from the present one.
func (w *walker) save(wd world, i int) world {
	memory := wd.procs[i].memory
	kept, ok := w.stored[memory]
	if !ok {
		s := session.New(sessionID, transcript.New(transcript.Options{}))
		data := w.rules.Append(w.memories.all[memory].state())
		if err := s.Restore(data, transcript.Options{}); err != nil {
			panic("search: what was stored cannot be restored: " + err.Error())
		}
		kept = w.memories.number(canonical(s, w.ids))
		w.stored[memory] = kept
	}
	if kept != wd.disk {
		wd.before, wd.disk = wd.disk, kept
	}
	return wd
}

// ask is a blocker that goes for the wake. The claim is performed and the state saved before
// anything else can happen, or a crash takes the save.
func (w *walker) ask(wd world, i int) world {
	p := &wd.procs[i]
	under := p.under
	c := w.change(p.memory, fmt.Sprint("ask ", wd.humans), under, func(s *session.State) (string, breaker.Reason) {
		return w.rules.Go(s, wd.now(), humanID(under), w.host.MaxPerHour)
	})
	p.memory = c.memory
	if c.reason != breaker.Allowed {
		return w.deliver(wd, i, false)
	}
	number, ok := w.names[c.claim]
	if !ok {
		number = len(w.names)
		w.names[c.claim] = number
	}
	bit := uint32(1) << number
	p.claim, p.other = denied, max(wd.reach[1-i], wd.gone)
	if w.rules.Grant(wd.claims&bit != 0) {
		p.claim = granted
	}
	wd.claims |= bit
	wd.reach[i], wd.open[i] = wd.humans, true
	return w.save(wd, i)
}

// answered ends the wait for the claim.
func (w *walker) answered(wd world, i int, yes bool) world {
	var other int64
	if n := wd.procs[i].other; n > 0 {
		other = epoch + int64(n)*second - breaker.Grace
	}
	name := fmt.Sprint("answer ", yes, wd.humans, wd.procs[i].other)
	c := w.change(wd.procs[i].memory, name, 0, func(s *session.State) (string, breaker.Reason) {
		return "", w.rules.Claimed(s, wd.now(), yes, other)
	})
	wd.procs[i].memory = c.memory
	return w.deliver(wd, i, c.reason == breaker.Allowed)
}

// deliver ends a review with a message of ours.
func (w *walker) deliver(wd world, i int, wake bool) world {
	p := &wd.procs[i]
	under := p.under
	p.memory = w.change(p.memory, "delivered", under, func(s *session.State) (string, breaker.Reason) {
		s.Delivered(session.Delivery{ID: w.ids[under], State: "sent", Woke: wake})
		return "", ""
	}).memory
	wd.echo = under
	p.review, p.under, p.claim, p.other = false, 0, unasked, 0
	if wake {
		wd.wakes++
		wd.since++
	}
	return w.save(wd, i)
}
