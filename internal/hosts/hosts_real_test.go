//go:build realhost

package hosts

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/internal/modelserver"
)

// directives is the script of a primary that does what the prompt says.
func directives(t *testing.T) *modelserver.Server {
	t.Helper()
	s, err := modelserver.Start(modelserver.Script{Models: map[string][]modelserver.Reply{"primary": {{Directive: true}}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func deadline(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func TestOpenCodeRunCarriesOutThePrompt(t *testing.T) {
	t.Parallel()
	ctx, model, p := deadline(t), directives(t), project(t)
	const prompt = `say "hi" to [[write b.txt made here\n]]`
	out, err := p.Run(ctx, Options{ModelURL: model.BaseURL()}, prompt)
	if err != nil {
		t.Fatal(err)
	}
	if out.ExitCode != 0 {
		t.Errorf("exit code %d: %s", out.ExitCode, out.Stderr)
	}
	if got, _ := os.ReadFile(filepath.Join(p.Dir, "b.txt")); string(got) != "made here\n" {
		t.Errorf("b.txt holds %q", got)
	}
	asked, err := model.Wait(ctx, 2, modelserver.Filter{Model: "m1"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(prompt, asked[0].LastText()); diff != "" {
		t.Errorf("the prompt changed on its way to the model: %s", diff)
	}
	if asked[0].KeySHA256 != modelserver.KeyDigest(TestKey) {
		t.Error("the model was asked with another key")
	}
	if got, err := os.ReadDir(filepath.Join(p.Home, ".npm")); err == nil {
		t.Errorf("OpenCode installed packages at its start: %v", got)
	}
}

// probe is a plugin that leaves a file with its options when the host loads it.
const probe = `export default { id: "probe", server: async (input, options) => {
	await Bun.write(process.env.PROBE_FILE, JSON.stringify(options))
	return {}
}}
`

func TestOpenCodeServeLoadsThePluginAndKeepsSessions(t *testing.T) {
	t.Parallel()
	ctx, model, p := deadline(t), directives(t), project(t)
	plugin := filepath.Join(t.TempDir(), "probe.tgz")
	err := WriteTarball(plugin, map[string]string{
		"package/package.json": `{"name": "probe", "version": "1.0.0", "type": "module", "exports": {"./server": "./server.js"}}`,
		"package/server.js":    probe,
	})
	if err != nil {
		t.Fatal(err)
	}
	loaded := filepath.Join(p.Root, "loaded")
	s, err := p.Serve(ctx, Options{
		ModelURL: model.BaseURL(), Plugin: plugin, PluginOptions: map[string]int{"n": 3}, Env: []string{"PROBE_FILE=" + loaded},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	events, err := s.Events(ctx)
	if err != nil {
		t.Fatal(err)
	}
	id, err := s.CreateSession(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Prompt(ctx, id, "look [[read a.txt]]"); err != nil {
		t.Fatal(err)
	}
	for e := range events {
		if e.Type == "session.idle" {
			break
		}
	}
	messages, err := s.Messages(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range messages {
		for _, part := range m.Parts {
			if part.Type == "text" || part.Type == "tool" {
				got = append(got, m.Info.Role+" "+part.Type+" "+part.Text+part.Tool)
			}
		}
	}
	want := []string{"user text look [[read a.txt]]", "assistant text Calling read.", "assistant tool read", "assistant text Done (1 tool results)."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if options, _ := os.ReadFile(loaded); string(options) != `{"n":3}` {
		t.Errorf("the plugin got the options %q", options)
	}
}

func TestPiCarriesOutThePrompt(t *testing.T) {
	t.Parallel()
	ctx, model, p := deadline(t), directives(t), project(t)
	pi, err := p.StartPi(ctx, PiOptions{ModelURL: model.BaseURL()})
	if err != nil {
		t.Fatal(err)
	}
	defer pi.Close()
	if err := pi.Prompt(ctx, "look [[read a.txt]]"); err != nil {
		t.Fatal(err)
	}
	var last string
	for _, l := range pi.Lines() {
		if l.Type == "agent_end" {
			last = string(l.Raw)
		}
	}
	if !strings.Contains(last, "Done (1 tool results).") || !strings.Contains(last, `hello\n`) {
		t.Errorf("agent_end: %s", last)
	}
}

func TestBunRuns(t *testing.T) {
	t.Parallel()
	bin, err := Bun(deadline(t))
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(bin); err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("%s is not executable: %v", bin, err)
	}
}

func project(t *testing.T) *Project {
	t.Helper()
	p, err := NewProject(t.TempDir(), map[string]string{"a.txt": "hello\n"})
	if err != nil {
		t.Fatal(err)
	}
	return p
}
