package search

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/pkg/breaker"
	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/session"
	"github.com/Kayphoon/opencode-advisor/pkg/transcript"
)

// length is what every sequence is searched to; the shorter one is for a quick look and for mutants.
func length(t *testing.T) int {
	if testing.Short() {
		return 8
	}
	return 10
}

func TestEverySequenceKeepsThePromises(t *testing.T) {
	for _, h := range Hosts() {
		t.Run(h.Name, func(t *testing.T) {
			r := Run(h, Real(), length(t))
			t.Log(r)
			if r.Why != "" {
				t.Fatal(r)
			}
			if r.States < 1000 {
				t.Errorf("%d states are too few to have tried anything", r.States)
			}
		})
	}
}

// A search that cannot find a broken rule proves nothing.
func TestTheSearchFindsABrokenRule(t *testing.T) {
	real := Real()
	on := func(user func(*session.State, *protocol.User)) Rules {
		r := real
		r.Apply = func(s *session.State, ev protocol.Event, o session.Options) session.Step {
			if u, ok := ev.(*protocol.User); ok {
				typed := *u
				user(s, &typed)
				ev = &typed
			}
			return real.Apply(s, ev, o)
		}
		return r
	}
	unspent := func(r Rules) Rules {
		r.Go = func(s *session.State, now int64, human string, most int) (string, breaker.Reason) {
			claim, reason := real.Go(s, now, human, most)
			s.Breaker.Spent = false
			return claim, reason
		}
		return r
	}
	with := func(change func(*Rules)) Rules {
		r := real
		change(&r)
		return r
	}
	timeless := Hosts()[1]
	timely := Hosts()[0]
	tests := []struct {
		name  string
		host  Host
		rules Rules
		want  string
	}{
		{"the claim's answer is ignored", timeless, with(func(r *Rules) { r.Grant = func(bool) bool { return true } }), "a second wake for human message"},
		{"a refused claim wakes", timeless, with(func(r *Rules) {
			r.Claimed = func(s *session.State, now int64, _ bool, other int64) breaker.Reason {
				return real.Claimed(s, now, true, other)
			}
		}), "a second wake"},
		{"nothing is spent and claims are ignored", timeless, unspent(with(func(r *Rules) { r.Grant = func(bool) bool { return true } })), "a second wake for human message"},
		{"earlier messages are forgotten", timeless, on(func(s *session.State, _ *protocol.User) { s.Breaker.Past = nil }), "a second wake since"},
		{"what is foreign counts as human", timeless, on(func(_ *session.State, u *protocol.User) { u.Foreign = false }), "a wake before the first"},
		{"what is synthetic counts as human", timeless, on(func(_ *session.State, u *protocol.User) { u.Synthetic = false }), "a wake before the first"},
		{"a continuation counts as human", timeless, on(func(_ *session.State, u *protocol.User) { u.Continuation = false }), "a wake before the first"},
		{"doubt counts as human", timeless, on(func(_ *session.State, u *protocol.User) { u.Typed = true }), "a wake before the first"},
		{"our echo counts as human", timeless, on(func(s *session.State, u *protocol.User) {
			if u.Advisor {
				u.Advisor, u.ID = false, "x1"
			}
		}), "a second wake since"},
		{"a person's message supersedes nothing", timeless, with(func(r *Rules) {
			r.Apply = func(s *session.State, ev protocol.Event, o session.Options) session.Step {
				step := real.Apply(s, ev, o)
				step.Supersede = false
				return step
			}
			r.Go = func(s *session.State, now int64, _ string, most int) (string, breaker.Reason) {
				return real.Go(s, now, s.Breaker.Human, most)
			}
		}), "a second wake since"},
		{"a session that is behind may wake", timeless, with(func(r *Rules) {
			r.Go = func(s *session.State, now int64, human string, most int) (string, breaker.Reason) {
				s.Behind = false
				return real.Go(s, now, human, most)
			}
		}), "a second wake since"},
		{"what another process claimed does not count", timely, with(func(r *Rules) {
			r.Claimed = func(s *session.State, now int64, granted bool, _ int64) breaker.Reason {
				return real.Claimed(s, now, granted, 0)
			}
		}), "a second wake since"},
		{"a claim counts no longer than until it is made", timely, with(func(r *Rules) {
			r.Claimed = func(s *session.State, now int64, granted bool, other int64) breaker.Reason {
				return real.Claimed(s, now, granted, max(0, other-2*second))
			}
		}), "a second wake since"},
		{"a wake of ours that came behind the message does not count", timely, with(func(r *Rules) {
			r.Go = func(s *session.State, now int64, human string, most int) (string, breaker.Reason) {
				for i := range s.Breaker.Wakes {
					s.Breaker.Wakes[i] = 1
				}
				return real.Go(s, now, human, most)
			}
		}), "a second wake since"},
		{"wakes of the hour are forgotten", Hosts()[2], with(func(r *Rules) {
			r.Claimed = func(s *session.State, now int64, granted bool, other int64) breaker.Reason {
				reason := real.Claimed(s, now, granted, other)
				s.Breaker.Wakes = nil
				return reason
			}
		}), "more wakes within an hour"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := Run(tt.host, tt.rules, 10)
			if r.Why == "" || !strings.HasPrefix(r.Why, tt.want) {
				t.Fatalf("got %v, want %q", r, tt.want)
			}
			t.Log(r)
		})
	}
}

