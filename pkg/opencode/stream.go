package opencode

import (
	"bytes"
	"strings"
)

// Bounds of what is kept of a run's output. A run may print gigabytes; a caller wants the gist.
const (
	maxText      = 4 << 20  // assistant text of a run
	maxPart      = 1 << 20  // text of one event
	maxPath      = 4 << 10  // PATH_MAX on Linux
	maxMessage   = 64 << 10 // an error message, which may quote a whole tool call
	maxFiles     = 10000
	maxPerEvent  = 256
	maxProblems  = 32
	maxOpenCalls = 1024
)

// stream reads OpenCode's standard output as it comes: the JSON events of "run --format json" of both major
// versions, and the server's own events. Its memory is bounded whatever it reads.
type stream struct {
	walker walker
	ev     event

	files   pathList // every path named
	written pathList // paths authored by a write tool
	open    map[string]openCall
	text    bytes.Buffer
	session string
	usage   Usage

	calls    int    // tool calls that ended, in whatever way
	invalid  int    // calls that OpenCode relabelled "invalid" because their arguments were cut off
	badRun   int    // invalid calls of any cause since the last good one
	badCall  string // what OpenCode said of the last invalid call
	lengths  int    // steps that ended with reason "length"
	cutoff   int    // output tokens of such a step, 0 when unknown
	refused  []string
	problems []problem
	atEnd    bool // a problem is the last word: no step ended well after it

	// sign is called at each new sign that the run is cut off or stuck.
	sign func()
}

// openCall is a tool call whose name and input come in separate events.
type openCall struct {
	tool  string
	paths []string
}

func newStream() *stream {
	s := &stream{open: map[string]openCall{}}
	s.walker.h = s
	return s
}

func (s *stream) end(ok bool) {
	if !ok {
		return
	}
	e := &s.ev
	s.session = first(s.session, e.session)
	for _, p := range e.paths {
		s.files.add(p)
	}
	switch e.kind {
	case "error", "session.error", "session.step.failed", "session.execution.failed":
		s.failure()
	case "step_finish", "session.step.ended":
		s.stepEnd()
	}
	if e.isText() {
		s.addText(e.text)
	}
	s.toolEvent()
}

// addText appends one piece. Pieces of different messages are set apart by a line feed, unless one of them
// brings white space of its own.
func (s *stream) addText(piece []byte) {
	if len(piece) == 0 {
		return
	}
	if have := s.text.Bytes(); len(have) > 0 && !isBlank(have[len(have)-1]) && !isBlank(piece[0]) {
		s.text.WriteByte('\n')
	}
	s.text.Write(piece[:min(len(piece), max(0, maxText-s.text.Len()))])
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func (s *stream) failure() {
	s.atEnd = true
	if len(s.problems) < maxProblems {
		s.problems = append(s.problems, s.ev.problem)
	} else {
		s.problems[maxProblems-1] = s.ev.problem
	}
}

func (s *stream) stepEnd() {
	s.atEnd = false
	u := s.ev.usage
	u.Steps = 1
	s.usage.add(u)
	if s.ev.reason == "length" {
		s.lengths++
		s.cutoff = max(s.cutoff, u.Output)
		s.signal()
	}
}

func (s *stream) signal() {
	if s.sign != nil {
		s.sign()
	}
}

// toolEvent keeps what a tool did. OpenCode's run prints one event a call, at its end; its server sends the
// name, the input and the end of a call separately.
func (s *stream) toolEvent() {
	e := &s.ev
	phase, isServer := strings.CutPrefix(e.kind, "session.tool.")
	if !isServer {
		if e.tool != "" || e.writes {
			s.finished(e.tool, e.status, e.authored())
		}
		return
	}
	switch phase {
	case "input.started", "called":
		if _, known := s.open[e.call]; !known && len(s.open) >= maxOpenCalls {
			return
		}
		c := s.open[e.call]
		c.tool = first(c.tool, first(e.tool, e.name))
		c.paths = append(c.paths, e.inputs...)
		s.open[e.call] = c
	case "success", "failed":
		c := s.open[e.call]
		delete(s.open, e.call)
		status := "completed"
		if phase == "failed" {
			status = "error"
		}
		var authored []string
		if writeTools[c.tool] {
			if authored = c.paths; len(authored) == 0 {
				authored = dedupe(e.paths)
			}
		}
		s.finished(c.tool, status, authored)
	}
}

func (s *stream) finished(tool, status string, authored []string) {
	s.calls++
	message := s.ev.problem.message
	switch {
	case tool == "invalid":
		s.badRun++
		s.badCall = message
		if cutOff(message) {
			s.invalid++
		}
		s.signal()
		return
	case status == "error" || status == "failed":
		if isRefusal(message) && len(s.refused) < maxProblems {
			s.refused = append(s.refused, tool)
		}
		return
	}
	s.badRun = 0
	for _, p := range authored {
		s.written.add(p)
	}
}

// isRefusal tells a tool error that is a denied permission.
func isRefusal(message string) bool {
	m := strings.ToLower(message)
	return strings.Contains(m, "rejected permission") || strings.Contains(m, "permission denied by") ||
		strings.Contains(m, "request was rejected") || strings.Contains(m, "specified a rule which prevents")
}

// pathList is an ordered set of paths with a bound.
type pathList struct {
	list []string
	seen map[string]bool
}

func (l *pathList) add(path string) {
	if l.seen[path] || len(l.list) >= maxFiles {
		return
	}
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	l.seen[path] = true
	l.list = append(l.list, path)
}
