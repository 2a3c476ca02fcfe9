package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/llm"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/safefs"
	"github.com/Kayphoon/opencode-advisor/pkg/tools"
	"github.com/Kayphoon/opencode-advisor/pkg/utc"
)

// The states of a check.
const (
	fine    = "ok"
	warning = "warning"
	failure = "failure"
)

// doctor is the command under way.
type doctor struct {
	*call
	failed bool
	proved bool // a real host has shown a note in a trial
	json   []byte
	hosts  []host // that are on this machine
}

// host is one that can be tried.
type host struct{ name, program, version string }

// told gives the result of one check, and what mends it.
func (d *doctor) told(state, name, text, mend string) {
	d.failed = d.failed || state == failure
	if d.has("json") {
		b := d.json
		for i, s := range []string{state, name, text, mend} {
			b = protocol.AppendString(append(b, [...]string{`,{"state":`, `,"check":`, `,"text":`, `,"mend":`}[i]...), s)
		}
		d.json = append(b, '}')
		return
	}
	sgr := map[string]string{fine: green, warning: yellow, failure: red}[state]
	const left = 9
	d.say(d.paint(sgr, state) + d.folded(strings.Repeat(" ", left)+name+": "+text, left)[len(state):])
	if mend != "" {
		d.say(d.folded(strings.Repeat(" ", left)+"mend: "+mend, left))
	}
}

func (d *doctor) passed(name, text string) { d.told(fine, name, text, "") }

func examine(c *call) int {
	d := &doctor{call: c}
	place := d.surroundings()
	resolved := d.settings()
	d.models(resolved)
	d.folder()
	d.stateFolder()
	if said, failed := c.Rehearse(); failed {
		d.told(failure, "rehearsal", said, "this is a fault of the advisor: please report it with this line")
	} else {
		d.passed("rehearsal", said)
	}
	for _, h := range d.hosts {
		d.try(h, place)
	}
	d.seen()
	if c.has("json") {
		d.say("[" + strings.TrimPrefix(string(d.json), ",") + "]")
	}
	if d.failed {
		return Failed
	}
	return OK
}

// surroundings are the program itself, its module, and the hosts. It gives the package's folder.
func (d *doctor) surroundings() (place string) {
	programs := []protocol.Fact{{Name: "opencode"}, {Name: "pi"}}
	for i, p := range programs {
		programs[i].Value = d.started(p.Name)
	}
	facts := map[string]protocol.Fact{}
	for _, f := range d.Probe(programs) {
		facts[f.Name] = f
	}
	d.passed("program", d.init.Version+" with "+facts["runtime"].Value+" on "+facts["system"].Value+", in "+facts["place"].Value)
	d.module(facts["module"])
	missing := true
	for _, p := range programs {
		f := facts[p.Name]
		switch {
		case f.Value != "":
			d.passed(p.Name, f.Value)
			d.hosts = append(d.hosts, host{p.Name, p.Value, f.Value})
		case f.Failure != "":
			d.told(warning, p.Name, "it does not tell its version: "+f.Failure, "run "+p.Value+" --version and see why")
		case d.has(p.Name):
			d.told(failure, p.Name, "there is no "+p.Value, "give --"+p.Name+" the program's path")
			continue
		default:
			continue
		}
		missing = false
		d.listed(p.Name)
	}
	if missing {
		d.told(warning, "host", "neither opencode nor pi is on the PATH", "install one of them, or mend the PATH, or give --opencode or --pi the program's path")
	}
	return folder(config.Slashed(facts["place"].Value))
}

// started is what starts a host: what the person named, or its name.
func (d *doctor) started(name string) string {
	path, ok := d.values[name]
	switch {
	case !ok:
		return name
	case strings.HasPrefix(path, "/"), strings.Contains(path, ":"), !strings.Contains(path, "/"):
		return path
	}
	return clean(d.init.Directory + "/" + path)
}

