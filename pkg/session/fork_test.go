package session

import (
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/breaker"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/transcript"
)

// A fork brings its origin's messages along, under new ids and with their old times.
func TestACopiedMessageOpensNothing(t *testing.T) {
	for _, tt := range []struct {
		name   string
		events []protocol.Event
	}{
		{"as history", []protocol.Event{past(person("c1", 10), person("c2", 20))}},
		{"as an event", []protocol.Event{person("c2", 20), past()}},
		{"told again after the history", []protocol.Event{past(person("c2", 20)), person("c2", 20)}},
		{"after a restart", []protocol.Event{nil, past(person("c2", 20))}},
	} {
		s := fresh()
		s.Apply(&protocol.Session{Session: "s1", Born: 30}, everyStep)
		for _, ev := range tt.events {
			if ev == nil {
				stored := s.Append(nil)
				s = fresh()
				if err := s.Restore(stored, transcript.Options{}); err != nil {
					t.Fatal(err)
				}
				continue
			}
			s.Apply(ev, everyStep)
		}
		if _, reason := s.GoForWake(now, "c2", 3); reason != breaker.NoHuman {
			t.Errorf("%s: %q, want %q", tt.name, reason, breaker.NoHuman)
		}
		if s.Humans == 0 {
			t.Errorf("%s: the message is not counted", tt.name)
		}
		s.Apply(past(person("c2", 20)), everyStep)
		s.Apply(person("m1", 31), everyStep)
		if _, reason := s.GoForWake(now, "m1", 3); reason != breaker.Allowed {
			t.Errorf("%s: after the person spoke in the fork: %q, want %q", tt.name, reason, breaker.Allowed)
		}
	}
}

func TestWhatAForkInherits(t *testing.T) {
	from := fresh()
	from.Apply(person("m1", 10), everyStep)
	from.GoForWake(11, "m1", 3)
	from.Claimed(11, true, 0)
	from.Mutes.Paths = []string{"a.go"}
	from.Consults, from.Failing, from.Told = 2, 1, []string{"degraded"}
	from.Record(protocol.StoredNote{Fate: "delivered"})
	from.Delivered(Delivery{ID: "d1", State: "seen"})
	from.Delivered(Delivery{ID: "d2", State: "sent"})
	s := New("s2", transcript.New(transcript.Options{}))
	s.Inherit(from)
	if s.Breaker.Human != "" || len(s.Breaker.Wakes) != 1 || len(s.Breaker.Past) != 1 {
		t.Errorf("breaker %+v: want no human message, the origin's wake of this hour, and its message as past", s.Breaker)
	}
	if len(s.Mutes.Paths) != 1 || s.Consults != 2 || s.Failing != 1 || s.Tell("degraded") || len(s.Notes) != 1 || s.Counts[CountWoken] != 1 || s.Guard != from.Guard {
		t.Errorf("got %+v", s)
	}
	if len(s.Deliveries) != 1 || !s.IsOurs("d1") || !s.IsOurs("d2") {
		t.Errorf("deliveries %+v: want the one that was seen, and both known as ours", s.Deliveries)
	}
	// The hour's bound is not avoided by forking.
	s.Apply(&protocol.User{Session: "s2", ID: "m2", Text: "go on", Typed: true, Created: 20}, everyStep)
	if _, reason := s.GoForWake(21, "m2", 1); reason != breaker.HourlyMax {
		t.Errorf("%q, want %q", reason, breaker.HourlyMax)
	}
}
