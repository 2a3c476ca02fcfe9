package engine

import (
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

const year = int64(365 * 24 * 3_600_000)

// A date that was wrong for a while, a correction of the clock, and a laptop that slept.
func TestTimeGoesOnWhateverTheClockDoes(t *testing.T) {
	for _, tt := range []struct {
		name string
		wall []int64
		want int64 // of what has passed
	}{
		{"it runs", []int64{0, 10, 30}, 30},
		{"it sleeps", []int64{0, 8 * 3_600_000, 8*3_600_000 + 1}, 8*3_600_000 + 1},
		{"a correction", []int64{0, 1_000, 990, 1_990}, 2_000},
		{"a wrong date that is mended", []int64{0, year, 1_000, 2_000, 5_000}, year + 4_000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, options)
			first := r.engine.now
			for _, at := range tt.wall {
				r.engine.Take(first+at, nil)
			}
			if got := r.engine.now - first; got != tt.want {
				t.Errorf("%d ms have passed, want %d", got, tt.want)
			}
			if got, want := r.engine.wall, first+tt.wall[len(tt.wall)-1]; got != want {
				t.Errorf("it is %d, want %d", got, want)
			}
		})
	}
}

func TestAPauseEndsThoughTheClockWasSetBack(t *testing.T) {
	r := newRig(t, options)
	r.now += year
	r.send(step("s1", 1)...)
	r.send(&protocol.HTTP{ID: r.host.sent[0].ID, Status: 401, Body: `{}`})
	asked := len(r.host.sent)
	r.now -= year
	r.send(step("s1", 2)...)
	if len(r.host.sent) != asked {
		t.Fatalf("%d requests more in a pause", len(r.host.sent)-asked)
	}
	r.now += 24 * 3_600_000
	r.send(step("s1", 3)...)
	if len(r.host.sent) == asked {
		t.Error("the pause never ends")
	}
}

func TestTheJudgeDecidesThoughTheClockWasSetBack(t *testing.T) {
	p := judgedBy(t, "opencode-v1", judged)
	p.now += year
	p.send(&protocol.TurnStart{Session: "s1"})
	p.now -= year
	p.asks("k1", "rm -rf /", func(ask *protocol.Permission) { ask.Started = p.now - 10 })
	p.wants("k1", "deny")
	p.asks("k2", "make deploy", func(ask *protocol.Permission) { ask.Started = p.now - 10 })
	p.wants("k2")
	if ms := p.timer("judge_k2"); ms <= 0 {
		t.Errorf("it has %d ms", ms)
	}
}

func TestADayIsThatOfTheClock(t *testing.T) {
	r := newSpender(t, priced+`}`, map[string]string{})
	day := r.engine.today().Name
	r.now += year
	r.send(step("s1", 1)...)
	wrong := r.engine.today().Name
	r.now -= year
	r.send(step("s1", 2)...)
	if got := r.engine.today().Name; got != day || wrong == day {
		t.Errorf("after a wrong date, %s, the day is %s, want %s", wrong, got, day)
	}
}
