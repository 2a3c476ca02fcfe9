package config

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
)

// standard turns JSON as people write it into plain JSON: comments and trailing commas
// become blanks, so that every offset stays what it was. The text is checked on
// the way; an error says where it is wrong and never quotes the text, which
// may be a key that lacks its quotes.
func standard(doc []byte) ([]byte, error) {
	if len(doc) > maxDocument {
		return nil, errors.New("it is larger than 1 MB")
	}
	out := append([]byte(nil), doc...)
	if bytes.HasPrefix(out, []byte("\ufeff")) {
		copy(out, "   ")
	}
	s := &jsonc{text: out}
	if s.space(); s.err == nil && s.at == len(s.text) {
		return nil, errors.New("it is empty")
	}
	s.value(0)
	if s.space(); s.err == nil && s.at < len(s.text) {
		s.fail("there is more text after the end")
	}
	return out, s.err
}

// jsonc walks a document and blanks what JSON does not have.
type jsonc struct {
	text []byte
	at   int
	err  error
}

func (s *jsonc) fail(what string) {
	if s.err != nil {
		return
	}
	before := s.text[:min(s.at, len(s.text))]
	line := 1
	start := 0
	for i, c := range before {
		if c == '\n' {
			line, start = line+1, i+1
		}
	}
	s.err = errors.New("line " + strconv.Itoa(line) + ", column " + strconv.Itoa(len(before)-start+1) + ": " + what)
	s.at = len(s.text)
}

// peek gives the byte at hand, 0 at the end.
func (s *jsonc) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

// space passes over white space and blanks comments.
func (s *jsonc) space() {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			s.at++
		case c == '/' && s.at+1 < len(s.text) && s.text[s.at+1] == '/':
			for s.at < len(s.text) && s.text[s.at] != '\n' {
				s.text[s.at] = ' '
				s.at++
			}
		case c == '/' && s.at+1 < len(s.text) && s.text[s.at+1] == '*':
			end := bytes.Index(s.text[s.at+2:], []byte("*/"))
			if end < 0 {
				s.fail("a comment that does not end")
				return
			}
			for stop := s.at + 2 + end + 2; s.at < stop; s.at++ {
				if s.text[s.at] != '\n' {
					s.text[s.at] = ' '
				}
			}
		default:
			return
		}
	}
}

func (s *jsonc) value(depth int) {
	if depth > maxDepth {
		s.fail("it nests deeper than " + strconv.Itoa(maxDepth) + " levels")
		return
	}
	switch c := s.peek(); {
	case s.err != nil:
	case c == '{':
		s.members('}', depth, func() {
			if s.peek() != '"' {
				s.fail("want a key in quotes")
				return
			}
			s.quoted()
			s.space()
			if s.peek() != ':' {
				s.fail("want a colon after the key")
				return
			}
			s.at++
			s.space()
			s.value(depth + 1)
		})
	case c == '[':
		s.members(']', depth, func() { s.value(depth + 1) })
	case c == '"':
		s.quoted()
	case c == '-' || c >= '0' && c <= '9':
		s.number()
	default:
		for _, word := range []string{"true", "false", "null"} {
			if strings.HasPrefix(string(s.text[s.at:min(len(s.text), s.at+5)]), word) {
				s.at += len(word)
				return
			}
		}
		s.fail("want a value")
	}
}

// members walks an object or array, and blanks the comma behind its last member.
func (s *jsonc) members(end byte, depth int, one func()) {
	s.at++
	comma := -1
	for s.err == nil {
		s.space()
		switch {
		case s.peek() == end:
			if comma >= 0 {
				s.text[comma] = ' '
			}
			s.at++
			return
		case s.at >= len(s.text):
			s.fail("want " + strconv.Quote(string(rune(end))) + " before the end")
			return
		}
		one()
		s.space()
		comma = -1
		switch {
		case s.err != nil:
		case s.peek() == ',':
			comma = s.at
			s.at++
		case s.peek() != end:
			s.fail("want a comma or " + strconv.Quote(string(rune(end))))
		}
	}
}

func (s *jsonc) quoted() {
	for s.at++; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '"':
			s.at++
			return
		case c == '\\':
			s.at++
			if !s.escape() {
				s.fail("an escape that JSON does not have")
				return
			}
		case c < ' ':
			s.fail("a line break or control character inside quotes")
			return
		}
	}
	s.fail("a quote that is not closed")
}

// escape steps over what follows a backslash, up to its last byte.
func (s *jsonc) escape() bool {
	switch s.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		for range 4 {
			s.at++
			if !strings.ContainsRune("0123456789abcdefABCDEF", rune(s.peek())) {
				return false
			}
		}
		return true
	}
	return false
}

func (s *jsonc) number() {
	if s.peek() == '-' {
		s.at++
	}
	if s.peek() == '0' {
		s.at++
	} else if !s.digits() {
		s.fail("want a number")
		return
	}
	if s.peek() == '.' {
		s.at++
		if !s.digits() {
			s.fail("want digits after the point")
			return
		}
	}
	if s.peek()|0x20 == 'e' {
		s.at++
		if c := s.peek(); c == '+' || c == '-' {
			s.at++
		}
		if !s.digits() {
			s.fail("want digits in the exponent")
		}
	}
}

func (s *jsonc) digits() bool {
	from := s.at
	for c := s.peek(); c >= '0' && c <= '9'; c = s.peek() {
		s.at++
	}
	return s.at > from
}
