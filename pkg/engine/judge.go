package engine

import (
	"strconv"
	"strings"

	"github.com/buger/jsonparser"

	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/judge"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// judging is what the engine holds for the permission judge.
type judging struct {
	judge.Judge
	endpoint  config.Endpoint
	log       string // absolute
	worktrees judge.Worktrees
	asks      map[string]*asked // by call
	order     []string          // of asks, oldest first
}

// asked is one permission ask: being judged, or left to the person, whose answer is remembered.
type asked struct {
	call, session string
	top           string // the session that the person talks to
	key           string // of what they would approve; empty when it is not known whole
	task          *task
	told          bool         // the host has its answer
	entry         *judge.Entry // once it is in the log
	person        string       // what the person said: allow, deny or nothing yet
}

const (
	// judgeReserveMS is what an answer needs from here to the host, thread and all.
	judgeReserveMS = 150
	// judgeLateMS is how long a model may still answer for the log, once the person was asked.
	judgeLateMS = 10_000
	// judgeFactsMS and judgeTailMS bound the host's lookups, each beside a third of the time left.
	judgeFactsMS = 1_500
	judgeTailMS  = 2_000
	// maxAsks bounds the asks whose answer is waited for.
	maxAsks = 64
)

// setUpJudge reads the judge's settings. What cannot be used is reported; without settings of
// the person's own there is no judge.
func (e *Engine) setUpJudge(p port) []config.Problem {
	c := e.config.Judge
	o, found := judge.Load([]byte(c.Person), []byte(c.Options), c.Trusted)
	var problems []config.Problem
	report := func(field, message string) {
		problems = append(problems, config.Problem{Source: "judge", Field: field, Message: message})
	}
	for _, f := range found {
		report(strings.TrimPrefix(f.Field, "judge."), f.Message)
	}
	if !o.Configured || !e.config.Enabled || e.files == nil || e.init.Host == config.HostPi && !o.Pi {
		return problems
	}
	j := &judging{Judge: judge.Judge{Options: o, Switch: judge.NewSwitch(o), Secrets: e.redact}, asks: map[string]*asked{}}
	if j.endpoint = e.config.JudgeEndpoint(); o.Model != "" && j.endpoint.Transport == config.TransportNone {
		report("model", j.endpoint.Why+". Until then only the fixed rules decide")
	} else if o.Model == "" {
		report("model", "it is not set, so only the fixed rules decide, and the rest is asked; set it to provider/model")
	}
	var ok bool
	if j.log, ok = e.ownPath(o.LogPath, ""); !ok {
		report("log_path", "want an absolute path, or one that begins with ~/; "+judge.DefaultLogPath+" is used")
		j.log, _ = e.ownPath(judge.DefaultLogPath, "")
	}
	if o.PromptFile != "" && strings.TrimSpace(o.Prompt) == "" {
		path, _ := e.ownPath(o.PromptFile, e.config.Path[:strings.LastIndexByte(e.config.Path, '/')+1])
		why := "it is empty"
		for _, f := range p.Need([]string{path}, nil, nil).Files {
			if j.Template = f.Text; f.Failure != "" {
				why = f.Failure
			} else if !f.Exists {
				why = "there is no such file"
			}
		}
		if strings.TrimSpace(j.Template) == "" {
			report("prompt_file", o.PromptFile+": "+why+"; the built-in prompt is used")
		}
	}
	j.restore([]byte(e.init.Kept))
	e.judging = j
	return problems
}

// ownPath makes a path that the person wrote absolute; false when it is relative and there is no folder for it.
func (e *Engine) ownPath(path, folder string) (string, bool) {
	switch {
	case strings.HasPrefix(path, "~/"):
		return e.init.Home + path[1:], true
	case strings.HasPrefix(path, "/") || len(path) > 2 && path[1] == ':':
		return path, true
	}
	return folder + path, folder != ""
}

// permission judges an ask. Whatever happens, one Decision ends it; without one the loader's deadline does.
func (e *Engine) permission(l *live, ev *protocol.Permission) {
	j := e.judging
	if j == nil || j.asks[ev.Call] != nil {
		e.emit(&protocol.Decision{Call: ev.Call, Session: ev.Session, Effect: string(judge.None)})
		return
	}
	a := &asked{call: ev.Call, session: ev.Session, top: l.state.ID}
	j.remember(a)
	action := judge.ReadAction(ev.Action, ev.Resources, []byte(ev.Metadata), e.place())
	if action.Cut = action.Cut || ev.Cut; !action.Cut {
		a.key = action.Key()
	}
	started := e.now
	if ev.Started > 0 {
		started -= max(0, e.wall-ev.Started)
	}
	l.judged++
	task := e.start("judge", l.state.ID, func(t *task) {
		a.task = t
		defer func() {
			l.judged--
			e.tell(a, judge.Ask, "") // a panic: the person is asked
		}()
		out := j.Decide(judge.Request{
			ID: ev.Call, Session: ev.Session, Agent: ev.Agent, Action: action,
			Metadata: string(ev.Metadata), Source: string(ev.Source), Started: started, ReserveMS: judgeReserveMS,
		}, l.judge, &judgePort{port{e, t}, l, ev})
		e.tell(a, out.Effect, out.Message)
		e.drop("judge_" + a.call)
		e.noted(a, l, out)
	})
	if task.next != nil && !a.told {
		// One tick behind the deadline: what comes with it is in time.
		e.after("judge_"+a.call, started+j.Options.TimeoutMS-judgeReserveMS-e.now+1, func() {
			e.tell(a, judge.Ask, j.Options.TimedOut())
		})
	}
}

// remember keeps an ask, and forgets the oldest of too many.
func (j *judging) remember(a *asked) {
	j.asks[a.call] = a
	j.order = append(j.order, a.call)
	for len(j.order) > maxAsks {
		delete(j.asks, j.order[0])
		j.order = j.order[1:]
	}
}

// place is the part of the disk that a session may change.
func (e *Engine) place() judge.Place {
	roots := []string{e.init.Root}
	if d := e.init.Directory; d != "" && d != e.init.Root && !strings.HasPrefix(d, e.init.Root+"/") {
		roots = append(roots, d) // the same folder by way of a link
	}
	return judge.Place{Roots: roots, Cwd: e.init.Directory, Home: e.init.Home, Real: e.real, Files: e.host}
}

// real resolves the symlinks of a path, as much of it as exists. False: it leads out of the workspace,
// or lies outside of it, where the guest cannot look.
func (e *Engine) real(path string) (string, bool) {
	rest := ""
	for {
		real, errno := e.host.Real(path)
		if errno == protocol.OK {
			return real + rest, true
		}
		at := strings.LastIndexByte(path, '/')
		if errno != protocol.ErrnoNotFound || at <= 0 {
			return "", false
		}
		// A link that leads nowhere yet is found as a link.
		if info, errno := e.host.Stat(path); errno == protocol.OK && info.Kind == protocol.KindSymlink {
			return "", false
		}
		path, rest = path[:at], path[at:]+rest
	}
}

// tell answers the host, once.
func (e *Engine) tell(a *asked, effect judge.Decision, message string) {
	if a.told {
		return
	}
	a.told = true
	e.emit(&protocol.Decision{Call: a.call, Session: a.session, Effect: string(effect), Message: e.forPeople(message)})
}

// noted writes a judged ask into the log, and keeps it when the person has a word to say.
func (e *Engine) noted(a *asked, l *live, out judge.Outcome) {
	j := e.judging
	if out.Entry == nil {
		delete(j.asks, a.call)
		return
	}
	l.dirty = true
	a.entry = out.Entry
	a.entry.TS = e.wall
	e.appendLog(a.entry.AppendLine(nil))
	e.journal(l, protocol.JournalLine{Kind: "judge", Outcome: string(a.entry.Decision)})
	switch {
	case a.person != "": // who was faster than any decision
		e.agreed(l, a)
	case out.Effect == judge.Allow || out.Effect == judge.Deny:
		delete(j.asks, a.call)
	default:
		e.keep()
	}
}

func (e *Engine) appendLog(line []byte) {
	e.emit(&protocol.Append{Log: "judge", Line: strings.TrimSuffix(string(line), "\n")})
}

// agreed logs what the person said to an ask.
func (e *Engine) agreed(l *live, a *asked) {
	delete(e.judging.asks, a.call)
	allowed := a.person == string(judge.Allow)
	e.appendLog(a.entry.AppendAgreed(nil, e.wall, allowed))
	if agreed, known := a.entry.Agreed(allowed); known {
		outcome := "disagreed"
		if agreed {
			outcome = "agreed"
		}
		e.journal(l, protocol.JournalLine{Kind: "answer", Outcome: outcome})
	}
	e.keep()
}

// keep hands what is of the process to the guests to come: the switch, and the asks that the person is looking at.
func (e *Engine) keep() {
	j := e.judging
	b := strconv.AppendBool([]byte(`{"judge":`), j.Switch.On())
	b = append(b, `,"asks":[`...)
	first := true
	for _, call := range j.order {
		a := j.asks[call]
		if a == nil || a.entry == nil {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		for i, s := range []string{a.call, a.session, a.top, a.key, string(a.entry.Decision)} {
			b = protocol.AppendString(append(b, "[,,,,"[i]), s)
		}
		b = append(b, ']')
	}
	e.emit(&protocol.Keep{State: protocol.JSON(append(b, "]}"...))})
}

// restore takes what an earlier guest of this process gave to keep.
func (j *judging) restore(kept []byte) {
	if on, err := jsonparser.GetBoolean(kept, "judge"); err == nil {
		j.Switch.Set(on)
	}
	jsonparser.ArrayEach(kept, func(item []byte, _ jsonparser.ValueType, _ int, _ error) {
		var f []string
		jsonparser.ArrayEach(item, func(raw []byte, _ jsonparser.ValueType, _ int, _ error) {
			s, _ := jsonparser.ParseString(raw)
			f = append(f, s)
		})
		if len(f) == 5 {
			j.remember(&asked{call: f[0], session: f[1], top: f[2], key: f[3], told: true,
				entry: &judge.Entry{ID: f[0], Session: f[1], Decision: judge.Decision(f[4])}})
		}
	}, "asks")
}

// topOf is the session that the person talks to who answered an ask; empty when nobody waits for the answer.
func (e *Engine) topOf(ev *protocol.Decided) string {
	if e.judging == nil || e.judging.asks[ev.Call] == nil {
		return ""
	}
	return e.judging.asks[ev.Call].top
}

// decided takes the person's answer: to an ask that was left to them, or to one that is still being judged,
// where the person is first and the judging ends.
func (e *Engine) decided(l *live, ev *protocol.Decided) {
	a := e.judging.asks[ev.Call]
	if a == nil || a.person != "" {
		return
	}
	a.person = string(judge.Deny)
	if ev.Allowed {
		a.person = string(judge.Allow)
		if a.key != "" && e.judging.Options.Mode != judge.ModeShadow {
			l.judge.ApproveKey(a.key)
			l.dirty = true
		}
	}
	if a.entry != nil {
		e.agreed(l, a)
	} else if !a.told {
		e.tell(a, judge.Ask, "")
		e.drop("judge_" + a.call)
		e.cancel(a.task)
	}
}

// takeBack is for an ask for which the host no longer waits. What the model still says is for the log.
func (e *Engine) takeBack(call string) {
	if e.judging == nil || e.judging.asks[call] == nil {
		return
	}
	e.judging.asks[call].told = true
}

// approval answers /ai-approval.
func (e *Engine) approval(l *live, c *protocol.Command) {
	j := e.judging
	if j == nil {
		text := (&judge.Judge{}).Status(nil)
		switch {
		case !e.config.Enabled:
			text = "AI approval is off with the advisor. /advisor on switches the advisor on."
		case e.init.Host == config.HostPi && len(e.config.Judge.Person) > 0:
			text = "AI approval is not set up for pi: set judge.pi to true in advisor.json, beside judge.model."
		}
		e.reply(l, c, text, false)
		return
	}
	text := j.Run(c.Text, l.judge)
	l.dirty = true
	e.keep()
	e.reply(l, c, text, false)
}