// listed tells whether a host's configuration names the plugin.
func (d *doctor) listed(host string) {
	option := "" // with which superadvisor install is told of it
	if host == "pi" {
		option = " --pi"
	}
	var seen []string
	for _, project := range []bool{false, true} {
		c := *d.call
		c.values = map[string]string{}
		if host == "pi" {
			c.values["pi"] = ""
		}
		if project {
			c.values["project"] = ""
		}
		t, why := c.target()
		switch {
		case why != "":
			d.told(failure, host+" plugin", why, "")
			return
		case len(t.ours) > 0:
			d.passed(host+" plugin", strconv.Quote(t.specs[t.ours[0]])+" in "+t.path)
			return
		case !t.fresh:
			seen = append(seen, t.path)
		}
	}
	text := "it has no configuration yet that could list " + packageName
	if len(seen) > 0 {
		text = packageName + " is not listed in " + strings.Join(seen, " or ")
	}
	d.told(warning, host+" plugin", text, program+" install"+option)
}

// module compares what the module's file imports with what it may.
func (d *doctor) module(f protocol.Fact) {
	lines := strings.Split(f.Value, "\n")
	if f.Failure != "" || len(lines) < 3 {
		d.told(failure, "module", "its file cannot be read: "+f.Failure, "reinstall "+packageName)
		return
	}
	var odd []string
	for _, name := range lines[2:] {
		if !slices.Contains(Imports(), name) {
			odd = append(odd, name)
		}
	}
	text := lines[0] + " bytes, SHA-256 " + lines[1] + ", " + strconv.Itoa(len(lines)-2) + " imports"
	if len(odd) > 0 {
		d.told(failure, "module", text+", and it must not have "+strings.Join(odd, ", "), "do not use it: reinstall "+packageName+" from where you trust it")
		return
	}
	d.passed("module", text+", each of them on the list: it reads files, asks the configured endpoints, and nothing else")
}

// Imports is what the module may ask of its host, as module.name.
func Imports() (list []string) {
	for _, name := range []string{protocol.ImportHTTPSend, protocol.ImportHTTPCancel, protocol.ImportFSStat, protocol.ImportFSRead,
		protocol.ImportFSList, protocol.ImportFSReal, protocol.ImportEmit, protocol.ImportInterrupted} {
		list = append(list, protocol.ImportModule+"."+name)
	}
	for name := range strings.FieldsSeq("args_get args_sizes_get clock_time_get environ_get environ_sizes_get fd_write poll_oneoff proc_exit random_get") {
		list = append(list, "wasi_snapshot_preview1."+name)
	}
	return list
}

// settings tells the configuration field by field, with where each came from.
func (d *doctor) settings() *config.Resolved {
	r, problems := d.configured(anyHost, "")
	unset := 0
	var set []string
	for _, f := range config.Fields() {
		value, from := f.Value(&r.Config), r.From[f.Key]
		if from == config.SourceDefault && !d.has("all") {
			unset++
			continue
		}
		set = append(set, f.Key+" = "+value+" ("+from+")")
	}
	text := r.Path
	if _, e := d.Stat(r.Path); e == protocol.ErrnoNotFound {
		text += " (there is none)"
	}
	if len(set) > 0 {
		text += ": " + strings.Join(set, "; ")
	}
	if unset > 0 {
		text += "; " + strconv.Itoa(unset) + " settings at their defaults (--all lists them)"
	}
	d.passed("settings", text)
	for _, p := range problems {
		d.told(warning, "settings", p.String(), "")
	}
	if !r.Enabled {
		d.told(warning, "settings", "the advisor is switched off", "/advisor on, or enabled: true in "+r.Path)
	}
	return r
}

// askMS bounds the one request to a model.
const askMS = 30_000

// models asks each model once, with a tool that it has to call.
func (d *doctor) models(r *config.Resolved) {
	d.Open(r.Origins())
	asked := map[string]string{} // how it went
	for _, role := range []struct {
		name string
		ep   config.Endpoint
		need bool // nothing works without it
	}{{"watchdog", r.Watchdog, true}, {"consult", r.Consult, false}, {"verify", r.Verify, false}} {
		ep := role.ep
		if role.name == "verify" && r.Config.Verify == config.VerifyOff || role.name == "consult" && !r.Config.Consult.Enabled {
			continue
		}
		name := ep.Provider + "/" + ep.Model
		switch {
		case ep.Transport == config.TransportNone:
			state := warning
			if role.need && r.Enabled {
				state = failure
			}
			d.told(state, role.name, ep.Why, "")
		case ep.Transport == config.TransportHost:
			why := "neither your files nor the environment name an endpoint"
			if ep.Provider != "" {
				why = name + ": " + ep.Why
			}
			d.told(warning, role.name, "the host makes the calls, and they cannot be tried from here ("+why+")", "play a turn in the host, then "+program+" status")
		case asked[ep.BaseURL+name] != "":
			d.told(asked[ep.BaseURL+name], role.name, name+", as above", "")
		case d.has("offline"):
			d.passed(role.name, name+" at "+ep.BaseURL+", from "+string(ep.From)+"; not asked")
		default:
			asked[ep.BaseURL+name] = d.ask(role.name, ep)
		}
	}
}

