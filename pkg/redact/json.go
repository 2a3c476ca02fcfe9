package redact

import (
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/buger/jsonparser"
)

// frame is an object or array that is open.
type frame struct {
	object bool
	kind   string // what the value that comes next is, by its key; in an array, every value
	named  string // what a sibling "value" is, because "name" named it: {"name": "DB_PASSWORD", "value": "..."}
	key    string
}

// JSON gives a JSON text without secrets, and says what was hidden. Strings are looked at as text and by the
// key they stand under; what is not JSON is treated as text. The result is valid JSON when raw is.
func (r *Redactor) JSON(raw []byte) ([]byte, Report) {
	if !protocol.Valid(raw) {
		out, report := r.Hide(string(raw))
		return []byte(out), report
	}
	var report Report
	out := make([]byte, 0, len(raw))
	var open []frame
	top := func() *frame {
		if len(open) == 0 {
			return &frame{}
		}
		return &open[len(open)-1]
	}
	wantKey := false
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '{' || c == '[':
			kind := ""
			if c == '[' {
				kind = top().kind
			}
			open = append(open, frame{object: c == '{', kind: kind})
			wantKey = c == '{'
			out = append(out, c)
			i++
		case c == '}' || c == ']':
			open = open[:len(open)-1]
			wantKey = false
			out = append(out, c)
			i++
		case c == ',':
			wantKey = top().object
			out = append(out, c)
			i++
		case c == '"':
			end := stringEnd(raw, i)
			inside := raw[i+1 : end-1]
			if f := top(); wantKey {
				f.key = unquote(inside)
				f.kind = secretKind(f.key)
				if f.named != "" && strings.EqualFold(f.key, "value") {
					f.kind = f.named
				}
				out = r.appendString(out, inside, &report)
				wantKey = false
			} else {
				if f.object && (f.key == "name" || f.key == "key") {
					f.named = secretKind(unquote(inside))
				}
				out = r.appendValue(out, inside, f.kind, &report)
			}
			i = end
		case (c == '-' || classes[c]&isDigit != 0) && top().kind == "password":
			end := i
			for end < len(raw) && strings.IndexByte("+-.eE0123456789", raw[end]) >= 0 {
				end++
			}
			report.add("password", "", false)
			out = protocol.AppendString(out, mask("password"))
			i = end
		default:
			out = append(out, c)
			i++
		}
	}
	return out, report
}

// stringEnd gives the index behind the string that begins at raw[i].
func stringEnd(raw []byte, i int) int {
	for i++; raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i + 1
}

func unquote(inside []byte) string {
	s, err := jsonparser.ParseString(inside)
	if err != nil { // half a surrogate pair
		return string(inside)
	}
	return s
}

// appendString appends a string as it was when nothing in it is secret.
func (r *Redactor) appendString(out, inside []byte, report *Report) []byte {
	text := unquote(inside)
	hidden, found := r.Hide(text)
	report.merge(found)
	if found.Count == 0 {
		return append(append(append(out, '"'), inside...), '"')
	}
	return protocol.AppendString(out, hidden)
}

// appendValue appends a value that stands under a key of this kind.
func (r *Redactor) appendValue(out, inside []byte, kind string, report *Report) []byte {
	text := unquote(inside)
	if kind == "" || reference(text) || trivial(text) || hasMask(text) {
		return r.appendString(out, inside, report)
	}
	from := 0
	switch kind {
	case "password":
	case anyKey:
		if !strong(text) || !random(text) {
			return r.appendString(out, inside, report)
		}
	case authorization:
		if from = scheme(text); len(text)-from < 6 || sentence(text[from:]) || reference(text[from:]) {
			return r.appendString(out, inside, report)
		}
	default:
		if sentence(text) || len(text) < 4 {
			return r.appendString(out, inside, report)
		}
	}
	var shape Report
	s := newScan(text, &shape)
	if at, to, found := s.shapeAt(from); to > 0 && at == from && from < len(text) {
		kind = found
	}
	report.add(kind, text[from:], false)
	return protocol.AppendString(out, text[:from]+mask(kind))
}
