package breaker

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDecideGivesTheFirstReasonThatApplies(t *testing.T) {
	const now = 10 * Hour
	open := State{Human: "m1", At: now}
	full := State{Human: "m1", Wakes: []int64{now - 3, now - 2, now - 1}}
	tests := []struct {
		name  string
		state State
		ask   Ask
		want  Reason
	}{
		{"nothing known", State{}, Ask{Now: now, MaxPerHour: 3}, NoHuman},
		{"nobody spoke, though the review says so", State{}, Ask{Now: now, Human: "m1", MaxPerHour: 3}, NoHuman},
		{"the person spoke meanwhile", open, Ask{Now: now, Human: "m0", MaxPerHour: 3}, Superseded},
		{"a review that began before any message", open, Ask{Now: now, MaxPerHour: 3}, Superseded},
		{"heard behind a wake of ours", State{Human: "m2", At: 50, Wakes: []int64{50}}, Ask{Now: 60, Human: "m2", MaxPerHour: 3}, Spent},
		{"typed behind a wake of ours", State{Human: "m2", At: 50, Wakes: []int64{49}}, Ask{Now: 60, Human: "m2", MaxPerHour: 3}, Allowed},
		{"a host without times", State{Human: "m2", Wakes: []int64{49}}, Ask{Now: 60, Human: "m2", MaxPerHour: 3}, Allowed},
		{"first blocker", open, Ask{Now: now, Human: "m1", MaxPerHour: 3}, Allowed},
		{"second blocker", Spend(open), Ask{Now: now, Human: "m1", MaxPerHour: 3}, Spent},
		{"three wakes this hour", full, Ask{Now: now, Human: "m1", MaxPerHour: 3}, HourlyMax},
		{"four allowed this hour", full, Ask{Now: now, Human: "m1", MaxPerHour: 4}, Allowed},
		{"an hour later", full, Ask{Now: now + Hour, Human: "m1", MaxPerHour: 3}, Allowed},
		{"just short of an hour later", full, Ask{Now: now + Hour - 4, Human: "m1", MaxPerHour: 3}, HourlyMax},
		{"the clock was set back", full, Ask{Now: 0, Human: "m1", MaxPerHour: 3}, HourlyMax},
		{"no wake an hour", open, Ask{Now: now, Human: "m1", MaxPerHour: 0}, HourlyMax},
		{"compaction", open, Ask{Now: now, Human: "m1", MaxPerHour: 3, Unfit: true}, NotNow},
		{"spent counts before unfit", Spend(open), Ask{Now: now, Human: "m1", MaxPerHour: 3, Unfit: true}, Spent},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Decide(tt.state, tt.ask); got != tt.want {
				t.Errorf("Decide(%+v, %+v) = %q, want %q", tt.state, tt.ask, got, tt.want)
			}
		})
	}
}

func TestHumanSpokeOpensOnceAMessage(t *testing.T) {
	type said struct {
		id string
		at int64
	}
	tests := []struct {
		name  string
		said  []said
		fresh []bool
		want  State
	}{
		{"first", []said{{"m1", 5}}, []bool{true}, State{Human: "m1", At: 5}},
		{"the same again", []said{{"m1", 5}, {"m1", 5}}, []bool{true, false}, State{Human: "m1", At: 5, Spent: true}},
		{"the next", []said{{"m1", 5}, {"m2", 6}}, []bool{true, true}, State{Human: "m2", At: 6, Past: []string{"m1"}}},
		{"an earlier one again", []said{{"m1", 5}, {"m2", 6}, {"m1", 5}}, []bool{true, true, false},
			State{Human: "m2", At: 6, Past: []string{"m1"}, Spent: true}},
		{"an earlier one that was not seen", []said{{"m2", 6}, {"m1", 5}}, []bool{true, false}, State{Human: "m2", At: 6, Spent: true}},
		{"times unknown", []said{{"m1", 0}, {"m2", 0}, {"m1", 0}}, []bool{true, true, false},
			State{Human: "m2", Past: []string{"m1"}, Spent: true}},
		{"a time that is unknown does not take the bound back", []said{{"m1", 9}, {"m2", 0}, {"m3", 3}}, []bool{true, true, false},
			State{Human: "m2", At: 9, Past: []string{"m1"}, Spent: true}},
		{"no id", []said{{"", 1}}, []bool{false}, State{Spent: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var s State
			for i, m := range tt.said {
				var fresh bool
				s, fresh = HumanSpoke(s, m.id, m.at)
				if fresh != tt.fresh[i] {
					t.Errorf("message %d (%s): fresh = %v, want %v", i, m.id, fresh, tt.fresh[i])
				}
				if fresh && s.Spent {
					t.Errorf("message %d (%s): still spent", i, m.id)
				}
				s = Spend(s) // as if a blocker came after each
			}
			tt.want.Spent = true
			if d := cmp.Diff(tt.want, s); d != "" {
				t.Errorf("state (-want +got):\n%s", d)
			}
		})
	}
}

