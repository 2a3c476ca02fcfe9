package budget

import (
	"math/rand/v2"
	"testing"
)

func TestWhatTokensCost(t *testing.T) {
	price := Price{In: 2_000_000, Out: 8_000_000, CacheRead: 200_000, CacheWrite: 2_500_000, Known: true}
	for _, c := range []struct {
		name string
		p    Price
		u    Use
		cost int64
	}{
		{"in and out", price, Use{In: 1_000_000, Out: 500_000}, 6_000_000},
		{"what was cached is priced apart", price, Use{In: 1_000_000, CachedIn: 900_000}, 200_000 + 180_000},
		{"what was written to the cache as well", price, Use{In: 1_000_000, CacheWrite: 1_000_000}, 2_500_000},
		{"a token is never free", price, Use{In: 1}, 2},
		{"more cached than sent is not believed", price, Use{In: 10, CachedIn: 1_000_000}, 2},
		{"a free model", Price{Known: true}, Use{In: 1_000_000, Out: 1_000_000}, 0},
		{"a price that nobody knows", Price{}, Use{In: 1_000_000}, Guess.In},
		{"a count that nobody can mean", Price{In: 1 << 62, Known: true}, Use{In: 1 << 62}, MostTokens * MostPrice / 1_000_000},
	} {
		got := c.p.Charge(c.u)
		if got.Cost != c.cost {
			t.Errorf("%s: %+v costs %d, want %d", c.name, c.u, got.Cost, c.cost)
		}
		if estimated := got.Estimated > 0; estimated == c.p.Known {
			t.Errorf("%s: estimated %d, with known %v", c.name, got.Estimated, c.p.Known)
		}
	}
}

func TestWhichBoundIsInTheWay(t *testing.T) {
	all := Bounds{SessionTokens: 100, ReviewTokens: 50, DayCost: 1_000, Share: 25}
	primary := Use{In: 1_000, Cost: 1_000}
	for _, c := range []struct {
		name string
		b    Bounds
		s    Spent
		want Reason
	}{
		{"nothing spent", all, Spent{Primary: primary}, None},
		{"no bounds", Bounds{}, Spent{Session: Use{In: 1 << 40, Cost: 1 << 40}, Day: 1 << 40, Review: 1 << 40, HeldTokens: 1 << 40, HeldCost: 1 << 40}, None},
		{"one below each", all, Spent{Session: Use{In: 99, Cost: 249}, Day: 999, Review: 49, Primary: primary}, None},
		{"the day", all, Spent{Session: Use{In: 100}, Day: 1_000}, Day},
		{"the session, in and out", all, Spent{Session: Use{In: 60, Out: 40}, Review: 50}, Session},
		{"the review", all, Spent{Session: Use{Cost: 500}, Review: 50, Primary: primary}, Review},
		{"the share of money", all, Spent{Session: Use{Cost: 250}, Primary: primary}, Share},
		{"no share without the primary's", all, Spent{Session: Use{In: 90, Cost: 1 << 40}}, None},
		{"tokens where the price is a guess", all, Spent{Session: Use{In: 90, Cost: 1 << 40, Estimated: 1}, Primary: primary}, None},
		{"tokens where the primary's cost is not told", all, Spent{Session: Use{In: 90}, Primary: Use{In: 360}}, Share},
		{"held for others: tokens", all, Spent{Session: Use{In: 60}, HeldTokens: 40}, Held},
		{"held for others: money", all, Spent{Day: 999, HeldCost: 1}, Held},
		{"what lasts goes before what passes", all, Spent{Day: 1_000, HeldTokens: 1_000, Session: Use{Cost: 900}, Primary: primary}, Day},
	} {
		if got := Decide(c.b, c.s); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// Requests begin and end in any order; each was asked about before it was sent, and uses at most
// what was held for it. Then no bound is passed by more than the largest request.
func TestNoBoundIsPassedByMoreThanOneRequest(t *testing.T) {
	for seed := range uint64(2_000) {
		r := rand.New(rand.NewPCG(seed, 1))
		b := Bounds{SessionTokens: r.Int64N(5_000) + 1, DayCost: r.Int64N(5_000) + 1}
		price := Price{In: r.Int64N(3_000_000), Out: r.Int64N(9_000_000), Known: true}
		type open struct{ held Use }
		var s Spent
		var under []open
		var largest, dearest, admitted, settled int64
		for range 200 {
			if len(under) > 0 && r.IntN(2) == 0 {
				i := r.IntN(len(under))
				held := under[i].held
				under = append(under[:i], under[i+1:]...)
				used := price.Charge(Use{Requests: 1, In: r.Int64N(held.In + 1), Out: r.Int64N(held.Out + 1)})
				s.HeldTokens -= held.Tokens()
				s.HeldCost -= held.Cost
				s.Session = s.Session.Plus(used)
				s.Day += used.Cost
				settled += used.Requests
				continue
			}
			held := price.Charge(Use{Requests: 1, In: r.Int64N(500), Out: r.Int64N(100)})
			if Decide(b, s) != None {
				continue
			}
			admitted++
			largest, dearest = max(largest, held.Tokens()), max(dearest, held.Cost)
			s.HeldTokens += held.Tokens()
			s.HeldCost += held.Cost
			under = append(under, open{held})
		}
		if over := s.Session.Tokens() - b.SessionTokens; over > largest {
			t.Fatalf("seed %d: the session's bound %d is passed by %d tokens, and the largest request has %d", seed, b.SessionTokens, over, largest)
		}
		if over := s.Day - b.DayCost; over > dearest {
			t.Fatalf("seed %d: the day's bound %d is passed by %d, and the dearest request costs %d", seed, b.DayCost, over, dearest)
		}
		if admitted != settled+int64(len(under)) || s.Session.Requests != settled {
			t.Fatalf("seed %d: %d admitted, %d settled, %d under way, %d counted", seed, admitted, settled, len(under), s.Session.Requests)
		}
	}
}

func TestMoneyAsPeopleReadIt(t *testing.T) {
	for micros, want := range map[int64]string{0: "$0.00", 49: "$0.0000", 50: "$0.0001", 12_345: "$0.0123", 100_000: "$0.10", 1_005_000: "$1.01", 12_345_678: "$12.35", -2_500_000: "-$2.50"} {
		if got := Dollars(micros); got != want {
			t.Errorf("%d: got %s, want %s", micros, got, want)
		}
	}
}
