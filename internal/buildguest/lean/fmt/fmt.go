// Package fmt stands in for the standard one in the guest, where nothing of ours
// prints: only errors of the packages below still ask for it, and nobody reads their texts.
// The real one brings os, time and reflection. What is not here does not compile
// into the guest; write texts with + and strconv.
package fmt

import (
	"errors"
	"strconv"
	"strings"
)

// Errorf gives an error with the text of Sprintf.
func Errorf(format string, args ...any) error { return errors.New(Sprintf(format, args...)) }

// Sprintf puts texts, numbers and errors in the place of verbs, each in its plain
// form whatever the verb, and ? for anything else.
func Sprintf(format string, args ...any) string {
	var b strings.Builder
	for {
		text, rest, found := strings.Cut(format, "%")
		b.WriteString(text)
		if !found {
			return b.String()
		}
		verb := strings.IndexFunc(rest, func(r rune) bool { return r == '%' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' })
		if verb >= 0 && rest[verb] == '%' {
			b.WriteByte('%')
		} else if len(args) > 0 {
			b.WriteString(plain(args[0]))
			args = args[1:]
		}
		format = rest[verb+1:]
	}
}

func plain(arg any) string {
	switch v := arg.(type) {
	case string:
		return v
	case error:
		return v.Error()
	case int:
		return strconv.Itoa(v)
	case rune:
		return strconv.QuoteRune(v)
	}
	return "?"
}
