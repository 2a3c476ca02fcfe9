package session

import (
	"slices"

	"github.com/Kayphoon/opencode-advisor/pkg/breaker"
)

// Inherit makes a new session go on from what was known of the one that it was forked from: what was said,
// what the person decided, what was counted and what was woken this hour. No human message
// is taken over, so that nobody is woken before the person speaks here. The transcript comes from the host.
func (s *State) Inherit(from *State) {
	s.Breaker = breaker.State{At: from.Breaker.At, Past: slices.Clone(from.Breaker.Past), Wakes: slices.Clone(from.Breaker.Wakes)}
	if from.Breaker.Human != "" {
		past := append(s.Breaker.Past, from.Breaker.Human)
		s.Breaker.Past = past[max(0, len(past)-breaker.MaxPast):]
	}
	s.Guard, s.Mutes, s.Counts, s.Notes, s.Told = from.Guard, from.Mutes, from.Counts, from.Notes, from.Told
	s.Failing, s.Consults, s.Turns, s.Agent, s.Models = from.Failing, from.Consults, from.Turns, from.Agent, from.Models
	for _, d := range from.Deliveries {
		s.remember(d.ID)
		if d.State == "seen" { // another is on its way in the other session, and not in this one
			s.Deliveries = append(s.Deliveries, d)
		}
	}
}
