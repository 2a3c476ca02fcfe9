package session

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/pkg/breaker"
	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/transcript"
)

const now = 1_700_000_000_000

var everyStep = Options{Mode: config.ModeStep, Interval: 1}

func fresh() *State { return New("s1", transcript.New(transcript.Options{})) }

func person(id string, at int64) *protocol.User {
	return &protocol.User{Session: "s1", ID: id, Text: "go on", Typed: true, Created: at}
}

func past(events ...protocol.Event) *protocol.History {
	return &protocol.History{Session: "s1", Events: events}
}

func TestGoForWake(t *testing.T) {
	missed := &protocol.Session{Session: "s1"}
	complete := &protocol.Session{Session: "s1", Complete: true}
	tests := []struct {
		name   string
		events []protocol.Event
		human  string
		want   breaker.Reason
	}{
		{"a person spoke", []protocol.Event{complete, person("m1", 1)}, "m1", breaker.Allowed},
		{"nobody spoke", []protocol.Event{complete}, "", breaker.NoHuman},
		{"the review is older than the message", []protocol.Event{person("m1", 1), person("m2", 2)}, "m1", breaker.Superseded},
		{"compaction under way", []protocol.Event{person("m1", 1), &protocol.Compacting{Session: "s1"}}, "m1", breaker.NotNow},
		{"compaction over", []protocol.Event{person("m1", 1), &protocol.Compacting{Session: "s1"}, &protocol.Compacted{Session: "s1"}}, "m1", breaker.Allowed},
		{"the turn failed", []protocol.Event{person("m1", 1), &protocol.TurnEnd{Session: "s1", Outcome: "failed"}}, "m1", breaker.NotNow},
		{"the person stopped the turn", []protocol.Event{person("m1", 1), &protocol.TurnEnd{Session: "s1", Outcome: "interrupted"}}, "m1", breaker.NotNow},
		{"the turn ended well", []protocol.Event{person("m1", 1), &protocol.TurnEnd{Session: "s1", Outcome: "ok"}}, "m1", breaker.Allowed},
		{"the person spoke after a failed turn", []protocol.Event{person("m1", 1), &protocol.TurnEnd{Session: "s1", Outcome: "failed"}, person("m2", 2)}, "m2", breaker.Allowed},
		{"the beginning was missed and the history is not here yet", []protocol.Event{missed, person("m2", 2)}, "m2", breaker.NoHuman},
		{"the history came", []protocol.Event{missed, person("m2", 2), past(person("m1", 1), person("m2", 2))}, "m2", breaker.Allowed},
		{"the history could not be had", []protocol.Event{missed, person("m2", 2), &protocol.History{Session: "s1", Failure: "no answer"}}, "m2", breaker.NoHuman},
		{"the history shows a later message", []protocol.Event{missed, person("m1", 0), past(person("m1", 0), person("m2", 0))}, "m2", breaker.Allowed},
		{"an earlier one was told again while the history was on its way", []protocol.Event{
			missed, person("m2", 0), person("m1", 0), past(person("m1", 0), person("m2", 0))}, "m2", breaker.Spent},
		{"a child session", []protocol.Event{&protocol.Session{Session: "s1", Parent: "s0", Complete: true}, person("m1", 1)}, "", breaker.NoHuman},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := fresh()
			for _, ev := range tt.events {
				s.Apply(ev, everyStep)
			}
			claim, reason := s.GoForWake(now, tt.human, 3)
			if reason != tt.want {
				t.Fatalf("GoForWake = %q, want %q", reason, tt.want)
			}
			if allowed := reason == breaker.Allowed; (claim == breaker.Claim("s1", tt.human)) != allowed || s.Breaker.Spent != (allowed || reason == breaker.Spent) {
				t.Errorf("claim %q, spent %v after %q", claim, s.Breaker.Spent, reason)
			}
		})
	}
}

func TestASealedSessionOpensWithThePersonAlone(t *testing.T) {
	s := fresh()
	s.Sealed = true
	s.Apply(&protocol.Session{Session: "s1"}, everyStep)
	s.Apply(past(person("m1", 1)), everyStep)
	if _, reason := s.GoForWake(now, "m1", 3); reason != breaker.NoHuman {
		t.Fatalf("after the history: %q, want %q", reason, breaker.NoHuman)
	}
	s.Apply(person("m2", 2), everyStep)
	if _, reason := s.GoForWake(now, "m2", 3); reason != breaker.Allowed {
		t.Errorf("after the person spoke: %q, want %q", reason, breaker.Allowed)
	}
}

func TestTheAnswerToTheClaim(t *testing.T) {
	s := fresh()
	s.Apply(person("m1", 1), everyStep)
	s.GoForWake(now, "m1", 3)
	if got := s.Claimed(now, false, 0); got != breaker.NoClaim || len(s.Breaker.Wakes) != 0 || s.Counts[CountWoken] != 0 {
		t.Errorf("refused: %q, wakes %v, woken %d", got, s.Breaker.Wakes, s.Counts[CountWoken])
	}
	s.Apply(person("m2", 2), everyStep)
	s.GoForWake(now, "m2", 3)
	if got := s.Claimed(now, true, 0); got != breaker.Allowed || len(s.Breaker.Wakes) != 1 || s.Counts[CountWoken] != 1 || s.WakeAt != 2 {
		t.Errorf("granted: %q, wakes %v, woken %d, at %d", got, s.Breaker.Wakes, s.Counts[CountWoken], s.WakeAt)
	}
}

