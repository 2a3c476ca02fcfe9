package session

import "github.com/Kayphoon/opencode-advisor/pkg/breaker"

// GoForWake asks for the wake of the human message that a review began under. Allowed comes
// with the name of the claim; the wake is then spent, whatever the claim's answer
// will be, and the state must be saved. The whole order is: GoForWake, claim and save,
// Claimed, deliver.
func (s *State) GoForWake(now int64, human string, maxPerHour int) (claim string, reason breaker.Reason) {
	if s.Sealed || s.Behind {
		return "", breaker.NoHuman
	}
	reason = breaker.Decide(s.Breaker, breaker.Ask{
		Now: now, Human: human, MaxPerHour: maxPerHour, Unfit: s.Compacting || s.Unfit,
	})
	if reason != breaker.Allowed {
		return "", reason
	}
	s.Breaker = breaker.Spend(s.Breaker)
	return breaker.Claim(s.ID, human), reason
}

// Claimed takes the host's answer to the claim, and when another process last claimed a wake of
// this session; no answer is no grant. Only Allowed wakes.
func (s *State) Claimed(now int64, granted bool, other int64) breaker.Reason {
	if !granted || !breaker.Free(s.Breaker, other) {
		return breaker.NoClaim
	}
	s.Breaker = breaker.Woke(s.Breaker, now)
	s.WakeAt = s.Humans
	s.Counts.Add(CountWoken, 1)
	return breaker.Allowed
}
