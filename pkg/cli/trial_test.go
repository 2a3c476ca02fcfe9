package cli

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// actor is a host in a trial: an agent that works while its model calls tools, and an advisor that reviews the first step.
type actor struct {
	advised bool // the advisor runs
	heard   bool // its note reaches the agent
	pi      bool
	title   bool // it asks for a title first
	steps   int  // that it does before it ends by itself; 0: as many as the model wants

	asked   int
	reviews int
	note    string
	wrote   []string
	told    string // the advisor's last reply
}

func (a *actor) request(body string) protocol.Tried {
	a.asked++
	return protocol.Tried{Request: a.asked, Body: body}
}

func (a *actor) play(answer protocol.TrialAnswer) protocol.Tried {
	if answer.End {
		return protocol.Tried{Ended: true}
	}
	if a.asked == 0 && a.title {
		return a.request(`{"model":"agent","messages":[]}`)
	}
	if a.reviews > 0 && strings.HasPrefix(answer.Body, `{"choices"`) {
		a.hear(answer.Body)
	} else if answer.Body != "" {
		a.work(answer.Body)
	}
	switch {
	case a.steps > 0 && len(a.wrote) == a.steps:
		return protocol.Tried{Ended: true, Code: 3, Said: "one\n\x1b[31mtwo\x1b[0m\n"}
	case a.advised && len(a.wrote) > 0 && a.told != "silent":
		a.reviews++
		return a.request(`{"model":"advisor","stream":false,"tools":[]}`)
	}
	said := ""
	if a.heard {
		said = a.note
	}
	name := "filePath"
	if a.pi {
		name = "path"
	}
	return a.request(`{"model":"agent","stream":true,"tools":[{"` + name + `":1}],"messages":[{"content":"[advisor blocker] ` + said + `"}]}`)
}

// hear takes a reply of the advisor's model.
func (a *actor) hear(body string) {
	var reply struct {
		Choices []struct {
			Message struct {
				Content string
				Calls   []struct {
					Function struct{ Name, Arguments string }
				} `json:"tool_calls"`
			}
		}
	}
	if err := json.Unmarshal([]byte(body), &reply); err != nil {
		panic(err)
	}
	m := reply.Choices[0].Message
	a.told = m.Content
	for _, c := range m.Calls {
		var note struct{ Note string }
		if err := json.Unmarshal([]byte(c.Function.Arguments), &note); err != nil {
			panic(err)
		}
		a.note = note.Note
	}
}

// work takes a reply of the agent's model.
func (a *actor) work(body string) {
	for line := range strings.Lines(body) {
		line, isData := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		if !isData || line == "[DONE]" {
			continue
		}
		var chunk struct {
			Choices []struct {
				Delta struct {
					Calls []struct {
						Function struct{ Name, Arguments string }
					} `json:"tool_calls"`
				}
			}
		}
		if err := json.Unmarshal([]byte(line), &chunk); err != nil {
			panic(err)
		}
		for _, c := range chunk.Choices[0].Delta.Calls {
			a.wrote = append(a.wrote, c.Function.Name+" "+c.Function.Arguments)
		}
	}
}

func TestTrial(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(protocol.TrialAnswer) protocol.Tried
		want check
		code int
	}{
		{"a host that asks for a title", (&actor{advised: true, heard: true, title: true}).play,
			check{State: "ok", Text: "in a turn of the real program, with scripted models and in a folder of its own, a note was delivered and seen by the agent; 0.0 s"}, OK},
		{"a host without the plugin", (&actor{}).play,
			check{State: "failure", Text: "it works and does not run the advisor: no request of it came (requests: agent 202, advisor 0)",
				Mend: "update opencode; if it is the latest, please report this line"}, Failed},
		{"a host that shows no note", (&actor{advised: true}).play,
			check{State: "failure", Text: "the advisor left a note, and no request of the agent held it (requests: agent 202, advisor 3)",
				Mend: "update opencode; if it is the latest, please report this line"}, Failed},
		{"a host that ends too early", (&actor{steps: 2}).play,
			check{State: "warning", Text: "it ended with 3 before a note could reach its agent (requests: agent 2, advisor 0); its last words: one two",
				Mend: "start opencode by hand and see why; --no-host leaves this out"}, OK},
		{"a host that hangs", func(protocol.TrialAnswer) protocol.Tried { return protocol.Tried{Ended: true, Late: true} },
			check{State: "warning", Text: "the turn did not end within 120 s (requests: agent 0, advisor 0)",
				Mend: "try again when the machine is less busy; --no-host leaves this out"}, OK},
		{"a host that cannot be started", func(protocol.TrialAnswer) protocol.Tried {
			return protocol.Tried{Ended: true, Failure: "spawn opencode EACCES"}
		},
			check{State: "warning", Text: "a turn could not be played: spawn opencode EACCES", Mend: "start opencode by hand and see why; --no-host leaves this out"}, OK},
	} {
		d := healthy(t)
		d.play = c.play
		all, code := d.checks(t)
		c.want.Check = "opencode trial"
		if diff := cmp.Diff(c.want, all["opencode trial"]); diff != "" || code != c.code {
			t.Errorf("%s: code %d, want %d, %s", c.name, code, c.code, diff)
		}
	}
}

func TestTrialThatWorksIsEnoughWithoutASession(t *testing.T) {
	d := healthy(t)
	d.Remove(d.slot("ses_1"))
	all, _ := d.checks(t)
	want := check{State: "ok", Check: "delivery", Text: "no session of yours has had a note yet"}
	if diff := cmp.Diff(want, all["delivery"]); diff != "" {
		t.Error(diff)
	}
}

