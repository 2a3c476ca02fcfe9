package transcript

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Middle shortens s to at most limit bytes by leaving out its middle, and says
// there how many bytes are missing. Runes stay whole. A limit below the
// length of the mark (about 30) gives the mark alone.
func Middle(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	// The number of bytes left out cannot have more digits than len(s).
	room := limit - len(mark(len(s))) - 2
	if room < 8 {
		return mark(len(s))
	}
	head := back(s, room-room/2)
	tail := forward(s, len(s)-room/2)
	var b strings.Builder
	b.Grow(limit)
	b.WriteString(s[:head])
	b.WriteByte('\n')
	b.WriteString(mark(tail - head))
	b.WriteByte('\n')
	b.WriteString(s[tail:])
	return b.String()
}

// mark is what stands where bytes were left out.
func mark(n int) string { return "[advisor cut " + thousands(n) + " bytes here]" }

// markLoader is what stands where the loader, which counts UTF-16 units, left out n.
func markLoader(n int) string { return "[advisor cut " + thousands(n) + " characters here]" }

// back moves i down to the start of a rune.
func back(s string, i int) int {
	for at := i; at > 0 && at > i-utf8.UTFMax; at-- {
		if utf8.RuneStart(s[at]) {
			return at
		}
	}
	return i // not UTF-8 anyway
}

// forward moves i up to the start of a rune.
func forward(s string, i int) int {
	for at := i; at < len(s) && at < i+utf8.UTFMax; at++ {
		if utf8.RuneStart(s[at]) {
			return at
		}
	}
	if i+utf8.UTFMax > len(s) {
		return len(s)
	}
	return i
}

// thousands writes a count with commas.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
