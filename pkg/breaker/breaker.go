// Package breaker answers one question: may this note wake the session?
//
// It is the load-bearing guard against loops, so it is a value and a handful of pure
// functions, small enough to search exhaustively. What it promises holds
// whatever the model, the host, a restart or a second process does: between
// two human messages there is at most one wake, and none before the first.
//
// The value alone cannot survive a lost save or a second process. So a wake
// needs two keys: Decide says yes, and then the host grants Claim, a file
// created with O_EXCL under a name that every process derives from the same
// session and the same human message. A process may also hear late what was
// typed; so a wake that falls behind a message is that message's wake, whoever
// claimed it and for which message (see Free).
package breaker

import (
	"slices"

	"github.com/Kayphoon/opencode-advisor/pkg/digest"
)

// Hour is the window of the hourly bound, in milliseconds.
const Hour = 3_600_000

// Grace is how long after its claim a wake may still arrive, in milliseconds: the engine waits half of
// it for the claim's answer, and the rest is the host's.
const Grace = 10_000

// State is what the breaker remembers of a session. The zero value is closed: it
// does not wake until a human message came.
type State struct {
	// Human is the id of the latest human message; empty before the first.
	Human string
	// At is when it was created, in milliseconds; 0 when the host does not tell.
	At int64
	// Past holds ids of earlier human messages, the longest known first, at most MaxPast.
	Past []string
	// Spent tells that the wake of this human message is used up, or was
	// refused, or may have been used by somebody else.
	Spent bool
	// Wakes holds the times of the wakes of the last hour, oldest first.
	Wakes []int64
}

// Reason says why the breaker decided as it did. Values are stable: they are counted and logged.
type Reason string

// The reasons, in the order in which they are tried.
const (
	NoHuman    Reason = "no_human"   // no person has spoken yet, or nobody knows which message was theirs
	Superseded Reason = "superseded" // the person spoke after this review began
	Spent      Reason = "spent"      // one wake since the last human message
	HourlyMax  Reason = "hourly_max" // maxWakesPerHour
	NotNow     Reason = "not_now"    // compaction, error, abort: the host must not be woken
	Allowed    Reason = "allowed"    // subject to the claim
	NoClaim    Reason = "no_claim"   // the host did not grant the claim
)

// Ask is one question.
type Ask struct {
	Now int64 // milliseconds since 1970
	// Human is the human message that the review began under.
	Human string
	// MaxPerHour bounds the wakes of the last hour; 0 forbids every wake.
	MaxPerHour int
	// Unfit tells that the host must not be woken now.
	Unfit bool
}

// Decide says whether a blocker may go for the claim. It is the whole rule, in
// the order of the reasons above; the first that applies wins.
func Decide(s State, a Ask) Reason {
	switch {
	case s.Human == "":
		return NoHuman
	case a.Human != s.Human:
		return Superseded
	case s.Spent, woken(s):
		return Spent
	case recent(s.Wakes, a.Now) >= a.MaxPerHour:
		return HourlyMax
	case a.Unfit:
		return NotNow
	}
	return Allowed
}

// MaxPast bounds the memory of earlier human messages. Replays reach back a
// few events; where the host tells times, At refuses older ones anyway.
const MaxPast = 64

// HumanSpoke opens the breaker for the human message id, created at the given
// time (0 when unknown). A replayed event changes nothing: neither the same
// message again, nor an earlier one, which would open the breaker a second time
// between two human messages. It tells whether the message was new.
func HumanSpoke(s State, id string, at int64) (State, bool) {
	if id == "" || id == s.Human || slices.Contains(s.Past, id) {
		return s, false
	}
	if at != 0 && at < s.At {
		return s, false
	}
	if s.Human != "" {
		past := append(slices.Clone(s.Past), s.Human)
		s.Past = past[max(0, len(past)-MaxPast):]
	}
	s.Human, s.Spent = id, false
	s.At = max(at, s.At)
	return s, true
}

// Missed notes a human message that came before the present one and was not heard
// then. It opens nothing. It tells whether the message was new.
func Missed(s State, id string) (State, bool) {
	if id == "" || id == s.Human || slices.Contains(s.Past, id) {
		return s, false
	}
	if len(s.Past) < MaxPast {
		s.Past = append(slices.Clone(s.Past), id)
	}
	return s, true
}

// Latest says which human message is the last one, as the host's own list has it. Where an earlier one was
// told again after it and taken for new, the last one comes back spent: nobody knows
// what has become of its wake.
func Latest(s State, id string) State {
	if id == s.Human || !slices.Contains(s.Past, id) {
		return s
	}
	past := append(slices.Clone(s.Past), s.Human)
	s.Past = past[max(0, len(past)-MaxPast):]
	s.Human, s.Spent = id, true
	return s
}

// Spend records that the claim was asked for. It comes before the answer is known and is
// saved before the note is delivered: a claim is never taken back.
func Spend(s State) State {
	s.Spent = true
	return s
}

// Woke records a granted claim for the hourly bound.
func Woke(s State, now int64) State {
	kept := make([]int64, 0, len(s.Wakes)+1)
	for _, t := range s.Wakes {
		if within(t, now) {
			kept = append(kept, t)
		}
	}
	s.Wakes = append(kept, now)
	return s
}

// woken tells whether a wake of ours came behind the present message, though it was meant for an
// earlier one: the message was heard late.
func woken(s State) bool {
	return s.At != 0 && len(s.Wakes) > 0 && s.Wakes[len(s.Wakes)-1] >= s.At
}

// Free tells whether what other processes claimed leaves the wake of the present message free. Other is
// the time of their last claim, 0 when there is none. A host that tells no times is
// not asked: there the claim's name alone decides.
func Free(s State, other int64) bool {
	return other == 0 || s.At == 0 || other+Grace < s.At
}

// Claim names the permission for one wake: 32 hex digits that depend on the
// session and the human message alone.
func Claim(session, human string) string {
	return digest.Hex(32, "wake", session, human)
}

func recent(wakes []int64, now int64) int {
	n := 0
	for _, t := range wakes {
		if within(t, now) {
			n++
		}
	}
	return n
}

// within counts a time in the future too: a clock that was set back must not
// open the hourly bound.
func within(t, now int64) bool { return now-t < Hour }
