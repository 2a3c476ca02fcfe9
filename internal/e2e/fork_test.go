package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// fork lets the person fork a session in which the agent was woken: the same blocker about the same message is not said
// again in the fork, and wakes nobody there.
func (c cast) fork(t *testing.T) {
	scene := c.open(t, "fork", plugin, forkReviewer, nil)
	c.say(t, scene, "H1: sessions. "+write(sessionPath, sessionText))
	c.settle(t, scene, 2)
	c.command(t, scene, "mute wording")

	var made struct{ ID string }
	if err := scene.Call(c.ctx, http.MethodPost, "/session/"+scene.ID+"/fork", map[string]any{}, &made); err != nil {
		t.Fatal(err)
	}
	copied, err := scene.Messages(c.ctx, made.ID)
	if err != nil {
		t.Fatal(err)
	}
	before := len(asked(scene))
	forked := &Scene{Client: scene.Client, ID: made.ID, Repo: scene.Repo, stage: scene.stage, changed: make(chan struct{})}
	c.say(t, forked, "H2: and now? [[bash ls src]]")
	state, lines := c.settle(t, forked, 3)
	if n := Count(state, "dropped.duplicate"); n != 1 {
		t.Errorf("%d notes dropped as said before, want 1; fates %v", n, fates(state.Notes))
	}
	if n := Count(state, "note.woken"); n != 1 || len(state.Wakes) != 1 {
		t.Errorf("%d wakes counted, want the origin's", n)
	}
	if diff := cmp.Diff([]string{"wording"}, state.MutedCategories); diff != "" {
		t.Error(diff)
	}
	notes := slices.DeleteFunc(lines, func(l Line) bool { return l.Severity == "" })
	if len(notes) != 1 {
		t.Errorf("want the copied note alone, got %v", shown(notes))
	}
	if len(copied) == 0 || len(asked(scene)) != before {
		t.Errorf("%d messages copied, and the origin's agent was asked %d times more", len(copied), len(asked(scene))-before)
	}
}

// command runs /advisor and gives what stands in the session for it.
func (c cast) command(t *testing.T, scene *Scene, arguments string) string {
	t.Helper()
	err := scene.Call(c.ctx, http.MethodPost, "/session/"+scene.ID+"/command", map[string]any{"command": "advisor", "arguments": arguments, "model": "test/" + agent}, nil)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := scene.Lines(c.ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range slices.Backward(lines) {
		if l.Who != Agent {
			return l.Text
		}
	}
	return ""
}

// heldBack lets a nit wait for the end of its turn. The first one still holds then; what the second one cites is gone.
func (c cast) heldBack(t *testing.T) {
	for _, tt := range []struct {
		name, reviewer, then, fate string
	}{
		{"still-true", heldReviewer, "", "delivered"},
		{"gone", goneReviewer, "[[bash rm " + greetingPath + "]]", "stale"},
	} {
		scene := c.open(t, "held-"+tt.name, plugin, tt.reviewer, map[string]any{"reviewMode": "step", "debounceMs": 0})
		said := make(chan error, 1)
		go func() {
			said <- scene.Say(c.ctx, "H1: greet. "+write(greetingPath, greetingText)+" [[bash "+untilThere("go")+"]] "+tt.then)
		}()
		_, err := scene.AwaitState(c.ctx, "a nit that is held back", func(s *protocol.StoredSession) bool {
			return len(s.Deliveries) == 1 && s.Deliveries[0].State == "held"
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
		state, err := scene.AwaitState(c.ctx, "the nit's end", func(s *protocol.StoredSession) bool { return s.Deliveries[0].State != "held" })
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{tt.fate}, fates(state.Notes)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
		lines, err := scene.AwaitLines(c.ctx, "the nit", func(lines []Line) bool {
			return tt.fate != "delivered" || slices.ContainsFunc(lines, func(l Line) bool { return l.Severity == "nit" })
		})
		if err != nil {
			t.Fatal(err)
		}
		c.say(t, scene, "H2: thanks.")
		if lines, err = scene.Lines(c.ctx); err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(lines, func(l Line) bool { return l.Severity == "nit" }); got != (tt.fate == "delivered") {
			t.Errorf("%s: the nit stands in the session: %v", tt.name, got)
		}
	}
}

// advisorCommand runs /advisor. On V1 the agent's model is called for it; the turn must be that one call.
func (c cast) advisorCommand(t *testing.T) {
	scene := c.open(t, "command", plugin, silentReviewer, nil)
	c.say(t, scene, "H1: hello.")
	before := len(asked(scene))
	for _, tt := range []struct{ arguments, want string }{
		{"status", "watchdog: test/" + silentReviewer},
		{"", "0 dropped"},
		{"notes", "No notes in this session yet."},
		{"why n_000000000000", "There is no note"},
		{"mute wording", "Muted: wording"},
		{"unmute wording", "No longer muted: wording"},
		{"frobnicate it", "Possible: /advisor"},
	} {
		if got := c.command(t, scene, tt.arguments); !strings.Contains(got, tt.want) {
			t.Errorf("/advisor %s: %q, want %q in it", tt.arguments, got, tt.want)
		}
		if n := len(asked(scene)) - before; n != 1 {
			t.Errorf("/advisor %s took %d requests of the agent, want 1", tt.arguments, n)
		}
		before = len(asked(scene))
	}
	// The agent repeated each answer, and nobody is paid to review that.
	state, err := scene.AwaitState(c.ctx, "the end of the last command's turn", func(s *protocol.StoredSession) bool { return s.Turns == 8 && !s.Owed })
	if err != nil {
		t.Fatal(err)
	}
	if n := Count(state, "review.started"); n != 1 {
		t.Errorf("%d reviews, want the one of the person's message; counts %v", n, state.Counts)
	}
}
