package modelserver

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// Request is the record of one HTTP request.
type Request struct {
	// N counts from 1, over all requests that are not the server's own controls.
	N      int       `json:"n"`
	Time   time.Time `json:"time"`
	Method string    `json:"method"`
	Path   string    `json:"path"`
	// Kind is "chat", "title" (a host's own small request) or "other" (no chat completion).
	Kind   string `json:"kind"`
	Model  string `json:"model,omitempty"`
	Role   string `json:"role,omitempty"`
	Stream bool   `json:"stream,omitempty"`
	// HasKey reports that a key came along; KeySHA256 is the start of its digest (12 hex digits), by which
	// a test can tell which key it was. The key itself is kept nowhere.
	HasKey    bool              `json:"hasKey"`
	KeySHA256 string            `json:"keySha256,omitempty"`
	Headers   map[string]string `json:"headers"`
	Body      json.RawMessage   `json:"body,omitempty"`
	// Status is the status of the answer, 0 while there is none (a hang, a drop before the headers).
	Status int `json:"status"`
	// Unscripted reports that no reply of the script was left; Capped that the request cap was reached.
	Unscripted bool `json:"unscripted,omitempty"`
	Capped     bool `json:"capped,omitempty"`
	// Done reports that the answer is complete, Aborted that the client or the server ended it before.
	Done    bool `json:"done"`
	Aborted bool `json:"aborted,omitempty"`
}

// KeyDigest gives what Request.KeySHA256 holds for a key.
func KeyDigest(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])[:12]
}

// LastText is the text of the request's last message.
func (r Request) LastText() string {
	var c chatRequest
	if json.Unmarshal(r.Body, &c) != nil {
		return ""
	}
	return c.lastText()
}

// secretHeaders are those whose value is, or may contain, a credential.
var secretHeaders = []string{"Authorization", "Proxy-Authorization", "X-Api-Key", "Api-Key", "X-Goog-Api-Key", "Cookie"}

// recordHeaders copies the headers, each secret one as "(present)", and gives the key that came along.
func recordHeaders(h http.Header) (out map[string]string, key string) {
	out = make(map[string]string, len(h))
	for name, values := range h {
		out[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	for _, name := range secretHeaders {
		value := h.Get(name)
		if value == "" {
			continue
		}
		out[strings.ToLower(name)] = "(present)"
		if key == "" && name != "Cookie" {
			key = strings.TrimPrefix(value, "Bearer ")
		}
	}
	return out, key
}

// Filter selects chat records.
type Filter struct {
	Model string // a model id, or empty for all
	Role  string // "primary", "reviewer", or empty for both
	Done  bool   // only those whose answer is complete or aborted
}

func (f Filter) matches(r Request) bool {
	return r.Kind == "chat" &&
		(f.Model == "" || f.Model == r.Model) &&
		(f.Role == "" || f.Role == r.Role) &&
		(!f.Done || r.Done || r.Aborted)
}

func (f Filter) apply(all []Request) []Request {
	out := []Request{}
	for _, r := range all {
		if f.matches(r) {
			out = append(out, r)
		}
	}
	return out
}
