package protocol

import (
	"slices"
	"strconv"
	"unicode/utf8"
	"unsafe"
)

const hexDigits = "0123456789abcdef"

// escapes gives the letter behind the backslash, for bytes that have one.
var escapes = [256]byte{'"': '"', '\\': '\\', '\n': 'n', '\r': 'r', '\t': 't', '\b': 'b', '\f': 'f'}

// AppendString appends s as a JSON string literal. Each byte that is not part
// of valid UTF-8 becomes U+FFFD; HTML is left alone.
func AppendString(b []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = string(appendUTF8(nil, bytesOf(s)))
	}
	rest := bytesOf(s)
	at := len(b)
	b = slices.Grow(b, len(s)+len(s)/8+32)
	b = b[:cap(b)]
	b[at] = '"'
	at++
	for {
		var n int
		b, n, _ = copyRun(b, at, rest)
		if at += n; n == len(rest) {
			b[at] = '"'
			return b[:at+1]
		}
		c := rest[n]
		rest = rest[n+1:]
		b[at] = '\\'
		if letter := escapes[c]; letter != 0 {
			b[at+1] = letter
			at += 2
			continue
		}
		copy(b[at+1:], "u00")
		b[at+4], b[at+5] = hexDigits[c>>4], hexDigits[c&15]
		at += 6
	}
}

// AppendRaw appends a raw value as it is. What is empty or not JSON would
// break everything around it, and becomes null.
func AppendRaw(b []byte, v JSON) []byte {
	if !valid(bytesOf(string(v))) {
		return append(b, "null"...)
	}
	return append(b, v...)
}

// bytesOf gives the bytes of s without a copy; they are not to be written to.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// TextOf gives b as a string without a copy. Nobody writes to b for as long as the string is used.
func TextOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// The codec calls these for every member of an object. They stay calls: where the compiler puts
// them in place, each of 300 members takes some 150 bytes more of the module.

//go:noinline
func appendText(b []byte, text string) []byte { return append(b, text...) }

//go:noinline
func appendStringMember(b []byte, key, s string) []byte { return AppendString(append(b, key...), s) }

//go:noinline
func appendIntMember(b []byte, key string, n int64) []byte { return appendInt(append(b, key...), n) }

//go:noinline
func appendBoolMember(b []byte, key string, v bool) []byte {
	return strconv.AppendBool(append(b, key...), v)
}

func appendInt(b []byte, n int64) []byte { return strconv.AppendInt(b, n, 10) }

func appendStrings(b []byte, list []string) []byte {
	b = append(b, '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = AppendString(b, s)
	}
	return append(b, ']')
}

// appendList appends a JSON array; a nil list is an empty one.
func appendList[T any](b []byte, list []T, one func([]byte, T) []byte) []byte {
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = one(b, v)
	}
	return append(b, ']')
}

// closeObject ends an object whose members were each written with a comma in
// front: the first of these commas, at start, becomes the opening brace.
func closeObject(b []byte, start int) []byte {
	if len(b) == start {
		return append(b, '{', '}')
	}
	b[start] = '{'
	return append(b, '}')
}
