//go:build realhost

package opencode

import (
	"bytes"
	"context"
	"log/slog"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/Kayphoon/opencode-advisor/internal/hosts"
	"github.com/Kayphoon/opencode-advisor/internal/modelserver"
	"github.com/Kayphoon/opencode-advisor/pkg/opencode/sandbox"
)

// hostRun is one run of the real OpenCode against a scripted model.
type hostRun struct {
	*Adapter
	t     *testing.T
	ctx   context.Context
	model *modelserver.Server
	repo  *hosts.Project
	wt    *sandbox.Worktree
	log   *lockedLog

	deadline chan time.Time // closing it is the deadline
	mu       sync.Mutex
	waits    []time.Duration
}

type reply = modelserver.Reply

// start prepares a run whose model m1 gives these replies, in a repository with these files.
func start(t *testing.T, files map[string]string, replies ...reply) *hostRun {
	t.Helper()
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	t.Cleanup(cancel)
	bin, err := hosts.OpenCode(ctx)
	if err != nil {
		t.Fatal(err)
	}
	model, err := modelserver.Start(modelserver.Script{Models: map[string][]reply{"m1": replies, "coding": replies}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { model.Close() })
	all := map[string]string{"a.txt": "hello\n"}
	for name, content := range files {
		all[name] = content
	}
	repo, err := hosts.NewProject(t.TempDir(), all)
	if err != nil {
		t.Fatal(err)
	}
	wt, err := sandbox.New(ctx, repo.Dir, sandbox.Options{Root: filepath.Join(t.TempDir(), "root")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := wt.Close(); err != nil {
			t.Error(err)
		}
	})
	h := &hostRun{t: t, ctx: ctx, model: model, repo: repo, wt: wt, log: &lockedLog{}, deadline: make(chan time.Time)}
	h.Adapter = &Adapter{
		Bin: bin, Lane: "m1", ForgeBaseURL: model.URL(), RetryBackoff: time.Millisecond,
		Logger: slog.New(slog.NewTextHandler(h.log, nil)),
	}
	h.after = func(d time.Duration) <-chan time.Time {
		if d == defaultInvokeTimeout {
			return h.deadline
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		h.waits = append(h.waits, d)
		return time.After(min(d, signGrace)) // real for the grace, short for a pause
	}
	return h
}

// invoke runs a task and logs how it went.
func (h *hostRun) invoke(task string) (Result, error) {
	began := time.Now()
	res, err := h.Invoke(h.ctx, h.wt, testKey, task)
	h.t.Logf("%s in %.1fs: %s (%d attempts, %d model requests, error %v)",
		res.Verdict, time.Since(began).Seconds(), res.Reason, res.Attempts, len(h.model.Requests()), err)
	if h.t.Failed() {
		h.t.Logf("%s", res.TranscriptRedacted)
	}
	return res, err
}

// must checks a verdict that comes without an error.
func (h *hostRun) must(want Verdict, res Result, err error) {
	h.t.Helper()
	if err != nil || res.Verdict != want {
		h.t.Errorf("got %s: %s, %v; want %s\n%s", res.Verdict, res.Reason, err, want, res.TranscriptRedacted)
	}
}

// asked waits for n requests to the model.
func (h *hostRun) asked(n int) []modelserver.Request {
	h.t.Helper()
	got, err := h.model.Wait(h.ctx, n, modelserver.Filter{})
	if err != nil {
		h.t.Error(err)
	}
	return got
}

type lockedLog struct {
	mu  sync.Mutex
	buf bytes.Buffer
	at  map[string]time.Time // when a message came first
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.at == nil {
		l.at = map[string]time.Time{}
	}
	if strings.Contains(string(p), "cut-off") && l.at["sign"].IsZero() {
		l.at["sign"] = time.Now()
	}
	return l.buf.Write(p)
}

func (l *lockedLog) text() string { l.mu.Lock(); defer l.mu.Unlock(); return l.buf.String() }

func toolCall(name string, args map[string]string) reply {
	return reply{Text: "Now I use " + name + ".", ToolCalls: []modelserver.ToolCall{{Name: name, Args: modelserver.Args(args)}}}
}

func bash(command string) reply {
	return toolCall("bash", map[string]string{"command": command, "description": "run"})
}

func writeFile(path, content string) reply {
	return toolCall("write", map[string]string{"filePath": path, "content": content})
}

var done = reply{Text: "All done."}

func failing(status int, headers ...string) reply {
	r := reply{Status: status, Headers: map[string]string{}, Body: modelserver.Args(map[string]any{
		"error": map[string]string{"message": "the endpoint says " + strconv.Itoa(status)},
	})}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Headers[headers[i]] = headers[i+1]
	}
	return r
}

// hostTries is how often OpenCode 1.18 itself asks before it reports a passing failure.
const hostTries = 6

func repeat(n int, r reply, then ...reply) []reply {
	var out []reply
	for range n {
		out = append(out, r)
	}
	return append(out, then...)
}
