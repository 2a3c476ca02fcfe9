package engine

import (
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/guard"
	"github.com/Kayphoon/opencode-advisor/pkg/llm"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/redact"
	"github.com/Kayphoon/opencode-advisor/pkg/safefs"
)

// configure reads the config and tells the loader what to expect. Whatever is
// wrong, it ends in Ready: the session goes on, and one notice says what to mend.
func (e *Engine) configure(t *task) {
	resolved, problems := config.Load(port{e, t}, *e.init)
	if t.dead {
		return
	}
	e.config, e.problems = resolved, problems
	e.redact = redact.New(resolved.Secrets()...)
	if e.rec != nil {
		if e.rec.on = resolved.Record; !e.rec.on {
			e.host, e.rec = e.rec.Host, nil
		}
	}
	files, err := safefs.New(e.host, e.init.Root)
	if err != nil {
		e.log("error", "open the workspace: "+err.Error())
		e.notice("", "workspace", "error", "The advisor is off: it cannot open the workspace "+e.init.Root+": "+err.Error()+". Start the host in a folder that can be read.")
	}
	e.files = files
	problems = append(problems, e.setUpJudge(port{e, t})...)
	if t.dead {
		return
	}
	e.ready, e.watching, e.origins = true, resolved.Enabled, resolved.Origins()
	consult := resolved.Consult
	ready := &protocol.Ready{
		Version:          e.init.Version,
		Origins:          e.origins,
		Enabled:          resolved.Enabled,
		Consult:          resolved.Enabled && resolved.Config.Consult.Enabled,
		ConsultTimeoutMS: int64(resolved.Config.Consult.TimeoutMS),
		ConsultModel:     consult.Provider + "/" + consult.Model,
		ConsultEffort:    consult.Effort,
	}
	if j := e.judging; j != nil {
		ready.Judge, ready.JudgeTimeoutMS, ready.JudgeLog = true, j.Options.TimeoutMS, j.log
	}
	e.emit(ready)
	if resolved.Enabled {
		e.tally("") // so that the first request knows what the day has cost; the host waits for ready alone
	}
	e.report(problems)
	e.tellModels(resolved)
}

// tellModels says who has no model to ask.
func (e *Engine) tellModels(r *config.Resolved) {
	if !r.Enabled {
		return
	}
	if len(r.Team) == 0 && r.Watchdog.Transport == config.TransportNone {
		e.notice("", "endpoint", "warning", "The advisor has no model to ask: "+r.Watchdog.Why)
	}
	for i, ep := range r.Team {
		if name := r.Advisors.Own[i].Name; ep.Transport == config.TransportNone {
			e.notice("", "endpoint_"+name, "warning", "The advisor "+name+" has no model to ask: "+ep.Why)
		}
	}
}

// report tells of problems in the configuration: all in the log, the first few
// to the person, in one notice.
func (e *Engine) report(problems []config.Problem) {
	if len(problems) == 0 {
		return
	}
	const shown = 4
	lines := make([]string, 0, shown)
	for i, p := range problems {
		e.log("warn", "config: "+p.String())
		if i < shown {
			lines = append(lines, p.String())
		}
	}
	text := "The advisor's configuration needs a look:\n- " + strings.Join(lines, "\n- ")
	if more := len(problems) - shown; more > 0 {
		text += "\n- and " + strconv.Itoa(more) + " more, in the advisor's log"
	}
	e.notice("", "config", "warning", text)
}

// endpoint is a role's endpoint in the terms of pkg/llm.
func endpoint(c config.Endpoint) llm.Endpoint {
	ep := llm.Endpoint{Provider: c.Provider, Model: c.Model, BaseURL: c.BaseURL, APIKey: c.APIKey, Effort: c.Effort, Transport: llm.Transport(c.Transport)}
	for _, h := range c.Headers {
		ep.Headers = append(ep.Headers, llm.Header{Name: h.Name, Value: h.Value})
	}
	return ep
}

// limits are the guard's bounds. Zero in the config means none at all, which the guard writes as a negative number.
func limits(c config.Config) guard.Limits {
	bound := func(n int) int {
		if n == 0 {
			return -1
		}
		return n
	}
	return guard.Limits{
		PerReview:          bound(c.MaxNotesPerUpdate),
		PerMessage:         bound(c.NotesPerMessage),
		BlockersPerMessage: bound(c.BlockersPerMessage),
		PerSession:         bound(c.NotesPerSession),
		ImmuneTurns:        bound(c.ImmuneTurns),
	}
}
