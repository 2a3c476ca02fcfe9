package engine

import (
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// person runs an engine whose settings stand in the person's own files, and gives the last effect of a kind.
type person struct {
	*rig
	file  string
	facts map[string]bool // that were told, by their ids
}

func newPerson(t *testing.T, hostName, file string) *person {
	t.Helper()
	r := newRig(t, "")
	p := &person{rig: r, file: file}
	r.seen = nil
	r.engine = New(r.host)
	r.provide = func(n *protocol.Need) *protocol.Provided {
		out := &protocol.Provided{ID: n.ID}
		for _, path := range n.Files {
			if strings.HasSuffix(path, "/advisor.json") && p.file != "" {
				out.Files = append(out.Files, protocol.File{Path: path, Text: p.file, Exists: true})
			}
		}
		for _, id := range n.Providers {
			out.Providers = append(out.Providers, protocol.Provider{ID: id, Known: id == "sub"})
		}
		return out
	}
	r.send(&protocol.Init{ABI: protocol.ABIVersion, Host: hostName, Seed: strings.Repeat("ab", 32), Directory: "/work", Root: "/work",
		Home: "/home", ConfigHome: "/home/.config", DataHome: "/home/.local/share"})
	r.send(&protocol.Session{Session: "s1", Complete: true})
	return p
}

func last[E protocol.Effect](r *rig) (found E) {
	for _, ef := range r.seen {
		if e, ok := ef.(E); ok {
			found = e
		}
	}
	return found
}

func (p *person) run(text string, models ...string) {
	p.send(&protocol.Command{Session: "s1", Call: "k", Name: "advisor", Text: text, Models: models})
}

const own = `{
  // mine
  "provider": { "baseURL": "http://127.0.0.1:9/v1" },
  "watchdogModel": "fake/reviewer"
}
`

func TestSettingsAreWrittenIntoWhatTheFileIsNow(t *testing.T) {
	p := newPerson(t, "opencode-v2", own)
	p.run("off")
	first := last[*protocol.WriteConfig](p.rig)
	if first.Name != "advisor.json" || first.Was != own || !strings.Contains(first.Text, "// mine") || !strings.Contains(first.Text, `"enabled": false`) {
		t.Fatalf("first write: %+v", first)
	}
	edited := strings.Replace(own, "mine", "edited meanwhile", 1)
	p.send(&protocol.Saved{ID: first.ID, Failure: "changed", Text: edited})
	again := last[*protocol.WriteConfig](p.rig)
	if again.ID == first.ID || again.Was != edited || !strings.Contains(again.Text, "// edited meanwhile") {
		t.Fatalf("second write: %+v", again)
	}
	p.send(&protocol.Saved{ID: again.ID})
	answer := last[*protocol.Answer](p.rig)
	if answer.Failed || string(answer.Details) != `{"enabled":false,"consult":false,"model":"fake/reviewer","effort":""}` {
		t.Errorf("answer: %+v", answer)
	}
}

func TestSettingsThatCannotBeSavedChangeNothing(t *testing.T) {
	for _, c := range []struct {
		name  string
		saved []protocol.Saved
		want  string
	}{
		{"unwritable", []protocol.Saved{{Failure: "write advisor.json: EROFS"}}, "Could not save the advisor config. It said: write advisor.json: EROFS."},
		{"written by others all the time", []protocol.Saved{{Failure: "changed", Text: "{}"}, {Failure: "changed", Text: "{ }"}},
			"Could not save the advisor config. Another program writes it at the same time; try again."},
		{"broken meanwhile", []protocol.Saved{{Failure: "changed", Text: "{"}},
			`Could not save the advisor config. Mend advisor.json first: line 1, column 2: want "}" before the end.`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPerson(t, "opencode-v2", own)
			p.run("off")
			for _, saved := range c.saved {
				saved.ID = last[*protocol.WriteConfig](p.rig).ID
				p.send(&saved)
			}
			answer := last[*protocol.Answer](p.rig)
			if !answer.Failed || answer.Text != c.want || !strings.Contains(string(answer.Details), `"enabled":true`) {
				t.Errorf("answer %+v, want %q and the advisor still on", answer, c.want)
			}
		})
	}
}

func TestAnAdvisorThatIsOffFromTheStartHearsItsCommand(t *testing.T) {
	p := newPerson(t, config.HostPi, `{"enabled": false, "provider": "openrouter", "model": "x/y", "maxTokens": 32000}`)
	p.run("deepseek/deepseek-v4-pro#high", "deepseek/deepseek-v4-pro")
	write := last[*protocol.WriteConfig](p.rig)
	want := `{"enabled": true, "provider": "deepseek", "model": "deepseek-v4-pro", "maxTokens": 32000, "effort": "high"}`
	if write == nil || write.Text != want {
		t.Fatalf("written: %+v, want %s", write, want)
	}
	p.send(&protocol.Saved{ID: write.ID})
	answer := last[*protocol.Answer](p.rig)
	if answer.Failed || answer.Text != "Advisor: deepseek/deepseek-v4-pro · high" || !strings.Contains(string(answer.Details), `"enabled":true`) {
		t.Errorf("answer: %+v", answer)
	}
}

// A model of a provider that nobody asked about at the start is reached through the host, which has it.
func TestAChosenModelOfTheHostIsReachedThroughIt(t *testing.T) {
	p := newPerson(t, config.HostPi, `{"watchdogModel": "sub/small"}`)
	p.run("new/strong", "new/strong")
	p.send(&protocol.Saved{ID: last[*protocol.WriteConfig](p.rig).ID})
	if answer := last[*protocol.Answer](p.rig); answer.Text != "Advisor: new/strong · high" {
		t.Fatalf("answer: %+v", answer)
	}
	p.send(&protocol.Consult{Session: "s1", Call: "q", Question: "Is it right?"})
	asked := last[*protocol.Generate](p.rig)
	if asked == nil || asked.Provider != "new" || asked.Model != "strong" || !strings.Contains(asked.Prompt, "Is it right?") || !strings.Contains(asked.Prompt, `"tool"`) {
		t.Fatalf("asked: %+v", asked)
	}
	p.send(&protocol.Generated{ID: asked.ID, Text: `{"tool":"read","args":{"path":"a.txt"}}`})
	next := last[*protocol.Generate](p.rig)
	if next.ID == asked.ID || !strings.Contains(next.Prompt, "hello") {
		t.Fatalf("after a tool call in text: %+v", next)
	}
	p.send(&protocol.Generated{ID: next.ID, Text: "It is."})
	if answer := last[*protocol.Answer](p.rig); answer.Failed || answer.Text != "It is." {
		t.Errorf("answer: %+v", answer)
	}
}

// A watchdog without a key of ours reviews through the host as well.
func TestAReviewThroughTheHost(t *testing.T) {
	for _, hostName := range []string{config.HostPi, "opencode-v1", "opencode-v2"} {
		p := newPerson(t, hostName, `{"watchdogModel": "sub/small", "debounceMs": 0}`)
		p.send(step("s1", 1)...)
		asked := last[*protocol.Generate](p.rig)
		if asked == nil || asked.Provider != "sub" || asked.Model != "small" {
			t.Fatalf("%s: asked %+v", hostName, asked)
		}
	}
}
