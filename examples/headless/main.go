// Command headless reviews a change without a person: it starts OpenCode with the opencode-superadvisor plugin in a
// worktree of its own, gives it a task, and reports verdict, files, the advisor's notes and the cost.
//
//	INFERENCE_KEY=... go run ./examples/headless --endpoint https://api.example.com --model coder --reviewer strong --base origin/main
//
// See README.md for the options and the exit codes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// options are the command line.
type options struct {
	repo, base, task          string
	endpoint, keyEnv          string
	model, reviewer           string
	opencode, plugin          string
	format, transcript, patch string
	failOn                    string
	timeout, linger           time.Duration
	confine                   bool
}

func main() {
	// A cancelled job must leave no worktree and no process behind.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	code := exitError
	if err == nil {
		var r *report
		if r, err = review(ctx, o); r != nil {
			code = r.code
			err = errors.Join(err, r.print(stdout, o.format))
		}
	}
	if err != nil {
		fmt.Fprintln(stderr, "headless:", err)
		if code == exitOK {
			code = exitError
		}
	}
	return code
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("headless", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.repo, "repo", ".", "the repository's `folder`")
	flags.StringVar(&o.base, "base", "HEAD^", "review what changed between this `commit` and HEAD")
	flags.StringVar(&o.task, "task", "", "do the task in this `file` instead of reviewing a change; - is standard input")
	flags.StringVar(&o.endpoint, "endpoint", "", "`URL` of the OpenAI-compatible endpoint (required)")
	flags.StringVar(&o.keyEnv, "key-env", "INFERENCE_KEY", "environment `variable` that holds the endpoint's key")
	flags.StringVar(&o.model, "model", "", "`id` of the agent's model (required)")
	flags.StringVar(&o.reviewer, "reviewer", "", "`id` of the advisor's model (default: the agent's)")
	flags.StringVar(&o.opencode, "opencode", "opencode", "the OpenCode 1.x `executable`")
	flags.StringVar(&o.plugin, "plugin", "", "the plugin: a packed .tgz, or the `folder` of the package (default: this checkout)")
	flags.StringVar(&o.format, "format", "text", "output `format`: text or json")
	flags.StringVar(&o.transcript, "transcript", "", "write the redacted transcript to this `file`")
	flags.StringVar(&o.patch, "patch", "", "write the agent's changes to this `file`, as a git patch")
	flags.StringVar(&o.failOn, "fail-on", "blocker", "exit with 10 for a note of this `severity` or above: nit, concern, blocker, never")
	flags.DurationVar(&o.timeout, "timeout", 15*time.Minute, "kill OpenCode after this `time`")
	flags.DurationVar(&o.linger, "linger", time.Minute, "`time` that the advisor has after the agent's end")
	flags.BoolVar(&o.confine, "confine", true, "confine OpenCode by the kernel (Linux 6.7 or newer)")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	switch {
	case flags.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q: see --help", flags.Arg(0))
	case o.endpoint == "":
		return o, errors.New("--endpoint is required: the base URL of an OpenAI-compatible endpoint")
	case o.model == "":
		return o, errors.New("--model is required: the id of the agent's model at the endpoint")
	case o.format != "text" && o.format != "json":
		return o, fmt.Errorf("--format %q: want text or json", o.format)
	case rank(o.failOn) == 0 && o.failOn != "never":
		return o, fmt.Errorf("--fail-on %q: want nit, concern, blocker or never", o.failOn)
	}
	return o, nil
}
