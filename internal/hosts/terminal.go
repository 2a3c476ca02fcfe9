package hosts

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Terminal is pi in a terminal of its own, which tmux keeps: keys go in, and what is on the screen can be read.
type Terminal struct {
	socket string
	env    []string
}

// StartPiTerminal starts pi as a person does. The context bounds each call of tmux; Close ends pi and its terminal.
func (p *Project) StartPiTerminal(ctx context.Context, o PiOptions) (*Terminal, error) {
	script, err := Pi(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.writePiConfig(o); err != nil {
		return nil, err
	}
	// A short path: that of a socket may have some hundred bytes.
	t := &Terminal{socket: filepath.Join(p.Root, "tmux"), env: append(p.piEnv(o), "TERM=xterm-256color", "LC_ALL=C.UTF-8")}
	args := append([]string{"-f", "/dev/null", "new-session", "-d", "-x", "110", "-y", "60", "-c", p.Dir, "node", script}, o.piArgs()...)
	if _, err := t.tmux(ctx, args...); err != nil {
		return nil, fmt.Errorf("start pi in a terminal: %w", err)
	}
	return t, nil
}

func (t *Terminal) tmux(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "tmux", append([]string{"-S", t.socket}, args...)...)
	cmd.Env = t.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("tmux %s: %w: %s", args[0], err, out)
	}
	return string(out), nil
}

// Type types a text, and Enter behind it.
func (t *Terminal) Type(ctx context.Context, text string) error {
	if _, err := t.tmux(ctx, "send-keys", "-l", text); err != nil {
		return err
	}
	// pi takes what it reads at once for pasted text, so Enter waits until the text is seen.
	if _, err := t.Await(ctx, text); err != nil {
		return err
	}
	return t.Press(ctx, "Enter")
}

// Press presses one key, by tmux's name for it.
func (t *Terminal) Press(ctx context.Context, key string) error {
	_, err := t.tmux(ctx, "send-keys", key)
	return err
}

// Screen is what a person sees now, without colours and with what has scrolled away.
func (t *Terminal) Screen(ctx context.Context) (string, error) {
	return t.tmux(ctx, "capture-pane", "-p", "-J", "-S", "-")
}

// lookEvery is how often the screen is looked at; a terminal does not tell when it changes.
const lookEvery = 100 * time.Millisecond

// Await waits until a text is on the screen.
func (t *Terminal) Await(ctx context.Context, text string) (screen string, err error) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		if screen, err = t.Screen(ctx); err == nil && strings.Contains(screen, text) {
			return screen, nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return screen, fmt.Errorf("wait for %q on the screen: %w (%v); last seen:\n%s", text, ctx.Err(), err, screen)
		}
	}
}

// Close ends pi with its terminal.
func (t *Terminal) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_, _ = t.tmux(ctx, "kill-server") // it has ended by itself otherwise
}
