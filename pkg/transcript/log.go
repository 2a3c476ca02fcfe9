package transcript

import (
	"slices"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Bounds of a Log, in bytes and counts. With them a session holds under
// 300 KB in the worst case and some 50 KB in the usual one.
const (
	maxPending      = 128 << 10 // entries that wait for a review; beyond it the oldest are folded
	maxPendingCount = 400
	maxTail         = 48 << 10 // reviewed entries kept for a consultation
	maxKnown        = 512      // ids that a replayed event is told by
	maxHumans       = 4        // human messages kept for the goal, beside the first
	keepHuman       = 4_000
)

// Options is what a Log is made with.
type Options struct {
	// Redact takes secrets out of a text. It is called once for each text,
	// before anything is cut.
	Redact func(string) string
	// Root is the workspace; paths inside are shown relative to it.
	Root string
}

// Log is the transcript of one session. It is not safe for concurrent use.
type Log struct {
	redact func(string) string
	root   string

	seq     uint64
	step    int // steps that have ended
	entries []entry
	held    int // bytes of reviewed entries
	waiting int // bytes of pending entries
	count   int // pending entries
	summary summary
	signals protocol.Signals
	partial bool // something before the entries is not held any more, or never was

	first  message
	recent []message // the latest human messages, oldest first
	humans int       // how many there were

	known map[uint64]struct{}
	ring  []uint64 // the same, oldest first
	ours  []string // ids of our latest messages, whether seen or not
}

// message is one of the person.
type message struct{ id, text string }

// New gives an empty log.
func New(o Options) *Log {
	l := &Log{redact: o.Redact, root: strings.TrimRight(strings.ReplaceAll(o.Root, `\`, "/"), "/"), known: map[uint64]struct{}{}}
	if l.redact == nil {
		l.redact = func(s string) string { return s }
	}
	return l
}

// AddHuman takes a message that a person typed. Each Add reports whether it was new.
func (l *Log) AddHuman(u *protocol.User) bool {
	if !l.learn("u", u.ID) {
		return false
	}
	text := l.keep(u.Text, keepHuman)
	l.setHuman(message{short(u.ID), text})
	l.push(entry{kind: kindHuman, id: short(u.ID), text: text})
	return true
}

func (l *Log) setHuman(h message) {
	l.humans++
	if l.first.text == "" {
		l.first = h
	}
	l.recent = append(l.recent, h)
	if len(l.recent) > maxHumans {
		l.recent = slices.Delete(l.recent, 0, len(l.recent)-maxHumans)
	}
}

// AddOther takes a message of role user that no person typed. Ours (by its
// metadata, or by an id given to Ours) never becomes part of a delta.
func (l *Log) AddOther(u *protocol.User) bool {
	mine := l.IsOurs(u)
	if !l.learn("u", u.ID) {
		return false
	}
	e := entry{kind: kindOther, id: short(u.ID), text: l.keep(u.Text, keepHuman)}
	if mine {
		e.kind = kindOurs
	}
	l.push(e)
	return true
}

// Ours announces the id of a message that we are about to deliver, so that it
// is known as ours even where its metadata gets lost.
func (l *Log) Ours(id string) {
	const most = 64 // more than the notes that a session is allowed by default
	if id == "" || slices.Contains(l.ours, id) {
		return
	}
	if l.ours = append(l.ours, id); len(l.ours) > most {
		l.ours = slices.Delete(l.ours, 0, 1)
	}
}

// IsOurs reports whether a message carries our metadata or an announced id.
func (l *Log) IsOurs(u *protocol.User) bool { return u.Advisor || slices.Contains(l.ours, u.ID) }

// AddText takes a finished text of the primary.
func (l *Log) AddText(t *protocol.Text) bool {
	if strings.TrimSpace(t.Text) == "" {
		return false
	}
	// By its redacted form: a recording has no other, and a replay must know the same texts.
	text := l.redact(t.Text)
	if t.Message != "" && !l.learn("x", t.Message+"\x00"+text) {
		return false
	}
	l.push(entry{kind: kindText, id: short(t.Message), text: Middle(text, keepText), cut: t.Cut})
	return true
}

// AddTool takes a settled tool call.
func (l *Log) AddTool(t *protocol.Tool) bool {
	if t.Call != "" && !l.learn("t", t.Call) {
		return false
	}
	l.push(l.newTool(t))
	return true
}

// AddShell takes a command that the person ran.
func (l *Log) AddShell(s *protocol.Shell) bool {
	l.push(entry{kind: kindShell, command: l.keep(s.Command, keepCommand), text: l.keep(s.Output, keepText), cut: s.Cut,
		hasExit: s.HasExit, exit: s.Exit})
	return true
}

// StepEnd closes a step.
func (l *Log) StepEnd(s *protocol.StepEnd) bool {
	if s.Message != "" && !l.learn("s", s.Message) {
		return false
	}
	e := entry{kind: kindStep, id: short(s.Message)}
	for _, path := range s.Files {
		e.files = l.addPath(e.files, path)
	}
	l.push(e)
	l.step++
	return true
}

// Compacted notes that the host replaced its history by a summary. Nothing of
// ours is dropped for it.
func (l *Log) Compacted(c *protocol.Compacted) {
	if c.Failed {
		return
	}
	l.push(entry{kind: kindEvent, name: "compaction", text: "the host replaced the earlier conversation by a summary"})
}

// Reverted forgets what came at or after a message that the person went back to. Without an
// id, or with one that is no longer held, only what waits for a review is forgotten.
func (l *Log) Reverted(r *protocol.Reverted) {
	from := slices.IndexFunc(l.entries, func(e entry) bool { return r.Message != "" && e.id == r.Message })
	gone := map[string]bool{}
	kept := l.entries[:0]
	for i, e := range l.entries {
		if from >= 0 && i >= from || from < 0 && e.pending() {
			l.uncount(&e)
			if e.kind == kindHuman {
				gone[e.id] = true
			}
			continue
		}
		kept = append(kept, e)
	}
	clear(l.entries[len(kept):])
	l.entries = kept
	if r.Message != "" {
		gone[r.Message] = true
	}
	l.recent = slices.DeleteFunc(l.recent, func(h message) bool { return gone[h.id] })
	if gone[l.first.id] {
		l.first = message{}
	}
	l.push(entry{kind: kindEvent, name: "revert", text: "the person went back to an earlier point; what came after it is undone"})
}

// SetSignals takes the working tree's state, in place of what was known.
func (l *Log) SetSignals(s *protocol.Signals) {
	l.signals = protocol.Signals{Diagnostics: l.keepDiags(s.Diagnostics)}
	for _, c := range s.Changes[:min(len(s.Changes), 200)] {
		c.Path, c.Status = l.relative(c.Path), short(c.Status)
		l.signals.Changes = append(l.signals.Changes, c)
	}
}

// Steps gives the number of steps that have ended.
func (l *Log) Steps() int { return l.step }

// Pending gives the number of entries that no review has covered.
func (l *Log) Pending() int { return l.count }

// push appends an entry as news.
func (l *Log) push(e entry) { l.insert(len(l.entries), e) }

func (l *Log) insert(at int, e entry) {
	l.seq++
	e.seq = l.seq
	if e.step == 0 {
		e.step = l.step + 1
	}
	if e.size == 0 {
		e.weigh()
	}
	l.entries = slices.Insert(l.entries, at, e)
	if e.pending() {
		l.waiting += e.size
		l.count++
	} else {
		l.held += e.size
	}
	l.trim()
}

func (l *Log) uncount(e *entry) {
	if e.pending() {
		l.waiting -= e.size
		l.count--
	} else {
		l.held -= e.size
	}
}

// trim keeps the bounds. What waited too long goes into the summary as never
// reviewed; what was reviewed is dropped, as the summary has it already. It
// goes down to three quarters of a bound, so that it has to run seldom.
func (l *Log) trim() {
	tail, waiting := l.held > maxTail, l.waiting > maxPending || l.count > maxPendingCount
	if !tail && !waiting {
		return
	}
	kept := l.entries[:0]
	for i := range l.entries {
		e := l.entries[i]
		if e.pending() {
			if waiting && (l.waiting > maxPending/4*3 || l.count > maxPendingCount/4*3) {
				l.summary.add(&e, true)
				l.uncount(&e)
				continue
			}
		} else if tail && l.held > maxTail/4*3 {
			l.uncount(&e)
			continue
		}
		kept = append(kept, e)
	}
	clear(l.entries[len(kept):])
	l.entries = kept
	l.partial = true
	l.summary.fold()
}

// Missed says that the session began before this log did.
func (l *Log) Missed() { l.partial = true }

// Commit says that a review has covered what Cut gave up to this cursor.
func (l *Log) Commit(cursor uint64) {
	for i := range l.entries {
		e := &l.entries[i]
		if e.seq > cursor || !e.pending() {
			continue
		}
		l.summary.add(e, false)
		l.uncount(e)
		e.reviewed = true
		l.held += e.size
	}
	l.summary.fold()
	l.trim()
}
