package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/guard"
	"github.com/Kayphoon/opencode-advisor/pkg/opencode"
	"github.com/Kayphoon/opencode-advisor/pkg/opencode/sandbox"
)

// Exit codes.
const (
	exitOK      = 0
	exitError   = 1 // the command could not do its job
	exitAdvisor = 10
)

var exitCodes = map[opencode.Verdict]int{
	opencode.OK: exitOK, opencode.NoOp: 2, opencode.Empty: 2, opencode.Truncated: 3, opencode.TimedOut: 4,
	opencode.RateLimited: 5, opencode.PermissionBlocked: 6, opencode.Failed: 7,
}

// report is what is printed, as text or as JSON.
type report struct {
	Verdict opencode.Verdict `json:"verdict"`
	Reason  string           `json:"reason"`
	Answer  string           `json:"answer"` // what the agent said last
	Files   []string         `json:"files"`  // changed by the agent
	Cost    opencode.Usage   `json:"cost"`   // of the agent
	Advisor advice           `json:"advisor"`

	code int
}

func newReport(o options, res opencode.Result, said advice) *report {
	r := &report{
		Verdict: res.Verdict, Reason: res.Reason, Answer: strings.TrimSpace(res.AssistantText),
		Files: append([]string{}, res.ChangedFiles...), Cost: res.Usage, Advisor: said,
	}
	r.code = exitCodes[r.Verdict]
	// A review that finds nothing to mend has done its work.
	if o.task == "" && r.Verdict == opencode.NoOp {
		r.code = exitOK
	}
	if r.code == exitOK && r.worst() >= rank(o.failOn) && o.failOn != "never" {
		r.code = exitAdvisor
	}
	return r
}

// worst is the rank of the gravest note that was delivered.
func (r *report) worst() (worst int) {
	for _, n := range r.Advisor.Notes {
		if n.Fate == "delivered" {
			worst = max(worst, rank(n.Severity))
		}
	}
	return worst
}

func (r *report) print(w io.Writer, format string) error {
	if format == "json" {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(r)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "verdict  %s: %s\n", r.Verdict, r.Reason)
	for _, f := range r.Files {
		fmt.Fprintf(&b, "changed  %s\n", f)
	}
	dropped := 0
	for _, n := range r.Advisor.Notes {
		if n.Fate != "delivered" {
			dropped++
			continue
		}
		fmt.Fprintf(&b, "note     %s %s\n         %s\n", n.Severity, n.Place, strings.ReplaceAll(n.Text, "\n", "\n         "))
	}
	fmt.Fprintf(&b, "advisor  %d review(s), %d note(s) not delivered, %d tokens in, %d out", r.Advisor.Reviews, dropped, r.Advisor.TokensIn, r.Advisor.TokensOut)
	if r.Advisor.Unended {
		b.WriteString("; the last review was cut off by the end (--linger)")
	}
	fmt.Fprintf(&b, "\ncost     %d step(s), %d tokens in, %d out, $%.4f\n", r.Cost.Steps, r.Cost.Input, r.Cost.Output, r.Cost.CostUSD)
	if r.Answer != "" {
		fmt.Fprintf(&b, "\n%s\n", r.Answer)
	}
	// A model wrote some of it, and a terminal or a job's page shows it.
	_, err := io.WriteString(w, guard.Printable(b.String()))
	return err
}

// save writes the files that were asked for, before the sandbox goes.
func (r *report) save(ctx context.Context, wt *sandbox.Worktree, o options, res opencode.Result) error {
	var err1, err2 error
	if o.transcript != "" {
		err1 = os.WriteFile(o.transcript, res.TranscriptRedacted, 0o600)
	}
	if o.patch != "" {
		var patch string
		if patch, err2 = wt.Diff(context.WithoutCancel(ctx)); err2 == nil {
			err2 = os.WriteFile(o.patch, []byte(patch), 0o600)
		}
	}
	return errors.Join(err1, err2)
}
