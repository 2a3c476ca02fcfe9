// Package budget counts what the advisor's requests cost and says when no more may be
// spent. All of it is values: the engine owns them, asks before each request and tells what it used.
//
// Money is counted in millionths of a dollar.
package budget

import "strconv"

// Use is what requests used. In includes what came from the provider's cache.
type Use struct {
	Requests   int64
	In         int64
	Out        int64
	CachedIn   int64
	CacheWrite int64
	Cost       int64
	Estimated  int64 // of Cost: without a known price, or without a count from the provider
}

// Tokens are all tokens, in and out.
func (u Use) Tokens() int64 { return u.In + u.Out }

// Plus adds two uses.
func (u Use) Plus(v Use) Use { return u.add(v, 1) }

// Minus takes v out of u.
func (u Use) Minus(v Use) Use { return u.add(v, -1) }

func (u Use) add(v Use, sign int64) Use {
	return Use{u.Requests + sign*v.Requests, u.In + sign*v.In, u.Out + sign*v.Out, u.CachedIn + sign*v.CachedIn,
		u.CacheWrite + sign*v.CacheWrite, u.Cost + sign*v.Cost, u.Estimated + sign*v.Estimated}
}

// Price is what a million tokens cost. The zero Price is not known.
type Price struct {
	In, Out, CacheRead, CacheWrite int64
	Known                          bool
}

// Guess stands in for a price that nobody knows. It is a large model's, so that a bound in money errs on the
// side of stopping early.
var Guess = Price{In: 3_000_000, Out: 15_000_000, CacheRead: 3_000_000, CacheWrite: 3_000_000}

// Most tokens of one request, and the highest price, that are believed: above them a product would not fit.
const (
	MostTokens = 1_000_000_000
	MostPrice  = 1_000_000_000 // a thousand dollars
)

// Charge gives u with its cost at this price, rounded up: a request that used anything is never free
// at a price that is not.
func (p Price) Charge(u Use) Use {
	known := p.Known
	if !known {
		p = Guess
	}
	in, out := within(u.In, MostTokens), within(u.Out, MostTokens)
	read := within(u.CachedIn, in)
	write := within(u.CacheWrite, in-read)
	const million = 1_000_000
	u.Cost = 0
	for _, part := range []struct{ tokens, price int64 }{
		{in - read - write, p.In}, {read, p.CacheRead}, {write, p.CacheWrite}, {out, p.Out},
	} {
		u.Cost += (part.tokens*within(part.price, MostPrice) + million - 1) / million
	}
	if !known {
		u.Estimated = u.Cost
	}
	return u
}

func within(n, most int64) int64 { return min(max(n, 0), most) }

// Bounds are what a person allows. Zero sets no bound.
type Bounds struct {
	SessionTokens int64 // maxTokensPerSession
	ReviewTokens  int64 // maxTokensPerReview
	DayCost       int64 // maxCostPerDay
	Share         int64 // pauseAtShare, percent of what the primary spends
}

// Reason says which bound is in the way. The names are stored and shown, so they do not change.
type Reason string

// The reasons. None allows the request.
const (
	None    Reason = ""
	Day     Reason = "maxCostPerDay"
	Session Reason = "maxTokensPerSession"
	Review  Reason = "maxTokensPerReview"
	Share   Reason = "pauseAtShare"
	// Held: the bound is not reached, but what is under way may reach it.
	Held Reason = "budget_held"
)

// Spent is where things stand. What counts is since the period began, or the person lifted the bound.
type Spent struct {
	Session Use
	Primary Use
	Day     int64 // cost, of all processes
	Review  int64 // tokens of this review

	// Held is set aside for requests that are under way.
	HeldTokens int64
	HeldCost   int64
}

// Decide says whether one more request may be sent.
//
// Order: a day, a session and a review that are used up, in this order; then the share; and last what is
// held for others. So a reason that lasts goes before one that passes by itself.
func Decide(b Bounds, s Spent) Reason {
	switch {
	case b.DayCost > 0 && s.Day >= b.DayCost:
		return Day
	case b.SessionTokens > 0 && s.Session.Tokens() >= b.SessionTokens:
		return Session
	case b.ReviewTokens > 0 && s.Review >= b.ReviewTokens:
		return Review
	}
	if share, known := ShareOf(s.Session, s.Primary); known && b.Share > 0 && share >= b.Share {
		return Share
	}
	if b.DayCost > 0 && s.Day+s.HeldCost >= b.DayCost || b.SessionTokens > 0 && s.Session.Tokens()+s.HeldTokens >= b.SessionTokens {
		return Held
	}
	return None
}

// ShareOf gives what the advisor spent in percent of what the primary did: in money where that
// is known of both, else in tokens. Before the primary has spent anything there is no share.
func ShareOf(own, primary Use) (percent int64, known bool) {
	a, b := own.Tokens(), primary.Tokens()
	if primary.Cost > 0 && own.Estimated == 0 {
		a, b = own.Cost, primary.Cost
	}
	if b <= 0 {
		return 0, false
	}
	return within(a, MostTokens*1_000) * 100 / b, true
}

// Expect guesses a request's use before it is sent: some four bytes make a token, and an answer is short.
func Expect(bytes, maxTokens int) Use {
	out := int64(1_000)
	if maxTokens > 0 {
		out = min(out, int64(maxTokens))
	}
	return Use{Requests: 1, In: int64(bytes)/4 + 1, Out: out}
}

// Dollars writes money for people: cents, and more digits where cents would say nothing.
func Dollars(micros int64) string {
	sign := ""
	if micros < 0 {
		sign, micros = "-", -micros
	}
	digits, unit := 2, int64(10_000)
	if micros > 0 && micros < 100_000 {
		digits, unit = 4, 100
	}
	n := (micros + unit/2) / unit
	s := strconv.FormatInt(n, 10)
	for len(s) <= digits {
		s = "0" + s
	}
	return sign + "$" + s[:len(s)-digits] + "." + s[len(s)-digits:]
}
