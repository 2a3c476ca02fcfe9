package redact

import (
	"encoding/base64"
	"strings"
)

// scheme gives where the credential begins behind the scheme of an Authorization header, or 0.
func scheme(v string) int {
	end := run(v, 0, isAlnum|isDash, 24)
	if end == 0 || end >= len(v) || v[end] != ' ' {
		return 0
	}
	for end < len(v) && v[end] == ' ' {
		end++
	}
	return end
}

// authorizationHeader hides what stands behind the scheme of a header, or a bare token.
func (s *scan) authorizationHeader(t target, start, i int) int {
	line := s.in[start:runUntil(s.in, start, 0, 256)]
	from := start + scheme(line)
	end := runUntil(s.in, from, isStop|isOperator, maxValue)
	v := s.in[from:end]
	if len(v) < 6 || s.masked(from, end) || reference(v) || trivial(v) || expression(v[:min(len(v), headBytes)]) || end < len(s.in) && s.in[end] == '(' {
		return i + 1
	}
	if from == start && !strong(v) || from > start && !mixedOnce(v) && len(v) < 20 {
		return i + 1
	}
	s.hide(from, end, t.kind, true)
	return end
}

// bearer matches the token behind the word. Digits, or a length that no word has, tell it from prose.
func bearer(s *scan, _ uint8, i int) int {
	start, ok := s.credential(i)
	if !ok {
		return -1
	}
	end := run(s.in, start, isToken|isDot|isBase64, maxRun)
	v := s.in[start:end]
	if len(v) < 8 || !(mixed(v) || len(v) >= 24 && hasBothCases(v)) || reference(v) {
		return -1
	}
	s.from = start
	return end
}

// basic matches base64 of user:password behind the word.
func basic(s *scan, _ uint8, i int) int {
	start, ok := s.credential(i)
	if !ok {
		return -1
	}
	end := run(s.in, start, isToken|isBase64, maxRun)
	v := strings.TrimRight(s.in[start:end], "=")
	if len(v) < 8 || !userPassword(v, end == len(s.in)) {
		return -1
	}
	s.from = start
	return end
}

// credential steps over the blanks behind Bearer or Basic.
func (s *scan) credential(i int) (start int, ok bool) {
	n := run(s.in, i, isLetter, 8) - i
	if !s.boundary(i) {
		return 0, false
	}
	start = i + n
	for start < len(s.in) && start < i+n+8 {
		switch {
		case s.in[start] == ' ' || s.in[start] == '\t':
			start++
		case strings.HasPrefix(s.in[start:], "%20"):
			start += 3
		default:
			return start, start > i+n
		}
	}
	return 0, false
}

// userPassword reports whether v is base64 of printable text with a colon in it.
func userPassword(v string, cut bool) bool {
	if cut {
		v = v[:len(v)/4*4]
	}
	text, err := base64.RawStdEncoding.DecodeString(strings.NewReplacer("-", "+", "_", "/").Replace(v[:min(len(v), 1024)]))
	if err != nil || !strings.Contains(string(text), ":") {
		return false
	}
	for _, c := range text {
		if c < ' ' || c >= 0x7f {
			return false
		}
	}
	return true
}

// netrc matches the word behind "password" where a login or machine stands in front of it.
func netrc(s *scan, _ uint8, i int) int {
	start := i + len("password")
	if start >= len(s.in) || s.in[start] != ' ' && s.in[start] != '\t' || !s.boundary(i) {
		return -1
	}
	before := s.in[max(s.floor, i-128):i]
	if !strings.Contains(before, "login ") || !strings.Contains(before, "machine ") && !strings.Contains(before, "default ") {
		return -1
	}
	start++
	end := runUntil(s.in, start, isStop, maxRun)
	if end-start < 3 || s.in[start] == '{' || reference(s.in[start:end]) || trivial(s.in[start:end]) || s.masked(start, end) {
		return -1
	}
	s.from = start
	return end
}
