package scenario

import (
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/engine"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// recorded gives the lines of a recording that a world's guests wrote.
func recorded(w *World) string {
	var b strings.Builder
	for _, l := range w.logs {
		if l.Level == protocol.LevelRecord {
			b.WriteString(l.Text + "\n")
		}
	}
	return b.String()
}

// record plays a scenario with the recorder on. What is not readable as a config cannot switch it on.
func record(t *testing.T, s *Scenario, replace bool) (recording, seen string) {
	t.Helper()
	const file = ".config/opencode/advisor.json"
	on := *s
	on.Home = map[string]string{}
	for name, text := range s.Home {
		on.Home[name] = text
	}
	doc, err := config.Set([]byte(on.Home[file]), "record", "true")
	if err != nil {
		t.Logf("not recorded: %v", err)
		return "", ""
	}
	on.Home[file] = string(doc)
	var world *World
	seen, err = Run(&on, t.TempDir(), func(w *World) (Guest, error) {
		world = w
		return startNative(w)
	}, replace)
	if err != nil {
		t.Fatal(err)
	}
	return recorded(world), seen
}

// unlike holds what a scenario's replay differs in. A recording has masks in place of secrets, so the judge of
// the replay has nothing to hide and does not say that it did.
var unlike = map[string]string{"judge-secrets": "HIDDEN: secrets were taken out of this request"}

// Every scenario, recorded, makes the same decisions again, also where the guest was replaced on the way. And
// recording changes nothing.
func TestEveryScenarioReplays(t *testing.T) {
	all, err := Load(corpus)
	if err != nil {
		t.Fatal(err)
	}
	plays, recordings := 0, 0
	for _, s := range all {
		for _, replace := range []bool{false, true} {
			if replace && s.KeepGuest != "" {
				continue
			}
			name := s.Name
			if replace {
				name += "/replaced"
			}
			t.Run(name, func(t *testing.T) {
				plays++
				text, seen := record(t, s, replace)
				if text == "" {
					return
				}
				recordings++
				if !replace && seen != s.Want && !strings.Contains(s.Want, "advisor.json") {
					t.Error("what is seen with the recorder on is not what is wanted")
				}
				done, err := engine.Replay(text)
				if err != nil {
					t.Fatal(err)
				}
				if part := unlike[s.Name]; part != "" {
					if !strings.Contains(done.Different, part) {
						t.Errorf("an exception that is no longer needed: %q", done.Different)
					}
					return
				}
				if done.Different != "" {
					t.Errorf("%s", done.Different)
				}
				if calls := strings.Count(text, `{"kind":"in"`); done.Calls != calls || calls < 2 {
					t.Errorf("%d calls replayed of %d", done.Calls, calls)
				}
				if strings.Contains(text, apiKey) {
					t.Error("the key is in the recording")
				}
			})
		}
	}
	if recordings*10 < plays*9 {
		t.Errorf("%d recordings of %d plays", recordings, plays)
	}
}

func one(t *testing.T, name string) *Scenario {
	t.Helper()
	all, err := Load(corpus)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("there is no scenario %s", name)
	return nil
}

// A replay that noticed nothing would prove nothing: what is changed in a recording is found and named.
func TestAReplayNamesTheFirstDifference(t *testing.T) {
	text, _ := record(t, one(t, "worked-confirmed"), false)
	for _, c := range []struct{ name, from, to, want string }{
		{"what was delivered", `"wake":true`, `"wake":false`, "outcome.effects"},
		{"what was read", "getUserProfile", "getUserProfiler", "line"},
		{"the order of the host's answers", `"granted":true`, `"granted":false`, "outcome.effects"},
		{"a request", `prompt_tokens\":100`, `prompt_tokens\":900`, "outcome.effects"},
	} {
		changed := strings.Replace(text, c.from, c.to, 1)
		if changed == text {
			t.Errorf("%s: the recording does not hold %s", c.name, c.from)
			continue
		}
		done, err := engine.Replay(changed)
		if err != nil || !strings.Contains(done.Different, c.want) || !strings.HasPrefix(done.Different, "call ") {
			t.Errorf("%s: got %q (%v)", c.name, done.Different, err)
		}
	}
}

func TestWhatIsNoRecordingIsRefusedInWords(t *testing.T) {
	text, _ := record(t, one(t, "worked-confirmed"), false)
	lines := strings.SplitAfter(text, "\n")
	for _, c := range []struct{ name, text, err, ended string }{
		{"nothing", "", "nothing in it", ""},
		{"another file", "# Notes\n", "line 1 is no line of a recording", ""},
		{"a newer format", strings.Replace(text, `"format":1`, `"format":2`, 1), "use a newer opencode-superadvisor", ""},
		{"another wire", strings.Replace(text, `"abi":1`, `"abi":99`, 1), "version 99 of the wire", ""},
		{"without its beginning", strings.Join(lines[2:], ""), "does not begin with a start", ""},
		{"cut in its last line", text[:len(text)-20], "", "the guest was lost"},
		{"its guest was lost", strings.Join(lines[:len(lines)-2], ""), "", "the guest was lost"},
		{"at its bound", text + `{"kind":"end","why":"it is as long as it may be"}` + "\n", "", "as long as it may be"},
	} {
		done, err := engine.Replay(c.text)
		switch {
		case c.err == "" && (err != nil || done.Different != "" || !strings.Contains(done.Ended, c.ended)):
			t.Errorf("%s: got %+v, %v", c.name, done, err)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: got %v, want %q", c.name, err, c.err)
		}
	}
}

// Without the setting nothing is kept, and a project's options cannot switch it on.
func TestNothingIsRecordedUnasked(t *testing.T) {
	s := *one(t, "worked-confirmed")
	s.Options = []byte(`{"record":true}`)
	var world *World
	if _, err := Run(&s, t.TempDir(), func(w *World) (Guest, error) {
		world = w
		return startNative(w)
	}, false); err != nil {
		t.Fatal(err)
	}
	if text := recorded(world); text != "" {
		t.Errorf("recorded: %.200s", text)
	}
}
