package transcript

import (
	"slices"
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

// Converse renders the history that a host gave, oldest first.
func Converse(events []protocol.Event, o Options, human func(*protocol.User) bool, s Shape) Conversation {
	l := New(o)
	var all []entry
	for _, ev := range events {
		// The log's own bounds are for what waits; here everything counts.
		l.Add(ev, human)
		all = append(all, l.entries...)
		l.entries, l.waiting, l.held, l.count = l.entries[:0], 0, 0, 0
	}
	return converse(all, s)
}

func converse(entries []entry, s Shape) Conversation {
	if s.Last > 0 {
		entries = last(entries, s.Last)
	}
	var b strings.Builder
	for i := range entries {
		entries[i].labelled(&b, s.Nonce)
	}
	c := Conversation{Text: strings.TrimSuffix(b.String(), "\n"), Messages: messages(entries)}
	limit := s.MaxBytes
	if limit == 0 {
		limit = ConsultWhole
	}
	if len(c.Text) > limit {
		whole := len(c.Text)
		c.Text = Middle(c.Text, limit)
		c.Cut = whole - len(c.Text)
	}
	return c
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
			b.WriteString("\n" + mark(e.cut))
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
	open := false // inside the primary's message
	for i := range entries {
		switch e := &entries[i]; e.kind {
		case kindStep:
			open = false
		case kindText, kindTool:
			if !open {
				at = append(at, i)
			}
			open = true
		default:
			open = false
			at = append(at, i)
		}
	}
	return slices.Clip(at)
}
