package opencode

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/pkg/opencode/jail"
	"github.com/Kayphoon/opencode-advisor/pkg/opencode/sandbox"
)

const testKey = "run-key-5f1c0a9e77d24b"

func TestInvokeGivesTheTaskAndTheConfigAndTellsWhatHappened(t *testing.T) {
	wt := worktree(t)
	f := newFake(t, "echo 'a notice in plain text'\n"+line(textLine)+"mkdir sub && echo new > sub/b.go && echo bye > a.txt\n"+
		line(strings.ReplaceAll(writeLine, "a.go", "sub/b.go"))+line(stopLine)+"echo 'a word on stderr' >&2\n")
	task := "-m evil \"quoted\" task\n" + strings.Repeat("long ", 50_000)
	res, err := f.Invoke(context.Background(), wt, testKey, task)
	if err != nil {
		t.Fatal(err)
	}
	want := Result{
		Verdict: OK, Reason: "2 file(s) changed", AuthoredFiles: []string{"sub/b.go"}, ChangedFiles: []string{"a.txt", "sub/b.go"},
		AssistantText: "I will look.", Attempts: 1,
		Usage: Usage{Steps: 1, Input: 10, Output: 5, Reasoning: 1, CacheRead: 2, CacheWrite: 3, CostUSD: 0.25},
	}
	transcript := res.TranscriptRedacted
	res.TranscriptRedacted = nil
	if diff := cmp.Diff(want, res); diff != "" {
		t.Error(diff)
	}
	for _, part := range []string{"a notice in plain text\n", `"type":"step_finish"`, "--- standard error ---\na word on stderr\n"} {
		if !bytes.Contains(transcript, []byte(part)) {
			t.Errorf("the transcript lacks %q", part)
		}
	}
	if f.file("task.1") != task {
		t.Error("the task changed on its way")
	}
	wantArgs := "run\n-m\nforge/heal\n--format\njson\n--title\nheadless run\n--dangerously-skip-permissions\n--dir\n" + wt.Dir + "\n"
	if diff := cmp.Diff(wantArgs, f.file("args.1")); diff != "" {
		t.Error(diff)
	}
	config, _ := f.ProviderConfig(testKey, f.ForgeBaseURL)
	if env := f.file("env.1"); !strings.Contains(env, "OPENCODE_CONFIG_CONTENT="+config+"\n") || strings.Count(env, testKey) != 1 || !strings.Contains(env, "OPENCODE_PURE=1\n") {
		t.Error("the environment does not hold the config once, or allows plugins")
	}
}

func TestVariantsOfTheCommand(t *testing.T) {
	for _, c := range []struct {
		change func(*Adapter)
		want   string
	}{
		{func(a *Adapter) { a.V2 = true }, "--dangerously-skip-permissions\n--standalone\n"},
		{func(a *Adapter) { a.AskPermissions = true }, "--title\nheadless run\n--dir\n"},
	} {
		f := newFake(t, "")
		c.change(f.Adapter)
		if _, err := f.Invoke(context.Background(), worktree(t), testKey, "task"); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(f.file("args.1"), c.want) {
			t.Errorf("arguments %q lack %q", f.file("args.1"), c.want)
		}
	}
}

