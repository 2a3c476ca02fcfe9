package llm

import "strings"

// Budget bounds a call.
type Budget struct {
	// Deadline is absolute, in milliseconds since 1970, for everything: requests, waits, retries.
	Deadline int64
	// Requests bounds how many are sent, whatever the reasons; 0 is 10.
	Requests int
	// Memory learns what endpoints do not take. Nil learns nothing beyond the call.
	Memory *Memory
	// Shrink makes a request shorter when it overflowed the model's context; it is asked
	// once. Nil, or false, gives the overflow back as a Failure.
	Shrink func(Request) (Request, bool)
	// Meter is asked before every request, retries too. Nil allows all.
	Meter Meter
}

// Meter bounds what requests may use.
type Meter interface {
	// Admit asks for one more request of about so many bytes. A refusal is a reason.
	Admit(bytes, maxTokens int) (refused string)
	// Settle ends what Admit began. Worked tells that the vendor has, or may have, done the work: also when no
	// answer came in time.
	Settle(u Usage, worked bool)
}

const (
	maxRequests    = 10     // of one call, whatever the reasons: every retry below once, and the quirks
	maxRateRetries = 3      // after 429
	firstBackoff   = 1_000  // ms, doubled each time; vendors' limits are counted by the minute or second
	serverBackoff  = 500    // ms before the one retry of a 5xx or a lost connection
	leastTime      = 250    // ms; with less left a request is not begun, since no model answers in it
	thinkingFloor  = 8_192  // tokens: the least cap of the retry after thinking that led to nothing
	thinkingFactor = 4      // how much larger that cap is
	thinkingCeil   = 65_536 // tokens: what large models allow at most
)

// Call asks the model once and keeps at it as the policy says, within the budget:
//
//   - 429: up to three more tries, after Retry-After or a doubling wait. No credit is not waited for.
//   - 5xx, an error inside a reply, a lost connection: one more try.
//   - thoughts and no answer: one more try with a larger cap.
//   - context overflow: one more try with what Budget.Shrink makes of the request.
//   - tools refused: the JSON protocol in text, from then on. Another parameter refused: without it.
//   - anything else is final.
//
// A wait that does not fit the deadline is not begun. The error is a Failure; the reply beside it still has
// the usage of all requests.
func Call(port Port, ep Endpoint, req Request, budget Budget) (Reply, error) {
	c := &call{port: port, ep: ep, req: req, budget: budget, quirks: budget.Memory.Of(ep)}
	reply, failure := c.run()
	reply.Usage = c.usage
	reply.Requests = c.requests
	if failure == nil {
		return reply, nil
	}
	failure.Provider, failure.Model = ep.Provider, ep.Model
	if ep.Transport != TransportHost {
		failure.Origin, _ = Origin(ep.BaseURL)
	}
	failure.hide(ep)
	return reply, *failure
}

// call is one Call under way.
type call struct {
	port   Port
	ep     Endpoint
	req    Request
	budget Budget
	quirks Quirks
	urls   []string

	requests  int
	usage     Usage
	rates     int
	resent    bool // the one retry after 5xx
	thought   bool // the one retry after thinking
	shrunk    bool
	learned   Quirks
	forgotten Quirks // quirks of this call alone
}

func (c *call) run() (Reply, *Failure) {
	var before *Failure // the failure that is being retried
	var reply Reply
	if f := c.prepare(); f != nil {
		return reply, f
	}
	most := maxRequests
	if c.budget.Requests > 0 {
		most = min(most, c.budget.Requests)
	}
	for c.requests < most {
		if c.left() < leastTime {
			if before == nil {
				before = &Failure{Kind: KindTimeout, Detail: "no time was left"}
			}
			return reply, before
		}
		if m := c.budget.Meter; m != nil {
			if why := m.Admit(c.req.size(), c.req.MaxTokens); why != "" {
				return reply, &Failure{Kind: KindBudget, Detail: why}
			}
		}
		c.requests++
		var f *Failure
		reply, f = c.settled()
		c.usage = c.usage.Plus(reply.Usage)
		if f == nil {
			if c.learned != 0 {
				c.budget.Memory.Learn(c.ep, c.learned&^c.forgotten)
			}
			return reply, nil
		}
		if c.thought && f.Kind != KindThinking && before != nil && before.Kind == KindThinking {
			return reply, before // the larger cap was not taken: what went wrong first is what matters
		}
		again, cancelled := c.again(f)
		if cancelled {
			return reply, &Failure{Kind: KindCancelled}
		}
		if !again {
			return reply, f
		}
		before = f
	}
	return reply, before
}

