package budget

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

// Several processes write to one file and read it now and then. Once each has read all of it, all of them count the
// same, and that is what was spent, whoever lifted the bound in between.
func TestEveryProcessCountsTheDayAlike(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 2))
		file := ""
		all := make([]Ledger, 3)
		name := func(i int) string { return "w" + strconv.Itoa(i) }
		var spent Use
		read := func(i int) { all[i].Read(name(i), file[all[i].From:], int64(len(file))) }
		for range 60 {
			i := r.IntN(len(all))
			switch r.IntN(8) {
			case 0:
				// A process reads what it has not seen before it lifts, as the engine does.
				read(i)
				file += all[i].Lift(name(i)) + "\n"
			case 1, 2, 3:
				read(i)
			default:
				u := Price{In: 1_000_000, Known: true}.Charge(Use{Requests: 1, In: r.Int64N(100), Out: r.Int64N(9)})
				spent = spent.Plus(u)
				before := all[i].Total
				file += all[i].Spend(name(i), u) + "\n"
				if all[i].Total != before.Plus(u) {
					t.Fatalf("seed %d: what a process spends is not counted at once", seed)
				}
			}
		}
		for i := range all {
			read(i)
			if all[i].Total != spent {
				t.Fatalf("seed %d: process %d counts %+v, want %+v", seed, i, all[i].Total, spent)
			}
		}
		again := Ledger{}
		again.Read(name(0), file, int64(len(file)))
		if again.Total != spent || again.Since != all[0].Since {
			t.Fatalf("seed %d: a process that starts again under its name counts %+v, want %+v", seed, again.Total, spent)
		}
		fresh := Ledger{}
		fresh.Read("late", file, int64(len(file)))
		if fresh.Total != spent {
			t.Fatalf("seed %d: a process that comes later counts %+v, want %+v", seed, fresh.Total, spent)
		}
	}
}

func TestALedgerThatCannotBeReadLowersNothing(t *testing.T) {
	l := Ledger{}
	l.Spend("a", Use{Requests: 1, In: 10, Cost: 5})
	l.Read("a", "b 1 2 3 4 5 6\nb 1 -2 3 0 0 0 0\nb 1 99999999999999999999 0 0 0 0 0\nnonsense\n\nb 1 7 0 0 0 3 0\n", 100)
	if want := (Use{Requests: 2, In: 17, Cost: 8}); l.Total != want || l.Since != want {
		t.Errorf("got %+v and %+v, want %+v", l.Total, l.Since, want)
	}
	l.Read("a", "b 1 7 0 0 0 3 0\n", 100)
	if l.Total.Requests != 2 {
		t.Error("an answer that comes twice is counted twice")
	}
}

func TestALiftBeginsThePeriodAnew(t *testing.T) {
	l := Ledger{}
	l.Spend("a", Use{Requests: 1, Cost: 5})
	l.Lift("a")
	if l.Since != (Use{}) || l.Total.Cost != 5 {
		t.Errorf("after a lift: since %+v, total %+v", l.Since, l.Total)
	}
	l.Spend("a", Use{Requests: 1, Cost: 2})
	l.Read("a", "a 1 0 0 0 0 5 0\na lift\nb lift\na 1 0 0 0 0 2 0\nb 1 0 0 0 0 3 0\n", 60)
	if l.Since.Cost != 5 || l.Total.Cost != 10 {
		t.Errorf("after another's lift: since %d, total %d", l.Since.Cost, l.Total.Cost)
	}
}
