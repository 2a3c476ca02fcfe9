package judge

import (
	"slices"
	"strconv"
	"strings"

	"github.com/buger/jsonparser"
)

// Bounds of the breaker. Three of a kind in a row are no accident; ten denials
// among fifty decisions mean that agent and judge work against each other.
const (
	denialsInRow  = 3
	failuresInRow = 3
	denialsWindow = 10
	windowSize    = 50
)

// maxApproved bounds what is remembered of a person's own decisions.
const maxApproved = 64

// Session is what the judge remembers of one session. The zero value is a
// new one. It is not safe for concurrent use.
type Session struct {
	denials  int    // in a row
	failures int    // in a row
	last     []bool // the last decisions, newest last: true is a denial
	open     string // why the breaker is open, or ""
	approved []string
}

// Paused gives the reason why every ask of this session goes to the person,
// or "".
func (s *Session) Paused() string { return s.open }

// note records a decision and may open the breaker.
func (s *Session) note(d Decision) {
	s.last = append(s.last, d == Deny)
	if len(s.last) > windowSize {
		s.last = s.last[len(s.last)-windowSize:]
	}
	switch d {
	case Deny:
		s.denials++
	case Allow:
		s.denials = 0
	}
	among := 0
	for _, denied := range s.last {
		if denied {
			among++
		}
	}
	switch {
	case s.denials >= denialsInRow:
		s.open = strconv.Itoa(denialsInRow) + " denials in a row"
	case among >= denialsWindow:
		s.open = strconv.Itoa(denialsWindow) + " denials among the last " + strconv.Itoa(windowSize) + " decisions"
	}
}

// noteModel records whether the model answered.
func (s *Session) noteModel(failed bool) {
	if !failed {
		s.failures = 0
		return
	}
	if s.failures++; s.failures >= failuresInRow {
		s.open = "the judge's model failed " + strconv.Itoa(failuresInRow) + " times in a row"
	}
}

// Resume closes the breaker: the person used the switch, or wrote a message.
func (s *Session) Resume() { s.denials, s.failures, s.last, s.open = 0, 0, nil, "" }

// Approve remembers that the person allowed this action by hand.
func (s *Session) Approve(a Action) { s.ApproveKey(a.Key()) }

// ApproveKey is Approve for an action of which only Key was kept.
func (s *Session) ApproveKey(k string) {
	if i := slices.Index(s.approved, k); i >= 0 {
		s.approved = slices.Delete(s.approved, i, i+1)
	}
	s.approved = append(s.approved, k)
	if len(s.approved) > maxApproved {
		s.approved = s.approved[1:]
	}
}

// Approved reports whether the person allowed exactly this action before.
func (s *Session) Approved(a Action) bool { return slices.Contains(s.approved, a.Key()) }

// Key identifies an action: what kind, on which resources, and, for a command
// or an edit, with which text and where; for any other tool, with which input. Approving one edit of a file approves no other, and
// one call of a tool no other.
func (a *Action) Key() string {
	h := fnv(fnvStart, a.Kind)
	for _, s := range slices.Sorted(slices.Values(a.Resources)) {
		h = fnv(h, s)
	}
	g := h ^ 0x9e3779b97f4a7c15
	for _, s := range []string{a.Command, a.Path, a.Content, a.Access, a.Place.Cwd, a.Before, a.Shell, a.Input, a.Include} {
		h, g = fnv(h, s), fnv(g, s+"\x01")
	}
	return strconv.FormatUint(h, 36) + "." + strconv.FormatUint(g, 36)
}

const fnvStart = 14695981039346656037

// fnv hashes a text and its end, FNV-1a. Two of them with different starts
// make one key: nobody gains by finding a pair that meets in both.
func fnv(h uint64, s string) uint64 {
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return (h ^ 0xff) * 1099511628211
}

// AppendJSON appends the session, so that a new instance can go on with it.
func (s *Session) AppendJSON(b []byte) []byte {
	b = append(b, `{"denials":`...)
	b = strconv.AppendInt(b, int64(s.denials), 10)
	b = append(b, `,"failures":`...)
	b = strconv.AppendInt(b, int64(s.failures), 10)
	var last strings.Builder
	for _, denied := range s.last {
		if denied {
			last.WriteByte('d')
		} else {
			last.WriteByte('.')
		}
	}
	b = appendMember(b, "last", last.String())
	b = appendMember(b, "open", s.open)
	b = appendKey(b, "approved")
	return append(appendStrings(b, s.approved), '}')
}

// ParseSession reads what AppendJSON wrote. What is damaged is left out: a
// forgotten approval asks again, and a forgotten count starts anew.
func ParseSession(data []byte) *Session {
	s := &Session{}
	if n, err := jsonparser.GetInt(data, "denials"); err == nil {
		s.denials = int(max(0, min(n, denialsInRow)))
	}
	if n, err := jsonparser.GetInt(data, "failures"); err == nil {
		s.failures = int(max(0, min(n, failuresInRow)))
	}
	if last, err := jsonparser.GetString(data, "last"); err == nil && len(last) <= windowSize {
		for i := range len(last) {
			s.last = append(s.last, last[i] == 'd')
		}
	}
	if open, err := jsonparser.GetString(data, "open"); err == nil {
		s.open = oneLine(open, 120)
	}
	jsonparser.ArrayEach(data, func(v []byte, kind jsonparser.ValueType, _ int, _ error) {
		if kind == jsonparser.String && len(v) <= 40 && len(s.approved) < maxApproved {
			s.approved = append(s.approved, string(v))
		}
	}, "approved")
	return s
}

// Worktrees remembers the worktree lists of projects for a minute. Failures
// are not remembered: the next request asks again.
type Worktrees struct {
	at    map[string]int64
	lists map[string][]string
}

const worktreesFor = 60_000 // ms

// Get gives a project's list if it is fresh at now, in milliseconds.
func (w *Worktrees) Get(project string, now int64) ([]string, bool) {
	at, ok := w.at[project]
	if !ok || now < at || now-at >= worktreesFor {
		return nil, false
	}
	return w.lists[project], true
}

// Put stores a list that was read at now.
func (w *Worktrees) Put(project string, list []string, now int64) {
	if w.at == nil {
		w.at, w.lists = map[string]int64{}, map[string][]string{}
	}
	w.at[project], w.lists[project] = now, slices.Clone(list)
}
