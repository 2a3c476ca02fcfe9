package growth

import (
	"os"
	"testing"
)

// TestRequestsStayFlat holds the bars in bytes: these are counts, the same on every machine.
func TestRequestsStayFlat(t *testing.T) {
	var rows []Row
	for _, c := range []struct {
		steps         int
		reads         bool
		bytes, cached int64
	}{
		{50, false, 1_200_000, 700_000},
		{50, true, 2_500_000, 1_200_000},
		{400, false, 9_600_000, 5_600_000},
	} {
		g, err := Measure(c.steps, c.reads)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, g)
		if g.Bytes > c.bytes || g.Cached > c.cached {
			t.Errorf("%s, %d steps: %d bytes sent (bar %d), %d with the repeated prefix at a tenth (bar %d)", g.Reviewer, g.Steps, g.Bytes, c.bytes, g.Cached, c.cached)
		}
		if g.Last > 40_960*11/10 {
			t.Errorf("%s, %d steps: the last request has %d bytes", g.Reviewer, g.Steps, g.Last)
		}
	}
	if testing.Verbose() {
		Print(os.Stdout, rows)
	}
}
