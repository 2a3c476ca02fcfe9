package session

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/transcript"
)

func TestWhenAReviewIsDue(t *testing.T) {
	step := &protocol.StepEnd{Session: "s1"}
	ended := func(outcome string) *protocol.TurnEnd { return &protocol.TurnEnd{Session: "s1", Outcome: outcome} }
	tests := []struct {
		name   string
		o      Options
		events []protocol.Event
		want   []bool
	}{
		{"at every step", Options{Mode: config.ModeStep, Interval: 1}, []protocol.Event{step, step, ended("ok")}, []bool{true, true, false}},
		{"at every third step, and while it is owed", Options{Mode: config.ModeStep, Interval: 3}, []protocol.Event{step, step, step, step}, []bool{false, false, true, true}},
		{"when idle", Options{Mode: config.ModeIdle, Interval: 1}, []protocol.Event{step, ended("ok"), ended("failed")}, []bool{false, true, true}},
		{"when a turn ended well", Options{Mode: config.ModeExecution, Interval: 1}, []protocol.Event{step, ended("failed"), ended("ok")}, []bool{false, false, true}},
		{"not while the host goes on by itself", Options{Mode: config.ModeIdle, Interval: 1}, []protocol.Event{&protocol.TurnEnd{Session: "s1", Outcome: "ok", Resumes: true}}, []bool{false}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := fresh()
			var got []bool
			for _, ev := range tt.events {
				got = append(got, s.Apply(ev, tt.o).Due)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("due (-want +got):\n%s", d)
			}
		})
	}
}