func TestAClaimOfAnotherProcess(t *testing.T) {
	const at = 10 * Hour
	s := State{Human: "m2", At: at}
	tests := []struct {
		name  string
		state State
		other int64
		want  bool
	}{
		{"none", s, 0, true},
		{"long before the message", s, at - Grace - 1, true},
		{"so close that its wake may come behind the message", s, at - Grace, false},
		{"behind the message", s, at + 1, false},
		{"the host tells no times", State{Human: "m2"}, at, true},
	}
	for _, tt := range tests {
		if got := Free(tt.state, tt.other); got != tt.want {
			t.Errorf("%s: free = %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestPastIsBounded(t *testing.T) {
	var s State
	for i := range 3 * MaxPast {
		s, _ = HumanSpoke(s, string(rune('a'+i%26))+string(rune('0'+i/26)), int64(i))
	}
	if len(s.Past) != MaxPast {
		t.Errorf("len(Past) = %d, want %d", len(s.Past), MaxPast)
	}
}

func TestWokeForgetsWakesOlderThanAnHour(t *testing.T) {
	s := Woke(Woke(Woke(State{}, 1), 2), Hour+1)
	if d := cmp.Diff([]int64{2, Hour + 1}, s.Wakes); d != "" {
		t.Errorf("wakes (-want +got):\n%s", d)
	}
}

func TestClaimDependsOnSessionAndMessageAlone(t *testing.T) {
	if a, b := Claim("s1", "m1"), Claim("s1", "m1"); a != b || len(a) != 32 {
		t.Errorf("Claim(s1, m1) = %q and %q, want one name of 32 digits", a, b)
	}
	seen := map[string]string{}
	for _, p := range [][2]string{{"s1", "m1"}, {"s1", "m2"}, {"s2", "m1"}, {"s", "1m1"}, {"s1m", "1"}, {"", "s1m1"}} {
		key := Claim(p[0], p[1])
		if other, ok := seen[key]; ok {
			t.Errorf("Claim(%q) is that of %q", p, other)
		}
		seen[key] = p[0] + "|" + p[1]
	}
}

func TestAMissedMessageOpensNothing(t *testing.T) {
	open, _ := HumanSpoke(State{}, "m2", 0)
	closed := Spend(open)
	got, fresh := Missed(closed, "m1")
	if d := cmp.Diff(State{Human: "m2", Past: []string{"m1"}, Spent: true}, got); d != "" || !fresh {
		t.Errorf("new: %v, state (-want +got):\n%s", fresh, d)
	}
	for _, known := range []string{"m1", "m2", ""} {
		if again, fresh := Missed(got, known); fresh || len(again.Past) != 1 {
			t.Errorf("Missed(%q) = %+v, new %v", known, again, fresh)
		}
	}
	for range 2 * MaxPast {
		got, _ = Missed(got, "m"+string(rune('a'+len(got.Past))))
	}
	if len(got.Past) != MaxPast {
		t.Errorf("len(Past) = %d, want %d", len(got.Past), MaxPast)
	}
}

func TestTheLatestComesBackSpent(t *testing.T) {
	told := State{Human: "m1", Past: []string{"m0", "m2"}}
	tests := []struct {
		id   string
		want State
	}{
		{"m1", told},
		{"unknown", told},
		{"m2", State{Human: "m2", Past: []string{"m0", "m2", "m1"}, Spent: true}},
	}
	for _, tt := range tests {
		if d := cmp.Diff(tt.want, Latest(told, tt.id)); d != "" {
			t.Errorf("Latest(%s) (-want +got):\n%s", tt.id, d)
		}
	}
}
