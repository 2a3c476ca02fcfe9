package transcript

import (
	"runtime"
	"testing"
)

// cost is what some turns took.
type cost struct {
	allocs, bytes uint64 // of the heap
	sent          int    // to the reviewer
	state         int    // bytes of the stored state
}

// TestTurn1000CostsWhatTurn10Does is rule 4 of "fast, and flat": the cost goes
// with the delta, never with the history.
func TestTurn1000CostsWhatTurn10Does(t *testing.T) {
	l := feed(t, person("u1", "the goal of it all"))
	n := 0
	some := func(turns int) (c cost) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range turns {
			n++
			add(l, turn(n)...)
			d := l.Cut(24_000)
			c.sent += len(d.Prefix()) + len(d.Suffix(nonce))
			l.Commit(d.Cursor)
			c.state += len(l.AppendState(nil))
		}
		runtime.ReadMemStats(&after)
		c.allocs, c.bytes = after.Mallocs-before.Mallocs, after.TotalAlloc-before.TotalAlloc
		return c
	}
	some(9)
	tenth := some(30) // the summary is full soon, and the tail at the end of it
	early := some(30)
	some(901)
	late := some(30)
	t.Logf("turns 10-39: %+v\nturns 40-69: %+v\nturns 971-1000: %+v", tenth, early, late)
	within := func(what string, a, b float64) {
		if b > a*1.1 {
			t.Errorf("%s grew from %.0f to %.0f", what, a, b)
		}
	}
	within("allocations", float64(early.allocs), float64(late.allocs))
	within("allocated bytes", float64(early.bytes), float64(late.bytes))
	within("sent bytes", float64(tenth.sent), float64(late.sent))
	within("stored bytes", float64(early.state), float64(late.state))
}

func BenchmarkTurn(b *testing.B) {
	l := New(Options{Root: "/project"})
	l.AddHuman(person("u1", "the goal"))
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		add(l, turn(n)...)
		d := l.Cut(24_000)
		_ = d.Render(nonce)
		l.Commit(d.Cursor)
		_ = l.AppendState(nil)
	}
}
