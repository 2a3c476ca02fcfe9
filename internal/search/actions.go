package search

import (
	"fmt"

	"github.com/Kayphoon/opencode-advisor/pkg/breaker"
	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/session"
	"github.com/Kayphoon/opencode-advisor/pkg/transcript"
)

// action is one thing that can happen next. Do gives false when it cannot happen in this world.
type action struct {
	name string
	do   func(*walker, world) (world, bool)
}

// other begins the name of what happens to the second process.
const other = "second process: "

// actions lists all that can happen, in the order of the report.
func actions(h Host) []action {
	list := []action{
		{"human message", func(w *walker, wd world) (world, bool) {
			return w.typed(wd, -1)
		}},
		{"a while passes", func(w *walker, wd world) (world, bool) {
			ok := wd.goneOpen || wd.open[0] || wd.open[1]
			for i := range wd.procs {
				if wd.procs[i].claim != unasked {
					wd = w.answered(wd, i, false) // whoever waits for a claim gives up
				}
			}
			wd.open, wd.goneOpen = [2]bool{}, false
			return wd, ok
		}},
		{"foreign message", event(&protocol.User{Session: sessionID, ID: "x1", Text: "go on", Typed: true, Foreign: true})},
		{"synthetic message", event(&protocol.User{Session: sessionID, ID: "x2", Text: "go on", Typed: true, Synthetic: true})},
		{"continuation after a compaction", event(&protocol.User{Session: sessionID, ID: "x3", Text: "go on", Typed: true, Continuation: true})},
		{"message of doubtful origin", event(&protocol.User{Session: sessionID, ID: "x4", Text: "go on"})},
		{"our echo, by its metadata", func(w *walker, wd world) (world, bool) {
			if wd.echo == 0 {
				return wd, false
			}
			return w.all(wd, fmt.Sprint("echo ", wd.echo), &protocol.User{Session: sessionID, ID: w.ids[wd.echo], Text: "advice", Typed: true, Advisor: true}), true
		}},
		{"our echo, by its id alone", func(w *walker, wd world) (world, bool) {
			if wd.echo == 0 {
				return wd, false
			}
			id, known := w.ids[wd.echo], false
			for i := range wd.procs {
				if !wd.procs[i].alive {
					continue
				}
				if !w.memories.all[wd.procs[i].memory].has(id) {
					return wd, false // such a process sees the metadata; see the action above
				}
				known = true
			}
			return w.all(wd, fmt.Sprint("bare echo ", wd.echo), &protocol.User{Session: sessionID, ID: id, Text: "advice", Typed: true}), known
		}},
		{"step end", event(&protocol.StepEnd{Session: sessionID, Finish: "tool-calls"})},
		{"turn end", event(&protocol.TurnEnd{Session: sessionID, Outcome: "ok"})},
		{"turn interrupted", event(&protocol.TurnEnd{Session: sessionID, Outcome: "interrupted"})},
		{"compaction begins", event(&protocol.Compacting{Session: sessionID})},
		{"compaction ends", event(&protocol.Compacted{Session: sessionID, Summary: "summary"})},
		{"revert", event(&protocol.Reverted{Session: sessionID, Message: "m1"})},
		{"last human message again", replay(func(wd world) uint8 { return wd.humans })},
		{"human message before it again", replay(func(wd world) uint8 { return max(wd.humans, 1) - 1 })},
	}
	list = append(list, of(0, "")...)
	list = append(list, of(1, other)...)
	return list
}

// typed is a new human message. All hear it at once, but for the process that hears it late (none: -1) and those that
// have yet to hear an earlier one.
func (w *walker) typed(wd world, but int) (world, bool) {
	wd, ok := wd.typed()
	if !ok {
		return wd, false
	}
	for i := range wd.procs {
		if i != but && wd.late(i) == 1 {
			wd = w.catchUp(wd, i)
		}
	}
	return wd, true
}

// catchUp lets a process hear the next human message that it has not heard.
func (w *walker) catchUp(wd world, i int) world {
	wd.procs[i].heard++
	n := wd.procs[i].heard
	return w.hear(wd, i, humanID(n), w.message(n))
}

// event is something that all processes hear.
func event(ev protocol.Event) func(*walker, world) (world, bool) {
	name := fmt.Sprintf("%s %+v", ev.EventType(), ev)
	return func(w *walker, wd world) (world, bool) {
		return w.all(wd, name, ev), wd.procs[0].alive || wd.procs[1].alive
	}
}

