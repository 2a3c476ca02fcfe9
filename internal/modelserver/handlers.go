package modelserver

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

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
	reply, nth, play := s.choose(rec, req, isChat && badRequest == nil)
	if play != nil {
		if reply = play(r.Context(), *rec); reply.Directive {
			reply = directiveReply(reply, req)
		}
	}

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

func errorBody(message, kind string) map[string]any {
	return map[string]any{"error": map[string]string{"message": message, "type": kind, "code": kind}}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v) //nolint:errcheck // the client went away
}
