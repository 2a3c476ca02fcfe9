package modelserver

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// maxBody bounds a request's body. A host sends its whole conversation; tests with large files stay under it.
const maxBody = 32 << 20

// Server is a running model server. It is safe for concurrent use.
type Server struct {
	listener net.Listener
	http     *http.Server
	stop     context.CancelFunc

	mu      sync.Mutex
	script  Script
	used    map[string][]bool // per key of script.Models: replies that were given
	asked   map[string]int    // chat requests per model id
	chats   int
	records []*Request
	changed chan struct{} // closed and replaced at every change of the records
}

// Start serves the script on a free loopback port until Close.
func Start(script Script) (*Server, error) { return StartAt("127.0.0.1:0", script) }

// StartAt is Start at a given address, which must be a loopback one: the server has no authentication.
func StartAt(addr string, script Script) (*Server, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("start model server: address %q: %w", addr, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("start model server: address %q is not a loopback address: use 127.0.0.1", addr)
	}
	if err := script.check(); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("start model server: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &Server{listener: listener, stop: stop, changed: make(chan struct{})}
	s.install(script)
	s.http = &http.Server{Handler: s.routes(), BaseContext: func(net.Listener) context.Context { return ctx }}
	go s.http.Serve(listener) //nolint:errcheck // ends with ErrServerClosed at Close
	return s, nil
}

// Close ends every open answer and the server.
func (s *Server) Close() error {
	s.stop()
	return s.http.Close()
}

// URL is the server's root, without a trailing slash.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() }

// BaseURL is what a provider's baseURL option wants.
func (s *Server) BaseURL() string { return s.URL() + "/v1" }

// Port is the port the server listens on.
func (s *Server) Port() int { return s.listener.Addr().(*net.TCPAddr).Port }

// SetScript replaces the script, with every reply unused, and forgets the records.
func (s *Server) SetScript(script Script) error {
	if err := script.check(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.install(script)
	s.notify()
	return nil
}

func (s *Server) install(script Script) {
	s.script, s.chats, s.records = script, 0, nil
	s.used, s.asked = map[string][]bool{}, map[string]int{}
	for key, replies := range script.Models {
		s.used[key] = make([]bool, len(replies))
	}
}

// Requests copies the records so far, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.snapshot()
}

func (s *Server) snapshot() []Request {
	out := make([]Request, len(s.records))
	for i, r := range s.records {
		out[i] = *r
	}
	return out
}

// Wait returns the chat records that the filter selects as soon as there are n of them. When the context
// ends first it returns those there are, and the context's error.
func (s *Server) Wait(ctx context.Context, n int, f Filter) ([]Request, error) {
	for {
		s.mu.Lock()
		got, changed := f.apply(s.snapshot()), s.changed
		s.mu.Unlock()
		if len(got) >= n {
			return got, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return got, fmt.Errorf("wait for %d model requests, got %d: %w", n, len(got), ctx.Err())
		}
	}
}

// notify wakes every Wait. The lock is held.
func (s *Server) notify() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// update changes a record.
func (s *Server) update(r *Request, change func(*Request)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(r)
	s.notify()
}

// choose adds the record and picks the reply under one lock, so that concurrent requests never share one. What
// a script plays is left to the caller, for it may wait.
func (s *Server) choose(rec *Request, req chatRequest, isChat bool) (reply Reply, nth int, play Play) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = append(s.records, rec)
	rec.N = len(s.records)
	defer s.notify()
	if !isChat {
		return Reply{}, 0, nil
	}
	rec.Kind, rec.Model, rec.Role, rec.Stream = "chat", req.Model, Role(req.Model), req.Stream
	s.chats++
	limit := s.script.RequestCap
	if limit <= 0 {
		limit = defaultRequestCap
	}
	if s.chats > limit {
		rec.Capped = true
		return Reply{Status: http.StatusServiceUnavailable, Body: Args(errorBody("request cap reached", "request_cap"))}, 0, nil
	}
	_, scriptsSmall := s.script.Models[SmallModel]
	if (!s.script.ScriptedTitles && req.isTitle()) || (req.Model == SmallModel && !scriptsSmall) {
		rec.Kind = "title"
		return Reply{Text: "A test session"}, 0, nil
	}
	s.asked[req.Model]++
	if play = s.script.Play[req.Model]; play != nil {
		return Reply{}, s.asked[req.Model], play
	}
	reply, ok := s.next(req)
	if !ok {
		rec.Unscripted = true
		reply = Reply{Text: "Nothing is scripted for this request."}
	}
	return reply, s.asked[req.Model], nil
}

// next gives the first fitting reply of the model's list. The lock is held.
func (s *Server) next(req chatRequest) (Reply, bool) {
	key := req.Model
	replies, ok := s.script.Models[key]
	if !ok {
		key = Role(req.Model)
		replies = s.script.Models[key]
	}
	last := req.lastText()
	for i, r := range replies {
		match, endless := r.Match, r.Every != nil || r.Directive
		if r.Every != nil {
			r = *r.Every
			if match == "" {
				match = r.Match
			}
		}
		if s.used[key][i] || !strings.Contains(last, match) {
			continue
		}
		s.used[key][i] = !endless
		if r.Directive {
			r = directiveReply(r, req)
		}
		return r, true
	}
	return Reply{}, false
}

func (s *Server) modelList() map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := make([]string, 0, len(s.script.Models))
	for id := range s.script.Models {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	list := make([]map[string]string, len(ids))
	for i, id := range ids {
		list[i] = map[string]string{"id": id, "object": "model"}
	}
	return map[string]any{"object": "list", "data": list}
}
