package judge

import (
	"errors"
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// leastTime is what an attempt needs at the least, in milliseconds: with less
// left, no model answers, and the person should not wait for it.
const leastTime = 250

// leastNonce is how many letters a nonce must have: fewer could be guessed.
const leastNonce = 8

// maxAttempts is how often the model is asked about one request, whatever the
// reasons.
const maxAttempts = 2

// model asks the model, within what is left of the deadline.
func (c *deciding) model() (Decision, string) {
	if c.Options.Model == "" {
		// A matter of configuration: it does not open the breaker, so the
		// floor goes on working.
		return c.end(Ask, "no model is configured", "The judge has no model: set judge.model to provider/model.")
	}
	a, report := c.hidden(c.r.Action)
	if report.Command || shrunk(c.r.Action.Command, a.Command) {
		c.entry.Row = "hidden-command"
		return c.decided(Ask, "redaction hid a part of the command that may run", "Please look: taking a secret out of this command also hid a part of it that may run.")
	}
	o := c.Options
	if strings.TrimSpace(o.Prompt) == "" {
		o.Prompt = c.Template
	}
	c.facts = c.p.Facts(c.deadline)
	pl := c.r.Action.Place
	c.facts.Worktrees, c.facts.WorktreesOK = pl.Worktrees, !pl.WorktreesUnknown
	if c.facts.Directory == "" && len(pl.Roots) > 0 {
		c.facts.Directory = pl.Roots[0]
	}
	input := c.hideJSON(c.r.Metadata)
	if input == "" && a.Content != "" {
		input = string(append(appendMember(appendMember([]byte("{"), "path", a.Path), "content", a.Content), '}'))
	}
	nonce := c.p.Nonce()
	if len(nonce) < leastNonce {
		return c.end(Ask, "no randomness to fence the request with", couldNot("it has no randomness to mark the request's borders with"))
	}
	prompt := buildPrompt(promptInput{options: o, action: a, input: input, facts: c.hideFacts(), hidden: report.Kinds, nonce: nonce})
	c.entry.Prompt = prompt.Text
	if !prompt.Whole {
		return c.decided(Ask, "the request is longer than the judge may see", "The request does not fit into the judge's prompt whole; raise judge.max_context_chars, or look yourself.")
	}
	reply, failure := c.attempts(prompt.Text)
	if failure == gone {
		return c.end(Ask, gone, "")
	}
	if failure != "" {
		c.failed()
		return c.end(Ask, failure, couldNot(failure))
	}
	d, reason := parseVerdict(reply, o.Format, c.shown())
	reason = oneLine(c.Secrets.Text(reason), maxReason) // in this order: half a key is no longer known as one
	switch d {
	case Allow:
		c.answered(d)
		return c.end(d, reason, said("Allowed by the judge", reason))
	case Deny:
		c.answered(d)
		return c.end(d, reason, said("Denied by the judge", reason))
	case Ask:
		c.answered(d)
		return c.end(d, said("not sure", reason), said("The judge is not sure", reason))
	}
	c.failed()
	return c.end(Ask, "the reply has no clear verdict", couldNot("its reply does not begin with a clear verdict"))
}

// maxReason is how many characters of a model's reason are told and logged.
const maxReason = 300

func said(who, reason string) string {
	if reason == "" {
		return who + "."
	}
	return who + ": " + reason
}

func (c *deciding) answered(d Decision) {
	if !c.entry.Shadow {
		c.s.noteModel(false)
		c.s.note(d)
	}
}

func (c *deciding) failed() {
	if !c.entry.Shadow {
		c.s.noteModel(true)
		c.s.note(Ask)
	}
}

// gone is the reason of an entry whose request was answered by others.
const gone = "answered before the judge had decided"

// timedOut is the reason of an entry whose request took too long.
func (o Options) timedOut() string {
	return "timed out after " + strconv.FormatInt(o.TimeoutMS, 10) + " ms"
}

// TimedOut is the message for a request that has taken too long.
func (o Options) TimedOut() string { return couldNot(o.timedOut()) }

func couldNot(why string) string { return "The judge could not decide: " + why + "." }

// attempts asks at most twice. A reply that comes after the deadline is kept
// for the log, and is no reply.
func (c *deciding) attempts(prompt string) (reply, failure string) {
	for c.entry.Attempts < maxAttempts {
		if c.deadline-c.p.Now() < leastTime {
			if failure == "" {
				failure = "no time was left of timeout_ms (" + strconv.FormatInt(c.Options.TimeoutMS, 10) + " ms)"
			}
			return "", failure
		}
		got, requests, err := c.p.Ask(prompt, c.deadline, maxAttempts-c.entry.Attempts)
		c.entry.Attempts += max(1, requests)
		c.entry.Reply = c.hideText(strings.TrimSpace(got))
		var ask AskError
		switch known := errors.As(err, &ask); {
		case known && ask.Gone:
			return "", gone
		case c.p.Now() > c.deadline:
			c.entry.Late = err == nil
			return "", c.Options.timedOut()
		case err == nil && strings.TrimSpace(got) != "":
			return got, ""
		case err == nil:
			failure = "the model's reply is empty"
		case known && ask.Timeout:
			return "", c.Options.timedOut()
		default:
			failure = "the model is unavailable: " + oneLine(c.hideText(err.Error()), 200)
			if known && !ask.Retry {
				return "", failure
			}
		}
	}
	return "", failure
}

// shown is everything untrusted that the model saw, for the check that its
// verdict is its own.
func (c *deciding) shown() string {
	a := c.r.Action
	return strings.Join(append([]string{a.Command, a.Path, a.Content, a.Before, c.r.Metadata, c.facts.Tail}, a.Resources...), "\n")
}

func (c *deciding) hideText(s string) string {
	if c.Options.Redact {
		return c.Secrets.Text(s)
	}
	return s
}

func (c *deciding) hideFacts() Facts {
	f := c.facts
	f.Agent = c.r.Agent
	f.AgentText, f.AgentInfo, f.Tail = c.hideText(f.AgentText), c.hideText(f.AgentInfo), c.hideText(f.Tail)
	if f.AgentInfo != "" && !protocol.Valid(f.AgentInfo) {
		f.AgentInfo = string(appendString(nil, f.AgentInfo))
	}
	return f
}

// shrunk reports a command from which redaction took something that a shell
// would act on.
func shrunk(before, after string) bool {
	for _, sign := range []string{"$(", "`", "<(", ">(", ";", "|", "&", "\n"} {
		if strings.Count(after, sign) < strings.Count(before, sign) {
			return true
		}
	}
	return false
}