func TestTrialIsLeftOut(t *testing.T) {
	d := healthy(t)
	all, code := d.checks(t, "--no-host")
	if code != OK || len(d.trials) > 0 || all["opencode trial"] != (check{State: "ok", Check: "opencode trial", Text: "left out"}) {
		t.Errorf("code %d, %d trials, %+v", code, len(d.trials), all["opencode trial"])
	}
}

func TestTrialOfTheProgramThatIsNamed(t *testing.T) {
	for given, want := range map[string]string{"bin/opencode": project + "/bin/opencode", "/opt/oc": "/opt/oc", "oc2": "oc2", `C:\oc.exe`: `C:\oc.exe`} {
		d := healthy(t)
		d.facts[5].Value = "0.73.1"
		all, _ := d.checks(t, "--opencode", given)
		var started []string
		for _, trial := range d.trials {
			started = append(started, trial.Program)
		}
		if diff := cmp.Diff([]string{want, "pi"}, started); diff != "" {
			t.Errorf("%s: %s", given, diff)
		}
		if diff := cmp.Diff([]protocol.Fact{{Name: "opencode", Value: want}, {Name: "pi", Value: "pi"}}, d.probed); diff != "" {
			t.Errorf("%s: %s", given, diff)
		}
		if all["opencode trial"].State != "ok" || all["pi trial"].State == "" {
			t.Errorf("%+v", all)
		}
	}
	d := healthy(t)
	d.facts[4] = protocol.Fact{Name: "opencode"}
	all, code := d.checks(t, "--opencode", "nowhere/opencode")
	want := check{State: "failure", Check: "opencode", Text: "there is no " + project + "/nowhere/opencode", Mend: "give --opencode the program's path"}
	if diff := cmp.Diff(want, all["opencode"]); diff != "" || code != Failed {
		t.Errorf("code %d, %s", code, diff)
	}
}

// What a host is given holds nothing of the person's but what a program needs to start.
func TestTrialKeepsToItsFolder(t *testing.T) {
	for version, args := range map[string]string{
		"1.18.33":   "run -m doctor/agent --title trial --dangerously-skip-permissions Begin.",
		"v2.2.4":    "run -m doctor/agent --title trial --dangerously-skip-permissions --standalone Begin.",
		"pi 0.73.1": "-p -ne -e /opt/advisor Begin.",
	} {
		d := healthy(t)
		host := strings.HasPrefix(version, "pi ")
		d.facts[4].Value = version
		a := &actor{advised: true, heard: true, pi: host}
		d.play = a.play
		if host {
			d.facts[4].Value, d.facts[5].Value = "", version
		}
		if out, err, code := d.run("doctor"); code != OK || len(d.trials) != 1 {
			t.Fatalf("%s: code %d, %d trials: %s%s", version, code, len(d.trials), out, err)
		}
		trial := d.trials[0]
		if diff := cmp.Diff(strings.Fields(args), trial.Args); diff != "" {
			t.Errorf("%s: %s", version, diff)
		}
		if diff := cmp.Diff(strings.Fields("PATH LANG SystemRoot windir ComSpec PATHEXT"), trial.Inherit); diff != "" {
			t.Errorf("%s inherits: %s", version, diff)
		}
		for _, v := range trial.Env {
			if strings.Contains(v.Value, "/") && !strings.HasPrefix(v.Value, "{folder}/") {
				t.Errorf("%s: %s=%s leads out of the folder", version, v.Name, v.Value)
			}
		}
		if trial.MS != 120_000 || trial.Dir != "project" {
			t.Errorf("%s: %d ms in %s", version, trial.MS, trial.Dir)
		}
		plugin := false
		for _, f := range trial.Files {
			if strings.HasPrefix(f.Path, "/") || strings.Contains(f.Path, "..") {
				t.Errorf("%s: the file %s leads out of the folder", version, f.Path)
			}
			if strings.HasSuffix(f.Path, ".json") && !json.Valid([]byte(f.Text)) {
				t.Errorf("%s: %s is no JSON: %s", version, f.Path, f.Text)
			}
			if strings.Contains(f.Text, "sk-secret") {
				t.Errorf("%s: %s holds the person's key", version, f.Path)
			}
			plugin = plugin || strings.Contains(f.Text, `"/opt/advisor"`)
		}
		if !plugin && !slices.Contains(trial.Args, "/opt/advisor") {
			t.Errorf("%s does not load the package", version)
		}
		// The agent writes the file that the advisor reads, and no two steps are alike.
		key := "filePath"
		if host {
			key = "path"
		}
		want := []string{`write {"` + key + `":"total.js","content":` + strconv.Quote(trialText) + `}`}
		if diff := cmp.Diff(want, a.wrote); diff != "" {
			t.Errorf("%s: %s", version, diff)
		}
	}
}

func TestLastWords(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "",
		" a\r\n\tb ":                         "a b",
		"\x1b[1;31mError:\x1b[0m no\x00":     "Error: no",
		strings.Repeat("é", 150):             "..." + strings.Repeat("é", 100),
		"a" + strings.Repeat("é", 150) + "b": "..." + strings.Repeat("é", 99) + "b",
	} {
		if got := lastWords(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestMajor(t *testing.T) {
	for version, want := range map[string]int{"1.18.33": 1, "opencode v2.0.1": 2, "": 0, "nightly": 0, "10.0": 10} {
		if got := major(version); got != want {
			t.Errorf("major(%q) = %d, want %d", version, got, want)
		}
	}
}