// Two keys guard the wake. Where claims hold, a state that is never spent costs claims, not wakes.
func TestTheClaimAloneIsEnough(t *testing.T) {
	r := Real()
	spent := r.Go
	r.Go = func(s *session.State, now int64, human string, most int) (string, breaker.Reason) {
		claim, reason := spent(s, now, human, most)
		s.Breaker.Spent = false
		return claim, reason
	}
	if got := Run(Host{Name: "nothing is spent", MaxPerHour: 1000, Without: late}, r, length(t)-2); got.Why != "" {
		t.Fatal(got)
	}
}

// Equal states are merged by canonical. Long sequences of events on the whole state must look the
// same through it as on what it keeps.
func TestCanonicalKeepsAllThatCounts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	o := session.Options{Mode: config.ModeStep, Interval: 1}
	for round := range 300 {
		w := newWalker(Host{MaxPerHour: 2, Times: round%2 == 0}, Real())
		whole := session.New(sessionID, transcript.New(transcript.Options{}))
		small := w.memories.number(canonical(whole, w.ids))
		wd := world{}
		for step := range 40 {
			n := uint8(rnd.IntN(6))
			var ev protocol.Event
			switch rnd.IntN(11) {
			case 0, 1:
				ev = w.message(n + 1)
				wd.humans = max(wd.humans, n+1)
			case 2:
				ev = &protocol.User{Session: sessionID, ID: w.ids[n], Typed: true, Advisor: rnd.IntN(2) == 0 || !whole.IsOurs(w.ids[n])}
			case 3:
				ev = w.history(wd)
			case 4:
				ev = &protocol.Session{Session: sessionID}
			case 5:
				ev = &protocol.Compacting{Session: sessionID}
			case 6:
				ev = &protocol.Compacted{Session: sessionID, Summary: "x"}
			case 7:
				ev = &protocol.TurnEnd{Session: sessionID, Outcome: []string{"ok", "failed"}[rnd.IntN(2)]}
			case 8:
				ev = &protocol.StepEnd{Session: sessionID}
			case 9:
				ev = &protocol.Reverted{Session: sessionID, Message: humanID(n)}
			case 10:
				human := whole.Breaker.Human
				claim, reason := whole.GoForWake(wd.now(), human, 2)
				less := w.memories.all[small].state()
				gotClaim, gotReason := less.GoForWake(wd.now(), human, 2)
				if claim != gotClaim || reason != gotReason {
					t.Fatalf("step %d: GoForWake gives %s %s, and on what is kept %s %s", step, claim, reason, gotClaim, gotReason)
				}
				if reason == breaker.Allowed {
					whole.Claimed(wd.now(), true, 0)
					less.Claimed(wd.now(), true, 0)
				}
				small = w.memories.number(canonical(less, w.ids))
				continue
			}
			a := whole.Apply(ev, o)
			less := w.memories.all[small].state()
			b := less.Apply(ev, o)
			small = w.memories.number(canonical(less, w.ids))
			if a.Supersede != b.Supersede || a.Resync != b.Resync || a.Due != b.Due {
				t.Fatalf("step %d: %+v gives %+v, and on what is kept %+v", step, ev, a, b)
			}
			if d := cmp.Diff(w.memories.all[small], canonical(whole, w.ids), cmp.AllowUnexported(memory{})); d != "" {
				t.Fatalf("step %d: after %+v (-on what is kept +on the whole):\n%s", step, ev, d)
			}
		}
	}
}