func TestWhatEndsARunningReview(t *testing.T) {
	tests := []struct {
		name string
		ev   protocol.Event
		want bool
	}{
		{"a person", person("m2", 2), true},
		{"a person's message told again", person("m1", 1), false},
		{"a revert", &protocol.Reverted{Session: "s1", Message: "m1"}, true},
		{"another plugin", &protocol.User{Session: "s1", ID: "p1", Typed: true, Foreign: true}, false},
		{"our echo", &protocol.User{Session: "s1", ID: "msg_1", Typed: true}, false},
		{"a step", &protocol.StepEnd{Session: "s1"}, false},
		{"a compaction", &protocol.Compacting{Session: "s1"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := fresh()
			s.Apply(person("m1", 1), everyStep)
			s.Delivered(Delivery{ID: "msg_1", State: "sent"})
			if got := s.Apply(tt.ev, everyStep).Supersede; got != tt.want {
				t.Errorf("supersedes = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestAMessageToldAgainIsNotCounted(t *testing.T) {
	s := fresh()
	s.Apply(person("m1", 1), everyStep)
	s.Apply(person("m1", 1), everyStep)
	if s.Humans != 1 {
		t.Errorf("%d human messages, want 1", s.Humans)
	}
}

func TestSessionsThatAreNotOurs(t *testing.T) {
	o := Options{Mode: config.ModeStep, Interval: 1, Directory: "/here"}
	tests := []struct {
		facts protocol.Session
		want  string
	}{
		{protocol.Session{Session: "s1", Directory: "/here", Complete: true}, ""},
		{protocol.Session{Session: "s1", Complete: true}, ""},
		{protocol.Session{Session: "s1", Directory: "/there", Complete: true}, "location"},
		{protocol.Session{Session: "s1", Directory: "/here", Parent: "s0", Complete: true}, "child"},
	}
	for _, tt := range tests {
		if got := fresh().Apply(&tt.facts, o).Ignore; got != tt.want {
			t.Errorf("%+v is ignored for %q, want %q", tt.facts, got, tt.want)
		}
	}
}

func TestReceipts(t *testing.T) {
	turn := &protocol.TurnEnd{Session: "s1", Outcome: "ok"}
	receipt := func(state string) *protocol.Receipt {
		return &protocol.Receipt{Session: "s1", ID: "msg_1", State: state}
	}
	tests := []struct {
		name   string
		events []protocol.Event
		state  string
		lost   bool
	}{
		{"admitted, then seen", []protocol.Event{receipt("admitted"), receipt("seen"), turn, turn, turn}, "seen", false},
		{"seen, and admitted late", []protocol.Event{receipt("seen"), receipt("admitted"), turn, turn, turn}, "seen", false},
		{"two turns unseen", []protocol.Event{receipt("admitted"), turn, turn}, "admitted", false},
		{"three turns unseen", []protocol.Event{receipt("admitted"), turn, turn, turn, turn}, "unconfirmed", true},
		{"never admitted", []protocol.Event{turn, turn, turn}, "unconfirmed", true},
		{"refused", []protocol.Event{receipt("refused"), turn, turn, turn}, "refused", false},
		{"seen after all", []protocol.Event{turn, turn, turn, receipt("seen")}, "seen", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := fresh()
			s.Delivered(Delivery{ID: "msg_1", State: "sent"})
			var lost []string
			for _, ev := range tt.events {
				lost = append(lost, s.Apply(ev, everyStep).Unconfirmed...)
			}
			if s.Deliveries[0].State != tt.state || (len(lost) > 0) != tt.lost || len(lost) > 1 {
				t.Errorf("state %q, given up %v; want %q, given up: %v", s.Deliveries[0].State, lost, tt.state, tt.lost)
			}
			if got := s.Counts[CountRefused] == 1; got != (tt.state == "refused") {
				t.Errorf("counted as refused: %v", got)
			}
		})
	}
}

func TestDeliveriesAreOursAndBounded(t *testing.T) {
	s := fresh()
	for i := range 3 * MaxDeliveries {
		s.Delivered(Delivery{ID: fmt.Sprint("msg_", i), State: "sent"})
	}
	if len(s.Deliveries) != MaxDeliveries || !s.IsOurs(fmt.Sprint("msg_", 3*MaxDeliveries-1)) || s.IsOurs("") {
		t.Errorf("%d deliveries, want %d; the last is ours: %v", len(s.Deliveries), MaxDeliveries, s.IsOurs(fmt.Sprint("msg_", 3*MaxDeliveries-1)))
	}
	for i := range 3 * maxNotes {
		s.Record(protocol.StoredNote{Fate: fmt.Sprint(i), Tools: []string{"read a"}})
	}
	with := 0
	for _, n := range s.Notes {
		with += len(n.Tools)
	}
	if len(s.Notes) != maxNotes || s.Notes[maxNotes-1].Fate != fmt.Sprint(3*maxNotes-1) || with != maxTraces {
		t.Errorf("%d notes, %d with a trace; want %d and %d", len(s.Notes), with, maxNotes, maxTraces)
	}
}

func TestTroubleIsToldOnceAnEpisode(t *testing.T) {
	s := fresh()
	var got []string
	for _, usable := range []bool{false, false, false, false, true, false, false, false, false, false, false, false, true, true, false} {
		sick, well := s.Reviewed("empty", usable)
		got = append(got, fmt.Sprint(sick, well))
	}
	want := slicesOf("false false", 9, "true false", 1, "false false", 2, "false true", 1, "false false", 2)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("sick and well (-want +got):\n%s", d)
	}
}

func slicesOf(pairs ...any) (out []string) {
	for i := 0; i < len(pairs); i += 2 {
		for range pairs[i+1].(int) {
			out = append(out, pairs[i].(string))
		}
	}
	return out
}

func TestQuietByThePersonsWord(t *testing.T) {
	s := fresh()
	said := func(id, text string) Step {
		return s.Apply(&protocol.User{Session: "s1", ID: id, Text: text, Typed: true}, everyStep)
	}
	if step := said("m1", "Ignore the advisor."); !step.Muted || !s.Mutes.All {
		t.Errorf("quiet: %+v, %+v", step, s.Mutes)
	}
	if step := said("m2", "Ignore the advisor, I said."); step.Muted {
		t.Error("quiet is told twice")
	}
	s.Apply(&protocol.User{Session: "s1", ID: "p1", Text: "Listen to the advisor.", Typed: true, Foreign: true}, everyStep)
	if !s.Mutes.All {
		t.Error("another plugin lifted what the person decided")
	}
	if step := said("m3", "Listen to the advisor again."); !step.Unmuted || s.Mutes.All {
		t.Errorf("lifted: %+v, %+v", step, s.Mutes)
	}
}

// Whatever room it is given, and whatever stands in front: a state is written as into nothing.
func TestAStateIsWrittenTheSameIntoAnyRoom(t *testing.T) {
	s := fresh()
	s.Apply(person("m1", 1), everyStep)
	s.Apply(&protocol.Text{Session: "s1", Message: "a1", Text: strings.Repeat("It is done. ", 50)}, everyStep)
	want := string(s.Append(nil))
	for _, before := range []string{"", "x", `{"another":"state"}`} {
		for room := 0; room < 4*len(want); room += 37 {
			b := append(make([]byte, 0, len(before)+room), before...)
			if got := string(s.Append(b)); got != before+want {
				t.Fatalf("behind %q, with room for %d bytes:\n%s\nwant\n%s", before, room, got, want)
			}
		}
	}
}

func TestAStateThatIsNotTakenChangesNothing(t *testing.T) {
	good := fresh()
	good.Apply(person("m1", 1), everyStep)
	stored := string(good.Append(nil))
	tests := []struct{ name, data, why string }{
		{"newer", strings.Replace(stored, `"version":1`, `"version":2`, 1), "newer version"},
		{"older", strings.Replace(stored, `"version":1`, `"version":0`, 1), "version 0"},
		{"of another session", strings.Replace(stored, `"session":"s1"`, `"session":"s2"`, 1), "s2"},
		{"no JSON", "{", "restore session"},
		{"nothing", "", "restore session"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := fresh()
			err := s.Restore([]byte(tt.data), transcript.Options{})
			if err == nil || !strings.Contains(err.Error(), tt.why) {
				t.Errorf("error %v, want one that says %q", err, tt.why)
			}
			if s.Humans != 0 || s.Breaker.Human != "" {
				t.Errorf("taken all the same: %+v", s.Breaker)
			}
		})
	}
}
