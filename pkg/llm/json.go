package llm

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/buger/jsonparser"
)

// Every value that these helpers see has passed protocol.Valid, which also caps nesting.

// eachField calls f for each member of an object, in order; strings come without quotes, still escaped.
func eachField(object []byte, f func(key string, value []byte, kind jsonparser.ValueType)) error {
	return jsonparser.ObjectEach(object, func(key, value []byte, kind jsonparser.ValueType, _ int) error {
		f(string(key), value, kind)
		return nil
	})
}

// eachItem calls f for each element of an array.
func eachItem(array []byte, f func(value []byte, kind jsonparser.ValueType)) {
	_, _ = jsonparser.ArrayEach(array, func(value []byte, kind jsonparser.ValueType, _ int, err error) {
		if err == nil {
			f(value, kind)
		}
	})
}

// member gives one member of an object as text: a string unescaped, anything else raw, nothing when it is absent.
func member(object []byte, key string) string {
	value, kind, _, err := jsonparser.Get(object, key)
	if err != nil {
		return ""
	}
	if kind == jsonparser.String {
		return string(unescape(nil, value))
	}
	return string(value)
}

// text gives a string value unescaped, and nothing for any other kind.
func text(value []byte, kind jsonparser.ValueType) string {
	if kind != jsonparser.String {
		return ""
	}
	return string(unescape(nil, value))
}

// number gives a whole number, also one that came as a string or with a fraction.
func number(value []byte) int64 {
	if n, err := strconv.ParseInt(string(value), 10, 64); err == nil {
		return n
	}
	f, err := strconv.ParseFloat(string(value), 64)
	if err != nil || f < -1e15 || f > 1e15 {
		return 0
	}
	return int64(f)
}

// unescape appends the text of a JSON string's inside. Half a surrogate pair becomes U+FFFD,
// as some vendors cut an emoji in two; jsonparser would refuse the string.
func unescape(b, s []byte) []byte {
	if b == nil {
		b = make([]byte, 0, len(s))
	}
	for i := 0; i < len(s); i++ {
		at := bytes.IndexByte(s[i:], '\\')
		if at < 0 || i+at+1 == len(s) {
			return append(b, s[i:]...)
		}
		b = append(b, s[i:i+at]...)
		i += at + 1
		switch s[i] {
		case 'n':
			b = append(b, '\n')
		case 't':
			b = append(b, '\t')
		case 'r':
			b = append(b, '\r')
		case 'b':
			b = append(b, '\b')
		case 'f':
			b = append(b, '\f')
		case 'u':
			r := hex4(s[i+1:])
			if r < 0 {
				b = utf8.AppendRune(b, utf8.RuneError)
				continue
			}
			i += 4
			if utf16.IsSurrogate(r) {
				low := rune(-1)
				if len(s)-i > 2 && s[i+1] == '\\' && s[i+2] == 'u' {
					low = hex4(s[i+3:])
				}
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					i += 6
				}
			}
			b = utf8.AppendRune(b, r)
		default:
			b = append(b, s[i])
		}
	}
	return b
}

func hex4(s []byte) rune {
	if len(s) < 4 {
		return -1
	}
	n, err := strconv.ParseUint(string(s[:4]), 16, 32)
	if err != nil {
		return -1
	}
	return rune(n)
}

// valueEnd gives the index behind the object or array that begins at s[i], by brackets
// and quotes alone; whether it is JSON is another question. It gives -1 when
// it does not end, or is nested deeper than maxNesting.
func valueEnd(s []byte, i int) int {
	var open [maxNesting]byte
	depth := 0
	for ; i < len(s); i++ {
		switch c := s[i]; c {
		case '"':
			for i++; i < len(s) && s[i] != '"'; i++ {
				if s[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			if depth == maxNesting {
				return -1
			}
			open[depth] = c + 2 // both closing brackets follow their opening one by 2
			depth++
		case '}', ']':
			if depth == 0 || open[depth-1] != c {
				return -1
			}
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// maxNesting is the house's cap on JSON: JavaScript's stack gives a guest few frames.
const maxNesting = 256

const fnvStart = 14695981039346656037

// fnv1a goes on with an FNV-1a sum, which is for telling apart, not for secrecy.
func fnv1a[T ~string | ~[]byte](sum uint64, s T) uint64 {
	for i := 0; i < len(s); i++ {
		sum = (sum ^ uint64(s[i])) * 1099511628211
	}
	return sum
}
