package judge

import (
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/redact"
)

// Port is the outside as the judge needs it. The calls may wait; none of them
// may pass its deadline, in milliseconds since 1970, and the judge looks at
// the clock again after each.
type Port interface {
	Now() int64
	// Nonce gives letters and digits that nobody can guess, new each time.
	Nonce() string
	// Worktrees gives the project's git worktrees; false: the list is not known.
	Worktrees(deadline int64) ([]string, bool)
	// Facts reads what the host knows of the session, worktrees aside. What
	// fails is left empty. It is called only when the model is to be asked.
	Facts(deadline int64) Facts
	// Ask sends a prompt to the judge's model, in at most so many requests, and
	// gives its reply and how many it took. An error may be an AskError, which
	// says more.
	Ask(prompt string, deadline int64, most int) (reply string, requests int, err error)
}

// AskError is why the model gave no reply.
type AskError struct {
	Timeout bool   // the deadline passed
	Retry   bool   // another attempt may do better
	Gone    bool   // nobody waits any more: the person answered, or the host took the ask back
	Text    string // one line for the person, without keys
}

func (e AskError) Error() string { return e.Text }

// Request is one permission ask of the host.
type Request struct {
	ID      string // the host's own, for the log
	Session string
	Agent   string
	Action  Action
	// Effect is what the host would do by itself. Only "ask" is the judge's:
	// a configured allow or deny is left alone. Empty means ask.
	Effect   string
	Metadata string // the tool's input as the host gives it, JSON, or ""
	Source   string // whence the request comes, JSON, or ""
	// Started is when the host asked, in milliseconds; zero means now.
	Started int64
	// ReserveMS is what the answer needs on its way to the host: the deadline
	// comes so much sooner.
	ReserveMS int64
}

// Outcome is what becomes of a request.
type Outcome struct {
	// Effect is None (leave the host's ask as it is), Allow, Deny or Ask. None
	// and Ask both end in front of the person; Ask carries a Message.
	Effect  Decision
	Message string
	Entry   *Entry // for the log; nil when the request was not judged
}

// Judge is a configured judge, for one session at a time.
type Judge struct {
	Options  Options
	Template string // the text of Options.PromptFile, where it was read; Options.Prompt goes before it
	Switch   *Switch
	Secrets  *redact.Redactor // knows keys by value; nil knows their shapes
}

// Decide judges one request. The order:
//
//  1. Switched off, not configured, not an ask of the host, or excluded by the
//     person: pass. The host's own configured deny never comes here.
//  2. The breaker is open: ask, and say why, and what the floor thinks of it.
//  3. The floor says deny, or a deny rule matches: deny.
//  4. The person allowed exactly this by hand before: allow.
//  5. The floor says ask, an ask rule matches, or the project wants every
//     request asked: ask.
//  6. The floor says that it is obviously safe: allow.
//  7. Outside the scope of the rules: pass.
//  8. The model: allow or deny.
//  9. Whatever failed on the way: ask, and say what failed.
//
// In shadow mode all of it happens, is logged, and changes nothing: the
// outcome is None, and neither breaker nor memory moves.
func (j *Judge) Decide(r Request, s *Session, p Port) Outcome {
	a := r.Action
	if !j.Switch.On() || !j.Options.Configured || r.Effect != "" && r.Effect != "ask" || j.Options.excluded(&a) {
		return Outcome{Effect: None}
	}
	if r.Started == 0 {
		r.Started = p.Now()
	}
	c := &deciding{Judge: j, r: r, s: s, p: p, deadline: r.Started + j.Options.TimeoutMS - r.ReserveMS,
		entry: &Entry{ID: r.ID, Session: r.Session, Agent: r.Agent, Model: j.Options.Model, Shadow: j.Options.Mode == ModeShadow}}
	c.place()
	d, message := c.decide()
	if d == None {
		return Outcome{Effect: None}
	}
	c.entry.Decision, c.entry.Reason = d, c.reason
	c.fill()
	if c.entry.Shadow {
		return Outcome{Effect: None, Entry: c.entry}
	}
	return Outcome{Effect: d, Message: message, Entry: c.entry}
}

// deciding is one request on its way.
type deciding struct {
	*Judge
	r        Request
	s        *Session
	p        Port
	deadline int64
	facts    Facts
	entry    *Entry
	reason   string
}

