package e2e

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/Kayphoon/opencode-advisor/internal/hosts"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Scene is one session in a repository of its own.
type Scene struct {
	*hosts.Client
	ID    string
	Repo  *hosts.Project
	stage *Stage

	events  <-chan hosts.Event
	mu      sync.Mutex
	heard   []Heard
	changed chan struct{}
}

// Heard is an event of the host, and when it came.
type Heard struct {
	At time.Time
	hosts.Event
}

func (c *Scene) listen() {
	for e := range c.events {
		c.mu.Lock()
		c.heard = append(c.heard, Heard{time.Now(), e})
		close(c.changed)
		c.changed = make(chan struct{})
		c.mu.Unlock()
	}
}

// Heard copies the events so far.
func (c *Scene) Heard() []Heard {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Heard(nil), c.heard...)
}

// Say sends a human message and returns when its turn has ended.
func (c *Scene) Say(ctx context.Context, text string) error { return c.Prompt(ctx, c.ID, text) }

// Toast is a message that a person with a screen would have seen.
type Toast struct{ Title, Message, Variant string }

// Toasts are those so far. OpenCode tells of a toast whether or not a screen shows it.
func (c *Scene) Toasts() []Toast {
	var out []Toast
	for _, e := range c.Heard() {
		var t Toast
		if e.Type == "tui.toast.show" && json.Unmarshal(e.Properties, &t) == nil {
			out = append(out, t)
		}
	}
	return out
}

// AwaitToasts waits until there are n toasts.
func (c *Scene) AwaitToasts(ctx context.Context, n int) ([]Toast, error) {
	err := c.hear(ctx, fmt.Sprintf("%d toasts", n), func() bool { return len(c.Toasts()) >= n })
	return c.Toasts(), err
}

// hear waits for the host's events until they are as looked for.
func (c *Scene) hear(ctx context.Context, what string, found func() bool) error {
	for {
		c.mu.Lock()
		changed := c.changed
		c.mu.Unlock()
		if found() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w%s", what, ctx.Err(), c.words())
		}
	}
}

// Line is one message of the session as a person reads it.
type Line struct {
	Who      string // Person, Agent or Advisor
	Text     string // what was said, or the call of a tool
	Severity string // of an advisor's note
	Delivery string // its id
}

func (l Line) String() string {
	first, _, _ := strings.Cut(l.Text, "\n")
	return l.Who + ": " + first
}

// Lines reads the session, oldest first.
func (c *Scene) Lines(ctx context.Context) ([]Line, error) {
	messages, err := c.Messages(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	var out []Line
	for _, m := range messages {
		for _, p := range m.Parts {
			line := Line{Who: Agent, Text: p.Text}
			if m.Info.Role == "user" {
				line.Who = Person
			}
			if string(p.Metadata["advisor"]) == "true" {
				line.Who = Advisor
				// What is not a text is empty, and a test that wants one says so.
				_ = json.Unmarshal(p.Metadata["severity"], &line.Severity)
				_ = json.Unmarshal(p.Metadata["id"], &line.Delivery)
			}
			switch p.Type {
			case "tool":
				line.Text = "(" + p.Tool + " " + toolStatus(p.State) + ")"
			case "text":
			default:
				continue
			}
			out = append(out, line)
		}
	}
	return out, nil
}

func toolStatus(state json.RawMessage) string {
	var s struct{ Status string }
	if json.Unmarshal(state, &s) != nil {
		return "in an unknown state"
	}
	return s.Status
}

// AwaitLines waits until the session holds what is looked for.
func (c *Scene) AwaitLines(ctx context.Context, what string, found func([]Line) bool) ([]Line, error) {
	var lines []Line
	err := c.poll(ctx, what, func() (ok bool, err error) {
		lines, err = c.Lines(ctx)
		return err == nil && found(lines), err
	})
	return lines, err
}

// State reads what the advisor has stored of the session; nil when there is nothing yet.
func (c *Scene) State() (*protocol.StoredSession, error) {
	name := sha256.Sum256([]byte(c.ID))
	data, err := os.ReadFile(filepath.Join(c.stage.StateFolder(), "sessions", hex.EncodeToString(name[:])+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	state, err := protocol.DecodeStoredSession(data)
	return &state, err
}

// Count gives one of the state's counters.
func Count(s *protocol.StoredSession, name string) int {
	for _, c := range s.Counts {
		if c.Name == name {
			return int(c.N)
		}
	}
	return 0
}

// AwaitState waits until the stored state is as looked for.
func (c *Scene) AwaitState(ctx context.Context, what string, found func(*protocol.StoredSession) bool) (*protocol.StoredSession, error) {
	var state *protocol.StoredSession
	err := c.poll(ctx, what, func() (ok bool, err error) {
		state, err = c.State()
		return state != nil && found(state), err
	})
	return state, err
}

// Settle waits until n reviews are through and what they gave to say lies in the session.
func (c *Scene) Settle(ctx context.Context, n int) (*protocol.StoredSession, []Line, error) {
	state, err := c.AwaitState(ctx, fmt.Sprintf("the end of review %d", n), func(s *protocol.StoredSession) bool {
		return Count(s, "review.started") >= n && !s.Owed
	})
	if err != nil {
		return state, nil, err
	}
	lines, err := c.AwaitLines(ctx, "the notes of the review", func(lines []Line) bool {
		there := map[string]bool{}
		for _, l := range lines {
			there[l.Delivery] = true
		}
		for _, d := range state.Deliveries {
			if !there[d.ID] {
				return false
			}
		}
		return true
	})
	return state, lines, err
}

// pollEvery is how often a folder or the host's API is looked at. Neither tells by itself.
const pollEvery = 50 * time.Millisecond

func (c *Scene) poll(ctx context.Context, what string, done func() (bool, error)) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		ok, err := done()
		if ok {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w%s", what, errors.Join(ctx.Err(), err), c.words())
		}
	}
}

// words are what a failure is understood by: the ends of the advisor's log and of the host's.
func (c *Scene) words() string {
	log, err := os.ReadFile(filepath.Join(c.stage.StateFolder(), "logs", "advisor.log"))
	if err != nil {
		log = []byte(err.Error())
	}
	state, _ := c.State()
	return fmt.Sprintf("\nadvisor's log: %s\nOpenCode: %s\nstate: %+v", tail(string(log)), tail(c.stage.Host.Log()), state)
}

func tail(s string) string {
	const most = 1500
	return s[max(0, len(s)-most):]
}