// replay tells a human message again.
func replay(which func(world) uint8) func(*walker, world) (world, bool) {
	return func(w *walker, wd world) (world, bool) {
		n := which(wd)
		if n == 0 {
			return wd, false
		}
		return w.all(wd, humanID(n), w.message(n)), true
	}
}

// of lists what can happen to one process.
func of(i int, prefix string) []action {
	reviewing := func(wd world) bool { return wd.procs[i].review && wd.procs[i].claim == unasked }
	return []action{
		{prefix + "reviewer's blocker", func(w *walker, wd world) (world, bool) {
			return w.note(wd, i, protocol.Blocker), reviewing(wd)
		}},
		{prefix + "reviewer's concern", func(w *walker, wd world) (world, bool) {
			return w.note(wd, i, protocol.Concern), reviewing(wd)
		}},
		{prefix + "reviewer's timeout", func(w *walker, wd world) (world, bool) {
			if !reviewing(wd) {
				return wd, false
			}
			p := &wd.procs[i]
			p.memory = w.change(p.memory, "timeout", 0, func(s *session.State) (string, breaker.Reason) {
				s.Reviewed("timeout", false)
				return "", ""
			}).memory
			p.review, p.under = false, 0
			return w.save(wd, i), true
		}},
		{prefix + "human message, which it hears late", func(w *walker, wd world) (world, bool) {
			if !wd.procs[i].alive {
				return wd, false
			}
			return w.typed(wd, i)
		}},
		{prefix + "late human message is heard", func(w *walker, wd world) (world, bool) {
			if wd.late(i) == 0 {
				return wd, false
			}
			return w.catchUp(wd, i), true
		}},
		{prefix + "claim is answered", func(w *walker, wd world) (world, bool) {
			if wd.procs[i].claim == unasked {
				return wd, false
			}
			return w.answered(wd, i, wd.procs[i].claim == granted), true
		}},
		{prefix + "claim is not answered", func(w *walker, wd world) (world, bool) {
			if wd.procs[i].claim == unasked {
				return wd, false
			}
			return w.answered(wd, i, false), true
		}},
		{prefix + "history comes", func(w *walker, wd world) (world, bool) {
			ok := wd.procs[i].resync
			wd.procs[i].resync, wd.procs[i].heard = false, wd.humans
			return w.hear(wd, i, fmt.Sprint("history ", wd.humans, " ", wd.echo), w.history(wd)), ok
		}},
		{prefix + "history cannot be had", func(w *walker, wd world) (world, bool) {
			ok := wd.procs[i].resync
			wd.procs[i].resync = false
			return w.hear(wd, i, "no history", &protocol.History{Session: sessionID, Failure: "the host is gone"}), ok
		}},
		{prefix + "crash", func(w *walker, wd world) (world, bool) {
			ok := wd.procs[i].alive
			return wd.die(i), ok
		}},
		{prefix + "crash that loses the last save", func(w *walker, wd world) (world, bool) {
			ok := wd.procs[i].alive && wd.disk != wd.before
			wd = wd.die(i)
			wd.disk = wd.before
			return wd, ok
		}},
		{prefix + "start", func(w *walker, wd world) (world, bool) {
			if wd.procs[i].alive {
				return wd, false
			}
			return w.boot(wd, i, wd.disk, false), true
		}},
		{prefix + "start, the stored state is unreadable", func(w *walker, wd world) (world, bool) {
			if wd.procs[i].alive || wd.disk == none {
				return wd, false
			}
			return w.boot(wd, i, none, true), true
		}},
	}
}

// note ends a review with a note that goes through its channel; the config asks that all wake.
func (w *walker) note(wd world, i int, severity protocol.Severity) world {
	if !wd.procs[i].review {
		return wd
	}
	if w.rules.Channel(severity) == config.ChannelWaking {
		return w.ask(wd, i)
	}
	return w.deliver(wd, i, false)
}

// boot starts a process on the stored state. The session is announced as one whose beginning was missed.
func (w *walker) boot(wd world, i int, stored int32, sealed bool) world {
	s := session.New(sessionID, transcript.New(transcript.Options{}))
	s.Sealed = sealed
	memory := w.memories.number(canonical(s, w.ids))
	if stored != none {
		memory = stored
	}
	wd.procs[i] = process{alive: true, memory: memory, heard: wd.humans}
	return w.hear(wd, i, "session", &protocol.Session{Session: sessionID})
}

func (m memory) has(id string) bool {
	for _, o := range m.ours {
		if o == id {
			return true
		}
	}
	return false
}
