package opencode

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/Kayphoon/opencode-advisor/pkg/opencode/sandbox"
	"github.com/Kayphoon/opencode-advisor/pkg/redact"
)

var (
	// ErrTruncated is wrapped by Invoke's error when the output cap cut the model off.
	ErrTruncated = errors.New("output truncated")
	// ErrKeyLeaked is wrapped by Invoke's error when a changed file holds the run's key.
	ErrKeyLeaked = errors.New("the run's key was written to a file")
)

// Invoke runs OpenCode headless on a task in the worktree and waits for its end:
//
//	opencode run -m <provider>/<lane> --format json --dangerously-skip-permissions --dir <wt.Dir>
//
// The task goes in on standard input. On the command line OpenCode would put a task with blanks in quotes, it
// would show in the process list, and it could not be longer than 128 KiB. The environment is the sandbox's, with
// ProviderConfig in OPENCODE_CONFIG_CONTENT: the one place where the key is.
//
// A non-zero exit of OpenCode, a deadline and a refusal are results, not errors. Errors, each with the result as
// far as it goes, are: a wrong setting, a program that cannot be started or confined, a cancelled context, a
// truncation (ErrTruncated), a key found in a changed file (ErrKeyLeaked).
//
// # Repeated attempts
//
// An attempt is repeated, up to MaxAttempts in all, when OpenCode failed, the worktree is as it was before the
// attempt, and its error says that the failure may pass (5xx, rate limit, time-out, empty response). So work that
// was done is never paid for twice, and a failure that will not pass is not repeated. A cancelled context
// surfaces at once.
//
// # Truncation
//
// At the first sign of truncation the run is stopped and never repeated: the same task would meet the same
// cap. OpenCode itself would go on asking, silently and without end.
func (a *Adapter) Invoke(ctx context.Context, wt *sandbox.Worktree, apiKey, task string) (Result, error) {
	if wt == nil || wt.Dir == "" {
		return Result{}, errors.New("invoke OpenCode: no worktree: make one by sandbox.New")
	}
	if strings.TrimSpace(task) == "" {
		return Result{}, errors.New("invoke OpenCode: the task is empty")
	}
	config, err := a.ProviderConfig(apiKey, a.ForgeBaseURL)
	if err != nil {
		return Result{}, fmt.Errorf("invoke OpenCode: %w", err)
	}
	run := &invocation{a: a, wt: wt, key: apiKey, task: task, config: config, redactor: redact.New(apiKey)}
	res, err := run.all(ctx)
	if err != nil {
		err = fmt.Errorf("invoke OpenCode: %w", run.clean(err))
	}
	return res, err
}

// invocation is one call of Invoke.
type invocation struct {
	a                 *Adapter
	wt                *sandbox.Worktree
	key, task, config string
	redactor          *redact.Redactor
}

// clean redacts an error's text and keeps what errors.Is finds in it.
func (r *invocation) clean(err error) error {
	text := r.redactor.Text(err.Error())
	if text == err.Error() {
		return err
	}
	return cleanError{text: text, err: err}
}

type cleanError struct {
	text string
	err  error
}

func (e cleanError) Error() string        { return e.text }
func (e cleanError) Is(target error) bool { return errors.Is(e.err, target) }

func (r *invocation) all(ctx context.Context) (Result, error) {
	attempts := orDefault(r.a.MaxAttempts, defaultMaxAttempts)
	var usage Usage
	for n := 1; ; n++ {
		if err := ctx.Err(); err != nil {
			return Result{Verdict: Failed, Reason: "cancelled before the attempt", Attempts: n - 1, Usage: usage}, err
		}
		before, err := r.wt.State(ctx)
		if err != nil {
			return Result{Verdict: Failed, Reason: "the worktree's state could not be read", Attempts: n - 1, Usage: usage}, err
		}
		r.a.log().Info("opencode attempt starts", "attempt", n, "of", attempts, "worktree", r.wt.Dir)
		raw, err := r.attempt(ctx)
		if raw == nil {
			return Result{Verdict: Failed, Reason: "OpenCode was not started", Attempts: n - 1, Usage: usage}, err
		}
		res, untouched, err := r.conclude(raw, before, err)
		usage.add(res.Usage)
		res.Usage, res.Attempts = usage, n
		r.a.log().Info("opencode attempt ended", "attempt", n, "verdict", string(res.Verdict), "exit", res.ExitCode,
			"reason", res.Reason, "changed", len(res.ChangedFiles))
		if err != nil {
			return res, err
		}
		wait, again := r.retry(raw, untouched, attempts-n)
		if !again {
			return res, nil
		}
		r.a.log().Info("opencode attempt is repeated", "after", wait.String())
		if err := r.a.pause(ctx, wait); err != nil {
			return res, err
		}
	}
}

// conclude turns what an attempt showed into a result. It looks at the worktree even when the context is
// cancelled, for the caller wants to know what is there.
func (r *invocation) conclude(raw *outcome, before string, runErr error) (res Result, untouched bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s := raw.stream
	after, err1 := r.wt.State(ctx)
	changed, err2 := r.wt.Changes(ctx)
	leaks, err3 := r.wt.Holding(ctx, r.key)
	untouched = err1 == nil && after == before
	if !untouched {
		raw.authored = max(1, len(changed))
	}
	res = Result{
		AuthoredFiles:      r.redactAll(s.written.list),
		ChangedFiles:       r.redactAll(changed),
		AssistantText:      r.redactor.Text(s.text.String()),
		TranscriptRedacted: raw.transcript,
		ExitCode:           raw.exit,
		TimedOut:           raw.timedOut,
		Usage:              s.usage,
		SessionID:          s.session,
	}
	raw.redact(r.redactor)
	res.Verdict, res.Reason = raw.verdict()
	if detail, yes := s.truncated(raw.limit); yes {
		res.Truncated, res.TruncationDetail = true, detail
	}
	res.Reason = r.redactor.Text(res.Reason)
	switch {
	case runErr != nil:
		res.Verdict, res.Reason = Failed, r.redactor.Text(runErr.Error())
		return res, untouched, runErr
	case len(leaks) > 0 && r.key != "":
		res.Verdict = Failed
		res.Reason = "the run's key was written to " + r.redactor.Text(strings.Join(leaks, ", ")) + ": revoke it"
		return res, untouched, fmt.Errorf("%w: %s: revoke it and discard the worktree", ErrKeyLeaked, strings.Join(leaks, ", "))
	case res.Truncated:
		return res, untouched, fmt.Errorf("%w: %s: raise MaxOutputTokens, or ask for less in one task", ErrTruncated, res.TruncationDetail)
	}
	return res, untouched, errors.Join(err1, err2, err3)
}

func (r *invocation) redactAll(list []string) []string {
	out := slices.Clone(list)
	for i, s := range out {
		out[i] = r.redactor.Text(s)
	}
	return out
}

// retry decides whether another attempt is worth it, and after what pause.
func (r *invocation) retry(o *outcome, untouched bool, left int) (time.Duration, bool) {
	switch {
	case left <= 0, !untouched, o.exit == 0, o.timedOut, o.stopped, len(o.stream.written.list) > 0, !o.transient():
		return 0, false
	}
	wait := orDefault(r.a.RetryBackoff, defaultRetryBackoff)
	if p, ok := o.stream.lastProblem(); ok {
		wait = max(wait, p.retryAfter)
	}
	if wait > maxRetryAfter && wait > r.a.RetryBackoff {
		return 0, false
	}
	return wait, true
}
