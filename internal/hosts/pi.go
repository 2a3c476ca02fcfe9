package hosts

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
)

// PiOptions configure pi for one start.
type PiOptions struct {
	// ModelURL is the model server's base URL, ending in /v1.
	ModelURL string
	// Models are the model ids; empty means m1 and reviewer. The first is the default.
	Models []string
	// Extension is the extension to load: a file, or a folder with a package.json. Empty means none.
	Extension string
	// Env is added to the environment.
	Env []string
	// Args are further arguments, such as -c to go on with the last session.
	Args []string
	// Settings are laid over pi's settings.
	Settings map[string]any
	// Runtime runs pi's script; empty means "node" from the PATH.
	Runtime string
}

// PiRun is pi in RPC mode: commands go in and events come out as JSON lines.
type PiRun struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stop   context.CancelFunc
	ended  chan struct{}
	stderr lockedBuffer
	next   int

	mu      sync.Mutex
	lines   []PiLine
	changed chan struct{}
}

// PiLine is one line that pi printed.
type PiLine struct {
	Type string
	ID   string
	Raw  json.RawMessage
}

// StartPi starts pi in RPC mode and waits until it answers. The context bounds its whole life.
func (p *Project) StartPi(ctx context.Context, o PiOptions) (*PiRun, error) {
	script, err := Pi(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.writePiConfig(o); err != nil {
		return nil, err
	}
	runtime := o.Runtime
	if runtime == "" {
		runtime = "node"
	}
	args := append([]string{script, "--mode", "rpc"}, o.piArgs()...)
	ctx, stop := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, runtime, args...)
	cmd.Dir = p.Dir
	cmd.Env = p.piEnv(o)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return killGroup(cmd) }
	r := &PiRun{cmd: cmd, stop: stop, ended: make(chan struct{}), changed: make(chan struct{})}
	cmd.Stderr = &r.stderr
	stdin, err1 := cmd.StdinPipe()
	stdout, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2); err != nil {
		stop()
		return nil, fmt.Errorf("start pi: %w", err)
	}
	r.stdin = stdin
	if err := cmd.Start(); err != nil {
		stop()
		return nil, fmt.Errorf("start pi: %w", err)
	}
	go r.read(stdout)
	if _, err := r.Command(ctx, map[string]any{"type": "get_state"}); err != nil {
		r.Close()
		return nil, fmt.Errorf("start pi: %w", err)
	}
	return r, nil
}

// piArgs are those of pi's script in every mode.
func (o PiOptions) piArgs() []string {
	args := []string{"-ne"} // no discovered extensions
	if o.Extension != "" {
		args = append(args, "-e", o.Extension)
	}
	return append(args, o.Args...)
}

func (p *Project) piEnv(o PiOptions) []string {
	return slices.Concat(p.Env(), []string{"PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1"}, o.Env)
}

func (p *Project) writePiConfig(o PiOptions) error {
	ids := o.Models
	if len(ids) == 0 {
		ids = []string{"m1", "reviewer"}
	}
	var models []any
	for _, id := range ids {
		models = append(models, map[string]any{
			"id": id, "name": id, "reasoning": false, "input": []string{"text"}, "contextWindow": 100000, "maxTokens": 4000,
			"cost": map[string]int{"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
		})
	}
	dir := filepath.Join(p.Home, ".pi", "agent")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("configure pi: %w", err)
	}
	settings := map[string]any{
		"defaultProvider": Provider, "defaultModel": ids[0], "enableInstallTelemetry": false, "quietStartup": true,
	}
	maps.Copy(settings, o.Settings)
	for name, value := range map[string]any{
		"models.json": map[string]any{"providers": map[string]any{Provider: map[string]any{
			"baseUrl": o.ModelURL, "api": "openai-completions", "apiKey": TestKey, "models": models,
		}}},
		"settings.json": settings,
	} {
		data, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("configure pi: %w", err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return fmt.Errorf("configure pi: %w", err)
		}
	}
	return nil
}

func (r *PiRun) read(stdout io.Reader) {
	defer close(r.ended)
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadBytes('\n')
		parsed := PiLine{Raw: line}
		if json.Unmarshal(line, &parsed) == nil {
			r.mu.Lock()
			r.lines = append(r.lines, parsed)
			close(r.changed)
			r.changed = make(chan struct{})
			r.mu.Unlock()
		}
		if err != nil {
			r.cmd.Wait() //nolint:errcheck // killed by Close, or seen as ended
			return
		}
	}
}

// Command sends an RPC command and returns its response; a refused command is an error.
func (r *PiRun) Command(ctx context.Context, command map[string]any) (json.RawMessage, error) {
	r.next++
	id := fmt.Sprintf("c%d", r.next)
	command["id"] = id
	data, err := json.Marshal(command)
	if err != nil {
		return nil, fmt.Errorf("command pi: %w", err)
	}
	if _, err := r.stdin.Write(append(data, '\n')); err != nil {
		return nil, fmt.Errorf("command pi: %w", err)
	}
	line, err := r.Wait(ctx, func(l PiLine) bool { return l.Type == "response" && l.ID == id })
	if err != nil {
		return nil, fmt.Errorf("command pi %v: %w", command["type"], err)
	}
	var response struct {
		Success bool
		Error   string
		Data    json.RawMessage
	}
	if err := json.Unmarshal(line.Raw, &response); err != nil {
		return nil, fmt.Errorf("command pi %v: %w", command["type"], err)
	}
	if !response.Success {
		return nil, fmt.Errorf("command pi %v: refused: %s", command["type"], response.Error)
	}
	return response.Data, nil
}

// Prompt sends a human message and returns when the run that it starts has ended.
func (r *PiRun) Prompt(ctx context.Context, text string) error {
	before := r.count("agent_end")
	if _, err := r.Command(ctx, map[string]any{"type": "prompt", "message": text}); err != nil {
		return err
	}
	_, err := r.wait(ctx, func(lines []PiLine) (PiLine, bool) {
		seen := 0
		for _, l := range lines {
			if l.Type == "agent_end" {
				if seen++; seen > before {
					return l, true
				}
			}
		}
		return PiLine{}, false
	})
	return err
}

func (r *PiRun) count(kind string) (n int) {
	for _, l := range r.Lines() {
		if l.Type == kind {
			n++
		}
	}
	return n
}

// Lines copies what pi has printed so far.
func (r *PiRun) Lines() []PiLine {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.lines)
}

// Wait returns the first line that matches, past or future.
func (r *PiRun) Wait(ctx context.Context, match func(PiLine) bool) (PiLine, error) {
	return r.wait(ctx, func(lines []PiLine) (PiLine, bool) {
		if i := slices.IndexFunc(lines, match); i >= 0 {
			return lines[i], true
		}
		return PiLine{}, false
	})
}

func (r *PiRun) wait(ctx context.Context, find func([]PiLine) (PiLine, bool)) (PiLine, error) {
	for {
		r.mu.Lock()
		lines, changed := r.lines, r.changed
		r.mu.Unlock()
		if line, ok := find(lines); ok {
			return line, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return PiLine{}, fmt.Errorf("wait for pi: %w (its last words: %s)", ctx.Err(), lastLines(r.stderr.Bytes(), 5))
		case <-r.ended:
			if line, ok := find(r.Lines()); ok {
				return line, nil
			}
			return PiLine{}, fmt.Errorf("wait for pi: it ended: %s", lastLines(r.stderr.Bytes(), 5))
		}
	}
}

// Close ends pi: it quits when its input closes; a stuck one is killed with its group at the context's end.
func (r *PiRun) Close() {
	r.stdin.Close()
	r.stop()
	<-r.ended
}
