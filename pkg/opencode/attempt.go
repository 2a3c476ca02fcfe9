package opencode

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/Kayphoon/opencode-advisor/pkg/opencode/jail"
)

const (
	// signGrace is how long a run goes on after the first sign of truncation, so that the step's token count
	// comes in too.
	signGrace = time.Second
	// pipeGrace is how long we wait for output after the process ended while another holds its pipes.
	pipeGrace = 2 * time.Second
)

// Sizes of the transcript.
const (
	outHead, outTail = 1 << 20, 2 << 20
	errHead, errTail = 256 << 10, 768 << 10
)

// attempt starts OpenCode once and follows it to its end. The outcome is nil when it was not started; an error
// with an outcome is a cancelled context.
func (r *invocation) attempt(ctx context.Context) (o *outcome, err error) {
	// The process is killed when the thread that started it ends (its parent-death signal): stay on it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	restore, err := r.wt.HideConfig()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, restore()) }()
	cmd, launch, err := r.command()
	if err != nil {
		return nil, err
	}
	signs := make(chan struct{}, 1)
	sink := newSink(signs)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(r.task), sink.out(), sink.err()
	cmd.WaitDelay = pipeGrace
	if err := cmd.Start(); err != nil {
		if launch != nil {
			launch.Close()
		}
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	defer r.wt.KillStrays()
	defer killGroup(cmd)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	if launch != nil {
		if err := launch.Started(); err != nil {
			killGroup(cmd)
			<-ended
			return nil, err
		}
	}

	o = &outcome{limit: r.a.maxOutputTokens()}
	err = r.follow(ctx, cmd, ended, signs, sink, o)
	o.exit = cmd.ProcessState.ExitCode() // -1 when killed
	sink.finish(o, r)
	return o, err
}

// follow waits for the end of the process, or brings it about.
func (r *invocation) follow(ctx context.Context, cmd *exec.Cmd, ended <-chan error, signs <-chan struct{}, sink *sink, o *outcome) error {
	deadline := r.a.timer(orDefault(r.a.Timeout, defaultInvokeTimeout))
	var grace <-chan time.Time
	for {
		select {
		case err := <-ended:
			var exit *exec.ExitError
			if err == nil || errors.As(err, &exit) || errors.Is(err, exec.ErrWaitDelay) {
				return nil
			}
			// A child that reads no input breaks the pipe to it; what it printed counts all the same.
			r.a.log().Warn("opencode wait failed", "error", r.redactor.Text(err.Error()))
			return nil
		case <-ctx.Done():
			kill(cmd, ended)
			return ctx.Err()
		case <-deadline:
			o.timedOut = true
			kill(cmd, ended)
			return nil
		case <-signs:
			stop, now := sink.hopeless()
			if !stop {
				continue
			}
			if grace == nil {
				r.a.log().Warn("opencode shows a cut-off or invalid tool call and is stopped")
				grace = r.a.timer(signGrace)
			}
			if now {
				o.stopped = true
				kill(cmd, ended)
				return nil
			}
		case <-grace:
			o.stopped = true
			kill(cmd, ended)
			return nil
		}
	}
}

func kill(cmd *exec.Cmd, ended <-chan error) {
	killGroup(cmd)
	<-ended
}

// command prepares the process.
func (r *invocation) command() (*exec.Cmd, *jail.Launch, error) {
	bin := r.a.Bin
	if bin == "" {
		bin = "opencode"
	}
	path, err := exec.LookPath(bin)
	if err != nil {
		return nil, nil, fmt.Errorf("find the opencode executable: %w: install OpenCode, or set Bin", err)
	}
	cmd := exec.Command(path, r.arguments()...)
	cmd.Dir = r.wt.Dir
	cmd.Env = append(r.wt.Env(), "OPENCODE_CONFIG_CONTENT="+r.config)
	if len(r.a.Plugins) == 0 {
		cmd.Env = append(cmd.Env, "OPENCODE_PURE=1") // no plugin from anywhere
	}
	ownGroup(cmd)
	if !r.a.Confine {
		return cmd, nil, nil
	}
	policy, err := r.policy(path)
	if err != nil {
		return nil, nil, err
	}
	launch, err := jail.Confine(cmd, policy)
	if err != nil {
		return nil, nil, err
	}
	return cmd, launch, nil
}

func (r *invocation) arguments() []string {
	args := []string{"run", "-m", r.a.provider() + "/" + r.a.Lane, "--format", "json"}
	// A title of ours saves the model request by which OpenCode would find one.
	args = append(args, "--title", "headless run")
	if !r.a.AskPermissions {
		args = append(args, "--dangerously-skip-permissions")
	}
	if r.a.V2 {
		return append(args, "--standalone")
	}
	return append(args, "--dir", r.wt.Dir)
}

// policy is what a confined run may reach.
func (r *invocation) policy(bin string) (jail.Policy, error) {
	base, err := endpoint(r.a.ForgeBaseURL)
	if err != nil {
		return jail.Policy{}, err
	}
	exe, err := realFolder(bin)
	if err != nil {
		return jail.Policy{}, fmt.Errorf("find the opencode executable: %w", err)
	}
	port, lookup := reach(base)
	return jail.Policy{
		Write:   r.wt.Writable(),
		Read:    append(slices.Clone(r.a.ReadPaths), exe, r.wt.GitDir),
		Connect: []uint16{port},
		UDP:     lookup,
	}, nil
}

// sink takes the two output streams of the process, which arrive on goroutines of their own.
type sink struct {
	mu     sync.Mutex
	stream *stream
	stdout *excerpt
	stderr *excerpt
}

func newSink(signs chan<- struct{}) *sink {
	s := &sink{stream: newStream(), stdout: newExcerpt(outHead, outTail), stderr: newExcerpt(errHead, errTail)}
	s.stream.sign = func() {
		select {
		case signs <- struct{}{}:
		default: // one is waiting to be looked at
		}
	}
	return s
}

// hopeless reports that the run should be stopped, and whether at once: all that there is to know is known.
func (s *sink) hopeless() (stop, now bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stream.invalid > 0 || s.stream.lengths > 0 || s.stream.stuck(), s.stream.lengths > 0 || s.stream.stuck()
}

type writerFunc func([]byte)

func (f writerFunc) Write(p []byte) (int, error) { f(p); return len(p), nil }

func (s *sink) out() writerFunc {
	return func(p []byte) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.stdout.write(p)
		s.stream.walker.write(p)
	}
}

func (s *sink) err() writerFunc {
	return func(p []byte) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.stderr.write(p)
	}
}

// finish completes an outcome with all that was printed.
func (s *sink) finish(o *outcome, r *invocation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stream.walker.close()
	o.stream = s.stream
	o.side = r.evidence(s, o.timedOut)
	o.transcript = s.stdout.redacted(r.redactor)
	if s.stderr.total > 0 {
		o.transcript = append(o.transcript, "\n--- standard error ---\n"...)
		o.transcript = append(o.transcript, s.stderr.redacted(r.redactor)...)
	}
}
