package engine

import (
	"github.com/Kayphoon/opencode-advisor/pkg/cli"
	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
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
