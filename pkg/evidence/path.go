package evidence

import (
	"strconv"
	"strings"
	"unicode"
)

// paths gives the names that a cited path may mean, the plain one first, and
// the line that was glued to it (0: none): "./x", "a/x" and "b/x" of a diff,
// "file:///x", "x:12", "x#L12", "x(12)", backslashes, backticks and quotes.
func paths(cited string) (names []string, line int) {
	add := func(name string) {
		for _, have := range names {
			if have == name {
				return
			}
		}
		if name != "" {
			names = append(names, name)
		}
	}
	text := strings.TrimSpace(cited)
	if len(text) > 2 && strings.ContainsRune("`\"'<(", rune(text[0])) && strings.ContainsRune("`\"'>)", rune(text[len(text)-1])) {
		text = text[1 : len(text)-1]
	}
	if rest, ok := strings.CutPrefix(text, "file://"); ok {
		text = unescapePercent(strings.TrimPrefix(rest, "localhost"))
	}
	add(strings.TrimPrefix(text, "./"))
	text, line = cutLine(text)
	add(strings.TrimPrefix(text, "./"))
	if strings.Contains(text, `\`) {
		text = strings.ReplaceAll(text, `\`, "/")
		add(strings.TrimPrefix(text, "./"))
	}
	if strings.HasPrefix(text, "a/") || strings.HasPrefix(text, "b/") {
		add(text[2:])
	}
	return names, line
}

// cutLine cuts a glued line number or range off a path.
func cutLine(path string) (string, int) {
	for _, mark := range [...]string{"#L", ":L", ":", "("} {
		at := strings.LastIndex(path, mark)
		if at <= 0 {
			continue
		}
		tail := path[at+len(mark):]
		if mark == ":" { // "x:12:5" has a column too
			if before := strings.LastIndexByte(path[:at], ':'); before > 0 && allDigits(path[before+1:at]) && allDigits(tail) {
				at, tail = before, path[before+1:]
			}
		}
		line, digits := 0, 0
		for digits < len(tail) && digits < 7 && tail[digits] >= '0' && tail[digits] <= '9' {
			line = line*10 + int(tail[digits]-'0')
			digits++
		}
		if digits > 0 && strings.Trim(tail[digits:], "0123456789-–L:,)") == "" {
			return path[:at], line
		}
	}
	return path, 0
}

func allDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// printable tells whether a path can be shown to a model: a name with line
// breaks or marks that do not show is an attack or a mistake.
func printable(path string) bool {
	for _, r := range path {
		if unicode.IsControl(r) || invisible(r) || r == unicode.ReplacementChar {
			return false
		}
	}
	return true
}

func unescapePercent(text string) string {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			if b, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
				out = append(out, byte(b))
				i += 2
				continue
			}
		}
		out = append(out, text[i])
	}
	return string(out)
}
