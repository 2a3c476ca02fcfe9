package protocol

import (
	"slices"
	"unicode/utf8"
)

// quoted reads a string, standing on its opening quote. The result is valid until the next read.
func (d *decoder) quoted() []byte {
	start := d.pos + 1
	n, wide := textRun(d.data[start:])
	if d.pos = start + n; !d.at('"') {
		return d.unquote(start, wide)
	}
	d.pos++
	s := d.data[start : start+n]
	if wide && !utf8.Valid(s) {
		d.scratch = appendUTF8(d.scratch[:0], s)
		return d.scratch
	}
	return s
}

// unquote goes on where quoted met a byte that does not stand for itself.
func (d *decoder) unquote(start int, wide bool) []byte {
	out := append(d.scratch[:0], d.data[start:d.pos]...)
	at := len(out)
	out = slices.Grow(out, 64)
	out = out[:cap(out)]
	for {
		switch byteAt(d.data, d.pos) {
		case '"':
			d.pos++
			d.scratch = out
			if wide && !utf8.Valid(out[:at]) {
				// What an escape stands for is valid by itself and cannot complete a sequence.
				return appendUTF8(nil, out[:at])
			}
			return out[:at]
		case '\\':
			if c := simple[byteAt(d.data, d.pos+1)]; c != 0 {
				out[at] = c
				at++
				d.pos += 2
				break
			}
			r, size := escape(d.data[d.pos:])
			if size == 0 {
				d.stringFault()
				return nil
			}
			at += utf8.EncodeRune(out[at:], r)
			d.pos += size
		default:
			d.stringFault()
			return nil
		}
		var n int
		var more bool
		out, n, more = copyRun(out, at, d.data[d.pos:])
		at += n
		d.pos += n
		wide = wide || more
	}
}

// stringFault says what is wrong in a string, standing on it.
func (d *decoder) stringFault() {
	switch {
	case d.pos == len(d.data):
		d.syntax("unexpected end in a string")
	case d.data[d.pos] == '\\':
		d.syntax("bad escape in a string")
	default:
		d.syntax("bare control character in a string")
	}
}

// simple gives what a backslash and one letter stand for; 0 when nothing.
var simple = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape reads the escape at the start of s, surrogate pairs together. Half a
// pair is U+FFFD. A size of 0 means that it is malformed.
func escape(s []byte) (r rune, size int) {
	if c := simple[byteAt(s, 1)]; c != 0 {
		return rune(c), 2
	}
	r, ok := hex4(s)
	if !ok {
		return 0, 0
	}
	if r < 0xD800 || r > 0xDFFF {
		return r, 6
	}
	if low, ok := hex4(s[6:]); ok && r < 0xDC00 && low >= 0xDC00 && low <= 0xDFFF {
		return (r-0xD800)<<10 + (low - 0xDC00) + 0x10000, 12
	}
	return utf8.RuneError, 6
}

func hex4(s []byte) (r rune, ok bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	for _, c := range s[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