// settled sends the request and settles what Admit began, after a panic too: what is held would stay so for good.
// The vendor may have done the work then.
func (c *call) settled() (reply Reply, f *Failure) {
	if m := c.budget.Meter; m != nil {
		defer func() { m.Settle(reply.Usage, f == nil || worked(f.Kind)) }()
	}
	return c.once()
}

// worked tells the failures after which a vendor may bill the request all the same.
func worked(k Kind) bool {
	switch k {
	case KindTimeout, KindCancelled, KindEmpty, KindThinking, KindUnparsed, KindTooLarge:
		return true
	}
	return false
}

// size gives a request's bytes, about.
func (r Request) size() (n int) {
	for _, m := range r.Messages {
		n += len(m.Text) + len(m.Reasoning) + len(m.Details)
		for _, t := range m.ToolCalls {
			n += len(t.Name) + len(t.Args)
		}
	}
	for _, t := range r.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	return n
}

func (c *call) left() int64 { return c.budget.Deadline - c.port.Now() }

// again prepares the next try after a failure, waiting where that is due, and reports
// whether there is one, and whether the wait was cancelled.
func (c *call) again(f *Failure) (retry, cancelled bool) {
	switch f.Kind {
	case KindRate:
		if c.rates == maxRateRetries {
			return false, false
		}
		c.rates++
		return c.wait(max(f.RetryMS, firstBackoff<<(c.rates-1)))
	case KindServer, KindNetwork:
		if c.resent {
			return false, false
		}
		c.resent = true
		return c.wait(max(f.RetryMS, serverBackoff))
	case KindThinking:
		if c.thought {
			return false, false
		}
		c.thought = true
		c.req.MaxTokens = max(c.req.MaxTokens, min(max(c.req.MaxTokens*thinkingFactor, thinkingFloor), thinkingCeil))
		return true, false
	case KindOverflow:
		if c.shrunk || c.budget.Shrink == nil {
			return false, false
		}
		c.shrunk = true
		var ok bool
		c.req, ok = c.budget.Shrink(c.req)
		return ok, false
	case KindTools:
		return c.learn(TextTools, len(c.req.Tools) > 0), false
	case KindParameter:
		return c.learnParameter(f.param), false
	case KindNotFound:
		unnamed := !mentionsModel(strings.ToLower(f.Detail))
		return c.learn(BarePath, len(c.urls) == 2 && unnamed), false
	}
	return false, false
}

// learn adds a quirk when that can help, which it cannot twice.
func (c *call) learn(q Quirks, helps bool) bool {
	if !helps || c.quirks&q == q {
		return false
	}
	c.quirks |= q
	c.learned |= q
	return true
}

// learnParameter leaves a refused parameter out, if it was sent at all.
func (c *call) learnParameter(q Quirks) bool {
	switch q {
	case NoMaxTokens: // about the figure, not the field: for this call alone
		c.forgotten |= q
		return c.learn(q, c.req.MaxTokens > 0)
	case CompletionTokens:
		return c.learn(q, c.req.MaxTokens > 0)
	case NoEffort:
		if aboveHigh(c.ep.Effort) && c.learn(CapEffort, true) {
			return true
		}
		return c.learn(q, reasoningEffort(c.ep.Effort) != "")
	case NoTemperature:
		return c.learn(q, c.req.Temperature != nil)
	case NoToolChoice:
		return c.learn(q, c.req.ToolChoice != "" && c.req.ToolChoice != ChoiceAuto && len(c.req.Tools) > 0)
	case TextTools:
		return c.learn(q, len(c.req.Tools) > 0)
	}
	return c.learn(q, true)
}

// wait sleeps when the wait and a request after it fit the deadline.
func (c *call) wait(ms int64) (retry, cancelled bool) {
	if ms+leastTime > c.left() {
		return false, false
	}
	if !c.port.Sleep(ms) {
		return false, true
	}
	return true, false
}
