package cli

import (
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/bench"
	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/llm"
	"github.com/Kayphoon/opencode-advisor/pkg/memfs"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/session"
	"github.com/Kayphoon/opencode-advisor/pkg/show"
	"github.com/Kayphoon/opencode-advisor/pkg/transcript"
)

const (
	stateDir = "/home/ada/.local/state/opencode-superadvisor"
	project  = "/home/ada/project"
	// packageDir is where the package is installed.
	packageDir = "/usr/lib/node_modules/opencode-superadvisor"
)

// desk is an outside in memory.
type desk struct {
	*memfs.FS
	out, err strings.Builder
	env      map[string]string
	facts    []protocol.Fact
	broken   string   // why no file can be written
	writes   []string // paths, in order
	origins  []string
	asked    []string
	reply    llm.Reply
	refusal  error
	sent     []llm.HTTPRequest
	response llm.HTTPResponse
	watched  bool     // the standard error is a terminal
	ill      bool     // the rehearsal fails
	sleeps   []func() // what happens while the command waits; then it is interrupted
	slept    int64    // milliseconds
	trials   []protocol.Trial
	probed   []protocol.Fact                           // the programs whose versions were wanted
	play     func(protocol.TrialAnswer) protocol.Tried // the host of a trial; at first with no answer
}

func fresh(t *testing.T) *desk {
	t.Helper()
	d := &desk{FS: memfs.New("/"), env: map[string]string{}}
	d.Mkdir(project)
	return d
}

func (d *desk) Need(files, env, providers []string) (p protocol.Provided) {
	for _, name := range files {
		f := protocol.File{Path: name}
		if text, ok := d.text(name); ok {
			f.Text, f.Exists = text, true
		}
		p.Files = append(p.Files, f)
	}
	for _, name := range env {
		value, ok := d.env[name]
		p.Env = append(p.Env, protocol.Variable{Name: name, Value: value, Set: ok})
	}
	for _, id := range providers {
		p.Providers = append(p.Providers, protocol.Provider{ID: id})
	}
	return p
}

func (d *desk) text(name string) (string, bool) {
	b, failure := readFile(d, name, 1<<30)
	return string(b), failure == ""
}

func (d *desk) Print(text string)    { d.out.WriteString(text) }
func (d *desk) Complain(text string) { d.err.WriteString(text) }
func (d *desk) Now() int64           { return 1_800_000_000_000 + d.slept }

func (d *desk) Write(w protocol.WriteFile) string {
	if d.broken != "" {
		return d.broken
	}
	was, exists := d.text(w.Path)
	if exists == w.New || was != w.Expect {
		return "changed"
	}
	if w.Backup != "" {
		if _, there := d.text(w.Backup); there {
			return "the backup exists"
		}
		d.FS.Write(w.Backup, was)
	}
	d.FS.Write(w.Path, w.Text)
	d.writes = append(d.writes, w.Path)
	return ""
}

func (d *desk) slot(id string) string { return stateDir + "/sessions/" + id + ".json" }

func (d *desk) Load(id string) protocol.Loaded {
	text, _ := d.text(d.slot(id))
	return protocol.Loaded{Session: id, State: protocol.JSON(text), Reviewer: true}
}

func (d *desk) Save(id string, state protocol.JSON) string {
	if d.broken != "" {
		return d.broken
	}
	d.FS.Write(d.slot(id), string(state))
	return ""
}

func (d *desk) wishes(id string) string { return stateDir + "/wishes/" + id + ".jsonl" }

func (d *desk) Leave(id string, w protocol.Wish) string {
	if d.broken != "" {
		return d.broken
	}
	was, _ := d.text(d.wishes(id))
	d.FS.Write(d.wishes(id), was+"\n"+string(protocol.AppendWish(nil, w))+"\n")
	return ""
}

func (d *desk) Forget(id string)      { d.Remove(d.slot(id)) }
func (d *desk) Open(origins []string) { d.origins = origins }

