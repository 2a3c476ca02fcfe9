package engine

import (
	"github.com/Kayphoon/opencode-advisor/pkg/budget"
	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/consult"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/session"
	"github.com/Kayphoon/opencode-advisor/pkg/show"
	"github.com/Kayphoon/opencode-advisor/pkg/transcript"
)

// consult answers one call of the consult tool. Whatever is in the way is an answer as well.
func (e *Engine) consult(l *live, ask *protocol.Consult) {
	if why := e.noConsult(l); why != "" {
		e.emit(&protocol.Answer{Call: ask.Call, Session: l.state.ID, Text: e.forPeople(why), Failed: true})
		return
	}
	l.state.Consults++
	l.state.Counts.Add("consult.started", 1)
	l.dirty = true
	key := "consult_" + ask.Call
	t := e.start("consult", l.state.ID, func(t *task) {
		answered := false
		defer func() {
			delete(e.calls, key)
			if !answered { // it panicked, and the primary waits
				e.emit(&protocol.Status{Session: l.state.ID, Text: l.shown})
				e.emit(&protocol.Answer{Call: ask.Call, Session: l.state.ID, Failed: true,
					Text: "The advisor met an internal error; its log has the details. Go on with your own judgement."})
			}
		}()
		e.runConsult(t, l, ask)
		answered = true
	})
	if t.next != nil {
		e.calls[key] = t
	}
}

// noConsult says why the advisor cannot be asked now; empty when it can.
func (e *Engine) noConsult(l *live) string {
	c := e.config.Config.Consult
	ep := e.config.Consult
	switch {
	case !e.config.Enabled || !c.Enabled:
		return "The advisor is disabled. The person can switch it on with /advisor on."
	case ep.Transport == config.TransportNone:
		return "The advisor has no model to ask. For the person: " + ep.Why
	case c.MaxCalls != config.NoCap && l.state.Consults >= c.MaxCalls:
		return "consult.maxCalls allows " + itoa(c.MaxCalls) + " consultations in a session, and all of them are used. Go on with your own judgement."
	}
	if why := e.afford(l, 0); why != budget.None {
		l.state.Counts.Add("budget."+string(why), 1)
		l.dirty = true
		e.outOfBudget(l, why)
		return "The advisor's budget is used up: it has reached " + show.Bound(e.config.Budget, why) + ". Go on with your own judgement. For the person: /advisor on lifts the bound."
	}
	return ""
}

func (e *Engine) runConsult(t *task, l *live, ask *protocol.Consult) {
	p := port{e, t}
	c := e.config.Config.Consult
	nonce := e.nonce()
	shape := transcript.Shape{Nonce: nonce}
	if ask.Question != "" {
		shape.Last = c.IncludeContextMessages
	}
	in := consult.Input{
		Endpoint: endpoint(e.config.Consult),
		Question: e.redact.Text(ask.Question), Context: e.redact.Text(ask.Context),
		Transcript: e.conversation(p, l, shape, historyMS), Nonce: nonce,
		Steps: c.MaxToolSteps, MaxTokens: c.MaxTokens,
		Started: e.now, Deadline: e.now + int64(c.TimeoutMS),
	}
	e.emit(&protocol.Status{Session: l.state.ID, Text: e.forPeople("asking the advisor (" + in.Endpoint.Provider + "/" + in.Endpoint.Model + ")")})
	v := newView(e, l, "", transcript.Delta{}, false, e.config.Tools)
	m := p.meter(l, session.RoleConsult, e.config.Consult)
	res := consult.Run(p.model(m), in, v.tools)
	in.Endpoint.Effort = e.memory.Effort(in.Endpoint) // that it was asked for, after all
	e.emit(&protocol.Status{Session: l.state.ID, Text: l.shown})
	s := l.state
	outcome := "answered"
	if res.Failed {
		outcome = "failed"
		s.Counts.Add("consult.failed", 1)
	}
	e.journal(l, e.spent("consult", outcome, e.config.Consult, in.Started, m.used))
	l.dirty = true
	if res.Failure != nil {
		e.log("warn", "consultation in "+s.ID+": "+res.Failure.Error())
	}
	e.emit(&protocol.Answer{
		Call: ask.Call, Session: s.ID, Text: e.forPeople(res.Advice), Failed: res.Failed,
		Details: consult.Details(in, res, e.now),
	})
}

// conversation renders what is wanted of the session, from the log where that still has it,
// else from the host's history.
func (e *Engine) conversation(p port, l *live, shape transcript.Shape, ms int64) string {
	if l.state.Log.Complete(shape.Last) {
		return l.state.Log.Conversation(shape).Text
	}
	if h := p.history(l.state.ID, ms); h != nil && h.Failure == "" && len(h.Events) > 0 {
		return transcript.Converse(h.Events, e.logOptions(), l.state.IsHuman, shape).Text
	}
	return l.state.Log.Conversation(shape).Text
}

// abort takes an open consultation or ask back. The caller is gone, so nobody is answered.
func (e *Engine) abort(a *protocol.Abort) {
	e.takeBack(a.Call)
	key := "consult_" + a.Call
	t := e.calls[key]
	delete(e.calls, key)
	e.cancel(t)
}
