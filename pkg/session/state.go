// Package session is one session's state machine: who spoke, what has been
// reviewed, when the next review is due, and what is remembered across a
// restart. It is fed events and answers with a Step, the things that the engine has to
// do; it sends nothing, reads nothing and knows no clock but the one it is given.
package session

import (
	"slices"

	"github.com/Kayphoon/opencode-advisor/pkg/breaker"
	"github.com/Kayphoon/opencode-advisor/pkg/budget"
	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/guard"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/transcript"
)

// Options is what the state machine needs of the config.
type Options struct {
	Mode     config.ReviewMode
	Interval int // review every Nth eligible update, at least 1
	// Directory is the location that is ours; a session elsewhere is not watched.
	Directory string
}

// State is what is known of a session. What must survive a restart is stored by
// Append; the rest is rebuilt from events.
type State struct {
	ID string
	// Directory is where the host was opened, and Host which it is; for people, they decide nothing.
	Directory, Host string

	Breaker breaker.State
	Guard   *guard.Guard
	Log     *transcript.Log
	Mutes   guard.Mutes
	Heard   int64 // how far wishes that were left beside the host have been taken up, in bytes

	Humans   int // human messages seen so far
	Turns    int // turns ended
	Steps    int // steps ended
	Eligible int // eligible updates that no review has covered
	// Owed: a review is due or under way. One that got lost with its guest is made up for.
	Owed bool
	// WakeAt is the number of human messages at the last wake; 0 is never.
	WakeAt int
	// Deliveries holds what was delivered and is not yet seen, and the last
	// ones that were, oldest first.
	Deliveries []Delivery
	Counts     Counts
	// Failing counts the reviews in a row that gave no usable answer.
	Failing int
	// Consults counts the consultations of this session.
	Consults int
	// Notes holds what became of the last notes, oldest first.
	Notes []protocol.StoredNote
	// Told holds the keys of notices already given in this session.
	Told []string

	// Sealed: the stored state could not be read. No wake until a human message.
	Sealed bool
	// Behind: a part of the session was missed, so nobody knows which human message was the
	// last: not even whether one that comes now is new or told again. No wake until the history
	// has come. Not stored: a restart asks anew.
	Behind bool

	// Born is when the host made the session, 0 when it does not tell.
	Born int64

	Known      bool // a Session event came
	Busy       bool // a turn is running
	Compacting bool
	Unfit      bool // the last turn ended in an error or by the person's hand
	Agent      string

	// Models is llm.Memory as it was when the session was stored; the engine's.
	Models protocol.JSON
	// Judge is judge.Session as it was when the session was stored; the engine's.
	Judge protocol.JSON

	// Not stored: a child session has no state, and ours is made of Deliveries.

	Child bool
	ours  []string // ids of messages that we made, newest last
}

// Delivery is one message that we put into the session: Turn is the number of turns that
// had ended when it was sent, State is sent, admitted, seen, refused or unconfirmed.
type Delivery struct {
	ID       string
	Note     string
	Severity protocol.Severity
	Turn     int    // turns ended when it was sent
	State    string // sent, admitted, held, seen, refused, unconfirmed, stale
	Woke     bool
	Rest     string // the line about notes that were held back
}

// MaxDeliveries bounds the memory of deliveries: enough for the longest list
// that `/advisor notes` shows.
const MaxDeliveries = 64

// maxOurs bounds the memory of our own message ids.
const maxOurs = 256

// Step is what the engine has to do after an event.
type Step struct {
	// Ignore is the reason for not watching this session; empty to go on.
	Ignore string
	// Resync: the beginning was missed, ask for the history.
	Resync bool
	// Due: a review is due.
	Due bool
	// Supersede: the person spoke; a running review is out of date.
	Supersede bool
	// Unconfirmed lists deliveries given up in this step.
	Unconfirmed []string
	// Again lists deliveries that the host held back and can take now.
	Again []string
	// Wished: the person said in a message whether to be quiet. Muted or Unmuted: it was otherwise before.
	Wished, Muted, Unmuted bool
	// Gone: the session was deleted.
	Gone bool
	// Changed: the stored part of the state is different now.
	Changed bool
}

// New returns the state of a session that nothing is known of.
func New(id string, log *transcript.Log) *State {
	return &State{ID: id, Guard: &guard.Guard{}, Log: log, Counts: Counts{}}
}