func TestWhatIsRepeatedAndWhatIsNot(t *testing.T) {
	// Each script fails in one way at the first start; at a second start all succeed.
	success := "if [ $N -gt 1 ]; then echo y > done.txt;\n" + line(writeLine) + line(stopLine) + "exit 0; fi\n"
	for _, c := range []struct {
		name, first string
		starts      int
		verdict     Verdict
		waits       []time.Duration
	}{
		{"a server error passes", line(downLine) + "exit 1\n", 2, OK, []time.Duration{defaultRetryBackoff}},
		{"a 2.x server error passes", line(v2DownLine) + "exit 1\n", 2, OK, []time.Duration{defaultRetryBackoff}},
		{"a rate limit says when", line(rateLine) + "exit 1\n", 2, OK, []time.Duration{7 * time.Second}},
		{"a rate limit of an hour is told, not waited for", line(strings.ReplaceAll(rateLine, `"7"`, `"3600"`)) + "exit 1\n", 1, RateLimited, nil},
		{"only standard error speaks", "echo 'fetch failed: ECONNRESET' >&2; exit 1\n", 2, OK, []time.Duration{defaultRetryBackoff}},
		{"a quota does not pass", line(strings.ReplaceAll(rateLine, "Rate limit reached", "insufficient_quota")) + "exit 1\n", 1, RateLimited, nil},
		{"a wrong key does not pass", line(keyLine) + "exit 1\n", 1, Failed, nil},
		{"an unknown failure does not pass", "echo 'no such model' >&2; exit 1\n", 1, Failed, nil},
		{"the model's words are no evidence", line(strings.ReplaceAll(textLine, "I will look.", "got 503 service unavailable")) + "exit 1\n", 1, Failed, nil},
		{"work was done", line(downLine) + "echo x > x.txt; exit 1\n", 1, Failed, nil},
		{"a write was claimed", line(writeLine) + line(downLine) + "exit 1\n", 1, Failed, nil},
		{"nothing was done, with code 0", line(textLine) + line(stopLine), 1, NoOp, nil},
		{"not a word, with code 0", "", 1, Empty, nil},
	} {
		f := newFake(t, success+c.first)
		waits := instant(f.Adapter)
		res, err := f.Invoke(context.Background(), worktree(t), testKey, "task")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if f.starts() != c.starts || res.Attempts != c.starts || res.Verdict != c.verdict {
			t.Errorf("%s: %d starts, %d attempts, %s: %s; want %d and %s", c.name, f.starts(), res.Attempts, res.Verdict, res.Reason, c.starts, c.verdict)
		}
		if diff := cmp.Diff(c.waits, *waits); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestAttemptsAreBounded(t *testing.T) {
	f := newFake(t, line(downLine)+line(stopLine)+"exit 1\n")
	f.MaxAttempts, f.RetryBackoff = 2, time.Minute
	waits := instant(f.Adapter)
	res, err := f.Invoke(context.Background(), worktree(t), testKey, "task")
	if err != nil || res.Attempts != 2 || f.starts() != 2 || res.Verdict != Failed || res.Usage.Steps != 2 {
		t.Errorf("%d attempts, %s, %+v, %v", res.Attempts, res.Verdict, res.Usage, err)
	}
	if diff := cmp.Diff([]time.Duration{time.Minute}, *waits); diff != "" {
		t.Error(diff)
	}
}

func TestTruncationIsOneLoudErrorAndNeverRepeated(t *testing.T) {
	for name, script := range map[string]string{
		// Like OpenCode: it would go on for ever.
		"within a tool call": "while :; do " + line(cutLine) + "sleep 0.01; done\n",
		"at the end of text": line(lengthLine) + "sleep 600\n",
	} {
		f := newFake(t, script)
		instant(f.Adapter)
		res, err := f.Invoke(context.Background(), worktree(t), testKey, "task")
		if !errors.Is(err, ErrTruncated) || !strings.Contains(err.Error(), "cap of 4096 output tokens (MaxOutputTokens)") || !strings.Contains(err.Error(), "raise MaxOutputTokens") {
			t.Errorf("%s: got %v", name, err)
		}
		if f.starts() != 1 || !res.Truncated || res.TruncationDetail == "" || res.Verdict != Truncated || res.TimedOut || res.ExitCode != -1 {
			t.Errorf("%s: %d starts, %+v", name, f.starts(), res)
		}
	}
}

func TestALoopOfInvalidCallsIsStopped(t *testing.T) {
	f := newFake(t, "while :; do "+line(strings.ReplaceAll(wrongLine, "'bash2'", "bash2"))+"sleep 0.01; done\n")
	res, err := f.Invoke(context.Background(), worktree(t), testKey, "task")
	if err != nil || res.Verdict != Failed || res.Truncated || !strings.Contains(res.Reason, "repeated an invalid tool call") || f.starts() != 1 {
		t.Errorf("%s: %q, truncated %v, %d starts, %v", res.Verdict, res.Reason, res.Truncated, f.starts(), err)
	}
}

func TestTheKeyIsInNoSink(t *testing.T) {
	wt := worktree(t)
	// A program that says the key wherever it can.
	f := newFake(t, `K=$(printf '%s' "$OPENCODE_CONFIG_CONTENT" | sed 's/.*"apiKey":"\([^"]*\)".*/\1/')
printf '{"type":"text","part":{"text":"the key is %s"}}\n' "$K"
printf '{"tool":"write","path":"%s"}\n' "$K"
printf '{"type":"error","error":{"data":{"message":"503 for %s","statusCode":503}}}\n' "$K"
echo "base64 $(printf '%s' "$K" | base64)" >&2
echo "plain $K" >&2
exit 1
`)
	var logged bytes.Buffer
	f.Logger = slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	f.MaxAttempts = 1
	res, err := f.Invoke(context.Background(), wt, testKey, "task")
	if err != nil {
		t.Fatal(err)
	}
	all := fmt.Sprintf("%s %+v %s %s", logged.String(), res, res.TranscriptRedacted, f.file("args.1"))
	for _, form := range []string{testKey, testKey[4:], "cnVuLWtleS01ZjFjMGE5ZTc3ZDI0Yg"} {
		if strings.Contains(all, form) {
			t.Errorf("%q came out: %s", form, all)
		}
	}
	if res.Reason == "" || !strings.Contains(res.Reason, "503 for") || !strings.Contains(res.AssistantText, "the key is") || !strings.Contains(logged.String(), "attempt ended") {
		t.Errorf("what is not secret is gone too: %+v; log: %s", res, logged.String())
	}
}

func TestAKeyInAFileIsALoudError(t *testing.T) {
	f := newFake(t, `env > leak.txt; `+line(writeLine)+line(stopLine))
	res, err := f.Invoke(context.Background(), worktree(t), testKey, "task")
	if !errors.Is(err, ErrKeyLeaked) || !strings.Contains(err.Error(), "leak.txt") || res.Verdict != Failed || !strings.Contains(res.Reason, "revoke it") {
		t.Errorf("got %v; %s: %s", err, res.Verdict, res.Reason)
	}
}

func TestTheSandboxsShellDoesNotShowTheKey(t *testing.T) {
	f := newFake(t, `"$SHELL" -c 'env > shell.txt; echo ran'`)
	if _, err := f.Invoke(context.Background(), worktree(t), testKey, "task"); err != nil {
		t.Errorf("the shell printed the key: %v", err)
	}
}

func TestAuthorEscalatesAfterAnAttemptThatDidNothing(t *testing.T) {
	act := "if [ $N -gt 1 ]; then echo y > done.txt; " + line(writeLine) + " fi\n"
	f := newFake(t, act+line(textLine)+line(stopLine))
	res, err := f.Author(context.Background(), worktree(t), testKey, "base task", 0)
	if err != nil || res.Verdict != OK || res.Attempts != 2 || res.Usage.Steps != 2 {
		t.Errorf("%s, %d attempts, %+v, %v", res.Verdict, res.Attempts, res.Usage, err)
	}
	if diff := cmp.Diff([]string{"base task", "base task" + NoOpAuthoringEscalation}, []string{f.file("task.1"), f.file("task.2")}); diff != "" {
		t.Error(diff)
	}
	f = newFake(t, line(keyLine)+"exit 1\n")
	if res, err := f.Author(context.Background(), worktree(t), testKey, "base task", 3); err != nil || res.Verdict != Failed || f.starts() != 1 {
		t.Errorf("a failure was repeated %d times: %s, %v", f.starts(), res.Verdict, err)
	}
}

func TestWrongSettingsStartNothing(t *testing.T) {
	wt := worktree(t)
	for _, c := range []struct {
		name string
		a    Adapter
		wt   *sandbox.Worktree
		task string
		want string
	}{
		{"no worktree", Adapter{Lane: "l", ForgeBaseURL: "http://x"}, nil, "t", "no worktree"},
		{"no task", Adapter{Lane: "l", ForgeBaseURL: "http://x"}, wt, " \n", "the task is empty"},
		{"no lane", Adapter{ForgeBaseURL: "http://x"}, wt, "t", "Lane is empty"},
		{"no endpoint", Adapter{Lane: "l"}, wt, "t", "ForgeBaseURL"},
		{"no program", Adapter{Lane: "l", ForgeBaseURL: "http://x", Bin: "/nonexistent/opencode"}, wt, "t", "install OpenCode, or set Bin"},
	} {
		res, err := c.a.Invoke(context.Background(), c.wt, testKey, c.task)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "invoke OpenCode: ") || res.Attempts != 0 {
			t.Errorf("%s: got %v after %d attempts, want %q", c.name, err, res.Attempts, c.want)
		}
	}
}

func TestAConfinedRunStaysInside(t *testing.T) {
	outside := t.TempDir()
	wt := worktree(t)
	f := newFake(t, "")
	// The fake writes beside itself, which the jail forbids: this one reports through the worktree.
	script := "#!/bin/sh\necho in > in.txt\n(echo out > '" + outside + "/out.txt') 2>/dev/null && echo ESCAPED\n" +
		"(echo x > '" + filepath.Join(wt.GitDir, "hooks", "post-commit") + "') 2>/dev/null && echo ESCAPED\n" + line(writeLine) + line(stopLine)
	if err := os.WriteFile(f.Bin, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	f.Confine = true
	res, err := f.Invoke(context.Background(), wt, testKey, "task")
	if unsupported := jail.Supported(); unsupported != nil {
		// This kernel cannot confine: nothing may have run.
		if err == nil || !strings.Contains(err.Error(), unsupported.Error()) || res.Attempts != 0 || len(res.ChangedFiles) != 0 {
			t.Errorf("got %+v, %v; want the refusal %v", res, err, unsupported)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"in.txt"}, res.ChangedFiles); diff != "" || bytes.Contains(res.TranscriptRedacted, []byte("ESCAPED")) {
		t.Errorf("%s%s", diff, res.TranscriptRedacted)
	}
	if _, err := os.Stat(filepath.Join(outside, "out.txt")); err == nil {
		t.Error("a file was written outside")
	}
}

func TestALaunchThatFailsIsAnErrorOfInvoke(t *testing.T) {
	f := newFake(t, "")
	f.Confine, f.ReadPaths = true, []string{"/nonexistent/plugin"}
	res, err := f.Invoke(context.Background(), worktree(t), testKey, "task")
	if err == nil || !strings.Contains(err.Error(), "jail: ") || res.Attempts != 0 || f.starts() != 0 {
		t.Errorf("got %v after %d starts", err, f.starts())
	}
}
