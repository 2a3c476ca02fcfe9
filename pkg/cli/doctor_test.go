package cli

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/pkg/llm"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/session"
	"github.com/Kayphoon/opencode-advisor/pkg/transcript"
)

const settings = `{"watchdogModel": "deepseek/deepseek-flash", "provider": {"baseURL": "https://models.example/v1", "apiKey": "sk-secret-0123456789"}}`

// healthy is a machine on which all is well.
func healthy(t *testing.T) *desk {
	d := fresh(t)
	d.facts = []protocol.Fact{
		{Name: "runtime", Value: "node 20.1.0"}, {Name: "system", Value: "linux x64"}, {Name: "place", Value: "/opt/advisor/dist"},
		{Name: "module", Value: "5000000\nabc\n" + strings.Join(Imports(), "\n")}, {Name: "opencode", Value: "1.18.33"}, {Name: "pi"},
	}
	d.play = (&actor{advised: true, heard: true}).play
	d.FS.Write(global+"advisor.json", settings)
	d.FS.Write(global+"opencode.jsonc", `{"plugin": ["opencode-superadvisor"]}`)
	d.FS.Write(project+"/README.md", "# hello\n")
	d.reply = llm.Reply{ToolCalls: []llm.ToolCall{{ID: "c", Name: "read", Args: []byte(`{"path":"README.md"}`)}}}
	s := session.New("ses_1", transcript.New(transcript.Options{}))
	s.Host = "opencode-v1"
	s.Delivered(session.Delivery{ID: "msg_1", State: "seen"})
	d.FS.Write(d.slot("ses_1"), string(s.Append(nil)))
	return d
}

type check struct{ State, Check, Text, Mend string }

func (d *desk) checks(t *testing.T, words ...string) (map[string]check, int) {
	t.Helper()
	out, err, code := d.run(append([]string{"doctor", "--json"}, words...)...)
	var list []check
	if e := json.Unmarshal([]byte(out), &list); e != nil || err != "" {
		t.Fatalf("%v: %s%s", e, out, err)
	}
	by := map[string]check{}
	for _, c := range list {
		if had, ok := by[c.Check]; !ok || had.State == "ok" {
			by[c.Check] = c
		}
	}
	return by, code
}

func TestDoctorWhereAllIsWell(t *testing.T) {
	d := healthy(t)
	out, err, code := d.run("doctor")
	want := `ok       program: 1.2.3 with node 20.1.0 on linux x64, in /opt/advisor/dist
ok       module: 5000000 bytes, SHA-256 abc, 17 imports, each of them on the list: it reads files, asks the configured endpoints, and nothing else
ok       opencode: 1.18.33
ok       opencode plugin: "opencode-superadvisor" in /home/ada/.config/opencode/opencode.jsonc
ok       settings: /home/ada/.config/opencode/advisor.json: watchdogModel = deepseek/deepseek-flash (advisor.json); provider.baseURL = https://models.example/v1 (advisor.json); provider.apiKey = (set) (advisor.json); N settings at their defaults (--all lists them)
ok       watchdog: deepseek/deepseek-flash at https://models.example/v1, from advisor.json: it answered in 0 ms and called a tool
ok       consult: deepseek/deepseek-flash, as above
ok       tools: read (README.md), grep and glob work in /home/ada/project
ok       state: /home/ada/.local/state/opencode-superadvisor can be written
ok       rehearsal: the rehearsal
ok       opencode trial: in a turn of the real program, with scripted models and in a folder of its own, a note was delivered and seen by the agent; 0.0 s
ok       delivery: opencode-v1 showed a note in session ses_1, last used 1970-01-01T00:00:00.000Z
`
	at := strings.Index(out, " settings at their")
	out = out[:strings.LastIndexByte(out[:at], ' ')+1] + "N" + out[at:]
	if code != OK || err != "" {
		t.Errorf("code %d, %s", code, err)
	}
	if d := cmp.Diff(want, out); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"https://models.example:443"}, d.origins); d != "" {
		t.Error("the origins: ", d)
	}
	if _, left := d.text(d.slot(probeSession)); left {
		t.Error("what was stored to try is still there")
	}
}

func TestDoctorFindsWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		name    string
		prepare func(d *desk)
		check   string
		want    check
		code    int
	}{
		{"a module that can do more", func(d *desk) { d.facts[3].Value += "\nsuperadvisor.exec" }, "module",
			check{State: "failure", Text: "5000000 bytes, SHA-256 abc, 18 imports, and it must not have superadvisor.exec", Mend: "do not use it: reinstall opencode-superadvisor from where you trust it"}, Failed},
		{"no module", func(d *desk) { d.facts[3] = protocol.Fact{Name: "module", Failure: "ENOENT"} }, "module",
			check{State: "failure", Text: "its file cannot be read: ENOENT", Mend: "reinstall opencode-superadvisor"}, Failed},
		{"no host", func(d *desk) { d.facts[4].Value = "" }, "host",
			check{State: "warning", Text: "neither opencode nor pi is on the PATH", Mend: "install one of them, or mend the PATH, or give --opencode or --pi the program's path"}, OK},
		{"a host that hangs", func(d *desk) { d.facts[4] = protocol.Fact{Name: "opencode", Failure: "no answer within 30 s"} }, "opencode",
			check{State: "warning", Text: "it does not tell its version: no answer within 30 s", Mend: "run opencode --version and see why"}, OK},
		{"not installed", func(d *desk) { d.FS.Write(global+"opencode.jsonc", "{}") }, "opencode plugin",
			check{State: "warning", Text: "opencode-superadvisor is not listed in " + global + "opencode.jsonc", Mend: "superadvisor install"}, OK},
		{"pi without it", func(d *desk) { d.facts[5].Value = "0.73.1" }, "pi plugin",
			check{State: "warning", Text: "it has no configuration yet that could list opencode-superadvisor", Mend: "superadvisor install --pi"}, OK},
		{"a broken configuration", func(d *desk) { d.FS.Write(global+"opencode.jsonc", "{") }, "opencode plugin",
			check{State: "failure", Text: "mend " + global + "opencode.jsonc first: line 1, column 2: want \"}\" before the end"}, Failed},
		{"a setting out of range", func(d *desk) {
			d.FS.Write(global+"advisor.json", strings.Replace(settings, "{", `{"timeoutMs": 5, `, 1))
		}, "settings", check{State: "warning", Text: "advisor.json: timeoutMs: want a whole number from 1000 to 600000, got 5; it is not used"}, OK},
		{"no model", func(d *desk) {
			d.FS.Write(global+"advisor.json", `{"transport": "http", "watchdogModel": "nowhere/x"}`)
		}, "watchdog",
			check{State: "failure"}, Failed},
		{"a model that does not answer", func(d *desk) { d.refusal = errors.New("connection refused") }, "watchdog",
			check{State: "failure", Text: "deepseek/deepseek-flash at https://models.example/v1, from advisor.json: connection refused"}, Failed},
		{"a model without tools", func(d *desk) { d.reply = llm.Reply{Text: "Sure!"} }, "watchdog",
			check{State: "warning", Text: "deepseek/deepseek-flash at https://models.example/v1, from advisor.json: it answered in 0 ms and did not call the tool that it was asked to call",
				Mend: "choose a model that calls tools: a reviewer that reads nothing proves nothing"}, OK},
		{"a state folder that cannot be written", func(d *desk) { d.broken = "EROFS: read-only file system" }, "state",
			check{State: "failure", Text: stateDir + " cannot be written: EROFS: read-only file system; the advisor then forgets with each restart, and wakes nobody",
				Mend: "make it writable, or point XDG_STATE_HOME to a folder that is"}, Failed},
		{"a rehearsal that fails", func(d *desk) { d.ill = true }, "rehearsal",
			check{State: "failure", Text: "the rehearsal", Mend: "this is a fault of the advisor: please report it with this line"}, Failed},
		{"no note yet, and no host to try", func(d *desk) { d.Remove(d.slot("ses_1")); d.facts[4].Value = "" }, "delivery",
			check{State: "warning", Text: "no host has shown a note on this machine yet", Mend: "play a turn in the host; superadvisor status tells what became of it"}, OK},
	} {
		d := healthy(t)
		c.prepare(d)
		all, code := d.checks(t)
		got := all[c.check]
		c.want.Check = c.check
		if c.want.Text == "" {
			c.want.Text = got.Text // it is pkg/config's
		}
		if diff := cmp.Diff(c.want, got); diff != "" || code != c.code {
			t.Errorf("%s: code %d, want %d, %s", c.name, code, c.code, diff)
		}
	}
}

func TestDoctorAsksNobodyWhenOffline(t *testing.T) {
	d := healthy(t)
	all, code := d.checks(t, "--offline", "--all")
	if code != OK || len(d.asked) != 0 || !strings.HasSuffix(all["watchdog"].Text, "; not asked") {
		t.Errorf("code %d, asked %v, %s", code, d.asked, all["watchdog"].Text)
	}
	if text := all["settings"].Text; !strings.Contains(text, "reviewMode = step (default)") || strings.Contains(text, "sk-secret") {
		t.Errorf("settings: %s", text)
	}
}
