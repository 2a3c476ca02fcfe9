package tools

import (
	_ "embed"
	"errors"
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

// options tells calls apart that look for the same.
func (c *grepCall) options() string {
	return strconv.FormatBool(c.flags.IgnoreCase) + " " + strconv.FormatBool(c.flags.Literal) + " " +
		strconv.Itoa(c.before) + " " + strconv.Itoa(c.after) + " " + strconv.Itoa(c.limit)
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
		note = "[" + err.Error() + "; searched for it as plain text]\n"
	}
	start, path, err := resolveWithRange(env, c.path, new(int), new(int))
	if err != nil {
		return refuse(op, suggest(env, path, err))
	}
	if s.glob != nil && c.path != "." && strings.Contains(c.glob, "/") {
		// Either reading of src + *.go or src + src/*.go is meant.
		s.base = baseOf(start, s.glob)
	}
	key := cacheKey("grep", start.Rel, c.expr, c.glob, c.options())
	if e := env.Cache.get(key); e != nil && stillHolds(env, c, s, start, e) {
		return e.answer(env.Cache)
	}

	out := &grepOutput{call: c, search: s}
	s.matched, s.piece = out.add, out.flush
	if err := s.run(start); err != nil {
		return refuse(op, err)
	}
	head := out.head(start) + note
	for i := range out.spans {
		out.spans[i].at += strings.Count(head, "\n")
	}
	return env.Cache.put(key, &cached{text: head + string(out.body) + out.tail(), stamp: s.stamp.sum, files: s.stamp.files, spans: out.spans})
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
