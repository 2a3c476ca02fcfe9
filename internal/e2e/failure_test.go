package e2e

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// turns are said in every scene of a failing advisor, and in one without the plugin.
var turns = []string{
	"H1: look. [[read src/db.ts]] " + write(profilePath, profileText),
	"H2: greet. " + write(greetingPath, greetingText),
	"H3: list. [[bash ls src]]",
	"H4: thanks.",
}

// failures lets the advisor fail in several ways beside a session without the plugin. Each session must be as that one, and
// the person hears of each trouble once.
func (c cast) failures(t *testing.T) {
	plain, err := c.stage.Open(c.ctx, Setting{Name: "without-the-plugin", Primary: agent})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range turns {
		c.say(t, plain, text)
	}
	if n := len(conversation(plain)); n != 8 {
		t.Fatalf("the session without the plugin took %d requests, want 8: %q", n, turns)
	}
	for _, failure := range []struct {
		name     string
		spec     string
		reviewer string
		options  map[string]any
		counter  string // of reviews that end so; empty when there can be none
		notice   string
	}{
		{
			"dead provider", plugin, deadReviewer, map[string]any{"provider": map[string]string{"baseURL": refusing(t), "apiKey": "none"}}, "review.failed",
			`^The advisor pauses: call test/reviewer-dead: no connection: .* check that the server is running and that provider\.baseURL is right\.$`,
		},
		{
			"hanging provider", plugin, hangingReviewer, map[string]any{"timeoutMs": 1000}, "review.timeout",
			`^The advisor pauses: call test/reviewer-hanging: timed out: no answer .*: raise timeoutMs, or choose a faster model or a lower variant\.$`,
		},
		{
			"storm of errors", plugin, stormyReviewer, nil, "review.failed",
			`^The advisor pauses: call test/reviewer-500: the server failed \(500\): .* the advisor tries again later\.$`,
		},
		{
			"killed worker", withWorkerThatDies(t), StoryReviewer, nil, "",
			`^The advisor is off: its worker ended: .* The session goes on without it\.$`,
		},
	} {
		t.Run(failure.name, func(t *testing.T) {
			t.Parallel()
			c := c.bound(t)
			scene := c.open(t, strings.ReplaceAll(failure.name, " ", "-"), failure.spec, failure.reviewer, failure.options)
			for i, text := range turns {
				c.say(t, scene, text)
				if failure.counter == "" {
					continue
				}
				// The review of each turn fails, and after three of them there is none.
				_, err := scene.AwaitState(c.ctx, fmt.Sprintf("the end of review %d", i+1), func(s *protocol.StoredSession) bool {
					return Count(s, failure.counter)+Count(s, "review.skipped.paused") == i+1
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			toasts, err := scene.AwaitToasts(c.ctx, 1)
			if err != nil {
				t.Fatal(err)
			}
			if len(toasts) != 1 || !regexp.MustCompile(failure.notice).MatchString(toasts[0].Message) {
				t.Errorf("want one notice %s, got %+v", failure.notice, toasts)
			}
			same(t, c, scene, plain)
		})
	}
}

// refusing gives a base URL where every connection is refused: its port is taken by a socket that never listens.
func refusing(t *testing.T) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	at, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	u := url.URL{Scheme: "http", Host: fmt.Sprintf("127.0.0.1:%d", at.(*syscall.SockaddrInet4).Port), Path: "/v1"}
	return u.String()
}

// withWorkerThatDies copies the installed package and lets its worker end at the first events that it gets.
func withWorkerThatDies(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), PackageName)
	if err := os.CopyFS(dir, os.DirFS(plugin)); err != nil {
		t.Fatal(err)
	}
	worker := filepath.Join(dir, "dist", "worker.cjs")
	if err := os.Rename(worker, filepath.Join(dir, "dist", "whole.cjs")); err != nil {
		t.Fatal(err)
	}
	const dies = `const { parentPort } = require("node:worker_threads")
require("./whole.cjs")
parentPort.on("message", ({ t }) => t === "events" && process.exit(3))
`
	if err := os.WriteFile(worker, []byte(dies), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func fileURL(path string) string { return (&url.URL{Scheme: "file", Path: path}).String() }

// same compares a session with one without the plugin: what the person sees, and every request to the agent's model, in
// which only the consult tool is more.
func same(t *testing.T, c cast, scene, plain *Scene) {
	t.Helper()
	got, err := scene.Lines(c.ctx)
	if err != nil {
		t.Fatal(err)
	}
	want, err := plain.Lines(c.ctx)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(shown(want), shown(got)); diff != "" {
		t.Errorf("the session is another than without the plugin: %s", diff)
	}
	if diff := cmp.Diff(conversation(plain), conversation(scene)); diff != "" {
		t.Errorf("the agent's model was asked otherwise than without the plugin: %s", diff)
	}
}

// callID is an id that the model server makes of the number of a request.
var callID = regexp.MustCompile(`call_\d+_\d+`)

// conversation gives what the agent's model was sent in each request, without what differs between any two sessions.
func conversation(scene *Scene) []string {
	var out []string
	for _, r := range asked(scene) {
		var body struct {
			Messages json.RawMessage
			Tools    []struct{ Function struct{ Name string } }
		}
		if err := json.Unmarshal(r.Body, &body); err != nil {
			out = append(out, err.Error())
			continue
		}
		text := strings.ReplaceAll(string(body.Messages), scene.Dir, "DIR")
		text = callID.ReplaceAllString(text, "CALL")
		for _, tool := range body.Tools {
			if name := tool.Function.Name; name != "consult_advisor" {
				text += " " + name
			}
		}
		out = append(out, text)
	}
	return out
}