// Apply takes one event of this session.
func (s *State) Apply(ev protocol.Event, o Options) Step {
	switch e := ev.(type) {
	case *protocol.Session:
		return s.session(e, o)
	case *protocol.User:
		return s.user(e)
	case *protocol.History:
		return s.history(e)
	case *protocol.TurnStart:
		step := Step{Changed: s.Unfit || s.Compacting}
		s.Busy, s.Unfit, s.Compacting = true, false, false
		return step
	case *protocol.StepEnd:
		s.Busy = true
		s.Steps++
		if s.Log.StepEnd(e) {
			s.Counts.Spend(RolePrimary, primary(e.Tokens))
		}
		return s.eligible(o.Mode == config.ModeStep, o)
	case *protocol.TurnEnd:
		return s.turnEnd(e, o)
	case *protocol.Compacting:
		s.Compacting = true
		return Step{Changed: true}
	case *protocol.Compacted:
		s.Compacting = false
		if !e.Failed {
			s.Log.Compacted(e)
		}
		return Step{Changed: true}
	case *protocol.Receipt:
		return s.receipt(e)
	case *protocol.Closed:
		return Step{Gone: true}
	case *protocol.Text:
		return Step{Changed: s.Log.AddText(e)}
	case *protocol.Tool:
		return Step{Changed: s.Log.AddTool(e)}
	case *protocol.Shell:
		return Step{Changed: s.Log.AddShell(e)}
	case *protocol.Reverted:
		s.Log.Reverted(e)
		return Step{Supersede: true, Changed: true}
	case *protocol.Signals:
		s.Log.SetSignals(e)
		return Step{}
	}
	return Step{}
}

// primary is a step of the agent's. Hosts count what the cache held apart from the input.
func primary(t protocol.Tokens) budget.Use {
	u := budget.Use{In: t.Input + t.CacheRead + t.CacheWrite, Out: t.Output + t.Reasoning, CachedIn: t.CacheRead, CacheWrite: t.CacheWrite, Cost: t.Cost}
	if u.Tokens() < 0 || u.Cost < 0 || u.In > budget.MostTokens || u.Out > budget.MostTokens {
		return budget.Use{}
	}
	if u.Tokens() > 0 {
		u.Requests = 1
	}
	return u
}

func (s *State) session(e *protocol.Session, o Options) Step {
	s.Known = true
	s.Born = max(s.Born, e.Born)
	if reason := Unwatched(e, o); reason != "" {
		s.Child = reason == "child"
		return Step{Ignore: reason}
	}
	if e.Complete {
		return Step{}
	}
	// A stored state may be older than what the session has come to, so it asks as well.
	s.Behind = true
	s.Log.Missed()
	return Step{Resync: true, Changed: true}
}

func (s *State) user(e *protocol.User) Step {
	if s.IsOurs(e.ID) || e.Advisor {
		ours := *e
		ours.Advisor = true
		s.remember(e.ID)
		return Step{Changed: s.Log.AddOther(&ours)}
	}
	if !s.IsHuman(e) {
		return Step{Changed: s.Log.AddOther(e)}
	}
	if s.copied(e) {
		b, fresh := breaker.Missed(s.Breaker, e.ID)
		if !fresh {
			return Step{}
		}
		s.Breaker = b
		s.Humans++
		s.Log.AddHuman(e)
		return Step{Changed: true}
	}
	b, fresh := breaker.HumanSpoke(s.Breaker, e.ID, e.Created)
	if !fresh {
		return Step{}
	}
	s.Breaker = b
	s.Sealed = false
	s.Humans++
	s.Unfit = false
	if e.Agent != "" {
		s.Agent = e.Agent
	}
	s.Guard.Human()
	s.Log.AddHuman(e)
	step := Step{Supersede: true, Changed: true, Resync: s.Behind}
	switch wish(e.Text) {
	case wishMute:
		step.Wished, step.Muted = true, !s.Mutes.All
		s.Mutes.All = true
	case wishUnmute:
		step.Wished, step.Unmuted = true, s.Mutes.All
		s.Mutes.All = false
	}
	return step
}

// copied tells whether a message is older than its session: a fork brings the messages of its origin along. Whoever
// typed it typed it there, where its wake was had or not, so it opens nothing here.
func (s *State) copied(u *protocol.User) bool {
	return s.Born != 0 && u.Created != 0 && u.Created < s.Born
}

// Unwatched says why a session is not ours to watch: child, location, or empty when it is.
func Unwatched(e *protocol.Session, o Options) string {
	switch {
	case e.Parent != "":
		return "child"
	case e.Directory != "" && o.Directory != "" && e.Directory != o.Directory:
		return "location"
	}
	return ""
}

// history takes what happened before the adapter was loaded. It counts human messages,
// sets the goal and fills the summary; it never makes a review due, and it opens nothing that
// is sealed. Of a message in front of the present one, the chance to wake is over.
func (s *State) history(e *protocol.History) Step {
	if e.Failure != "" {
		return Step{}
	}
	s.Behind = false
	human := func(u *protocol.User) bool { return s.IsHuman(u) && !s.IsOurs(u.ID) }
	var said []*protocol.User
	present := -1
	for _, ev := range e.Events {
		u, ok := ev.(*protocol.User)
		if !ok {
			continue
		}
		if u.Advisor {
			s.remember(u.ID)
			continue
		}
		if human(u) {
			if u.ID == s.Breaker.Human {
				present = len(said)
			}
			said = append(said, u)
		}
	}
	// Without the present one beside it and without a time, nobody knows which came first.
	lost := present < 0 && s.Breaker.Human != ""
	for i, u := range said {
		var fresh bool
		if i < present || lost && u.Created == 0 || s.copied(u) {
			s.Breaker, fresh = breaker.Missed(s.Breaker, u.ID)
		} else {
			s.Breaker, fresh = breaker.HumanSpoke(s.Breaker, u.ID, u.Created)
		}
		if fresh {
			s.Humans++
		}
	}
	if n := len(said); n > 0 && present >= 0 {
		s.Breaker = breaker.Latest(s.Breaker, said[n-1].ID)
	}
	s.Log.History(e, human)
	return Step{Changed: true}
}

