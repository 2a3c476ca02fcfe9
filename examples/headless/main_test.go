package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/internal/hosts"
	"github.com/Kayphoon/opencode-advisor/pkg/opencode"
	"github.com/Kayphoon/opencode-advisor/pkg/redact"
)

// repository has two commits: the second changes pay.js.
func repository(t *testing.T) *hosts.Project {
	t.Helper()
	p, err := hosts.NewProject(t.TempDir(), map[string]string{"pay.js": "let balance = 100\n"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.Dir, "pay.js"), []byte("let balance = 100\nexport const refund = (n) => (balance += n)\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := p.Git("commit", "--quiet", "--all", "--message=second"); err != nil {
		t.Fatal(out)
	}
	return p
}

func TestWrongOptionsSayWhatIsWrong(t *testing.T) {
	for args, want := range map[string]string{
		"":                    "--endpoint is required",
		"--endpoint http://x": "--model is required",
		"--endpoint http://x --model m --format xml":         `--format "xml": want text or json`,
		"--endpoint http://x --model m --fail-on never more": `unexpected argument "more"`,
		"--endpoint http://x --model m --fail-on all":        `--fail-on "all"`,
		"--nonsense": "flag provided but not defined",
	} {
		var out, errs bytes.Buffer
		if code := run(context.Background(), strings.Fields(args), &out, &errs); code != exitError || !strings.Contains(errs.String(), want) || out.Len() > 0 {
			t.Errorf("%q: code %d, %q; want %q", args, code, errs.String(), want)
		}
	}
	if code := run(context.Background(), []string{"--help"}, io.Discard, io.Discard); code != 0 {
		t.Errorf("--help ends with %d", code)
	}
}

func TestTheTaskHoldsTheChangeBehindAFreshMark(t *testing.T) {
	p := repository(t)
	o := options{repo: p.Dir, base: "HEAD^"}
	first, err := theTask(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	second, _ := theTask(context.Background(), o)
	mark := func(task string) string {
		_, rest, _ := strings.Cut(task, "carry the mark ")
		m, _, _ := strings.Cut(rest, ".")
		return m
	}
	if m := mark(first); len(m) < 20 || m == mark(second) || strings.Count(first, m) != 3 {
		t.Errorf("marks %q and %q", m, mark(second))
	}
	if !strings.Contains(first, "+export const refund") || strings.Contains(first, "{{") {
		t.Errorf("the task: %s", first)
	}
	for name, c := range map[string]struct {
		o    options
		want string
	}{
		"no such commit": {options{repo: p.Dir, base: "nope"}, "diff nope with HEAD"},
		"an option":      {options{repo: p.Dir, base: "--output=x"}, "diff --output=x with HEAD"},
		"no change":      {options{repo: p.Dir, base: "HEAD"}, "nothing changed"},
		"no task file":   {options{task: filepath.Join(p.Root, "none")}, "read the task"},
	} {
		if _, err := theTask(context.Background(), c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	if _, err := os.Stat(filepath.Join(p.Dir, "x")); err == nil {
		t.Error("git took the commit for an option")
	}
}

func TestExitCodes(t *testing.T) {
	blocker := advice{Notes: []note{{Severity: "blocker", Fate: "delivered"}}}
	dropped := advice{Notes: []note{{Severity: "blocker", Fate: "duplicate"}, {Severity: "nit", Fate: "delivered"}}}
	for _, c := range []struct {
		name    string
		o       options
		verdict opencode.Verdict
		said    advice
		want    int
	}{
		{"files changed", options{failOn: "blocker"}, opencode.OK, advice{}, 0},
		{"a review without a finding", options{failOn: "blocker"}, opencode.NoOp, advice{}, 0},
		{"a task that did nothing", options{task: "t.md", failOn: "blocker"}, opencode.NoOp, advice{}, 2},
		{"nothing said", options{failOn: "blocker"}, opencode.Empty, advice{}, 2},
		{"cut off", options{failOn: "blocker"}, opencode.Truncated, blocker, 3},
		{"too long", options{failOn: "blocker"}, opencode.TimedOut, advice{}, 4},
		{"rate", options{failOn: "blocker"}, opencode.RateLimited, advice{}, 5},
		{"permission", options{failOn: "blocker"}, opencode.PermissionBlocked, advice{}, 6},
		{"failed", options{failOn: "blocker"}, opencode.Failed, advice{}, 7},
		{"a blocker", options{failOn: "blocker"}, opencode.OK, blocker, 10},
		{"a blocker that nobody asks for", options{failOn: "never"}, opencode.OK, blocker, 0},
		{"a blocker that was not delivered", options{failOn: "concern"}, opencode.OK, dropped, 0},
		{"a nit", options{failOn: "nit"}, opencode.OK, dropped, 10},
	} {
		if got := newReport(c.o, opencode.Result{Verdict: c.verdict}, c.said).code; got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}

// state is what the plugin stores of a session, as far as it is read here.
const state = `{"version":1,"session":"ses_1","owed":true,"counts":[{"name":"review.started","n":2},{"name":"tokens.in","n":900},{"name":"tokens.out","n":40}],
"notes":[{"note":{"id":"n_1","severity":"concern","text":"Adds what it should take, with test-key-of-the-model-server.","citations":[{"kind":"quote","path":"pay.js","line":2,"quote":"balance += n"}]},"fate":"delivered"},
{"note":{"id":"n_2","severity":"nit","text":"again"},"fate":"duplicate"}]}`

func TestReportAsTextAndAsJSON(t *testing.T) {
	home := t.TempDir()
	name := sha256.Sum256([]byte("ses_1"))
	file := filepath.Join(home, "opencode-superadvisor", "sessions", hex.EncodeToString(name[:])+".json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(state), 0o600); err != nil {
		t.Fatal(err)
	}
	said, err := readAdvisor(home, "ses_1", redact.New(hosts.TestKey))
	if err != nil {
		t.Fatal(err)
	}
	r := newReport(options{failOn: "blocker"}, opencode.Result{
		Verdict: opencode.OK, Reason: "1 file(s) changed", ChangedFiles: []string{"pay.js"}, AssistantText: "Mended \u202e& \x1b[2Jdone.\n",
		Usage: opencode.Usage{Steps: 2, Input: 30, Output: 10, CostUSD: 0.0125},
	}, said)

	var text bytes.Buffer
	if err := r.print(&text, "text"); err != nil {
		t.Fatal(err)
	}
	want := `verdict  ok: 1 file(s) changed
changed  pay.js
note     concern pay.js:2
         Adds what it should take, with [redacted:known-key].
advisor  2 review(s), 1 note(s) not delivered, 900 tokens in, 40 out; the last review was cut off by the end (--linger)
cost     2 step(s), 30 tokens in, 10 out, $0.0125

Mended & done.
`
	if diff := cmp.Diff(want, text.String()); diff != "" {
		t.Error(diff)
	}

	var out bytes.Buffer
	if err := r.print(&out, "json"); err != nil {
		t.Fatal(err)
	}
	var back report
	if err := json.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(*r, back, cmp.AllowUnexported(report{})); diff != "" {
		t.Error(diff)
	}
	if nothing, err := readAdvisor(t.TempDir(), "ses_1", redact.New(hosts.TestKey)); err != nil || nothing.Notes == nil || nothing.Reviews != 0 {
		t.Errorf("without a state: %+v, %v", nothing, err)
	}
	if err := os.WriteFile(file, []byte("not JSON"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readAdvisor(home, "ses_1", redact.New(hosts.TestKey)); err == nil || !strings.Contains(err.Error(), "read the advisor's state") {
		t.Errorf("a broken state: got %v", err)
	}
}
