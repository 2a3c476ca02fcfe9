package safefs

import (
	"fmt"
	"math/rand"
	"testing"
)

// TestLedgerAgreesWithASetOfLines compares spans with the obvious set.
func TestLedgerAgreesWithASetOfLines(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range 200 {
		var l Ledger
		lines := map[int]bool{}
		for range 12 {
			from := rng.Intn(40) - 2
			to := from + rng.Intn(8) - 1
			l.Add("a", from, to)
			for n := max(from, 1); n <= to; n++ {
				lines[n] = true
			}
			for from := 1; from < 46; from++ {
				for to := from; to < 46; to++ {
					all, some := true, false
					for n := from; n <= to; n++ {
						all, some = all && lines[n], some || lines[n]
					}
					if l.Covers("a", from, to) != all || l.Saw("a", from, to) != some {
						t.Fatalf("lines %d-%d: covers %v, saw %v; want %v, %v (spans %v)", from, to, l.Covers("a", from, to), l.Saw("a", from, to), all, some, l.seen["a"])
					}
				}
			}
		}
	}
}

func TestLedgerForgetsAndIsBounded(t *testing.T) {
	var l Ledger
	if l.Covers("a", 1, 1) || l.Saw("a", 1, 9) {
		t.Error("an empty ledger has seen nothing")
	}
	l.Add("a", 1, 10)
	if !l.Covers("a", 2, 9) || l.Covers("b", 2, 9) || l.Covers("a", 5, 4) {
		t.Error("lines 1 to 10 of a, and nothing else, were added")
	}
	l.Reset()
	if l.Saw("a", 1, 10) {
		t.Error("a reset ledger has seen nothing")
	}
	for i := range 3 * maxSpans {
		l.Add("a", 2*i+1, 2*i+1)
	}
	for i := range 2 * maxLedger {
		l.Add(fmt.Sprint(i), 1, 1)
	}
	if len(l.seen["a"]) > maxSpans || len(l.seen) > maxLedger {
		t.Errorf("%d spans and %d files are kept; at most %d and %d may be", len(l.seen["a"]), len(l.seen), maxSpans, maxLedger)
	}
}
