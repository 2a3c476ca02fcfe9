package engine

import (
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

func TestAForkGoesOnFromItsOrigin(t *testing.T) {
	for _, tt := range []struct {
		name    string
		restart bool
	}{
		{"in the same process", false},
		{"in another process", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, options)
			r.send(step("s1", 1)...)
			r.review(says("blocker", "Everything breaks."))
			r.send(&protocol.Command{Session: "s1", Call: "k1", Name: "advisor", Text: "mute wording"})
			if got := outcome(r); got != "blocker!" {
				t.Fatalf("delivered %q in the origin, want a blocker that wakes", got)
			}
			if !tt.restart {
				r.states["s1"] = "" // what this process holds is what counts
			}
			if tt.restart {
				r.restart(options)
			}
			copied := &protocol.User{Session: "s2", ID: "copy-m1", Text: "go on", Typed: true, Created: 1000}
			r.send(&protocol.Session{Session: "s2", Born: 5000, Origin: "s1"}, &protocol.History{Session: "s2", Events: []protocol.Event{copied}})
			s := r.engine.sessions["s2"].state
			if len(s.Mutes.Categories) != 1 || s.Counts["note.woken"] != 1 || len(s.Notes) != 1 || len(s.Breaker.Wakes) != 1 || s.Breaker.Human != "" {
				t.Errorf("mutes %v, counts %v, %d notes, breaker %+v", s.Mutes.Categories, s.Counts, len(s.Notes), s.Breaker)
			}

			// The copied message opens nothing, and what was said there is not said here.
			r.send(&protocol.StepEnd{Session: "s2", Message: "t1"}, &protocol.Text{Session: "s2", Text: "on"}, &protocol.StepEnd{Session: "s2", Message: "t2"})
			r.review(says("blocker", "Everything breaks."))
			if got := outcome(r); got != "blocker!" {
				t.Errorf("delivered %q, want nothing more", got)
			}
			if n := s.Counts["dropped.duplicate"]; n != 1 {
				t.Errorf("%d dropped as said before, want 1", n)
			}
		})
	}
}

func TestAForkHeedsTheWishesThatWaitForItsOrigin(t *testing.T) {
	for _, tt := range []struct {
		name    string
		restart bool
	}{
		{"in the same process", false},
		{"in another process", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, options)
			r.send(step("s1", 1)...)
			r.leave(`{"do":"mute","about":"style"}`)
			r.ask("status") // takes it up
			r.ask("unmute style")
			r.leave(muteBug)
			if tt.restart {
				r.restart(options)
			}
			r.send(&protocol.Session{Session: "s2", Born: 5000, Origin: "s1", Complete: true})
			s := r.engine.sessions["s2"].state
			if got := strings.Join(s.Mutes.Categories, " "); got != "bug" || s.Heard != 0 {
				t.Errorf("muted in the fork: %q, want what waits and nothing of what was lifted; %d bytes of its own wishes read", got, s.Heard)
			}
			r.ask("status")
			if got := strings.Join(r.s1().Mutes.Categories, " "); got != "bug" {
				t.Errorf("muted in the origin: %q", got)
			}
		})
	}
}

func TestAChildMayNotAskTheAdvisor(t *testing.T) {
	r := newRig(t, options)
	r.send(&protocol.Session{Session: "child", Parent: "s1"}, &protocol.Consult{Session: "child", Call: "c1", Ignored: true})
	answer := last[*protocol.Answer](r)
	if answer == nil || !answer.Failed || !strings.Contains(answer.Text, "Only the primary agent") || len(r.host.sent) != 0 || len(r.engine.sessions) != 0 {
		t.Errorf("answer %+v, %d requests, %d sessions", answer, len(r.host.sent), len(r.engine.sessions))
	}
}

func TestAForkOfWhichNothingIsKnown(t *testing.T) {
	r := newRig(t, options)
	r.states["s1"] = `{"version":1,"session":"other"}`
	r.send(&protocol.Session{Session: "s2", Born: 5000, Origin: "s1"})
	r.send(&protocol.Session{Session: "s3", Born: 5000, Origin: "unknown"})
	for _, id := range []string{"s2", "s3"} {
		if s := r.engine.sessions[id]; s == nil || len(s.state.Counts) != 0 {
			t.Errorf("%s is not watched from its beginning", id)
		}
	}
}
