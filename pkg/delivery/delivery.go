// Package delivery turns a note that passed every gate into the message that
// the session gets: which channel its severity uses, what the text says, and
// under which id the host knows it.
package delivery

import (
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/digest"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Channel gives the channel of a severity. A nit or a concern never wakes and a
// severity that nobody knows is silent, whatever the config says.
func Channel(d config.Delivery, s protocol.Severity) config.Channel {
	c := d.Of(s)
	if c == config.ChannelWaking && s != protocol.Blocker || c == "" {
		return config.ChannelSilent
	}
	return c
}

// MessageID names the message that carries a note under one human message:
// "msg_" and 24 hex digits. The same note under the same human message has the
// same id, so that a host that knows the id takes it once, whatever restarts.
func MessageID(session, note, human string) string {
	return "msg_" + digest.Hex(24, "message", session, note, human)
}

// Message is the text of one note. It opens with who speaks, because the model
// that reads it sees plain user text without metadata. Rest is a line about
// notes that were held back, empty when there are none.
func Message(n protocol.Note, rest string) string {
	var b strings.Builder
	b.WriteString("[advisor ")
	b.WriteString(string(n.Severity))
	if n.Author != "" {
		b.WriteString(" from ")
		b.WriteString(n.Author)
	}
	b.WriteString("]")
	if where := Where(n); where != "" {
		b.WriteString(" ")
		b.WriteString(where)
	}
	b.WriteString("\n")
	b.WriteString(n.Text)
	b.WriteString("\n")
	for _, c := range n.Citations {
		if line := proof(c); line != "" {
			b.WriteString(line)
			b.WriteString("\n")
		}
	}
	if n.Patch != "" {
		b.WriteString("Suggested patch (checked: it applies to the present file):\n")
		fence := fenceFor(n.Patch)
		b.WriteString(fence + "\n" + strings.TrimRight(n.Patch, "\n") + "\n" + fence + "\n")
	}
	if rest != "" {
		b.WriteString(rest)
		b.WriteString("\n")
	}
	b.WriteString(footer(n.Severity))
	return b.String()
}

// footer says what a note is, in the words that its severity needs.
func footer(s protocol.Severity) string {
	const who = "This is advice from opencode-superadvisor, an independent automatic reviewer, not from the user. "
	if s == protocol.Blocker {
		return who + "Weigh it before you go on: check the cited place, then either act on it or say why it does not apply."
	}
	return who + "It needs no answer; take it into account where it applies."
}

// proof is the line that shows what a citation rests on. Only what the engine matched is shown.
func proof(c protocol.Citation) string {
	if c.Status != protocol.CiteVerified && c.Status != protocol.CiteMoved {
		return ""
	}
	var b strings.Builder
	switch c.Kind {
	case protocol.CiteQuote, protocol.CiteLegacy:
		b.WriteString("Seen at " + place(c))
		if first := oneLine(c.Quote, 160); first != "" {
			b.WriteString(": `" + strings.ReplaceAll(first, "`", "'") + "`")
		}
	case protocol.CiteAbsence:
		b.WriteString("Searched for " + strconv.Quote(oneLine(c.Pattern, 120)))
		if c.Glob != "" {
			b.WriteString(" in " + c.Glob)
		}
		b.WriteString(": nothing found")
	case protocol.CiteCommand:
		b.WriteString("Command output: `" + strings.ReplaceAll(oneLine(c.Excerpt, 160), "`", "'") + "`")
	default:
		return ""
	}
	if fact := oneLine(c.Fact, 300); fact != "" {
		b.WriteString(" (" + fact + ")")
	}
	return b.String()
}

// Where is the place of a note's first proven citation of a file, as
// path:line, or as path:line-end; empty when there is none.
func Where(n protocol.Note) string {
	for _, c := range n.Citations {
		if (c.Kind == protocol.CiteQuote || c.Kind == protocol.CiteLegacy) && c.Path != "" &&
			(c.Status == protocol.CiteVerified || c.Status == protocol.CiteMoved) {
			return place(c)
		}
	}
	return ""
}

func place(c protocol.Citation) string {
	s := c.Path + ":" + strconv.Itoa(c.Line)
	if c.EndLine > c.Line {
		s += "-" + strconv.Itoa(c.EndLine)
	}
	return s
}

// Description is the one line that the host shows to the person.
func Description(n protocol.Note) string {
	s := "Advisor " + string(n.Severity)
	if where := Where(n); where != "" {
		s += " at " + where
	}
	return s + ": " + oneLine(n.Text, 120)
}

// oneLine folds blanks and cuts at limit runes.
func oneLine(s string, limit int) string {
	s = strings.Join(strings.Fields(s), " ")
	n := 0
	for i := range s {
		if n == limit {
			return s[:i] + "..."
		}
		n++
	}
	return s
}

// fenceFor gives a fence of backticks longer than any run in the text, so that
// a patch cannot close its own fence and go on as prose.
func fenceFor(text string) string {
	longest, run := 0, 0
	for _, r := range text {
		if r == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	return strings.Repeat("`", max(3, longest+1))
}

// Effect builds the Deliver effect of one note.
func Effect(session, human string, n protocol.Note, wake bool, rest string) *protocol.Deliver {
	return &protocol.Deliver{
		Session:     session,
		ID:          MessageID(session, n.ID, human),
		Wake:        wake,
		Text:        Message(n, rest),
		Severity:    string(n.Severity),
		Description: Description(n),
		Notes:       []string{n.ID},
		Toast:       n.Severity.Rank() >= protocol.Concern.Rank(),
	}
}