// place completes the action with what the host told only now.
func (c *deciding) place() {
	pl := &c.r.Action.Place
	list, known := c.p.Worktrees(c.deadline)
	if len(pl.Worktrees) == 0 {
		pl.Worktrees = list
	}
	pl.WorktreesUnknown = pl.WorktreesUnknown || !known
}

func (c *deciding) decide() (Decision, string) {
	a := &c.r.Action
	floor := Floor(*a)
	c.entry.Row = floor.Row
	shadow := c.entry.Shadow

	if paused := c.s.Paused(); paused != "" && !shadow {
		message := "The judge is paused (" + paused + "); it goes on with your next message, or with /ai-approval."
		if floor.Decision == Deny {
			message += " By its rule " + floor.Row + " it would deny this: " + floor.Reason + "."
		}
		return c.end(Ask, "paused: "+paused, message)
	}
	switch {
	case floor.Decision == Deny:
		return c.decided(Deny, floor.Reason, "Denied by rule "+floor.Row+": "+floor.Reason+".")
	case anyRule(c.Options.Deny, a):
		c.entry.Row = "configured-deny"
		return c.decided(Deny, "a deny rule of the configuration matches", "Denied by a rule of the judge's configuration.")
	case c.s.Approved(*a):
		c.entry.Row = "approved-before"
		return c.end(Allow, "you allowed exactly this before in this session", "Allowed: you allowed exactly this before in this session.")
	case floor.Decision == Ask:
		return c.decided(Ask, floor.Reason, "Please look (rule "+floor.Row+"): "+floor.Reason+".")
	case c.Options.AskAll:
		c.entry.Row = "configured-ask"
		return c.decided(Ask, "the project switched the judge off", "The project's configuration leaves this to you.")
	case anyRule(c.Options.Ask, a):
		c.entry.Row = "configured-ask"
		return c.decided(Ask, "an ask rule of the configuration matches", "The judge's configuration leaves this to you.")
	case floor.Decision == Allow:
		return c.decided(Allow, floor.Reason, "Allowed by rule "+floor.Row+": "+floor.Reason+".")
	case !c.Options.inScope(a):
		return None, ""
	}
	return c.model()
}

// decided ends with a decision that the breaker counts.
func (c *deciding) decided(d Decision, reason, message string) (Decision, string) {
	if !c.entry.Shadow {
		c.s.note(d)
	}
	return c.end(d, reason, message)
}

func (c *deciding) end(d Decision, reason, message string) (Decision, string) {
	c.reason = reason
	return d, message
}

// fill completes the log's entry with what is known at the end.
func (c *deciding) fill() {
	e := c.entry
	now := c.p.Now()
	e.TS, e.LatencyMS = now, now-c.r.Started
	if !e.Late {
		e.LatencyMS = min(e.LatencyMS, c.Options.TimeoutMS) // when the host had its answer
	}
	a, _ := c.hidden(c.r.Action)
	e.Action, e.Resources = a.Kind, a.Resources
	if len(e.Resources) == 0 {
		e.Resources = a.subjects()
	}
	e.Metadata, e.Source = c.hideJSON(c.r.Metadata), c.r.Source
}

// hidden takes secrets out of the texts of an action that leave this process.
func (c *deciding) hidden(a Action) (Action, redact.Report) {
	var all redact.Report
	if !c.Options.Redact {
		return a, all
	}
	take := func(s string) string {
		out, r := c.Secrets.Hide(s)
		all.Command = all.Command || r.Command
		all.Count += r.Count
		for _, k := range r.Kinds {
			all.Kinds = addAll(all.Kinds, []string{k})
		}
		return out
	}
	a.Command, a.Path, a.Content = take(a.Command), take(a.Path), take(a.Content)
	res := make([]string, len(a.Resources))
	for i, s := range a.Resources {
		res[i] = take(s)
	}
	a.Resources = res
	return a, all
}

// hideJSON redacts text that is JSON; what is none then is dropped.
func (c *deciding) hideJSON(s string) string {
	if c.Options.Redact {
		s = c.Secrets.Text(s)
	}
	s = strings.TrimSpace(s)
	if s != "" && !protocol.Valid(s) {
		return string(appendString(nil, s))
	}
	return s
}
