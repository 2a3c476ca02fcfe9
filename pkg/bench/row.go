package bench

import (
	"math"
	"slices"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Row is what came of one reviewer over all sessions. Every figure is counted, and the same on every machine.
type Row struct {
	Reviewer string `json:"reviewer"`
	Rules    bool   `json:"rules"` // false: every note is delivered as it came, and every blocker wakes
	Turns    int    `json:"turns"`
	Clean    int    `json:"cleanTurns"` // in which nothing was planted
	Requests int    `json:"requests"`

	Nits     int `json:"nits"` // delivered, as concerns and blockers
	Concerns int `json:"concerns"`
	Blockers int `json:"blockers"`

	// False tell of nothing that is planted and still there: alarms are concerns and blockers.
	FalseAlarms int `json:"falseAlarms"`
	FalseNits   int `json:"falseNits"`
	// AlarmsPer100 and NitsPer100 are these for a hundred clean turns.
	AlarmsPer100 float64 `json:"falseAlarmsPer100"`
	NitsPer100   float64 `json:"falseNitsPer100"`

	Planted   int `json:"planted"`
	Delivered int `json:"plantedDelivered"`
	Wakes     int `json:"wakes"`
	MostWakes int `json:"mostWakesPerMessage"`
	// Repeats are notes about what was said before, at this severity or above.
	Repeats   int     `json:"repeats"`
	Ratio     float64 `json:"duplicateRatio"` // of all notes
	Stale     int     `json:"stale"`          // notes whose quote was not in the file when they came
	Dismissed int     `json:"afterDismissal"` // notes about what the person had dismissed
	Notices   int     `json:"notices"`        // about the advisor's own health

	TokensIn  int64 `json:"tokensInPerTurn"`
	TokensOut int64 `json:"tokensOutPerTurn"`
	// Latency is from the end of the step that brought a defect up to the note about it, in ms of the bench's
	// clock: the median and the longest.
	Latency int64 `json:"latencyMs"`
	Longest int64 `json:"longestLatencyMs"`

	tokensIn, tokensOut int64
	latencies           []int64
}

func (r *Row) count(s protocol.Severity) {
	switch s {
	case protocol.Blocker:
		r.Blockers++
	case protocol.Concern:
		r.Concerns++
	default:
		r.Nits++
	}
}

func (r *Row) alarm(s protocol.Severity) {
	if s.Rank() > protocol.Nit.Rank() {
		r.FalseAlarms++
	} else {
		r.FalseNits++
	}
}

// finish works out what depends on everything.
func (r *Row) finish() {
	if r.Turns == 0 || r.Clean == 0 {
		return
	}
	r.AlarmsPer100 = tenth(float64(r.FalseAlarms) * 100 / float64(r.Clean))
	r.NitsPer100 = tenth(float64(r.FalseNits) * 100 / float64(r.Clean))
	if notes := r.Nits + r.Concerns + r.Blockers; notes > 0 {
		r.Ratio = math.Round(float64(r.Repeats)*1000/float64(notes)) / 1000
	}
	r.TokensIn, r.TokensOut = r.tokensIn/int64(r.Turns), r.tokensOut/int64(r.Turns)
	slices.Sort(r.latencies)
	if n := len(r.latencies); n > 0 {
		r.Latency, r.Longest = r.latencies[n/2], r.latencies[n-1]
	}
}

func tenth(f float64) float64 { return math.Round(f*10) / 10 }
