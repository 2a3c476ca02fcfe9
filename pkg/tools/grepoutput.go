package tools

import (
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/safefs"
)

// grepOutput writes the matching lines, file by file.
type grepOutput struct {
	call    grepCall
	search  *search
	pending []match // of the present piece
	body    []byte
	lines   int    // of the body
	file    string // whose lines are being written
	shown   int    // the last line of it that was written
	matches int
	inFiles int
	spans   []seenSpan
	long    bool // a line was cut
	full    bool // the answer is as long as it may be
}

func (o *grepOutput) add(m match) bool {
	o.pending = append(o.pending, m)
	return o.matches+len(o.pending) < o.call.limit
}

// flush writes the matches of a piece while its bytes are in the buffer, with
// the context that the piece has.
func (o *grepOutput) flush() {
	for i, m := range o.pending {
		if o.full {
			break
		}
		if o.file != m.file.Rel {
			o.file, o.shown = m.file.Rel, 0
			o.inFiles++
			o.body = append(append(o.body, showName(m.file.Rel)...), '\n')
			o.lines++
		}
		o.matches++
		next := len(m.text)
		if i+1 < len(o.pending) {
			next = o.pending[i+1].start
		}
		o.before(m)
		o.line(m.line, ':', m.text[m.start:m.end], m.at-m.start)
		o.after(m, next)
	}
	o.pending = o.pending[:0]
}

func (o *grepOutput) before(m match) {
	start, n := m.start, m.line
	for range o.call.before {
		if start == 0 || n-1 <= o.shown {
			break
		}
		start = lineStart(m.text, start-1)
		n--
	}
	for ; n < m.line; n++ {
		end, next := lineEnd(m.text, start)
		o.line(n, '-', m.text[start:end], 0)
		start = next
	}
}

func (o *grepOutput) after(m match, until int) {
	_, start := lineEnd(m.text, m.end)
	for i := range o.call.after {
		if start >= until || start >= len(m.text) {
			return
		}
		end, next := lineEnd(m.text, start)
		o.line(m.line+1+i, '-', m.text[start:end], 0)
		start = next
	}
}

// line writes one line, when it has not been written already.
func (o *grepOutput) line(n int, mark byte, text []byte, at int) {
	if n <= o.shown || o.full {
		return
	}
	size := len(o.body)
	if o.shown > 0 && n > o.shown+1 && o.call.before+o.call.after > 0 {
		o.body = append(o.body, "--\n"...)
		o.lines++
	}
	o.body = strconv.AppendInt(append(o.body, ' '), int64(n), 10)
	o.body = append(o.body, mark, ' ')
	part, before, after := window(text, at, maxGrepLine)
	if before {
		o.body = append(o.body, "..."...)
	}
	o.body = appendText(o.body, part)
	if after {
		o.body = append(o.body, "..."...)
	}
	o.body = append(o.body, '\n')
	if len(o.body) > MaxAnswer-1500 {
		o.body, o.full = o.body[:size], true
		o.search.stopped = true
		if mark == ':' {
			o.matches--
		}
		return
	}
	o.long = o.long || before || after
	o.shown = n
	if k := len(o.spans) - 1; k >= 0 && o.spans[k].path == o.file && o.spans[k].to == n-1 {
		o.spans[k].to = n
	} else {
		o.spans = append(o.spans, seenSpan{o.file, n, n, o.lines})
	}
	o.lines++
}

func (o *grepOutput) head(start safefs.File) string {
	s := o.search
	where := ""
	if start.Rel != "." {
		where = " in " + showName(start.Rel)
	}
	if o.call.glob != "" {
		where += " matching " + quoteShort(o.call.glob)
	}
	searched := plural(s.files, "file", "files") + " searched" + where
	if o.matches == 0 {
		return "no matches for " + quoteShort(o.call.expr) + ": " + searched + "\n"
	}
	return plural(o.matches, "matching line", "matching lines") + " in " + plural(o.inFiles, "file", "files") + ", " + searched + "\n"
}

// stoppedMark begins the remark that a search was not finished.
const stoppedMark = "[cut by this tool: stopped "

func (o *grepOutput) tail() string {
	s := o.search
	text := ""
	switch {
	case o.full:
		text = stoppedMark + "at " + strconv.Itoa(MaxAnswer>>10) + " KB; narrow the search by path, glob or pattern]\n"
	case s.why != "":
		text = stoppedMark + "early, " + s.why + "]\n"
	case s.stopped:
		text = stoppedMark + "after " + plural(o.matches, "match", "matches") + ", there may be more; narrow the search by path, glob or pattern]\n"
	}
	if o.long {
		text += "[cut by this tool: lines longer than " + strconv.Itoa(maxGrepLine) + " bytes, at the ...; read shows more of them]\n"
	}
	var parts []string
	add := func(n int, one, many string) {
		if n > 0 {
			parts = append(parts, plural(n, one, many))
		}
	}
	add(s.binary, "binary file", "binary files")
	add(s.tooLarge, "file of more than 64 MB", "files of more than 64 MB")
	add(s.unread, "file that could not be read", "files that could not be read")
	if len(parts) > 0 {
		text += "[not searched: " + strings.Join(parts, "; ") + "]\n"
	}
	if n := s.pattern.GaveUp(); n > 0 {
		text += "[the pattern took too long on " + plural(n, "line", "lines") + ", counted as no match; make it simpler]\n"
	}
	if n := s.pattern.Clipped() + s.longLines; n > 0 {
		text += "[" + plural(n, "line was", "lines were") + " too long for this search and not looked at as a whole]\n"
	}
	return text + leftOut(s.walked)
}

// lineStart is where the line begins that ends at or holds the offset.
func lineStart(text []byte, at int) int {
	for at > 0 && text[at-1] != '\n' {
		at--
	}
	return at
}

// lineEnd is where the line at start ends, without its break, and where the next begins.
func lineEnd(text []byte, start int) (end, next int) {
	for end = start; end < len(text) && text[end] != '\n'; end++ {
	}
	next = min(end+1, len(text))
	if end > start && text[end-1] == '\r' {
		end--
	}
	return end, next
}
