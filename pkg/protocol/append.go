package protocol

import (
	"strconv"
	"unicode/utf8"
	"unsafe"
)

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string literal. Each byte that is not part
// of valid UTF-8 becomes U+FFFD; HTML is left alone.
func AppendString(b []byte, s string) []byte {
	b = append(b, '"')
	for rest := bytesOf(s); ; {
		n, wide := textRun(rest)
		if wide && !utf8.Valid(rest[:n]) {
			b = appendUTF8(b, rest[:n])
		} else {
			b = append(b, rest[:n]...)
		}
		if n == len(rest) {
			return append(b, '"')
		}
		switch c := rest[n]; c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		case '\b':
			b = append(b, '\\', 'b')
		case '\f':
			b = append(b, '\\', 'f')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		rest = rest[n+1:]
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
