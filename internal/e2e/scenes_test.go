package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/internal/modelserver"
)

func (c cast) story(t *testing.T) {
	scene, err := c.stage.Open(c.ctx, Setting{Name: "story", Primary: StoryAgent, Spec: plugin, Options: StoryOptions()})
	if err != nil {
		t.Fatal(err)
	}
	teller := &Teller{Scene: scene}
	for _, act := range Story() {
		if _, err := teller.Play(c.ctx, act); err != nil {
			t.Fatalf("%s: %v", act.Title, err)
		}
	}
	// One more message shows that nothing was left under way that would still wake the agent.
	before := len(asked(scene))
	c.say(t, scene, "Thanks.")
	all := asked(scene)
	if len(all) != before+1 {
		t.Errorf("the last message took %d requests of the agent, want 1", len(all)-before)
	}
	toasts := scene.Toasts()
	want := []Toast{
		{"advisor", "Advisor concern at src/admin.ts:5: ", "warning"},
		{"advisor", "Advisor blocker at src/db.ts:25: ", "error"},
	}
	if len(toasts) != len(want) {
		t.Fatalf("toasts: %+v", toasts)
	}
	for i, w := range want {
		if got := toasts[i]; got.Title != w.Title || got.Variant != w.Variant || !strings.HasPrefix(got.Message, w.Message) {
			t.Errorf("toast %d: got %+v, want %+v", i, got, w)
		}
	}
	// The notes lie before the agent's model as texts of the user's role, each once.
	last := string(all[len(all)-1].Body)
	for _, note := range []string{"[advisor nit] src/greeting.ts:1", "[advisor concern] src/admin.ts:5", "[advisor blocker] src/db.ts:25"} {
		if n := strings.Count(last, note); n != 1 {
			t.Errorf("the agent's last request holds %q %d times", note, n)
		}
	}
}

func (c cast) secondBlocker(t *testing.T) {
	scene := c.open(t, "second-blocker", fileURL(filepath.Join(plugin, "index.js")), twiceReviewer, nil)
	c.say(t, scene, "H1: sessions. "+write(sessionPath, sessionText))
	state, lines := c.settle(t, scene, 2)
	want := []string{
		"person: H1: sessions. " + write(sessionPath, sessionText),
		"agent: Calling write.", "agent: (write completed)", "agent: Done (1 tool results).",
		"advisor: [advisor blocker] src/db.ts:25",
		"agent: Done (1 tool results).", // the woken turn: the directives are done
		"advisor: [advisor blocker] src/db.ts:31",
	}
	if diff := cmp.Diff(want, shown(lines)); diff != "" {
		t.Fatal(diff)
	}
	var wakes []string
	for _, n := range state.Notes {
		wakes = append(wakes, n.Fate+" "+n.Wake)
	}
	if diff := cmp.Diff([]string{"delivered allowed", "delivered spent"}, wakes); diff != "" {
		t.Error(diff)
	}
	c.say(t, scene, "H2: go on.")
	if got := len(asked(scene)); got != 4 {
		t.Errorf("the agent's model was asked %d times, want 4: two for H1, one for the wake, one for H2", got)
	}
}

// untilThere is a command that ends when a file is there: the test decides when a step is over.
func untilThere(file string) string { return "until [ -e " + file + " ]; do sleep 0.05; done" }

// waitFor is the agent's call of it.
func waitFor(file string) modelserver.Reply {
	return Call("bash", map[string]any{"command": untilThere(file), "description": "wait"})
}

func (c cast) midTurn(t *testing.T) {
	scene := c.open(t, "mid-turn", plugin, midTurnReviewer, map[string]any{"reviewMode": "step", "debounceMs": 0})
	said := make(chan error, 1)
	go func() {
		// The turn cannot end before the file is there.
		said <- scene.Say(c.ctx, "H1: sessions. "+write(sessionPath, sessionText)+" [[bash "+untilThere("go")+"]]")
	}()
	_, err := scene.AwaitLines(c.ctx, "a blocker while the agent works", func(lines []Line) bool {
		return slices.ContainsFunc(lines, func(l Line) bool { return l.Severity == "blocker" })
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(scene.Dir, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := <-said; err != nil {
		t.Fatal(err)
	}
	requests := asked(scene)
	if len(requests) != 3 {
		t.Fatalf("the agent's model was asked %d times, want 3: write, bash, the end", len(requests))
	}
	if !strings.Contains(string(requests[2].Body), "[advisor blocker] src/db.ts:25") {
		t.Error("the note is not before the agent's model in the step after it was said")
	}
	c.say(t, scene, "H2: thanks.")
	if got := len(asked(scene)); got != 4 {
		t.Errorf("the agent's model was asked %d times, want one more: the note took no turn of its own", got)
	}
}

func (c cast) consultation(t *testing.T) {
	scene := c.open(t, "consult", fileURL(filepath.Join(plugin, "dist", "plugin.js")), adviser, map[string]any{"reviewMode": "execution"})
	c.say(t, scene, "H1: hello.")
	c.settle(t, scene, 1) // the advisor has started
	c.say(t, scene, "H2: ask. [[consult_advisor which store?]]")
	requests := asked(scene)
	if len(requests) != 3 {
		t.Fatalf("the agent's model was asked %d times, want 3", len(requests))
	}
	if got := requests[2].LastText(); !strings.Contains(got, "Keep the map") {
		t.Errorf("the agent got the answer %q", got)
	}
}
