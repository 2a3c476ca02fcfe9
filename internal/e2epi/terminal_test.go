package e2epi

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/Kayphoon/opencode-advisor/internal/e2e"
	"github.com/Kayphoon/opencode-advisor/internal/hosts"
	"github.com/Kayphoon/opencode-advisor/internal/modelserver"
)

// TestInATerminal is pi as a person sees it: the row of the tool, a note in the conversation, and the picker.
func TestInATerminal(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	t.Cleanup(cancel)
	extension := installed(t, ctx)
	// A review that the next message supersedes asks again, so that replies go by what is asked, not by its number.
	silent, looks, says := e2e.Silent(), e2e.Read(greetPath), nit
	looks.Match, says.Match = greetPath, "const g"
	model, err := modelserver.Start(modelserver.Script{RequestCap: 100, Models: map[string][]modelserver.Reply{
		agent:    {{Directive: true}},
		reviewer: {looks, says, {Every: &silent}},
		adviser:  {{Every: &modelserver.Reply{Match: "which store", Text: "Keep the map: nothing here outlives the process."}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { model.Close() })
	project, err := hosts.NewProject(t.TempDir(), map[string]string{"README.md": "A shop.\n"})
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, ctx: ctx, project: project}
	s.must(os.MkdirAll(filepath.Dir(s.advisorJSON()), 0o755))
	s.must(os.WriteFile(s.advisorJSON(), []byte(advisorJSON), 0o600))
	terminal, err := project.StartPiTerminal(ctx, hosts.PiOptions{ModelURL: model.BaseURL(), Models: []string{agent, reviewer, adviser}, Extension: extension})
	s.must(err)
	t.Cleanup(terminal.Close)
	see := func(text string) string {
		t.Helper()
		screen, err := terminal.Await(ctx, text)
		s.must(err)
		return screen
	}
	say := func(text string) {
		t.Helper()
		s.must(terminal.Type(ctx, text))
	}

	see(agent) // the model's name, below the input
	say("H1: ask. [[advisor which store?]]")
	see("Keep the map: nothing here outlives the process.")
	screen := see("Done (1 tool results).")
	for _, want := range []string{"advisor test/adviser", "test/adviser · high · "} {
		if !strings.Contains(screen, want) {
			t.Errorf("%q is not on the screen:\n%s", want, screen)
		}
	}

	say("H2: greet. " + write(greetPath, greetText))
	screen = see("call it greet.")
	if !strings.Contains(screen, "[advisor nit] src/greet.js:1") || strings.Contains(screen, "This is advice from") || strings.Contains(screen, "[advisor-note]") {
		t.Errorf("the note is not shown as ours:\n%s", screen)
	}

	say("/advisor")
	screen = see("Turn the advisor off")
	if !strings.Contains(screen, "Advisor model") || !strings.Contains(screen, "test/adviser · $0/Mtok out · current") {
		t.Errorf("the picker shows\n%s", screen)
	}
	s.must(terminal.Press(ctx, "Enter")) // the first one
	see("Thinking effort of test/")
	s.must(terminal.Press(ctx, "Enter"))
	see("Advisor: test/adviser · off")
}
