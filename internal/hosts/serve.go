package hosts

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"sync"
)

// Server is a running "opencode serve". Its Client works in the project that the server was started in.
type Server struct {
	*Client
	cmd   *exec.Cmd
	stop  context.CancelFunc
	ended chan struct{}
	log   lockedBuffer
}

// Client speaks to a server about one project folder and one model. A server serves any number of folders,
// each with its own opencode.json, plugins and sessions.
type Client struct {
	URL   string // root of the server's HTTP API
	Dir   string // the project folder
	Model string // the id of the model that Prompt asks
}

// In gives a client for another folder and model of the same server.
func (c *Client) In(dir, model string) *Client { return &Client{URL: c.URL, Dir: dir, Model: model} }

// Serve starts OpenCode's server on a free port and waits until it listens. The context bounds its whole life.
func (p *Project) Serve(ctx context.Context, o Options) (*Server, error) {
	ctx, stop := context.WithCancel(ctx)
	args := append([]string{"serve", "--hostname", "127.0.0.1", "--port", "0"}, o.Args...)
	cmd, err := p.command(ctx, o, args...)
	if err != nil {
		stop()
		return nil, err
	}
	s := &Server{
		Client: &Client{Dir: p.Dir, Model: o.defaultModel()},
		cmd:    cmd, stop: stop, ended: make(chan struct{}),
	}
	cmd.Stderr = &s.log
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		stop()
		return nil, fmt.Errorf("start OpenCode server: %w", err)
	}
	if err := cmd.Start(); err != nil {
		stop()
		return nil, fmt.Errorf("start OpenCode server: %w", err)
	}
	listening := make(chan string, 1)
	go func() {
		defer close(s.ended)
		lines := bufio.NewScanner(stdout)
		for lines.Scan() {
			fmt.Fprintln(&s.log, lines.Text())
			if _, at, ok := strings.Cut(lines.Text(), "listening on "); ok {
				select {
				case listening <- strings.TrimSpace(at):
				default:
				}
			}
		}
		cmd.Wait() //nolint:errcheck // killed by Close, or seen as ended
	}()
	select {
	case s.URL = <-listening:
		return s, nil
	case <-s.ended:
		stop()
		return nil, fmt.Errorf("start OpenCode server: it ended before it listened: %s", lastLines(s.log.Bytes(), 10))
	}
}

// Close kills the server and its children, and waits for the end.
func (s *Server) Close() {
	s.stop()
	<-s.ended
}

// Log is what the server has printed so far.
func (s *Server) Log() string { return string(s.log.Bytes()) }

// Call makes one API request in the project's directory. The body (nil for none) is sent as JSON, the answer
// decoded into out (nil to ignore it). A status from 400 on is an error.
func (c *Client) Call(ctx context.Context, method, path string, body, out any) error {
	var payload io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("call OpenCode: %s %s: %w", method, path, err)
		}
		payload = bytes.NewReader(data)
	}
	req, err := c.request(ctx, method, path, payload)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("call OpenCode: %w", err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return fmt.Errorf("call OpenCode: %s %s: %w", method, path, err)
	}
	if res.StatusCode >= 400 {
		return fmt.Errorf("call OpenCode: %s %s: status %d: %.500s", method, path, res.StatusCode, data)
	}
	if out == nil || len(data) == 0 {
		return nil
	}
	if err := json.Unmarshal(data, out); err != nil {
		return fmt.Errorf("call OpenCode: %s %s: %w", method, path, err)
	}
	return nil
}

func (c *Client) request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	u := c.URL + path
	sep := "?"
	if strings.Contains(path, "?") {
		sep = "&"
	}
	req, err := http.NewRequestWithContext(ctx, method, u+sep+"directory="+url.QueryEscape(c.Dir), body)
	if err != nil {
		return nil, fmt.Errorf("call OpenCode: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	return req, nil
}

// CreateSession creates a session and returns its id.
func (c *Client) CreateSession(ctx context.Context) (string, error) {
	var session struct{ ID string }
	// A title of its own keeps the host from asking the model for one.
	err := c.Call(ctx, http.MethodPost, "/session", map[string]string{"title": "test"}, &session)
	return session.ID, err
}

// Prompt sends a human message and returns when the turn that it starts has ended.
func (c *Client) Prompt(ctx context.Context, sessionID, text string) error {
	return c.Call(ctx, http.MethodPost, "/session/"+sessionID+"/message", map[string]any{
		"model": map[string]string{"providerID": Provider, "modelID": c.Model},
		"parts": []any{map[string]string{"type": "text", "text": text}},
	}, nil)
}

// Message is one stored message of a session.
type Message struct {
	Info struct {
		ID, Role string
	}
	Parts []Part
}

// Part is one part of a message. Metadata is what a plugin attached.
type Part struct {
	ID, Type, Text, Tool string
	Synthetic            bool
	Metadata             map[string]json.RawMessage
	State                json.RawMessage
}

// Messages reads a session's messages, oldest first.
func (c *Client) Messages(ctx context.Context, sessionID string) ([]Message, error) {
	var out []Message
	err := c.Call(ctx, http.MethodGet, "/session/"+sessionID+"/message", nil, &out)
	return out, err
}

// Event is one event of the server's stream.
type Event struct {
	Type       string
	Properties json.RawMessage
}

// Events subscribes to the server's events. The subscription is open when Events returns; the channel
// closes with the context or the server.
func (c *Client) Events(ctx context.Context) (<-chan Event, error) {
	req, err := c.request(ctx, http.MethodGet, "/event", nil)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, fmt.Errorf("subscribe to OpenCode's events: %w", err)
	}
	if res.StatusCode != http.StatusOK {
		res.Body.Close()
		return nil, fmt.Errorf("subscribe to OpenCode's events: status %d", res.StatusCode)
	}
	out := make(chan Event)
	go func() {
		defer close(out)
		defer res.Body.Close()
		lines := bufio.NewReader(res.Body)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
			var e Event
			if !ok || json.Unmarshal([]byte(data), &e) != nil {
				continue
			}
			select {
			case out <- e:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out, nil
}

// lockedBuffer is a bytes.Buffer for a process's output that is read while it is written.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) Bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Clone(b.buf.Bytes())
}
