package engine

import (
	"github.com/Kayphoon/opencode-advisor/pkg/budget"
	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/dialog"
	"github.com/Kayphoon/opencode-advisor/pkg/llm"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/session"
	"github.com/Kayphoon/opencode-advisor/pkg/show"
	"github.com/Kayphoon/opencode-advisor/pkg/utc"
)

// purse is what the process knows of the day's spending, and what is held for requests under way.
type purse struct {
	day   budget.Ledger
	cost  int64             // held
	asked map[string]string // tallies under way, by id: the day that they are of
}

// today gives the day's ledger; a new day begins with an empty one.
func (e *Engine) today() *budget.Ledger {
	if name := utc.Format(e.wall)[:len("2006-01-02")]; e.purse.day.Name != name {
		e.purse.day = budget.Ledger{Name: name}
	}
	return &e.purse.day
}

// tally adds a line to the day's ledger, where there is one, and asks for what stands in it.
func (e *Engine) tally(line string) (id string) {
	day := e.today()
	id = e.id("l")
	e.purse.asked[id] = day.Name
	e.emit(&protocol.Tally{ID: id, Name: day.Name, Line: line, From: day.From})
	return id
}

func (e *Engine) tallied(ev *protocol.Tallied) {
	day := e.today()
	if e.purse.asked[ev.ID] == day.Name && ev.Failure == "" {
		day.Read(e.instance, ev.Text, ev.Next)
	}
	if ev.Failure != "" && !e.told["ledger"] {
		e.told["ledger"] = true
		e.log("warn", "the ledger of the day is not kept, so what other processes spend is not known: "+ev.Failure)
	}
	delete(e.purse.asked, ev.ID)
	e.resume(ev.ID, ev)
}

// tallyMS bounds the wait for the ledger. Without an answer the bound holds for what is known.
const tallyMS = 2_000

// afford says which bound is in the way of one more request for a session.
func (e *Engine) afford(l *live, review int64) budget.Reason {
	return budget.Decide(e.config.Budget.Bounds(), budget.Spent{
		Session: l.state.Counts.Own(), Primary: l.state.Counts.Primary(),
		Day: e.today().Since.Cost, Review: review, HeldTokens: l.held, HeldCost: e.purse.cost,
	})
}

// meter counts the requests of one review, consultation or judgement, and refuses those that
// nothing is left for. It implements llm.Meter.
type meter struct {
	p     port
	l     *live
	role  string // of session's roles
	price budget.Price
	used  budget.Use
	round *budget.Use // used by the whole of a review, by all advisors
	held  budget.Use
	open  bool
}

func (p port) meter(l *live, role string, ep config.Endpoint) *meter {
	return &meter{p: p, l: l, role: role, price: ep.Price, round: &budget.Use{}}
}

// Admit implements llm.Meter.
func (m *meter) Admit(bytes, maxTokens int) string {
	e := m.p.e
	if e.config.Budget.CostPerDay > 0 {
		id := e.tally("")
		e.waitFor(m.p.t, id, tallyMS, nil)
	}
	if m.p.t.dead {
		return "cancelled"
	}
	review := int64(0)
	if m.role == session.RoleReview {
		review = m.round.Tokens()
	}
	if why := e.afford(m.l, review); why != budget.None {
		m.l.state.Counts.Add("budget."+string(why), 1)
		m.l.dirty = true
		e.outOfBudget(m.l, why)
		return show.Bound(e.config.Budget, why)
	}
	m.held, m.open = m.price.Charge(budget.Expect(bytes, maxTokens)), true
	m.l.held += m.held.Tokens()
	e.purse.cost += m.held.Cost
	return ""
}

// Settle implements llm.Meter.
func (m *meter) Settle(u llm.Usage, worked bool) {
	if !m.open {
		return
	}
	m.open = false
	e := m.p.e
	m.l.held -= m.held.Tokens()
	e.purse.cost -= m.held.Cost
	use := budget.Use{Requests: 1, In: u.In, Out: u.Out, CachedIn: u.CachedIn, CacheWrite: u.CacheWrite}
	counted := use.Tokens() > 0
	if !counted && worked {
		use = m.held // the vendor does not tell
	}
	use = m.price.Charge(use)
	switch {
	case u.Cost > 0:
		use.Cost, use.Estimated = u.Cost, 0
	case !counted:
		use.Estimated = use.Cost
	}
	m.used, *m.round = m.used.Plus(use), m.round.Plus(use)
	m.l.state.Counts.Spend(m.role, use) // stored with what comes of the reply; the ledger of the day has it now
	day := e.today()
	line := day.Spend(e.instance, use)
	if day.Behind() {
		e.tally(line)
		return
	}
	e.emit(&protocol.Tally{Name: day.Name, Line: line}) // whoever goes by what others spent asks by then
}

// enough tells that a review is half way to its bound: one more round could pass it.
func (m *meter) enough(llm.Usage) bool {
	most := int64(m.p.e.config.Budget.TokensPerReview)
	return most > 0 && 2*m.round.Tokens() >= most
}

// model is llm.Call for a dialog, with every request of it counted.
func (p port) model(m *meter) dialog.Model {
	return func(ep llm.Endpoint, req llm.Request, deadline int64, shrink func(llm.Request) (llm.Request, bool)) (llm.Reply, error) {
		return llm.Call(p, ep, req, llm.Budget{Deadline: deadline, Memory: p.e.memory, Shrink: shrink, Meter: m})
	}
}

// outOfBudget tells the person that a bound is reached, once, and shows it where the host has a line for it.
func (e *Engine) outOfBudget(l *live, why budget.Reason) {
	key := string(why) + " " + show.Bound(e.config.Budget, why) + " " + itoa(int(l.state.Counts[session.CountLifted]))
	text := ""
	switch why {
	case budget.Day:
		key += " " + e.today().Name
		text = " and makes no more requests until midnight UTC. /advisor on allows as much again."
	case budget.Session:
		text = " and is quiet for the rest of this session. /advisor on allows as many again."
	case budget.Share:
		text = " and pauses until the agent has spent more. /advisor on begins the count anew."
	case budget.Review:
		text = " before a review was done, and ended it. Raise it, or set 0, if this happens often."
	default:
		return // it passes by itself
	}
	if why != budget.Review {
		e.show(l, "advisor paused: "+string(why)+" is reached")
	}
	if !l.state.Tell(key) {
		return
	}
	if why == budget.Day { // of the person, not of a session
		if e.told[key] {
			return
		}
		e.told[key] = true
	}
	e.notice(l.state.ID, key, "info", "The advisor has reached "+show.Bound(e.config.Budget, why)+text)
}

// show keeps the host's status line; empty clears it.
func (e *Engine) show(l *live, text string) {
	if l.shown != text {
		l.shown = text
		e.emit(&protocol.Status{Session: l.state.ID, Text: text})
	}
}

// lift begins the periods of the bounds that are reached anew; false when none is.
func (e *Engine) lift(l *live) bool {
	why := e.afford(l, 0)
	switch why {
	case budget.None, budget.Held:
		return false
	case budget.Day:
		e.tally(e.today().Lift(e.instance))
	}
	l.state.Counts.Lift()
	l.dirty = true
	e.show(l, "")
	return true
}
