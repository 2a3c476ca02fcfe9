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
	case "mute":
		text = slash.Mute(l.state, arg)
		l.dirty = true
	case "unmute":
		text, failed = slash.Unmute(l.state, arg)
		l.dirty = true
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

func (e *Engine) status(l *live, set rules.Set) string {
	names, problems := ruleLines(set)
	judged := ""
	if e.judging != nil {
		judged = e.judging.Status(l.judge)
	}
	var team []show.Member
	if e.watching && e.files != nil {
		seats, more := e.team()
		problems = append(problems, more...)
		for _, a := range seats {
			if a.author != "" {
				team = append(team, show.Member{Name: a.author, Counter: a.counter(), Endpoint: a.endpoint})
			}
		}
	}
	return slash.Status(l.state, show.Health{Config: e.config, Problems: e.problems, Pause: e.pauseOf(e.config.Watchdog), Now: e.now, Judge: judged,
		Day: e.today(), Out: e.afford(l, 0), Team: team, Rules: names, RuleProblems: problems})
}
