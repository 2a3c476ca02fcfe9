package engine

import (
	"github.com/Kayphoon/opencode-advisor/pkg/bench"
	"github.com/Kayphoon/opencode-advisor/pkg/cli"
	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/llm"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/redact"
	"github.com/Kayphoon/opencode-advisor/pkg/rules"
	"github.com/Kayphoon/opencode-advisor/pkg/safefs"
	"github.com/Kayphoon/opencode-advisor/pkg/session"
	"github.com/Kayphoon/opencode-advisor/pkg/show"
)

// cli runs a command of the program superadvisor. Nothing else happens in its guest: no session, no review.
func (e *Engine) cli(c *protocol.CLI) {
	if e.init == nil || e.init.Host != config.HostCLI {
		e.log("warn", "a command line came from a loader that has none, ignored")
		return
	}
	e.start("cli", "", func(t *task) {
		code := cli.Run(desk{port{e, t}, e.host}, *e.init, *c)
		e.emit(&protocol.Exit{Code: code})
	})
}

// desk is the outside as a command sees it.
type desk struct {
	port
	protocol.Files
}

// deskMS bounds a wait for the loader's own disk.
const deskMS = 10_000

func (d desk) Print(text string)    { d.e.emit(&protocol.Print{Text: text}) }
func (d desk) Complain(text string) { d.e.emit(&protocol.Print{Text: text, Error: true}) }

func (d desk) Write(w protocol.WriteFile) string {
	w.ID = d.e.id("f")
	d.e.emit(&w)
	return d.saved(w.ID)
}

func (d desk) Save(session string, state protocol.JSON) string {
	id := d.e.id("s")
	d.e.emit(&protocol.Save{Session: session, State: state, ID: id})
	return d.saved(id)
}

func (d desk) Leave(session string, w protocol.Wish) string {
	id := d.e.id("w")
	d.e.emit(&protocol.Heed{ID: id, Session: session, Line: string(protocol.AppendWish(nil, w))})
	if h, ok := d.e.waitFor(d.t, id, deskMS, nil).(*protocol.Heard); ok {
		return h.Failure
	}
	return "the loader did not answer"
}

func (d desk) Forget(session string) {
	d.e.emit(&protocol.Forget{Session: session})
	d.flush()
}

// flush waits until what was asked for has been done: effects are performed when a call is over.
func (d desk) flush() { d.e.sleep(d.t, 0) }

// probeMS is above what the loader gives a host to tell its version.
const probeMS = 40_000

// Health is what a process of the host would say of a session, with the configuration and in the work tree given. A
// command's engine has no settings of its own before.
func (d desk) Health(st *session.State, r *config.Resolved, problems []config.Problem, root string) show.Health {
	e := d.e
	e.config, e.problems, e.redact = r, problems, redact.New(r.Secrets()...)
	e.init.Root = root
	if st.Directory != "" {
		e.init.Directory = st.Directory
	}
	files, err := safefs.New(e.host, root)
	if err != nil {
		e.problems = append(e.problems, config.Problem{Source: root, Message: "the workspace cannot be opened: " + err.Error(), Mend: "its rules are not shown"})
	}
	e.files, e.watching = files, r.Enabled && err == nil
	for from := int64(-1); from < e.today().From; { // a long ledger comes in parts
		from = e.today().From
		e.waitFor(d.t, e.tally(""), deskMS, nil)
	}
	var set rules.Set
	if e.watching {
		set = e.rules(d.port, st.Log.Touched())
	}
	l := e.blank(st.ID)
	l.state = st
	h := e.health(l, set)
	if !e.today().Known {
		h.Day = nil
	}
	return h
}

func (d desk) Probe(programs []protocol.Fact) []protocol.Fact {
	id := d.e.id("p")
	d.e.emit(&protocol.Probe{ID: id, Programs: programs})
	if p, ok := d.e.waitFor(d.t, id, probeMS, nil).(*protocol.Probed); ok {
		return p.Facts
	}
	return nil
}

// triedMS is above the time of a whole trial, with what the loader needs to prepare it and to clear away.
const triedMS = 90_000

func (d desk) Begin(trial protocol.Trial) protocol.Tried {
	trial.ID = d.e.id("b")
	d.e.emit(&trial)
	return d.tried(trial.ID)
}

func (d desk) Next(answer protocol.TrialAnswer) protocol.Tried {
	d.e.emit(&answer)
	return d.tried(answer.ID)
}

func (d desk) tried(id string) protocol.Tried {
	if t, ok := d.e.waitFor(d.t, id, triedMS, nil).(*protocol.Tried); ok {
		return *t
	}
	return protocol.Tried{ID: id, Ended: true, Failure: "the loader did not answer"}
}

func (d desk) Open(origins []string) {
	d.e.emit(&protocol.Ready{Version: d.e.init.Version, Origins: origins})
	d.flush()
}

func (d desk) Ask(ep config.Endpoint, req llm.Request, timeoutMS int64) (llm.Reply, error) {
	return llm.Call(d.port, endpoint(ep), req, llm.Budget{Deadline: d.e.now + timeoutMS})
}

func (d desk) saved(id string) string {
	if s, ok := d.e.waitFor(d.t, id, deskMS, nil).(*protocol.Saved); ok {
		return s.Failure
	}
	return "the loader did not answer"
}

func (d desk) Load(session string) protocol.Loaded {
	d.e.emit(&protocol.Load{Session: session})
	if l, ok := d.e.waitFor(d.t, loadKey(session), deskMS, nil).(*protocol.Loaded); ok {
		return *l
	}
	return protocol.Loaded{Session: session, Failure: "the loader did not answer"}
}

func loadKey(session string) string { return "load_" + session }

func (d desk) Core(out bench.Outside) bench.Core { return New(out) }

func (d desk) Replay(recording string) (said string, same bool, failure string) {
	done, err := Replay(recording)
	if err != nil {
		return "", false, err.Error()
	}
	return done.String(), done.Different == "", ""
}
