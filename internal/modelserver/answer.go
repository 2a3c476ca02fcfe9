package modelserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// created is the timestamp in every completion: fixed, so that answers can be compared.
const created = 1700000000

// answer sends a reply and keeps the record's end.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, rec *Request, reply Reply, req chatRequest, nth int) {
	err := s.send(w, r.Context(), rec, reply, req, nth)
	s.update(rec, func(rec *Request) {
		rec.Done, rec.Aborted = err == nil, err != nil
	})
	if err != nil {
		panic(http.ErrAbortHandler) // closes the connection without a proper end of the body
	}
}

// errDropped ends an answer that the script cuts.
var errDropped = fmt.Errorf("dropped by the script")

func (s *Server) send(w http.ResponseWriter, ctx context.Context, rec *Request, reply Reply, req chatRequest, nth int) error {
	if err := pause(ctx, reply.delay()); err != nil {
		return err
	}
	empty := !reply.raw() && !reply.hasContent()
	if reply.Hang && empty {
		<-ctx.Done()
		return ctx.Err()
	}
	if reply.Drop && empty {
		return errDropped
	}
	for name, value := range reply.Headers {
		w.Header().Set(name, value)
	}
	status := reply.Status
	if status == 0 {
		status = http.StatusOK
	}
	sse := req.Stream
	if reply.SSE != nil {
		sse = *reply.SSE
	}
	contentType, writes := "application/json", []string(nil)
	switch c := (completion{reply: reply, req: req, n: rec.N, nth: nth}); {
	case reply.raw():
		writes = []string{reply.rawBody(status)}
		if reply.SSE != nil && *reply.SSE {
			contentType = "text/event-stream"
		}
	case sse:
		contentType, writes = "text/event-stream", c.events()
	default:
		writes = []string{c.json()}
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", contentType)
	}
	w.WriteHeader(status)
	s.update(rec, func(rec *Request) { rec.Status = status })
	if err := reply.Chunking.write(ctx, w, writes); err != nil {
		return err
	}
	if reply.Hang {
		<-ctx.Done()
		return ctx.Err()
	}
	if reply.Drop {
		return errDropped
	}
	return nil
}

func (r Reply) rawBody(status int) string {
	if len(r.Body) > 0 {
		return unquote(r.Body)
	}
	b, _ := json.Marshal(errorBody(http.StatusText(status), "status_"+strconv.Itoa(status)))
	return string(b)
}

// write sends the pieces, torn into WireBytes when that is set, and flushes each.
func (c Chunking) write(ctx context.Context, w http.ResponseWriter, pieces []string) error {
	if c.WireBytes > 0 {
		pieces = cut(strings.Join(pieces, ""), c.WireBytes)
	}
	flusher, _ := w.(http.Flusher)
	for i, p := range pieces {
		if i > 0 {
			if err := pause(ctx, time.Duration(c.DelayMs)*time.Millisecond); err != nil {
				return err
			}
		}
		if _, err := w.Write([]byte(p)); err != nil {
			return err
		}
		if flusher != nil {
			flusher.Flush()
		}
	}
	return nil
}

func cut(s string, size int) []string {
	var out []string
	for len(s) > size {
		out, s = append(out, s[:size]), s[size:]
	}
	return append(out, s)
}

func cutRunes(s string, size int) []string {
	runes := []rune(s)
	if size <= 0 || len(runes) <= size {
		return []string{s}
	}
	var out []string
	for len(runes) > size {
		out, runes = append(out, string(runes[:size])), runes[size:]
	}
	return append(out, string(runes))
}

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
