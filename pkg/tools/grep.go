package tools

import (
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/pattern"
	"github.com/Kayphoon/opencode-advisor/pkg/safefs"
)

//go:embed grep.md
var grepDoc string

const grepSchema = `{"type":"object","properties":{` +
	`"pattern":{"type":"string","description":"Regular expression (RE2; lookaround and back references too)"},` +
	`"path":{"type":"string","description":"File or folder to search, relative to the workspace; default: all of it"},` +
	`"glob":{"type":"string","description":"Only files whose path matches, such as *.ts"},` +
	`"ignoreCase":{"type":"boolean"},` +
	`"literal":{"type":"boolean","description":"The pattern is plain text"},` +
	`"context":{"type":"integer","minimum":0,"maximum":5,"description":"Lines shown around each match"}` +
	`},"required":["pattern"]}`

const (
	maxMatches = 100
	maxContext = 5
	// maxGrepLine is how much of a line is shown, around the match.
	maxGrepLine = 300
)

// grepCall is what was asked.
type grepCall struct {
	expr          string
	path, glob    string
	flags         pattern.Flags
	before, after int
	limit         int
}

func parseGrep(raw []byte) (grepCall, error) {
	c := grepCall{limit: maxMatches}
	a, err := parseArgs(raw)
	if err != nil {
		return c, err
	}
	var ok bool
	if c.expr, ok, err = a.text("pattern", "query", "regex", "regexp", "search", "searchterm", "text"); err != nil {
		return c, err
	}
	if !ok || c.expr == "" {
		return c, errors.New(`"pattern" is missing; give the regular expression to search for`)
	}
	if c.path, _, err = a.text("path", "paths", "dir", "directory", "folder", "file", "filepath", "searchpath", "cwd"); err != nil {
		return c, err
	}
	if c.path = strings.TrimSpace(c.path); c.path == "" {
		c.path = "."
	}
	if c.glob, _, err = a.text("glob", "include", "includes", "filepattern", "fileglob", "globpattern"); err != nil {
		return c, err
	}
	flags := []struct {
		on    *bool
		names []string
	}{
		{&c.flags.IgnoreCase, []string{"ignorecase", "caseinsensitive", "insensitive", "i"}},
		{&c.flags.Literal, []string{"literal", "fixedstrings", "fixed", "f"}},
	}
	for _, f := range flags {
		if *f.on, err = a.flag(f.names...); err != nil {
			return c, err
		}
	}
	numbers := []struct {
		into  []*int
		names []string
		most  int
	}{
		{[]*int{&c.before, &c.after}, []string{"context", "contextlines", "c"}, maxContext},
		{[]*int{&c.before}, []string{"before", "beforecontext", "b"}, maxContext},
		{[]*int{&c.after}, []string{"after", "aftercontext", "a"}, maxContext},
		{[]*int{&c.limit}, []string{"limit", "headlimit", "maxresults", "maxmatches", "maxcount", "m"}, maxMatches},
	}
	for _, n := range numbers {
		got, ok, err := a.number(n.names...)
		if err != nil {
			return c, err
		}
		if ok {
			for _, into := range n.into {
				*into = max(0, min(got, n.most))
			}
		}
	}
	if c.limit == 0 {
		c.limit = maxMatches // 0 means all there is, elsewhere
	}
	return c, nil
}

func runGrep(env *Env, raw []byte) Result {
	const op = "grep"
	c, err := parseGrep(raw)
	if err != nil {
		return refuse(op, err)
	}
	s := &search{env: env, stamp: newStamper()}
	note := ""
	if err := s.prepare(c.expr, c.flags, relativeGlob(env, c.glob)); err != nil {
		// A call or an index, written without backslashes, is meant as it stands.
		literal := c.flags
		literal.Literal = true
		if errors.Is(err, pattern.ErrTooLarge) || errors.Is(err, pattern.ErrNewline) || s.prepare(c.expr, literal, relativeGlob(env, c.glob)) != nil {
			return refuse(op, err)
		}
		note = fmt.Sprintf("[%s; searched for it as plain text]\n", err)
	}
	start, path, err := resolveWithRange(env, c.path, new(int), new(int))
	if err != nil {
		return refuse(op, suggest(env, path, err))
	}
	if s.glob != nil && c.path != "." && strings.Contains(c.glob, "/") {
		// Either reading of src + *.go or src + src/*.go is meant.
		s.base = baseOf(start, s.glob)
	}
	key := cacheKey("grep", start.Rel, c.expr, c.glob, fmt.Sprint(c.flags, c.before, c.after, c.limit))
	if e := env.Cache.get(key); e != nil && stillHolds(env, c, s, start, e) {
		return e.answer(env.Cache, env)
	}

	out := &grepOutput{call: c, search: s}
	s.matched, s.piece = out.add, out.flush
	if err := s.run(start); err != nil {
		return refuse(op, err)
	}
	text := out.head(start) + note + string(out.body) + out.tail()
	for _, span := range out.spans {
		env.saw(span.path, span.from, span.to)
	}
	env.Cache.put(key, &cached{text: text, stamp: s.stamp.sum, files: s.stamp.files, spans: out.spans})
	return Result{Text: text}
}

// stillHolds walks the same files again, without reading them, and compares
// what identifies them.
func stillHolds(env *Env, c grepCall, like *search, start safefs.File, e *cached) bool {
	probe := &search{env: env, pattern: like.pattern, glob: like.glob, base: like.base, stamp: newStamper()}
	stoppedEarly := strings.Contains(e.text, stoppedMark)
	probe.only = func(n stamper) bool { return !stoppedEarly || n.files < e.files }
	if err := probe.run(start); err != nil {
		return false
	}
	return probe.stamp.sum == e.stamp && probe.stamp.files == e.files
}

// relativeGlob takes the workspace's own path off an absolute glob.
func relativeGlob(env *Env, glob string) string {
	return strings.TrimPrefix(strings.TrimSpace(glob), env.Files.Root()+"/")
}

// baseOf gives the prefix to take off paths before the glob is asked: the
// folder that is searched, unless the glob names it itself.
func baseOf(start safefs.File, glob *pattern.Glob) string {
	dir := glob.Dir()
	if start.Rel == "." || dir == start.Rel || strings.HasPrefix(dir, start.Rel+"/") {
		return ""
	}
	return start.Rel + "/"
}

// grepOutput writes the matching lines, file by file.
type grepOutput struct {
	call    grepCall
	search  *search
	pending []match // of the present piece
	body    []byte
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
		o.spans = append(o.spans, seenSpan{o.file, n, n})
	}
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
		text = fmt.Sprintf(stoppedMark+"at %d KB; narrow the search by path, glob or pattern]\n", MaxAnswer>>10)
	case s.why != "":
		text = stoppedMark + "early, " + s.why + "]\n"
	case s.stopped:
		text = fmt.Sprintf(stoppedMark+"after %s, there may be more; narrow the search by path, glob or pattern]\n", plural(o.matches, "match", "matches"))
	}
	if o.long {
		text += fmt.Sprintf("[cut by this tool: lines longer than %d bytes, at the ...; read shows more of them]\n", maxGrepLine)
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
		text += fmt.Sprintf("[the pattern took too long on %s, counted as no match; make it simpler]\n", plural(n, "line", "lines"))
	}
	if n := s.pattern.Clipped() + s.longLines; n > 0 {
		text += fmt.Sprintf("[%s too long for this search and not looked at as a whole]\n", plural(n, "line was", "lines were"))
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
