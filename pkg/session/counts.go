package session

import (
	"maps"
	"slices"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/budget"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Counts counts what happened in a session, by name. The names are those of
// the outcomes of reviews, of the gates' reasons and of delivery; they are
// stored and shown, so they do not change.
type Counts map[string]int64

// Names of counters that this package's callers share.
const (
	CountStarted     = "review.started"
	CountSuperseded  = "review.superseded"
	CountDelivered   = "note.delivered"
	CountWoken       = "note.woken"
	CountUnconfirmed = "note.unconfirmed"
	CountRefused     = "note.refused"
	CountLost        = "event.lost"
	CountLifted      = "lifted" // how often the person lifted the budget
)

// Roles are whose use is counted: the prefix of the counters' names. Reviews have none.
const (
	RoleReview  = ""
	RoleConsult = "consult."
	RoleJudge   = "judge."
	// RolePrimary is the agent that is watched, as far as its host tells.
	RolePrimary = "primary."
)

// lifted is put before the counters of what had been spent when the person lifted the budget.
const lifted = "lifted."

// used are the counters of a budget.Use, in the order of parts.
var used = [...]string{"requests", "tokens.in", "tokens.out", "tokens.cached", "tokens.written", "cost", "cost.estimated"}

func parts(u *budget.Use) [len(used)]*int64 {
	return [...]*int64{&u.Requests, &u.In, &u.Out, &u.CachedIn, &u.CacheWrite, &u.Cost, &u.Estimated}
}

// Spend counts what a role used.
func (c Counts) Spend(role string, u budget.Use) {
	for i, n := range parts(&u) {
		c.Add(role+used[i], *n)
	}
}

// Spent gives what roles used in the session so far.
func (c Counts) Spent(roles ...string) (u budget.Use) {
	for _, role := range roles {
		for i, n := range parts(&u) {
			*n += c[role+used[i]]
		}
	}
	return u
}

// Own gives what the advisor used since the budget was lifted.
func (c Counts) Own() budget.Use {
	return c.Spent(RoleReview, RoleConsult, RoleJudge).Minus(c.Spent(lifted))
}

// Primary gives what the agent used since then.
func (c Counts) Primary() budget.Use {
	return c.Spent(RolePrimary).Minus(c.Spent(lifted + RolePrimary))
}

// Lift begins the budget's count anew.
func (c Counts) Lift() {
	own, primary := c.Own(), c.Primary()
	c.Add(CountLifted, 1)
	c.Spend(lifted, own)
	c.Spend(lifted+RolePrimary, primary)
}

// Add counts n more of name.
func (c Counts) Add(name string, n int64) {
	if n != 0 {
		c[name] += n
	}
}

// Sorted gives the counters by name, for storing and showing.
func (c Counts) Sorted() []protocol.Count {
	out := make([]protocol.Count, 0, len(c))
	for _, name := range slices.Sorted(maps.Keys(c)) {
		out = append(out, protocol.Count{Name: name, N: c[name]})
	}
	return out
}

// Degraded is how many reviews in a row without a usable answer make the
// advisor unwell: fewer is a passing fault of a provider.
const Degraded = 5

// Reviewed records how a review ended. It tells whether the person should now hear that
// the advisor is unwell, or that it is well again.
func (s *State) Reviewed(outcome string, usable bool) (sick, well bool) {
	s.Counts.Add("review."+outcome, 1)
	if usable {
		well = s.Failing >= Degraded
		s.Failing = 0
		return false, well
	}
	s.Failing++
	return s.Failing == Degraded, false
}

// Bounds of what `/advisor notes` and `why` can look back at. The tool trace is the
// larger part, so only the latest notes keep theirs.
const (
	maxNotes  = 40
	maxTraces = 8
	maxTrace  = 16
)

// Record remembers what became of a note.
func (s *State) Record(n protocol.StoredNote) {
	n.Tools = slices.Clone(n.Tools[:min(len(n.Tools), maxTrace)])
	s.Notes = append(s.Notes, n)
	s.Notes = s.Notes[max(0, len(s.Notes)-maxNotes):]
	if old := len(s.Notes) - 1 - maxTraces; old >= 0 {
		s.Notes[old].Tools = nil
	}
}

// AlsoBy adds an advisor to a note that it would have said too.
func (s *State) AlsoBy(id, author string) {
	for i := range s.Notes {
		if n := &s.Notes[i].Note; n.ID == id && author != "" && n.Author != "" && !slices.Contains(strings.Split(n.Author, ", "), author) {
			n.Author += ", " + author
		}
	}
}