func (d *doctor) ask(role string, ep config.Endpoint) (state string) {
	text := ep.Provider + "/" + ep.Model + " at " + ep.BaseURL + ", from " + string(ep.From) + ": "
	d.progress("asking " + ep.Provider + "/" + ep.Model)
	began := d.Now()
	reply, err := d.Ask(ep, llm.Request{
		Messages:  []llm.Message{{Role: llm.User, Text: "This is a test of the connection. Call the tool read with the path README.md, and say nothing."}},
		Tools:     []llm.Tool{{Name: tools.Read.Name, Description: "Read a file.", Schema: []byte(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)}},
		MaxTokens: 1_000,
	}, askMS)
	took := strconv.FormatInt(d.Now()-began, 10) + " ms"
	mend := ""
	switch {
	case err != nil:
		state, text = failure, text+err.Error()
	case len(reply.ToolCalls) == 0 || reply.ToolCalls[0].Name != tools.Read.Name:
		state, text = warning, text+"it answered in "+took+" and did not call the tool that it was asked to call"
		mend = "choose a model that calls tools: a reviewer that reads nothing proves nothing"
	default:
		state, text = fine, text+"it answered in "+took+" and called a tool"
	}
	d.told(state, role, text, mend)
	return state
}

// folder tries the reviewer's tools on the workspace.
func (d *doctor) folder() {
	root := d.workspace()
	files, err := safefs.New(d, root)
	if err != nil {
		d.told(failure, "tools", "the workspace "+root+" cannot be opened: "+err.Error(), "")
		return
	}
	box := tools.NewToolbox(&tools.Env{Files: files}, tools.Names(), false)
	said := box.Call("glob", []byte(`{"pattern":"*"}`))
	if said.Error {
		d.told(failure, "tools", "glob in "+root+": "+said.Text, "")
		return
	}
	text := "glob and grep"
	if found := box.Call("grep", []byte(`{"pattern":"[a-z]"}`)); found.Error {
		d.told(failure, "tools", "grep in "+root+": "+found.Text, "")
		return
	}
	for name := range strings.Lines(said.Text) {
		name = strings.TrimSpace(name)
		if name == "" || strings.HasSuffix(name, "/") {
			continue
		}
		if read := box.Call("read", append(protocol.AppendString([]byte(`{"path":`), name), '}')); !read.Error {
			text = "read (" + name + "), grep and glob"
			break
		}
	}
	d.passed("tools", text+" work in "+root)
}

// probeSession is a session that no host has.
const probeSession = "superadvisor doctor"

// stateFolder stores a session as the plugin does, and takes it away again.
func (d *doctor) stateFolder() {
	d.Load(probeSession)
	why := d.Save(probeSession, "{}")
	d.Forget(probeSession)
	if why != "" {
		d.told(failure, "state", d.in.State+" cannot be written: "+why+"; the advisor then forgets with each restart, and wakes nobody", "make it writable, or point XDG_STATE_HOME to a folder that is")
		return
	}
	d.passed("state", d.in.State+" can be written")
}

// seen looks for what real hosts have shown.
func (d *doctor) seen() {
	list, _ := d.slots()
	for _, at := range list {
		s, ok := d.open(at)
		if !ok {
			continue
		}
		st, why := s.restore()
		if why != "" {
			continue
		}
		for _, one := range slices.Backward(st.Deliveries) {
			if one.State == "seen" {
				d.passed("delivery", st.Host+" showed a note in session "+s.id+", last used "+utc.Format(s.used()))
				return
			}
		}
	}
	if d.proved {
		d.passed("delivery", "no session of yours has had a note yet")
		return
	}
	d.told(warning, "delivery", "no host has shown a note on this machine yet", "play a turn in the host; "+program+" status tells what became of it")
}
