package engine

import (
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/judge"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/rules"
	"github.com/Kayphoon/opencode-advisor/pkg/show"
)

// commandHelp is the answer to a command that is not understood.
const commandHelp = `Possible: /advisor status | on | off | <provider>/<model> | consult <model> | watchdog <model> | notes | why <id> | mute [<id> | <path> | <category>] | unmute [<id> | <path> | <category>]`

// slash is how a person says a command in the host.
const slash = show.Prompt("/advisor ")

// command answers /advisor and /ai-approval.
func (e *Engine) command(l *live, c *protocol.Command) {
	if c.Name == judge.Command {
		e.approval(l, c)
		return
	}
	verb, arg, _ := strings.Cut(strings.TrimSpace(c.Text), " ")
	arg = strings.TrimSpace(arg)
	text, failed := "", false
	switch strings.ToLower(verb) {
	case "", "status":
		e.start("status", l.state.ID, func(t *task) {
			port{e, t}.heed(l)
			var set rules.Set
			if e.watching && e.files != nil {
				set = e.rules(port{e, t}, l.state.Log.Touched())
				e.waitFor(t, e.tally(""), tallyMS, nil) // what other processes have spent
			}
			if !t.dead {
				e.reply(l, c, e.status(l, set), false)
			}
		})
		return
	case "notes":
		text = show.Notes(l.state)
	case "why":
		text, failed = slash.Why(l.state, arg)
	case show.Mute, show.Unmute:
		e.wishFor(l, c, protocol.Wish{Do: strings.ToLower(verb), About: arg})
		return
	case "on", "off":
		e.switchTo(l, c, strings.EqualFold(verb, "on"))
		return
	case "consult", "watchdog":
		e.choose(l, c, strings.ToLower(verb), arg)
		return
	default:
		e.choose(l, c, "consult", strings.TrimSpace(c.Text))
		return
	}
	e.reply(l, c, text, failed)
}

// wishFor answers mute and unmute. Where this process stores nothing of the session, the wish is left for the one that does.
func (e *Engine) wishFor(l *live, c *protocol.Command, w protocol.Wish) {
	e.start(w.Do, l.state.ID, func(t *task) {
		p := port{e, t}
		p.heed(l)
		text, failed := slash.Wish(l.state, w)
		l.dirty = true
		if !failed && (!l.stores() || e.sessions[l.state.ID] != l) {
			if failure := p.wish(l, string(protocol.AppendWish(nil, w))); failure != "" {
				text, failed = "It cannot be stored: "+failure+".", true
			}
		}
		if !t.dead {
			e.reply(l, c, text, failed)
		}
	})
}

func (e *Engine) status(l *live, set rules.Set) string {
	return slash.Status(l.state, e.health(l, set))
}

// health is what stands beside a session in its status.
func (e *Engine) health(l *live, set rules.Set) show.Health {
	h := show.Health{Config: e.config, Problems: e.problems, Pause: e.pauseOf(e.config.Watchdog), Now: e.now,
		Day: e.today(), Out: e.afford(l, 0), RuleProblems: append(set.Problems, set.Absent...)}
	for _, f := range set.Files {
		h.Rules = append(h.Rules, f.String())
	}
	if e.judging != nil {
		h.Judge = e.judging.Status(l.judge)
	}
	if e.watching && e.files != nil {
		seats, more := e.team()
		h.RuleProblems = append(h.RuleProblems, more...)
		for _, a := range seats {
			if a.author != "" {
				m := show.Member{Advisor: a.Advisor, Counter: a.counter(), Endpoint: a.endpoint}
				m.Name = a.author
				h.Team = append(h.Team, m)
			}
		}
	}
	return h
}