func (s *State) turnEnd(e *protocol.TurnEnd, o Options) Step {
	if e.Resumes {
		return Step{}
	}
	s.Busy = false
	s.Compacting = false
	s.Unfit = e.Outcome != "ok"
	s.Turns++
	step := s.eligible(o.Mode == config.ModeIdle || o.Mode == config.ModeExecution && e.Outcome == "ok", o)
	step.Changed = true
	for i := range s.Deliveries {
		d := &s.Deliveries[i]
		if (d.State == "sent" || d.State == "admitted") && s.Turns-d.Turn >= ConfirmTurns {
			d.State = "unconfirmed"
			step.Unconfirmed = append(step.Unconfirmed, d.ID)
		}
		if s.ripe(*d) {
			step.Again = append(step.Again, d.ID)
		}
	}
	return step
}

// ConfirmTurns is how many turns a delivery may stay unseen. A silent note is
// taken at the next step boundary or in front of the next human message, so
// three turns leave room for an interrupted one.
const ConfirmTurns = 3

// eligible counts an update and says whether a review is due.
func (s *State) eligible(counts bool, o Options) Step {
	if !counts {
		return Step{}
	}
	s.Eligible++
	return Step{Due: s.Eligible >= max(1, o.Interval), Changed: true}
}

// Covered notes that a review covered n eligible updates. One that failed or was superseded
// covers none, so that the next update makes a review due again, and so does a restart.
func (s *State) Covered(n int) { s.Eligible = max(0, s.Eligible-n) }

func (s *State) receipt(e *protocol.Receipt) Step {
	for i := range s.Deliveries {
		d := &s.Deliveries[i]
		// A late admission does not take back that it was seen.
		if d.ID == e.ID && d.State != "seen" {
			if e.State == "refused" && d.State != e.State {
				s.Counts.Add(CountRefused, 1)
			}
			if d.Woke && d.State == "sent" && e.State != "refused" && s.WakeAt < s.Humans {
				s.Breaker = breaker.Spend(s.Breaker) // the person spoke while it was on its way, and may have been first
			}
			d.State = e.State
			step := Step{Changed: true}
			if s.ripe(*d) {
				step.Again = []string{d.ID} // the turn ended while it was on its way
			}
			return step
		}
	}
	return Step{}
}

// ripe tells whether a delivery that the host held back can be tried again: once for each turn that ends.
func (s *State) ripe(d Delivery) bool { return d.State == "held" && !s.Busy && s.Turns > d.Turn }

// Again takes a delivery that was held back for one that is sent now, silently; nil when it is not known.
func (s *State) Again(id string) *Delivery {
	for i := range s.Deliveries {
		if d := &s.Deliveries[i]; d.ID == id && d.State == "held" {
			d.State, d.Turn = "sent", s.Turns
			return d
		}
	}
	return nil
}

// Noted finds what is remembered of a note; nil when it is no longer kept.
func (s *State) Noted(id string) *protocol.StoredNote {
	for i := len(s.Notes) - 1; i >= 0; i-- {
		if s.Notes[i].Note.ID == id && s.Notes[i].Fate == "delivered" {
			return &s.Notes[i]
		}
	}
	return nil
}

// Delivered remembers a message of ours, so that it is neither reviewed nor
// taken for a person's.
func (s *State) Delivered(d Delivery) {
	s.remember(d.ID)
	s.Log.Ours(d.ID)
	s.Deliveries = append(s.Deliveries, d)
	s.Deliveries = s.Deliveries[max(0, len(s.Deliveries)-MaxDeliveries):]
}

func (s *State) remember(id string) {
	if id == "" || slices.Contains(s.ours, id) {
		return
	}
	s.ours = append(s.ours, id)
	s.ours = s.ours[max(0, len(s.ours)-maxOurs):]
}

// IsOurs tells whether we made the message with this id.
func (s *State) IsOurs(id string) bool { return id != "" && slices.Contains(s.ours, id) }

// Tell reports whether a notice with this key is still to be given, and marks it given.
func (s *State) Tell(key string) bool {
	if slices.Contains(s.Told, key) {
		return false
	}
	s.Told = append(s.Told, key)
	return true
}
