//go:build realhost

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/internal/hosts"
	"github.com/Kayphoon/opencode-advisor/internal/modelserver"
	"github.com/Kayphoon/opencode-advisor/pkg/opencode/jail"
)

func call(name string, args any) modelserver.Reply {
	return modelserver.Reply{ToolCalls: []modelserver.ToolCall{{Name: name, Args: modelserver.Args(args)}}}
}

// The whole example: the agent mends the change and ends; the advisor, slower than that, has a concern about the
// mended file.
func TestAReviewFromBeginningToEnd(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	bin, err := hosts.OpenCode(ctx)
	if err != nil {
		t.Fatal(err)
	}
	const mended = "let balance = 100\nexport const refund = (n) => (balance -= n)\n"
	model, err := modelserver.Start(modelserver.Script{Models: map[string][]modelserver.Reply{
		"m1": {call("write", map[string]string{"filePath": "pay.js", "content": mended}), {Text: "pay.js:2 added where it must take; mended."}},
		"reviewer": {
			{DelayMs: 1500, ToolCalls: call("read", map[string]string{"path": "pay.js"}).ToolCalls},
			call("advise", map[string]any{
				"note": "refund lets the balance fall below zero, so that more is paid out than there is. Refuse an amount above the balance.", "severity": "concern", "verdict": "confirmed", "category": "bug",
				"citations": []any{map[string]any{"kind": "quote", "path": "pay.js", "line": 2, "quote": "balance -= n", "fact": "nothing is compared before"}},
			}),
			{Every: &modelserver.Reply{Text: "silent"}},
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	p := repository(t)
	t.Setenv("INFERENCE_KEY", hosts.TestKey)
	t.Setenv("TMPDIR", t.TempDir())
	args := []string{
		"--repo", p.Dir, "--endpoint", model.URL(), "--model", "m1", "--reviewer", "reviewer", "--opencode", bin, "--format", "json",
		"--patch", filepath.Join(p.Root, "patch"), "--transcript", filepath.Join(p.Root, "transcript"), "--fail-on", "concern",
	}
	var out, errs bytes.Buffer
	code := run(ctx, args, &out, &errs)
	if unsupported := jail.Supported(); unsupported != nil {
		// This kernel cannot confine, and confinement is the default: nothing may have run.
		if code != exitError || !strings.Contains(errs.String(), unsupported.Error()) || len(model.Requests()) > 0 {
			t.Errorf("code %d, %s; want the refusal %v", code, errs.String(), unsupported)
		}
		errs.Reset()
		code = run(ctx, append(args, "--confine=false"), &out, &errs)
	}
	var r report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatalf("code %d: %s%s", code, out.String(), errs.String())
	}
	transcript, _ := os.ReadFile(filepath.Join(p.Root, "transcript"))
	if code != exitAdvisor {
		t.Errorf("code %d: %s%s\n%s", code, out.String(), errs.String(), transcript)
	}
	want := report{
		Verdict: "ok", Reason: "1 file(s) changed", Answer: "pay.js:2 added where it must take; mended.", Files: []string{"pay.js"}, Cost: r.Cost,
		Advisor: advice{Notes: []note{{Severity: "concern", Place: "pay.js:2", Fate: "delivered",
			Text: "refund lets the balance fall below zero, so that more is paid out than there is. Refuse an amount above the balance."}},
			Reviews: r.Advisor.Reviews, TokensIn: r.Advisor.TokensIn, TokensOut: r.Advisor.TokensOut},
	}
	if diff := cmp.Diff(want, r, cmp.AllowUnexported(report{})); diff != "" {
		t.Error(diff)
	}
	if r.Cost.Steps != 2 || r.Advisor.Reviews < 1 || r.Advisor.TokensIn == 0 {
		t.Errorf("cost %+v, advisor %+v", r.Cost, r.Advisor)
	}
	if patch, _ := os.ReadFile(filepath.Join(p.Root, "patch")); !strings.Contains(string(patch), "+export const refund = (n) => (balance -= n)") {
		t.Errorf("the patch: %s", patch)
	}
	if bytes.Contains(transcript, []byte(hosts.TestKey)) || !bytes.Contains(transcript, []byte("step_finish")) {
		t.Error("the transcript holds the key, or nothing")
	}
	if list, _ := p.Git("worktree", "list"); strings.Count(list, "\n") != 1 {
		t.Errorf("worktrees are left: %s", list)
	}
	if got, _ := os.ReadFile(filepath.Join(p.Dir, "pay.js")); string(got) == mended {
		t.Error("the run wrote into the repository itself")
	}
}
