package opencode

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// This file holds what a walker does inside of strings and literals.

// readString consumes a run of plain characters, up to a quote, a backslash or a line feed.
func (w *walker) readString(p []byte) []byte {
	i := 0
	for i < len(p) && p[i] != '"' && p[i] != '\\' && p[i] >= 0x20 {
		i++
	}
	if i > 0 {
		w.flushSurrogate()
		w.keep(p[:i])
	}
	if i == len(p) {
		return nil
	}
	switch p[i] {
	case '"':
		w.flushSurrogate()
		w.endString()
	case '\\':
		w.state = inEscape
	default: // control characters must be escaped
		w.fail(p[i])
	}
	return p[i+1:]
}

func (w *walker) keep(p []byte) {
	if room := w.max - len(w.key); room > 0 {
		w.key = append(w.key, p[:min(room, len(p))]...)
	}
}

func (w *walker) keepRune(r rune) {
	var buf [utf8.UTFMax]byte
	w.keep(buf[:utf8.EncodeRune(buf[:], r)])
}

// flushSurrogate writes a first half whose second half did not come.
func (w *walker) flushSurrogate() {
	if w.high != 0 {
		w.high = 0
		w.keepRune(utf8.RuneError)
	}
}

func (w *walker) startString(isKey bool) {
	w.key, w.isKey, w.state = w.key[:0], isKey, inString
	if w.max = maxKey; !isKey {
		w.max = w.h.limit(w.stack[len(w.stack)-1].key)
	}
}

func (w *walker) endString() {
	if w.isKey {
		w.stack[len(w.stack)-1].key = known(w.key)
		w.state = colon
		return
	}
	w.emit(true)
}

func (w *walker) emit(str bool) {
	w.state = afterValue
	top := w.stack[len(w.stack)-1]
	l := leaf{key: top.key, depth: len(w.stack), text: w.key, str: str}
	for i := len(w.stack) - 2; i >= 0; i-- {
		if !w.stack[i].array {
			l.parent = w.stack[i].key
			break
		}
	}
	w.h.leaf(l)
}

func (w *walker) escape(c byte) bool {
	if c != 'u' {
		w.flushSurrogate()
	}
	w.state = inString
	switch c {
	case '"', '\\', '/':
		w.keep([]byte{c})
	case 'b':
		w.keep([]byte{'\b'})
	case 'f':
		w.keep([]byte{'\f'})
	case 'n':
		w.keep([]byte{'\n'})
	case 'r':
		w.keep([]byte{'\r'})
	case 't':
		w.keep([]byte{'\t'})
	case 'u':
		w.nhex, w.state = 0, inHex
	default:
		return false
	}
	return true
}

func (w *walker) hexDigit(c byte) bool {
	w.hex[w.nhex] = c
	w.nhex++
	if w.nhex < len(w.hex) {
		return true
	}
	n, err := strconv.ParseUint(string(w.hex[:]), 16, 32)
	if err != nil {
		return false
	}
	w.state = inString
	r := rune(n)
	if w.high != 0 {
		if pair := utf16.DecodeRune(w.high, r); pair != utf8.RuneError {
			w.high = 0
			w.keepRune(pair)
			return true
		}
		w.flushSurrogate()
	}
	switch {
	case 0xD800 <= r && r < 0xDC00:
		w.high = r
	default:
		w.keepRune(r) // a lone second half becomes the replacement character
	}
	return true
}

func isLiteral(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || c == '-' || c == '+' || c == '.' || c == 'E'
}

// validLiteral accepts numbers a little more freely than JSON does; a number cut at the limit passes too.
func validLiteral(b []byte) bool {
	switch string(b) {
	case "true", "false", "null":
		return true
	}
	_, err := strconv.ParseFloat(string(b), 64)
	return (err == nil || len(b) == maxKey) && (b[0] == '-' || '0' <= b[0] && b[0] <= '9')
}
