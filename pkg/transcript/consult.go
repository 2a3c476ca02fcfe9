package transcript

import (
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Bounds of a consultation's transcript, in bytes.
const (
	ConsultArgs    = 2_000   // arguments of one call
	ConsultResult  = 8_000   // one result
	ConsultWhole   = 200_000 // all of it; beyond, its middle is left out
	consultMessage = 16_000  // one message
)

// Shape says how much of a conversation is wanted, and how it is marked.
type Shape struct {
	// Last bounds the number of messages, counted from the end: a message of
	// role user, or what the primary said and called between two of them in
	// one step. 0 is no bound.
	Last int
	// MaxBytes bounds the whole text; 0 is ConsultWhole.
	MaxBytes int
	// Nonce stands at the start of every label, so that no text from outside
	// can pass for one. It may be empty.
	Nonce string
}

// Conversation is a session as plain text, each part under its label: USER, ASSISTANT, TOOL CALL
// name, TOOL RESULT name (error), USER SHELL (exit N), ADVISOR NOTE, EXTENSION kind.
type Conversation struct {
	Text     string
	Messages int // that are in it
	Cut      int // bytes left out of its middle
}

// Conversation renders what the log holds: everything since the last review and
// the end of what was before. Complete tells whether that is enough.
func (l *Log) Conversation(s Shape) Conversation { return converse(l.entries, s) }

// Complete reports whether the log still holds the last n messages, or the whole
// session when n is 0. Where it does not, the host's history has more.
func (l *Log) Complete(n int) bool {
	return !l.partial || n > 0 && messages(l.entries) > n
}

// Converse renders the history that a host gave, oldest first. It holds no more
// of it than it shows.
func Converse(events []protocol.Event, o Options, human func(*protocol.User) bool, s Shape) Conversation {
	skip := 0
	if s.Last > 0 {
		// A first pass finds where the last messages begin; nothing of it is shown.
		var kinds []entry
		each := New(Options{})
		each.stream(events, human, func(e *entry) { kinds = append(kinds, entry{kind: e.kind}) })
		skip = len(kinds) - len(last(kinds, s.Last))
	}
	c := newConverser(s)
	l := New(o)
	l.stream(events, human, func(e *entry) {
		if skip--; skip < 0 {
			c.add(e)
		}
	})
	return c.end()
}

// stream takes events one by one and keeps none.
func (l *Log) stream(events []protocol.Event, human func(*protocol.User) bool, see func(*entry)) {
	for _, ev := range events {
		l.Add(ev, human)
		for i := range l.entries {
			see(&l.entries[i])
		}
		l.entries, l.waiting, l.held, l.count = l.entries[:0], 0, 0, 0
	}
}

func converse(entries []entry, s Shape) Conversation {
	if s.Last > 0 {
		entries = last(entries, s.Last)
	}
	c := newConverser(s)
	for i := range entries {
		c.add(&entries[i])
	}
	return c.end()
}

// converser collects blocks: the first half of what may be shown in head, the
// latest in tail, and the count of what fell out between.
type converser struct {
	nonce    string
	limit    int
	head     strings.Builder
	full     bool // head takes no more
	tail     []string
	size     int // bytes in tail
	dropped  int
	messages int
	open     bool // inside a message of the primary
}

func newConverser(s Shape) *converser {
	c := &converser{nonce: s.Nonce, limit: s.MaxBytes}
	if c.limit <= 0 {
		c.limit = ConsultWhole
	}
	return c
}

func (c *converser) add(e *entry) {
	if begins(e.kind, &c.open) {
		c.messages++
	}
	var b strings.Builder
	e.labelled(&b, c.nonce)
	block := b.String()
	if !c.full && c.head.Len()+len(block) <= c.limit/2 {
		c.head.WriteString(block)
		return
	}
	c.full = true
	c.tail = append(c.tail, block)
	c.size += len(block)
	// One block more than could be shown stays, so that the cut goes by bytes.
	for c.size-len(c.tail[0]) > c.limit {
		c.dropped += len(c.tail[0])
		c.size -= len(c.tail[0])
		c.tail = c.tail[1:]
	}
}

func (c *converser) end() Conversation {
	text := c.head.String() + strings.Join(c.tail, "")
	text = strings.TrimSuffix(text, "\n")
	out := Conversation{Text: text, Messages: c.messages}
	total := len(text) + c.dropped
	if total <= c.limit {
		return out
	}
	room := max(0, c.limit-len(mark(total))-4)
	from := back(text, min(room/2, len(text)))
	if c.dropped > 0 {
		from = min(from, c.head.Len()) // what follows the head is not its sequel
	}
	to := forward(text, max(from, len(text)-(room-from)))
	out.Cut = total - from - (len(text) - to)
	out.Text = text[:from] + "\n" + mark(out.Cut) + "\n\n" + text[to:]
	return out
}

// labelled writes an entry under its label.
func (e *entry) labelled(b *strings.Builder, nonce string) {
	block := func(label, text string, limit int) {
		if nonce != "" {
			b.WriteString(nonce)
			b.WriteByte(' ')
		}
		b.WriteString(label)
		b.WriteByte('\n')
		b.WriteString(Middle(text, limit))
		if e.cut > 0 && limit == ConsultResult {
			b.WriteString("\n" + markLoader(e.cut))
		}
		b.WriteString("\n\n")
	}
	switch e.kind {
	case kindHuman:
		block("USER", e.text, consultMessage)
	case kindOurs:
		block("ADVISOR NOTE", e.text, consultMessage)
	case kindOther:
		block("EXTENSION message", e.text, consultMessage)
	case kindEvent:
		block("EXTENSION "+e.name, e.text, consultMessage)
	case kindText:
		block("ASSISTANT", e.text, consultMessage)
	case kindShell:
		label := "USER SHELL"
		if e.hasExit && e.exit != 0 {
			label += " (exit " + strconv.Itoa(e.exit) + ")"
		}
		block(label, "$ "+e.command+"\n"+e.text, ConsultResult)
	case kindTool:
		name := oneLine(e.name)
		block("TOOL CALL "+name, e.argsText(), ConsultArgs)
		label := "TOOL RESULT " + name
		if e.failed || e.broke() {
			label += " (error)"
		}
		text := e.text
		if e.hasExit && e.exit != 0 {
			text += "\n(exit " + strconv.Itoa(e.exit) + ")"
		}
		block(label, text, ConsultResult)
	}
}

// argsText gives the arguments as JSON.
func (e *entry) argsText() string {
	b := []byte{'{'}
	for i, a := range e.args {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(protocol.AppendString(b, a.name), ": "...)
		if a.raw {
			b = append(b, a.text...)
		} else {
			b = protocol.AppendString(b, a.text)
		}
	}
	return string(append(b, '}'))
}

// oneLine keeps a tool's name from making lines of its own.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, s)
}

// messages counts the messages in a run of entries.
func messages(entries []entry) int { return len(starts(entries)) }

// last gives the entries of the last n messages.
func last(entries []entry, n int) []entry {
	at := starts(entries)
	if len(at) <= n {
		return entries
	}
	return entries[at[len(at)-n]:]
}

// starts gives the index at which each message begins.
func starts(entries []entry) []int {
	var at []int
	open := false
	for i := range entries {
		if begins(entries[i].kind, &open) {
			at = append(at, i)
		}
	}
	return at
}

// begins reports whether a message begins with an entry of this kind. open
// says whether we are inside a message of the primary, which ends with its step.
func begins(k kind, open *bool) bool {
	was := *open
	switch k {
	case kindStep:
		*open = false
		return false
	case kindText, kindTool:
		*open = true
		return !was
	}
	*open = false
	return true
}
