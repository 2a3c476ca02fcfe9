package opencode

import (
	"fmt"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/redact"
)

// outcome is all that one attempt showed.
type outcome struct {
	stream   *stream
	exit     int
	timedOut bool
	stopped  bool // we ended it at a sign of truncation or a loop
	authored int  // files that git says this run changed
	limit    int  // the output cap in force
	side     side // what standard error and OpenCode's log add

	transcript []byte // redacted
}

// side is evidence from outside the event stream.
type side struct {
	asked    string // a permission that was asked for and refused or left open
	open     bool   // it was left open
	rate     bool   // rate limiting
	words    string // the last lines
	retrying bool   // a passing failure
}

// verdict judges an attempt. In order of precedence, the first that applies:
//
//	truncated           the output cap cut the model off
//	failed              a loop of invalid tool calls was stopped
//	rate_limited        killed at the deadline while the endpoint kept refusing by rate
//	permission_blocked  killed at the deadline while a permission was left open
//	timed_out           killed at the deadline
//	failed              files changed, but the run ended badly
//	ok                  files changed
//	rate_limited        the last error is a refusal by rate or quota
//	failed              any other bad end: exit code, or an error as the last word
//	permission_blocked  nothing changed and a permission was refused
//	empty               no text and no tool call
//	no_op               what is left
func (o outcome) verdict() (Verdict, string) {
	s := o.stream
	if detail, yes := s.truncated(o.limit); yes {
		return Truncated, detail
	}
	if s.stuck() {
		return Failed, fmt.Sprintf("the model repeated an invalid tool call %d times: %s", s.badRun, problem{message: s.badCall})
	}
	if o.timedOut {
		return o.late()
	}
	bad := o.badEnd()
	if o.authored > 0 {
		if bad != "" {
			return Failed, fmt.Sprintf("%d file(s) changed, then the run failed: %s", o.authored, bad)
		}
		reason := fmt.Sprintf("%d file(s) changed", o.authored)
		if n := len(s.refused); n > 0 {
			reason += fmt.Sprintf("; %d tool call(s) were refused a permission", n)
		}
		return OK, reason
	}
	if bad != "" {
		if p, ok := s.lastProblem(); ok && p.rateLimited() || !ok && o.side.rate {
			return RateLimited, bad
		}
		return Failed, bad
	}
	switch {
	case len(s.refused) > 0 || o.side.asked != "":
		return PermissionBlocked, "nothing was changed, and a permission was refused: " + o.refusal()
	case s.text.Len() == 0 && s.calls == 0:
		return Empty, "OpenCode ended with code 0 and the model said nothing and called no tool"
	}
	return NoOp, fmt.Sprintf("OpenCode ended with code 0 after %d tool call(s) and changed nothing", s.calls)
}

// redact takes secrets out of what the verdict quotes and cuts: half a key is no longer known as one.
func (o *outcome) redact(r *redact.Redactor) {
	s := o.stream
	for i := range s.problems {
		s.problems[i].message = r.Text(s.problems[i].message)
	}
	s.badCall, o.side.words = r.Text(s.badCall), r.Text(o.side.words)
}

func (o outcome) late() (Verdict, string) {
	p, ok := o.stream.lastProblem()
	switch {
	case ok && p.rateLimited():
		return RateLimited, "killed at the deadline; the endpoint kept refusing: " + p.String()
	case o.side.rate:
		return RateLimited, "killed at the deadline; OpenCode's log shows that the endpoint kept refusing by rate"
	case o.side.open:
		return PermissionBlocked, "killed at the deadline while a permission was left unanswered: " + o.side.asked
	}
	return TimedOut, "killed at the deadline"
}

// badEnd says what was wrong with the end of a run, or nothing.
func (o outcome) badEnd() string {
	p, ok := o.stream.lastProblem()
	switch {
	case ok && (o.exit != 0 || o.stream.atEnd):
		return p.String()
	case o.exit != 0 && o.side.words != "":
		return fmt.Sprintf("exit code %d: %s", o.exit, problem{message: o.side.words})
	case o.exit != 0:
		return fmt.Sprintf("exit code %d without a word", o.exit)
	}
	return ""
}

func (o outcome) refusal() string {
	if o.side.asked != "" {
		return o.side.asked
	}
	return strings.Join(o.stream.refused, ", ")
}

func (s *stream) lastProblem() (problem, bool) {
	if len(s.problems) == 0 {
		return problem{}, false
	}
	return s.problems[len(s.problems)-1], true
}

// transient tells a failed attempt that is worth another.
func (o outcome) transient() bool {
	if p, ok := o.stream.lastProblem(); ok {
		return p.transient()
	}
	return o.side.retrying
}
