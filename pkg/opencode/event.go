package opencode

import (
	"strconv"
	"strings"
	"time"
)

// event is what one JSON object of the stream says, as far as we understand it.
type event struct {
	kind      string // the outermost "type"
	tool      string // the outermost "tool", and how deep it stood
	toolDepth int
	writes    bool // any "tool" or "name" is a write tool
	name      string
	call      string // id of a tool call
	status    string // a tool's status
	reason    string // why a step ended
	session   string
	paths     []string // every path-shaped value
	inputs    []string // those under a tool's input
	text      []byte
	hasText   bool
	problem   problem
	failed    bool // has an error message, a status code or the like
	usage     Usage
}

// problem is an error that OpenCode reported.
type problem struct {
	message    string
	code       string
	status     int
	retryable  bool
	retryAfter time.Duration
}

func (s *stream) begin() { s.ev = event{} }

func (s *stream) limit(key string) int {
	switch {
	case key == "":
		return 0
	case key == "text":
		return maxPart
	case key == "error" || key == "message" || key == "responseBody":
		return maxMessage
	case isPathKey(key):
		return maxPath
	}
	return 256
}

func (s *stream) leaf(l leaf) {
	if !l.str {
		s.number(l)
		return
	}
	e := &s.ev
	switch l.key {
	case "type":
		if l.depth == 1 {
			e.kind = string(l.text)
		} else if l.parent == "error" {
			e.problem.code = first(e.problem.code, string(l.text))
		}
	case "text":
		e.text, e.hasText = append(e.text, l.text...), true
	case "tool":
		if e.tool == "" || l.depth < e.toolDepth {
			e.tool, e.toolDepth = string(l.text), l.depth
		}
		e.writes = e.writes || writeTools[string(l.text)]
	case "name":
		e.name = first(e.name, string(l.text))
		e.writes = e.writes || writeTools[string(l.text)]
		if l.parent == "error" && e.problem.message == "" {
			e.failed, e.problem.message = true, string(l.text)
		}
	case "id", "callID":
		if l.parent == "data" || l.parent == "part" && l.key == "callID" {
			e.call = string(l.text)
		}
	case "status":
		if l.parent == "state" {
			e.status = string(l.text)
		}
	case "reason", "finish":
		if l.parent == "part" || l.parent == "data" {
			e.reason = string(l.text)
		}
	case "sessionID", "sessionId":
		e.session = first(e.session, string(l.text))
	case "code":
		e.problem.code = first(e.problem.code, string(l.text))
	case "retry-after", "retry-after-ms":
		e.problem.retryAfter = max(e.problem.retryAfter, retryAfter(l.key, string(l.text), time.Now()))
	case "responseBody":
		e.failed, e.problem.code = true, first(e.problem.code, string(l.text))
	case "error":
		e.failed, e.problem.message = true, string(l.text)
	case "message":
		if s.walker.within("error") {
			e.failed, e.problem.message = true, string(l.text)
		}
	default:
		if isPathKey(l.key) && len(l.text) > 0 && len(l.text) < maxPath && len(e.paths) < maxPerEvent {
			e.paths = append(e.paths, string(l.text))
			if s.walker.within("input") || s.walker.within("args") || s.walker.within("arguments") {
				e.inputs = append(e.inputs, string(l.text))
			}
		}
	}
}

func first(have, next string) string {
	if have != "" {
		return have
	}
	return next
}

func (s *stream) number(l leaf) {
	e := &s.ev
	switch l.key {
	case "statusCode":
		e.problem.status, _ = strconv.Atoi(string(l.text))
		e.failed = true
	case "isRetryable":
		e.problem.retryable = string(l.text) == "true"
	case "cost":
		if l.parent == "part" || l.parent == "data" {
			e.usage.CostUSD, _ = strconv.ParseFloat(string(l.text), 64)
		}
	}
	n := func() int { v, _ := strconv.ParseFloat(string(l.text), 64); return int(v) }
	switch {
	case l.parent == "tokens" && l.key == "input":
		e.usage.Input = n()
	case l.parent == "tokens" && l.key == "output":
		e.usage.Output = n()
	case l.parent == "tokens" && l.key == "reasoning":
		e.usage.Reasoning = n()
	case l.parent == "cache" && l.key == "read":
		e.usage.CacheRead = n()
	case l.parent == "cache" && l.key == "write":
		e.usage.CacheWrite = n()
	}
}

// isText tells the assistant's words from text that events carry otherwise: file contents in a tool's
// result, reasoning, the human message, and the pieces of a text that comes whole later.
func (e *event) isText() bool {
	switch {
	case !e.hasText || e.tool != "" || e.writes || e.failed:
		return false
	case strings.HasPrefix(e.kind, "session."):
		return e.kind == "session.text.ended"
	}
	return e.kind != "reasoning" && e.kind != "tool_use" && !strings.HasSuffix(e.kind, "delta")
}

// authored gives the files that a write tool's event names: those of its input, else all.
func (e *event) authored() []string {
	switch {
	case otherTools[e.tool] || !e.writes:
		return nil
	case len(e.inputs) > 0:
		return e.inputs
	}
	return dedupe(e.paths)
}

// dedupe drops the shorter of two names of one file: a relative one whose absolute form is there too.
func dedupe(paths []string) []string {
	var out []string
	for _, p := range paths {
		longer := false
		for _, q := range paths {
			longer = longer || len(q) > len(p) && strings.HasSuffix(q, "/"+p)
		}
		if !longer {
			out = append(out, p)
		}
	}
	return out
}
