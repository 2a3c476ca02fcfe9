package llm

import (
	"bytes"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// arguments makes one JSON object of what a model wrote as arguments of a call: an object, a string that
// holds one, one in a fence or amid prose, or one with the usual slips. whole says that the model had finished: only
// then are missing closing brackets supplied, because half an argument is not an argument.
// ok is false when there is no object in it.
func arguments(raw []byte, whole bool) (object []byte, ok bool) {
	raw = bytes.TrimSpace(raw)
	for range 2 { // a string in a string is seen; deeper is not
		if len(raw) < 2 || raw[0] != '"' || !protocol.Valid(raw) {
			break
		}
		raw = bytes.TrimSpace(unescape(nil, raw[1:len(raw)-1]))
	}
	if len(raw) == 0 || string(raw) == "null" {
		return []byte("{}"), true
	}
	if raw[0] == '{' && protocol.Valid(raw) {
		return raw, true
	}
	if len(raw) > maxRepair {
		return nil, false
	}
	// Some vendors stream an empty object first and the real one behind it.
	var empty []byte
	for i, tries := 0, 0; i < len(raw) && tries < maxCandidates; tries++ {
		at := bytes.IndexByte(raw[i:], '{')
		if at < 0 {
			break
		}
		i += at
		end := valueEnd(raw, i)
		if end < 0 {
			if whole && tries == 0 {
				if fixed, ok := repair(raw[i:], true); ok {
					return fixed, true
				}
			}
			if !whole || i == 0 { // what stands inside is a part, not the object
				return nil, false
			}
			i++
			continue
		}
		fixed, ok := repair(raw[i:end], false)
		switch {
		case !ok:
			i++
		case len(bytes.Trim(fixed, "{} \t\r\n")) == 0:
			empty, i = fixed, end
		default:
			return fixed, true
		}
	}
	return empty, empty != nil
}

// maxCandidates bounds how many brackets of one text are tried as the start of JSON, so that
// a text of brackets costs no more than a few readings of it.
const maxCandidates = 64

// maxRepair is how many bytes of broken arguments are looked at; a note with a patch has a few thousand.
const maxRepair = 256 << 10

// repair mends the slips that models make: bare line breaks and tabs inside
// strings, escapes that JSON has not (\d in a pattern), a comma before a closing bracket,
// Python's True, False and None, and, when asked, closing brackets left out. The result is valid JSON when ok.
func repair(s []byte, closeOpen bool) (fixed []byte, ok bool) {
	if protocol.Valid(s) {
		return s, true
	}
	b := make([]byte, 0, len(s)+8)
	var open []byte
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			if b, i = repairString(b, s, i); i < 0 {
				return nil, false
			}
		case c == '{' || c == '[':
			if len(open) == maxNesting {
				return nil, false
			}
			open = append(open, c+2)
			b = append(b, c)
		case c == '}' || c == ']':
			if len(open) == 0 || open[len(open)-1] != c {
				return nil, false
			}
			open = open[:len(open)-1]
			b = append(dropComma(b), c)
		case c == 'T' && bytes.HasPrefix(s[i:], []byte("True")):
			b, i = append(b, "true"...), i+3
		case c == 'F' && bytes.HasPrefix(s[i:], []byte("False")):
			b, i = append(b, "false"...), i+4
		case c == 'N' && bytes.HasPrefix(s[i:], []byte("None")):
			b, i = append(b, "null"...), i+3
		default:
			b = append(b, c)
		}
	}
	if len(open) > 0 {
		if !closeOpen {
			return nil, false
		}
		b = dropComma(b)
		for i := len(open) - 1; i >= 0; i-- {
			b = append(b, open[i])
		}
	}
	return b, protocol.Valid(b)
}

// repairString copies the string that begins at s[i] and gives the index of its closing quote, or -1.
func repairString(b, s []byte, i int) ([]byte, int) {
	b = append(b, '"')
	for i++; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return append(b, '"'), i
		case c == '\\' && i+1 < len(s):
			i++
			switch e := s[i]; {
			case bytes.IndexByte([]byte(`"\/bfnrt`), e) >= 0, e == 'u' && hex4(s[i+1:]) >= 0:
				b = append(b, '\\', e)
			default:
				b = append(b, '\\', '\\')
				i-- // the character itself is looked at next
			}
		case c < ' ':
			quoted := protocol.AppendString(nil, string(rune(c)))
			b = append(b, quoted[1:len(quoted)-1]...)
		default:
			b = append(b, c)
		}
	}
	return b, -1
}

func dropComma(b []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimRight(b, " \t\r\n"), []byte(","))
}
