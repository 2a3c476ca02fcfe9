package show

import (
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/budget"
	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/session"
)

// Bound names a bound with its value.
func Bound(b config.Budget, why budget.Reason) string {
	switch why {
	case budget.Day:
		return "maxCostPerDay (" + budget.Dollars(int64(b.CostPerDay)) + " for all sessions of a day, UTC)"
	case budget.Session:
		return "maxTokensPerSession (" + strconv.Itoa(b.TokensPerSession) + ")"
	case budget.Review:
		return "maxTokensPerReview (" + strconv.Itoa(b.TokensPerReview) + ")"
	case budget.Share:
		return "pauseAtShare (" + strconv.Itoa(b.PauseAtShare) + " % of what the agent spends)"
	}
	return "what is left of the budget, all of it held for requests under way"
}

// limit is a bound that is set.
type limit struct {
	why budget.Reason
	n   int64 // tokens, percent, or millionths of a dollar
}

func limits(b config.Budget) (set []limit) {
	for _, l := range []limit{{budget.Day, int64(b.CostPerDay)}, {budget.Session, int64(b.TokensPerSession)},
		{budget.Review, int64(b.TokensPerReview)}, {budget.Share, int64(b.PauseAtShare)}} {
		if l.n > 0 {
			set = append(set, l)
		}
	}
	return set
}

// spending tells what was spent, what it is of the agent's own, and which bound is reached.
func spending(line func(label, text string), c session.Counts, h Health) {
	consults := c.Spent(session.RoleConsult)
	all := c.Spent(session.RoleReview, session.RoleJudge).Plus(consults)
	tokens := num(all.In) + " in (" + num(all.CachedIn) + " cached"
	if all.CachedIn > 0 {
		tokens += ", " + num(100*all.CachedIn/all.In) + " %"
	}
	tokens += "), " + num(all.Out) + " out"
	if consults.Requests > 0 {
		tokens += ", of them " + num(consults.Tokens()) + " in consultations"
	}
	line("tokens", tokens)

	cost, estimated := budget.Dollars(all.Cost)+" in this session", all.Estimated
	if n := c[session.CountStarted] + c["consult.started"]; n > 0 {
		cost += ", " + budget.Dollars(all.Cost/n) + " a review"
	}
	if h.Day != nil {
		cost += ", " + budget.Dollars(h.Day.Total.Cost) + " today (UTC) in all"
		estimated += h.Day.Total.Estimated
	}
	if estimated > 0 {
		cost += "; in part estimated, for want of a price: set prices in advisor.json"
	}
	line("cost", cost)

	primary := c.Spent(session.RolePrimary)
	if share, known := budget.ShareOf(all, primary); known {
		what := "tokens"
		if primary.Cost > 0 && all.Estimated == 0 {
			what = "cost"
		}
		line("share", num(share)+" % of the agent's own "+what)
	}
	var bounds []string
	for _, b := range limits(h.Config.Budget) {
		bounds = append(bounds, Bound(h.Config.Budget, b.why))
	}
	if len(bounds) > 0 {
		line("limits", strings.Join(bounds, ", "))
	}
	switch h.Out {
	case budget.Day, budget.Session, budget.Share:
		line("budget", "used up: "+Bound(h.Config.Budget, h.Out)+"; /advisor on lifts it")
	}
	if n := c["review.skipped.quiet"]; n > 0 {
		line("skipped", num(n)+" updates in which nothing happened (reviewGate)")
	}
}
