package modelserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
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

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /script", s.handleScript)
	mux.HandleFunc("GET /requests", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, s.Requests()) })
	mux.HandleFunc("GET /wait", s.handleWait)
	mux.HandleFunc("/", s.handleModel)
	return mux
}

func (s *Server) handleScript(w http.ResponseWriter, r *http.Request) {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		var script Script
		if script, err = ParseScript(data); err == nil {
			err = s.SetScript(script)
		}
	}
	if err != nil {
		writeJSON(w, http.StatusBadRequest, errorBody(err.Error(), "invalid_script"))
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *Server) handleWait(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	n, timeout := 1, 30000
	for name, into := range map[string]*int{"n": &n, "timeoutMs": &timeout} {
		if v := q.Get(name); v != "" {
			parsed, err := strconv.Atoi(v)
			if err != nil || parsed < 0 {
				writeJSON(w, http.StatusBadRequest, errorBody(name+": want a whole number, got "+strconv.Quote(v), "invalid_query"))
				return
			}
			*into = parsed
		}
	}
	ctx, cancel := context.WithTimeout(r.Context(), time.Duration(timeout)*time.Millisecond)
	defer cancel()
	got, err := s.Wait(ctx, n, Filter{Model: q.Get("model"), Role: q.Get("role"), Done: q.Get("done") == "1"})
	status := http.StatusOK
	if err != nil {
		status = http.StatusRequestTimeout
	}
	writeJSON(w, status, got)
}

// handleModel records the request, whatever its path, and answers chat completions.
func (s *Server) handleModel(w http.ResponseWriter, r *http.Request) {
	headers, key := recordHeaders(r.Header)
	rec := &Request{Time: time.Now(), Method: r.Method, Path: r.URL.RequestURI(), Kind: "other", Headers: headers}
	if key != "" {
		rec.HasKey, rec.KeySHA256 = true, KeyDigest(key)
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var req chatRequest
	isChat := r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/chat/completions")
	var badRequest error
	if isChat {
		badRequest = errors.Join(err, json.Unmarshal(body, &req))
	}
	if json.Valid(body) {
		rec.Body = body
	}
	reply, nth := s.choose(rec, req, isChat && badRequest == nil)

	switch {
	case badRequest != nil:
		s.answer(w, r, rec, Reply{Status: http.StatusBadRequest, Body: Args(errorBody(badRequest.Error(), "invalid_request_error"))}, req, 0)
	case isChat:
		s.answer(w, r, rec, reply, req, nth)
	case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/models"):
		s.answer(w, r, rec, Reply{Body: Args(s.modelList())}, req, 0)
	default:
		s.answer(w, r, rec, Reply{Status: http.StatusNotFound, Body: Args(errorBody("no such path: "+r.URL.Path, "not_found"))}, req, 0)
	}
}

// choose adds the record and picks the reply under one lock, so that concurrent requests never share one.
func (s *Server) choose(rec *Request, req chatRequest, isChat bool) (reply Reply, nth int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = append(s.records, rec)
	rec.N = len(s.records)
	defer s.notify()
	if !isChat {
		return Reply{}, 0
	}
	rec.Kind, rec.Model, rec.Role, rec.Stream = "chat", req.Model, Role(req.Model), req.Stream
	s.chats++
	limit := s.script.RequestCap
	if limit <= 0 {
		limit = defaultRequestCap
	}
	if s.chats > limit {
		rec.Capped = true
		return Reply{Status: http.StatusServiceUnavailable, Body: Args(errorBody("request cap reached", "request_cap"))}, 0
	}
	_, scriptsSmall := s.script.Models[SmallModel]
	if (!s.script.ScriptedTitles && req.isTitle()) || (req.Model == SmallModel && !scriptsSmall) {
		rec.Kind = "title"
		return Reply{Text: "A test session"}, 0
	}
	s.asked[req.Model]++
	reply, ok := s.next(req)
	if !ok {
		rec.Unscripted = true
		reply = Reply{Text: "Nothing is scripted for this request."}
	}
	return reply, s.asked[req.Model]
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

func errorBody(message, kind string) map[string]any {
	return map[string]any{"error": map[string]string{"message": message, "type": kind, "code": kind}}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v) //nolint:errcheck // the client went away
}
