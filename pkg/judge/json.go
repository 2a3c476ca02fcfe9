package judge

import (
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

func appendString(b []byte, s string) []byte { return protocol.AppendString(b, s) }

func appendStrings(b []byte, list []string) []byte {
	b = append(b, '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, s)
	}
	return append(b, ']')
}

// appendMember appends "key":"value" behind whatever the object holds so far.
func appendMember(b []byte, key, val string) []byte {
	return appendString(appendKey(b, key), val)
}

func appendKey(b []byte, key string) []byte {
	if n := len(b); n > 0 && b[n-1] != '{' {
		b = append(b, ',')
	}
	return append(appendString(b, key), ':')
}

// plainJSON escapes the signs that fences are made of: no command can then
// spell a mark inside the JSON that it stands in.
func plainJSON(s string) string {
	return strings.NewReplacer("<", `\u003c`, ">", `\u003e`).Replace(s)
}

// oneLine makes text fit a message: blanks joined, controls gone, cut to n
// characters.
func oneLine(s string, n int) string {
	s = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if oddText(string(r)) {
			return ' '
		}
		return r
	}, s)), " ")
	if r := []rune(s); len(r) > n {
		s = string(r[:n-1]) + "…"
	}
	return s
}