func TestAnotherProcessHasWokenSinceThePersonSpoke(t *testing.T) {
	s := fresh()
	s.Apply(person("m1", now), everyStep)
	s.GoForWake(now+1, "m1", 3)
	if got := s.Claimed(now+2, true, now+1); got != breaker.NoClaim || s.Counts[CountWoken] != 0 {
		t.Errorf("%q, woken %d; want %q and none", got, s.Counts[CountWoken], breaker.NoClaim)
	}
}

func TestAWakeThatWasOnItsWayWhenThePersonSpoke(t *testing.T) {
	for _, tt := range []struct {
		name  string
		state string
		again bool // the person spoke in between
		want  breaker.Reason
	}{
		{"admitted before", "admitted", false, breaker.Allowed},
		{"admitted behind", "admitted", true, breaker.Spent},
		{"seen behind", "seen", true, breaker.Spent},
		{"refused", "refused", true, breaker.Allowed},
	} {
		s := fresh()
		s.Apply(person("m1", now), everyStep)
		s.GoForWake(now+1, "m1", 9)
		s.Claimed(now+1, true, 0)
		s.Delivered(Delivery{ID: "d1", State: "sent", Woke: true})
		receipt := &protocol.Receipt{Session: "s1", ID: "d1", State: tt.state}
		if tt.again {
			s.Apply(person("m2", now+2), everyStep)
			s.Apply(receipt, everyStep)
		} else {
			s.Apply(receipt, everyStep)
			s.Apply(person("m2", now+2), everyStep)
		}
		if _, got := s.GoForWake(now+3, "m2", 9); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// The V2 plugin is loaded by the first message and so misses it.
func TestTheMissedFirstMessageIsCounted(t *testing.T) {
	for _, times := range []int64{0, 1000} {
		s := fresh()
		step := s.Apply(&protocol.Session{Session: "s1"}, everyStep)
		if !step.Resync {
			t.Fatal("the history was not asked for")
		}
		s.Apply(person("m2", 2*times), everyStep)
		s.Apply(past(person("m1", times), &protocol.User{Session: "s1", ID: "msg_ours", Advisor: true, Typed: true}, person("m2", 2*times)), everyStep)
		s.Apply(person("m1", times), everyStep)
		s.Apply(&protocol.User{Session: "s1", ID: "msg_ours", Typed: true}, everyStep)
		want := breaker.State{Human: "m2", At: 2 * times, Past: []string{"m1"}}
		if d := cmp.Diff(want, s.Breaker); d != "" || s.Humans != 2 {
			t.Errorf("times %d: %d human messages, want 2; breaker (-want +got):\n%s", times, s.Humans, d)
		}
	}
}

func TestAHoleAsksForTheHistoryAgain(t *testing.T) {
	s := fresh()
	s.Apply(&protocol.Session{Session: "s1", Complete: true}, everyStep)
	s.Apply(person("m1", 1), everyStep)
	if step := s.Apply(&protocol.Session{Session: "s1"}, everyStep); !step.Resync {
		t.Error("a hole in a session with a person's message does not ask for the history")
	}
	if step := s.Apply(person("m2", 2), everyStep); !step.Resync {
		t.Error("a history that never came is not asked for again when the person speaks")
	}
}

func TestWhatTheBreakerNeedsSurvivesARestart(t *testing.T) {
	s := fresh()
	s.Apply(person("m1", 1), everyStep)
	s.Apply(person("m2", 2), everyStep)
	s.Apply(&protocol.Compacting{Session: "s1"}, everyStep)
	s.GoForWake(now, "m2", 3) // refused by the compaction
	s.Apply(&protocol.Compacted{Session: "s1"}, everyStep)
	s.GoForWake(now, "m2", 3)
	s.Claimed(now, true, 0)
	s.Delivered(Delivery{ID: "msg_1", Note: "n_1", Severity: protocol.Blocker, State: "sent", Woke: true})
	s.Sealed, s.Unfit, s.Compacting = true, true, true
	s.Mutes.All, s.Mutes.Notes, s.Mutes.Paths, s.Mutes.Categories = true, []string{"n_2"}, []string{"src/a.ts"}, []string{"style"}
	s.Tell("reviewsPerSession")

	again := fresh()
	if err := again.Restore(s.Append(nil), transcript.Options{}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(s.Breaker, again.Breaker); d != "" {
		t.Errorf("breaker (-stored +restored):\n%s", d)
	}
	if d := cmp.Diff(s.Mutes, again.Mutes); d != "" {
		t.Errorf("mutes (-stored +restored):\n%s", d)
	}
	if !again.Sealed || !again.Unfit || !again.Compacting || !again.IsOurs("msg_1") || again.Tell("reviewsPerSession") || again.Humans != 2 {
		t.Errorf("restored: sealed %v, unfit %v, compacting %v, ours %v, told %v, %d human messages",
			again.Sealed, again.Unfit, again.Compacting, again.IsOurs("msg_1"), again.Told, again.Humans)
	}
}
