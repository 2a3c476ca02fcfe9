package e2e

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func (c cast) unwritableState(t *testing.T) {
	// A file where the folder should be stops root too, whom no permission does.
	folder := c.stage.StateFolder()
	putWhile(t, folder, "not a folder\n")
	scene := c.open(t, "unwritable", plugin, unwritableReviewer, nil)
	c.say(t, scene, "H1: sessions. "+write(sessionPath, sessionText))
	toasts, err := scene.AwaitToasts(c.ctx, 2)
	if err != nil {
		t.Fatal(err)
	}
	if n := count(toasts, "cannot write its folder "+folder); n != 1 || len(toasts) != 2 {
		t.Errorf("want one notice about the folder and one of the note: %+v", toasts)
	}
	lines, err := scene.Lines(c.ctx)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"person: H1: sessions. " + write(sessionPath, sessionText),
		"agent: Calling write.", "agent: (write completed)", "agent: Done (1 tool results).",
		"advisor: [advisor blocker] src/db.ts:25", // said, and without a claim there is no wake
	}
	if diff := cmp.Diff(want, shown(lines)); diff != "" {
		t.Error(diff)
	}
	c.say(t, scene, "H2: go on.")
	if got := len(asked(scene)); got != 3 {
		t.Errorf("the agent's model was asked %d times, want 3", got)
	}
}

func (c cast) corruptConfig(t *testing.T) {
	putWhile(t, c.stage.AdvisorConfig(), `{"watchdogModel": "test/`)
	scene := c.open(t, "corrupt", plugin, corruptReviewer, nil)
	c.say(t, scene, "H1: greet. "+write(greetingPath, greetingText))
	_, lines := c.settle(t, scene, 1)
	want := []string{
		"person: H1: greet. " + write(greetingPath, greetingText),
		"agent: Calling write.", "agent: (write completed)", "agent: Done (1 tool results).",
		"advisor: [advisor nit] src/greeting.ts:1", // the plugin's options stand, and with them the advisor works
	}
	if diff := cmp.Diff(want, shown(lines)); diff != "" {
		t.Error(diff)
	}
	toasts, err := scene.AwaitToasts(c.ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	if n := count(toasts, "advisor.json"); n != 1 || len(toasts) != 1 {
		t.Errorf("want one notice that names advisor.json: %+v", toasts)
	}
	c.say(t, scene, "H2: thanks.")
	if got := len(asked(scene)); got != 3 {
		t.Errorf("the agent's model was asked %d times, want 3: the nit starts no turn", got)
	}
}

// putWhile puts a file there while the test runs: other scenes must not find it.
func putWhile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.Remove(path); err != nil {
			t.Error(err)
		}
	})
}

func count(toasts []Toast, part string) (n int) {
	for _, t := range toasts {
		if strings.Contains(t.Message, part) {
			n++
		}
	}
	return n
}
