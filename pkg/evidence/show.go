package evidence

import (
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Bounds of what a finding shows: enough to see where one is, little enough
// to cost nothing.
const (
	showAround = 4    // lines before and after the claimed one
	showWidth  = 200  // bytes of a line
	showBytes  = 2000 // in all: nine such lines with their numbers, or that much of five hits
)

// show adds the lines around line of the kept file to a finding.
func (r *Resolver) show(f Finding, line int) Finding {
	if r.keptText == "" {
		f.Reason += "; the file is empty"
		return f
	}
	line = min(max(line, 1), strings.Count(strings.TrimSuffix(r.keptText, "\n"), "\n")+1)
	f.Path = r.kept
	f.From = max(1, line-showAround)
	f.To = f.From - 1
	var out strings.Builder
	// The lines before and behind are not taken apart: a file of line ends alone has eight million.
	for _, text := range lineRange(strings.TrimSuffix(r.keptText, "\n"), f.From, line+showAround) {
		f.To++
		out.WriteString(strconv.Itoa(f.To) + ": " + clip(strings.TrimSuffix(text, "\r"), showWidth) + "\n")
	}
	f.Excerpt = out.String()
	return f
}

// splitLines cuts a text into lines without their ends. A last line break ends
// a line and begins none.
func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	return lines
}

// clip cuts text to max bytes, not inside a character, and marks the cut.
func clip(text string, max int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= max {
		return text
	}
	for max > 0 && text[max]&0xC0 == 0x80 {
		max--
	}
	return text[:max] + " [cut]"
}

// place writes "path:12" or "path:12-15".
func place(c protocol.Citation) string {
	text := c.Path + ":" + strconv.Itoa(c.Line)
	if c.EndLine > c.Line {
		text += "-" + strconv.Itoa(c.EndLine)
	}
	return text
}
