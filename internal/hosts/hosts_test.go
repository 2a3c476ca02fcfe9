package hosts

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
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

func project(t *testing.T) *Project {
	t.Helper()
	p, err := NewProject(t.TempDir(), map[string]string{"a.txt": "hello\n"})
	if err != nil {
		t.Fatal(err)
	}
	return p
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

// pack writes a package tarball as npm pack does.
func pack(t *testing.T, files map[string]string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "probe-1.0.0.tgz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	zw := gzip.NewWriter(f)
	tw := tar.NewWriter(zw)
	for name, content := range files {
		err := errors.Join(
			tw.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content))}),
			func() error { _, err := tw.Write([]byte(content)); return err }(),
		)
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(tw.Close(), zw.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOpenCodeServeLoadsThePluginAndKeepsSessions(t *testing.T) {
	t.Parallel()
	ctx, model, p := deadline(t), directives(t), project(t)
	plugin := pack(t, map[string]string{
		"package/package.json": `{"name": "probe", "version": "1.0.0", "type": "module", "exports": {"./server": "./server.js"}}`,
		"package/server.js":    probe,
	})
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

func TestInstallIsSafeAgainstASecondOneAndReportsFailure(t *testing.T) {
	cache := t.TempDir()
	// A fake npm that makes one file of the package, and counts its runs.
	fake := `#!/bin/sh
echo run >> "` + cache + `/runs"
[ "$7" = "broken@1" ] && { echo "registry is down" >&2; exit 1; }
mkdir -p "$3/node_modules/tool" && echo ok > "$3/node_modules/tool/bin"
`
	if err := os.WriteFile(filepath.Join(cache, "npm"), []byte(fake), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", cache+":"+os.Getenv("PATH"))
	if err := os.WriteFile(filepath.Join(cache, "go.mod"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(cache)

	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			path, err := install(context.Background(), "tool", "1", "tool/bin")
			if err != nil || path != filepath.Join(cache, ".cache/hosts/tool-1/node_modules/tool/bin") {
				t.Errorf("install: %s, %v", path, err)
			}
		})
	}
	wg.Wait()
	if runs, _ := os.ReadFile(filepath.Join(cache, "runs")); string(runs) != "run\n" {
		t.Errorf("npm ran %d times", strings.Count(string(runs), "run"))
	}
	_, err := install(context.Background(), "broken", "1", "broken/bin")
	if err == nil || !strings.Contains(err.Error(), "registry is down") || !strings.Contains(err.Error(), "install host broken@1") {
		t.Errorf("a failing npm: got %v", err)
	}
	_, err = install(context.Background(), "tool", "2", "tool/other")
	if err == nil || !strings.Contains(err.Error(), "has no tool/other") {
		t.Errorf("a package without the file: got %v", err)
	}
	left, _ := filepath.Glob(filepath.Join(cache, ".cache/hosts/install-*"))
	if len(left) > 0 {
		t.Errorf("unfinished installs are left: %v", left)
	}
}

func TestPluginFolderIsGivenByItsServerEntry(t *testing.T) {
	p := project(t)
	dir := t.TempDir()
	manifest, _ := json.Marshal(map[string]any{
		"name": "x", "version": "1.0.0", "main": "./index.js", "exports": map[string]string{".": "./index.js", "./server": "./dist/plugin.js"},
	})
	if err := os.WriteFile(filepath.Join(dir, "package.json"), manifest, 0o644); err != nil {
		t.Fatal(err)
	}
	spec, err := p.placePlugin(dir)
	if want := "file://" + filepath.Join(dir, "dist/plugin.js"); err != nil || spec != want {
		t.Errorf("got %q, %v; want %q", spec, err, want)
	}
	if _, err := p.placePlugin(filepath.Join(dir, "none.tgz")); err == nil {
		t.Error("a missing plugin is no error")
	}
	if _, err := p.placePlugin(pack(t, map[string]string{"../out.js": "x"})); err == nil || !strings.Contains(err.Error(), "leaves the package") {
		t.Errorf("a package that leaves its folder: got %v", err)
	}
}
