package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/internal/hosts"
	"github.com/Kayphoon/opencode-advisor/internal/modelserver"
)

// One headless run, of the package as OpenCode installs it by its name: it ends when the agent does, though a
// review hangs and the person's advisor.json is broken, and what is wrong is in the log.
func TestHeadlessRunEndsWithTheAgent(t *testing.T) {
	ctx := deadline(t, 2*time.Minute)
	model, err := modelserver.Start(modelserver.Script{Models: map[string][]modelserver.Reply{
		agent:           {Write(greetingPath, greetingText), waitFor("go"), Text("The greeting is there.")},
		hangingReviewer: {{Every: &modelserver.Reply{Hang: true}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { model.Close() })
	p, err := hosts.NewProject(t.TempDir(), Example())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.Config, "opencode", "advisor.json"), []byte("not JSON\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const notice = "advisor.json: it cannot be read as JSON: line 1, column 1: want a value; mend the file; until then nothing in it is used"
	logs := []string{
		filepath.Join(p.Data, "opencode", "log", "opencode.log"), // where a toast goes that nobody sees
		filepath.Join(p.State, PackageName, "logs", "advisor.log"),
	}
	// The agent goes on from its first step when that step's review is under way, and once OpenCode has written what
	// it was told: it drops what it still holds of its log when it ends.
	asked := make(chan error, 1)
	go func() {
		_, err := model.Wait(ctx, 1, modelserver.Filter{Model: hangingReviewer})
		tick := time.NewTicker(pollEvery)
		defer tick.Stop()
		for patience := 400; patience > 0 && err == nil; patience-- {
			if data, _ := os.ReadFile(logs[0]); bytes.Contains(data, []byte(notice)) {
				break
			}
			<-tick.C
		}
		asked <- errors.Join(err, os.WriteFile(filepath.Join(p.Dir, "go"), nil, 0o644))
	}()
	out, err := p.Run(ctx, hosts.Options{
		ModelURL: model.BaseURL(), Models: []string{agent, hangingReviewer}, Plugin: tarball,
		// The review hangs for far longer than the test may take.
		PluginOptions: map[string]any{"watchdogModel": "test/" + hangingReviewer, "debounceMs": 0, "timeoutMs": 600_000},
	}, "Add a greeting.")
	if err := errors.Join(err, <-asked); err != nil {
		for _, log := range logs {
			data, _ := os.ReadFile(log)
			t.Logf("%s: %s", log, tail(string(data)))
		}
		t.Fatal(err)
	}
	if out.ExitCode != 0 {
		t.Errorf("exit code %d: %s", out.ExitCode, out.Stderr)
	}
	var said []string
	for line := range bytes.Lines(out.Stdout) {
		var e struct {
			Type string
			Part hosts.Part
		}
		if json.Unmarshal(line, &e) == nil && (e.Type == "text" || e.Type == "tool_use") {
			said = append(said, e.Type+" "+e.Part.Text+e.Part.Tool)
		}
	}
	if diff := cmp.Diff([]string{"tool_use write", "tool_use bash", "text The greeting is there."}, said); diff != "" {
		t.Errorf("%s\n%s", diff, out.Stdout)
	}
	for _, log := range logs {
		data, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(data), notice); n != 1 {
			t.Errorf("%s tells of the broken file %d times, want once:\n%s", log, n, tail(string(data)))
		}
	}
}