func (d *desk) Probe(programs []protocol.Fact) []protocol.Fact {
	d.probed = programs
	return d.facts
}

func (d *desk) Begin(trial protocol.Trial) protocol.Tried {
	d.trials = append(d.trials, trial)
	return d.Next(protocol.TrialAnswer{ID: "b_1"})
}

func (d *desk) Next(a protocol.TrialAnswer) protocol.Tried {
	said := d.play(a)
	said.ID = "b_1"
	return said
}

func (d *desk) Health(_ *session.State, r *config.Resolved, problems []config.Problem, root string) show.Health {
	return show.Health{Config: r, Problems: problems, Now: d.Now(), Rules: []string{root}}
}

func (d *desk) Ask(ep config.Endpoint, _ llm.Request, _ int64) (llm.Reply, error) {
	d.asked = append(d.asked, ep.Provider+"/"+ep.Model)
	return d.reply, d.refusal
}

func (d *desk) Replay(text string) (string, bool, string) {
	switch text {
	case "same\n":
		return "the same", true, ""
	case "other\n":
		return "not the same", false, ""
	}
	return "", false, "no recording"
}

// quiet is a core that has nothing to say, but asks its model once for each turn that ends.
type quiet struct{ out bench.Outside }

func (q quiet) Take(_ int64, events []protocol.Event) []protocol.Effect {
	for _, ev := range events {
		if _, ended := ev.(*protocol.TurnEnd); ended {
			q.out.Send(protocol.HTTPSend{ID: "h", Method: "POST", URL: "https://ai.example/v1/chat/completions", Body: `{"messages":[]}`})
		}
	}
	return nil
}

func (d *desk) Core(out bench.Outside) bench.Core { return quiet{out} }

func (d *desk) RoundTrip(r llm.HTTPRequest) llm.HTTPResponse {
	d.sent = append(d.sent, r)
	return d.response
}

func (d *desk) Rehearse() (string, bool) { return "the rehearsal", d.ill }

func (d *desk) Sleep(ms int64) bool {
	d.slept += ms
	if len(d.sleeps) == 0 {
		return false
	}
	d.sleeps[0]()
	d.sleeps = d.sleeps[1:]
	return true
}

// run runs a command line in the project and gives what came of it.
func (d *desk) run(words ...string) (out, err string, code int) {
	d.out.Reset()
	d.err.Reset()
	init := protocol.Init{Host: "cli", Version: "1.2.3", Directory: project, Root: "/", Home: "/home/ada", ConfigHome: "/home/ada/.config", DataHome: "/home/ada/.local/share"}
	code = Run(d, init, protocol.CLI{Args: words, State: stateDir, Package: packageDir, Watched: d.watched})
	return d.out.String(), d.err.String(), code
}

// store puts a session into the state folder; each is used later than the one before.
func (d *desk) store(id, directory string, notes ...protocol.StoredNote) {
	s := session.New(id, transcript.New(transcript.Options{}))
	s.Directory, s.Host = directory, "opencode-v1"
	for _, n := range notes {
		s.Record(n)
	}
	s.Counts.Add(session.CountStarted, int64(len(notes)))
	d.FS.Write(d.slot(id), string(s.Append(nil)))
}

var blocker = protocol.StoredNote{
	Note: protocol.Note{ID: "n_0123456789ab", Severity: protocol.Blocker, Claimed: protocol.Blocker, Text: "currentUser crashes for an unknown token.",
		Citations: []protocol.Citation{{Kind: protocol.CiteQuote, Path: "src/db.ts", Line: 25, Quote: "return null", Status: protocol.CiteVerified}}},
	Fate: "delivered", Woke: true, Tools: []string{"read src/db.ts"}, Wake: "granted",
}

var nit = protocol.StoredNote{Note: protocol.Note{ID: "n_aaaaaaaaaaaa", Severity: protocol.Nit, Text: "Call it name."}, Fate: "duplicate"}
