package evidence

import (
	"fmt"
	"path"
	"regexp"
	"sort"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// tree is a workspace at /ws in memory. A file whose text is one of the port's
// errors' words cannot be read for that reason.
type tree map[string]string

func (t tree) Resolve(name string) (string, error) {
	if rest, ok := strings.CutPrefix(name, "/ws/"); ok {
		name = rest
	}
	name = path.Clean(name)
	if path.IsAbs(name) || name == ".." || strings.HasPrefix(name, "../") {
		return "", fmt.Errorf("resolve %s: %w", name, ErrOutside)
	}
	if _, ok := t[name]; !ok {
		return "", fmt.Errorf("resolve %s: %w", name, ErrMissing)
	}
	return name, nil
}

func (t tree) ReadFile(name string, max int) (string, error) {
	text, ok := t[name]
	if !ok {
		return "", fmt.Errorf("read %s: %w", name, ErrMissing)
	}
	for _, err := range []error{ErrRefused, ErrBinary, ErrTooLarge, ErrOutside} {
		if text == err.Error() {
			return "", fmt.Errorf("read %s: %w", name, err)
		}
	}
	if len(text) > max {
		return "", fmt.Errorf("read %s: %w", name, ErrTooLarge)
	}
	return text, nil
}

func (t tree) Search(pattern, glob string, max int) (Found, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return Found{}, err
	}
	found := Found{Complete: true}
	var names []string
	for name := range t {
		if ok, _ := path.Match(glob, name); glob == "" || ok {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	for _, name := range names {
		found.Files++
		for i, line := range splitLines(t[name]) {
			if len(found.Hits) < max && re.MatchString(line) {
				found.Hits = append(found.Hits, Hit{Path: name, Line: i + 1, Text: line})
			}
		}
	}
	return found, nil
}

// read is a ledger that covers some lines of some files.
type read map[string][2]int

func (r read) Covers(name string, from, to int) bool {
	lines, ok := r[name]
	return ok && lines[0] <= from && to <= lines[1]
}

func quoteOf(name string, line int, text string) protocol.Citation {
	return protocol.Citation{Kind: protocol.CiteQuote, Path: name, Line: line, Quote: text}
}
