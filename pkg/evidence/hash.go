package evidence

import (
	"encoding/hex"
	"hash/fnv"
	"strings"
)

// hashLines hashes lines from to to of text, counted from 1, both included.
// Line ends and trailing blanks do not count; indentation does, because a line that moved
// into another block says something else.
func hashLines(text string, from, to int) string {
	lines := lineRange(text, from, to)
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\r")
	}
	return hashText(strings.Join(lines, "\n"))
}

// hashText gives 32 hex digits. FNV is enough: whoever could forge a collision
// could as well leave the line alone.
func hashText(text string) string {
	h := fnv.New128a()
	h.Write([]byte(text))
	return hex.EncodeToString(h.Sum(nil))
}

// lineRange gives lines from to to of text without cutting up the rest.
func lineRange(text string, from, to int) []string {
	var lines []string
	for n := 1; n <= to; n++ {
		line, rest, more := strings.Cut(text, "\n")
		if n >= from {
			lines = append(lines, line)
		}
		if !more {
			break
		}
		text = rest
	}
	return lines
}
