package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/Kayphoon/opencode-advisor/internal/e2e"
)

// screen prints the demo. Colours are for terminals alone, and not where NO_COLOR is set.
type screen struct {
	w       io.Writer
	now     func() time.Time
	colours bool
	began   time.Time
	session time.Time // the first entry of the session
}

func newScreen(f *os.File, now func() time.Time) *screen {
	info, err := f.Stat()
	terminal := err == nil && info.Mode()&os.ModeCharDevice != 0
	return &screen{w: f, now: now, began: now(), colours: terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

// colour is an SGR parameter.
type colour string

const (
	bold   colour = "1"
	dim    colour = "2"
	red    colour = "31"
	green  colour = "32"
	yellow colour = "33"
	cyan   colour = "36"
)

func (s *screen) paint(c colour, text string) string {
	if !s.colours || c == "" || text == "" {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[0m"
}

func (s *screen) say(text string) { fmt.Fprintln(s.w, text) }

func (s *screen) title(title, below string) {
	s.say(s.paint(bold, title))
	s.say(wrap(below, len(margin)+width, ""))
	s.say("")
}

// step runs one step of the preparation. Its line begins before and ends after it, so that a slow one is seen at work.
func (s *screen) step(n, of int, title string, do func() (note string, err error)) error {
	fmt.Fprintf(s.w, "[%d/%d] %-52s ", n, of, title)
	start := s.now()
	note, err := do()
	if err != nil {
		s.say(s.paint(red, "failed"))
		return fmt.Errorf("%s: %w", title, err)
	}
	line := fmt.Sprintf("%s %5.1f s", s.paint(green, "ok"), s.now().Sub(start).Seconds())
	if note != "" {
		line += "  " + s.paint(dim, note)
	}
	s.say(line)
	return nil
}

func (s *screen) act(n, of int, title string) {
	s.say("\n" + s.paint(bold, fmt.Sprintf("%d of %d: %s", n, of, title)))
}

// Columns of the timeline: the time, who, and the rest at most this wide.
const (
	margin = "                   "
	width  = 80 - len(margin)
)

var colours = map[string]colour{e2e.Person: bold, e2e.Reviewer: cyan, e2e.Advisor: yellow, e2e.Screen: yellow, e2e.Dropped: dim}

func (s *screen) entries(entries []e2e.Entry) {
	for _, e := range entries {
		if s.session.IsZero() {
			s.session = e.At
		}
		fmt.Fprintf(s.w, "%6.1f s  %s %s\n", max(0, e.At.Sub(s.session).Seconds()), s.paint(colours[e.Who], fmt.Sprintf("%-8s", e.Who)), body(e))
		if e.Woke {
			s.say(margin + s.paint(red, "-> this wakes the agent"))
		}
	}
}

// body is an entry's text, its further lines below the first.
func body(e e2e.Entry) string {
	switch {
	case e.Tool != "":
		return fmt.Sprintf("%-26s %s", e.Tool, oneLine(e.Text, width-27))
	case e.Who == e2e.Dropped:
		text := "not said: " + cmp.Or(reasons[e.Text], e.Text)
		if e.Cites != "" {
			text += "\n" + margin + oneLine(e.Cites, width)
		}
		return text
	case e.Who == e2e.Screen:
		return oneLine(e.Text, width)
	}
	var lines []string
	for line := range strings.Lines(e.Text) {
		lines = append(lines, wrap(strings.TrimRight(line, "\n"), width, margin))
	}
	return strings.Join(lines, "\n"+margin)
}

// reasons explain the fates of dropped notes that the story has.
var reasons = map[string]string{
	"refuted":   "the reviewer looked and refuted it itself (refuted)",
	"duplicate": "the same matter was said before (duplicate)",
}

func (s *screen) point(text string) {
	s.say(margin + s.paint(green, "ok") + " " + wrap(text, width-3, margin+"   "))
}

func (s *screen) end(acts []e2e.Act) {
	s.say("")
	s.say(s.paint(bold, fmt.Sprintf("All %d came as they must, in %.0f s.", len(acts), s.now().Sub(s.began).Seconds())))
}

func (s *screen) failed(err error) {
	s.say("\n" + s.paint(red, "The demo failed.") + "\n" + err.Error())
}

// wrap breaks a text at blanks; a word that is too long stays whole. A line that begins with a
// blank or a mark of a diff is left alone, because its columns mean something.
func wrap(text string, width int, indent string) string {
	if text == "" || len(text) <= width || strings.ContainsRune(" \t+-@", rune(text[0])) {
		return text
	}
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case column+1+len(word) > width:
			b.WriteString("\n" + indent)
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}

func oneLine(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-3]) + "..."
	}
	return text
}
