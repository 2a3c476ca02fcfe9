package tools

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/Kayphoon/opencode-advisor/pkg/safefs"
)

// sniff is how much of a file decides whether it is text; git looks at as much.
const sniff = 8000

// binary says why a file is not text, from its first bytes; "" when it is.
func binary(head []byte) string {
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return "UTF-16 text"
	}
	if bytes.IndexByte(head[:min(len(head), sniff)], 0) >= 0 {
		return "a binary file"
	}
	return ""
}

var bom = []byte("\xef\xbb\xbf")

// clip shortens text to at most n bytes at a character's border.
func clip(text []byte, n int) []byte {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// appendText adds text with what is not UTF-8 shown as the replacement character.
func appendText(out, text []byte) []byte {
	if utf8.Valid(text) {
		return append(out, text...)
	}
	return append(out, bytes.ToValidUTF8(text, []byte("\ufffd"))...)
}

// window cuts a long line down to the part around at.
func window(line []byte, at, width int) (part []byte, before, after bool) {
	if len(line) <= width {
		return line, false, false
	}
	start := max(0, min(at-width*2/3, len(line)-width))
	for start > 0 && start < len(line) && !utf8.RuneStart(line[start]) && start > at-width {
		start--
	}
	part = clip(line[start:], width)
	return part, start > 0, start+len(part) < len(line)
}

// showName writes a file's name for a listing: quoted when it has characters
// that could be taken for something else.
func showName(name string) string {
	for _, r := range name {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return strconv.Quote(name)
		}
	}
	return name
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return groupDigits(n) + " " + many
}

func groupDigits(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// showSize writes a file's size as people say it.
func showSize(n int64) string {
	switch {
	case n < 10_000:
		return groupDigits(int(n)) + " bytes"
	case n < 10_000_000:
		return groupDigits(int(n/1000)) + " KB"
	}
	return groupDigits(int(n/1_000_000)) + " MB"
}

// leftOut says what a walk passed over, so that "nothing found" is not taken for more than it is.
func leftOut(seen safefs.Walked) string {
	var parts []string
	if seen.BuiltCount > 0 {
		names := make([]string, 0, len(seen.Built)+1)
		for _, name := range seen.Built {
			names = append(names, showName(name)+"/")
		}
		if more := seen.BuiltCount - len(seen.Built); more > 0 {
			names = append(names, strconv.Itoa(more)+" more")
		}
		parts = append(parts, strings.Join(names, ", "))
	}
	if seen.Ignored > 0 {
		parts = append(parts, plural(seen.Ignored, "name", "names")+" hidden by .gitignore")
	}
	if seen.Credentials > 0 {
		parts = append(parts, plural(seen.Credentials, "credential file", "credential files"))
	}
	if seen.Failed > 0 {
		parts = append(parts, plural(seen.Failed, "folder", "folders")+" that could not be opened")
	}
	text := ""
	if len(parts) > 0 {
		text = "[left out: " + strings.Join(parts, "; ") + "]\n"
	}
	if seen.Stopped != "" {
		text += "[" + seen.Stopped + "]\n"
	}
	return text
}
