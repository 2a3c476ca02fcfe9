package config

import "strings"

// Problem tells a person about one thing in the configuration that was not
// used as written, or that deserves a look. It never holds a key.
type Problem struct {
	Source  string // where it stands: advisor.json, options, or a path
	Field   string // dotted, empty when it is about the whole source
	Message string // what was found
	Mend    string // what to do about it
}

// String gives one line: source, field, message, and the way to mend it.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.Source)
	if p.Field != "" {
		b.WriteString(": ")
		b.WriteString(p.Field)
	}
	b.WriteString(": ")
	b.WriteString(p.Message)
	if p.Mend != "" {
		b.WriteString("; ")
		b.WriteString(p.Mend)
	}
	return b.String()
}

// shown quotes a value that a person wrote, cut so that a message stays a line.
func shown(s string) string {
	const limit = 60 // enough to recognise one's own value
	s = strings.ToValidUTF8(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s), "?")
	if r := []rune(s); len(r) > limit {
		s = string(r[:limit]) + "..."
	}
	return `"` + s + `"`
}

// Nearest gives the known word closest to got, or "" when none is close: at
// most a third of the letters may differ, and never more than three.
func Nearest(got string, known []string) string {
	best, bestAt := "", 4
	for _, k := range known {
		if d := distance(strings.ToLower(got), strings.ToLower(k)); d < bestAt && d <= max(1, len(k)/3) {
			best, bestAt = k, d
		}
	}
	return best
}

// distance counts the edits between two short words, a swap of neighbours being one.
func distance(a, b string) int {
	const limit = 64 // longer than any key of ours; the table is quadratic
	if len(a) > limit || len(b) > limit {
		return limit
	}
	before, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}
