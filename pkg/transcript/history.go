package transcript

import (
	"slices"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Add takes any event of a transcript; others are passed over. human decides
// which messages a person typed.
func (l *Log) Add(ev protocol.Event, human func(*protocol.User) bool) bool {
	switch ev := ev.(type) {
	case *protocol.User:
		if !l.IsOurs(ev) && human(ev) {
			return l.AddHuman(ev)
		}
		return l.AddOther(ev)
	case *protocol.Text:
		return l.AddText(ev)
	case *protocol.Tool:
		return l.AddTool(ev)
	case *protocol.Shell:
		return l.AddShell(ev)
	case *protocol.StepEnd:
		return l.StepEnd(ev)
	case *protocol.Compacted:
		l.Compacted(ev)
	}
	return false
}

// History takes the session's messages so far, oldest first, as the host has
// them. What is known stays as it is. What is not known and lies behind
// something that was reviewed, or belongs to the current turn, waits for a
// review like news; what is older goes into the summary. The goal gets the true
// first message, unless the host's history begins with a compaction.
func (l *Log) History(h *protocol.History, human func(*protocol.User) bool) {
	if h.Failure != "" || len(h.Events) == 0 {
		return
	}
	old := New(Options{Redact: l.redact, Root: l.root})
	old.ours = slices.Clone(l.ours)
	start := l.turnStart(h.Events, human)
	for _, ev := range h.Events[:start] {
		if !l.has(ev) {
			old.Add(ev, human)
		}
	}
	l.goal(h.Events, human)
	l.before(old)
	at := 0
	for _, ev := range h.Events[start:] {
		if l.has(ev) {
			if i := l.place(ev); i >= 0 {
				at = i + 1
			}
			continue
		}
		at = l.addAt(at, ev, human)
	}
}

// turnStart gives the index from which unknown events are news: behind the last one
// that was reviewed, else the last human message, else everything.
func (l *Log) turnStart(events []protocol.Event, human func(*protocol.User) bool) int {
	for i := len(events) - 1; i >= 0; i-- {
		if at := l.place(events[i]); l.has(events[i]) && (at < 0 || l.entries[at].reviewed) {
			return i + 1
		}
	}
	for i := len(events) - 1; i >= 0; i-- {
		if u, ok := events[i].(*protocol.User); ok && !l.IsOurs(u) && human(u) {
			return i
		}
	}
	return 0
}

// goal sets the first human message from the history.
func (l *Log) goal(events []protocol.Event, human func(*protocol.User) bool) {
	compacted, first := false, true
	for _, ev := range events {
		if _, ok := ev.(*protocol.Compacted); ok {
			compacted = true
		}
		u, ok := ev.(*protocol.User)
		if !ok || l.IsOurs(u) || !human(u) {
			continue
		}
		if first && (!compacted || l.first.text == "") {
			l.first = message{short(u.ID), l.keep(u.Text, keepHuman)}
		}
		first = false
	}
}

// before puts what an older log holds in front of everything: into the summary.
func (l *Log) before(old *Log) {
	if old.seq == 0 {
		return
	}
	l.partial = true // it is told in the summary alone
	old.Commit(old.seq)
	for i := range l.entries {
		l.entries[i].step += old.step
	}
	for i := range l.summary.lines {
		l.summary.lines[i].step += old.step
	}
	if l.summary.tally.to > 0 {
		l.summary.tally.to += old.step
		l.summary.tally.from += old.step
	}
	l.step += old.step
	l.humans += old.humans
	if len(l.recent) == 0 {
		l.recent = old.recent
	}
	for _, k := range old.ring {
		if _, seen := l.known[k]; !seen {
			l.remember(k)
		}
	}
	if l.summary.tally.to > 0 {
		// Our own counts are older than what they would have to follow.
		for _, one := range old.summary.lines {
			l.summary.tally.take(one)
		}
	} else {
		l.summary.lines = append(old.summary.lines, l.summary.lines...)
		l.summary.tally = old.summary.tally
	}
	l.summary.fold()
}

// has reports whether an event is known by its id.
func (l *Log) has(ev protocol.Event) bool {
	switch ev := ev.(type) {
	case *protocol.User:
		return l.knows("u", ev.ID)
	case *protocol.Text:
		return ev.Message != "" && l.knows("x", ev.Message+"\x00"+l.redact(ev.Text))
	case *protocol.Tool:
		return l.knows("t", ev.Call)
	case *protocol.StepEnd:
		return l.knows("s", ev.Message)
	}
	return false
}

// place finds the entry of a known event, or gives -1 when it is held no more.
func (l *Log) place(ev protocol.Event) int {
	return slices.IndexFunc(l.entries, func(e entry) bool {
		switch ev := ev.(type) {
		case *protocol.User:
			return ev.ID != "" && e.id == ev.ID && (e.kind == kindHuman || e.kind == kindOther || e.kind == kindOurs)
		case *protocol.Text:
			return ev.Message != "" && e.kind == kindText && e.id == ev.Message
		case *protocol.Tool:
			return ev.Call != "" && e.kind == kindTool && e.call == ev.Call
		case *protocol.StepEnd:
			return ev.Message != "" && e.kind == kindStep && e.id == ev.Message
		}
		return false
	})
}

// addAt takes an event into a place of its own among the entries and gives the place behind it.
func (l *Log) addAt(at int, ev protocol.Event, human func(*protocol.User) bool) int {
	before := len(l.entries)
	if !l.Add(ev, human) || len(l.entries) != before+1 {
		return min(at, len(l.entries))
	}
	// Add appended it; move it where it belongs.
	last := l.entries[before]
	if at < before {
		copy(l.entries[at+1:], l.entries[at:before])
		last.step = l.entries[at+1].step
		l.entries[at] = last
	}
	return at + 1
}
