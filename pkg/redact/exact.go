package redact

import (
	"encoding/base64"
	"slices"
	"strings"
)

// leastExact is the length from which an exact value is hidden. Eight bytes are also what the
// search compares at once.
const leastExact = 8

// standIns are what people write where a local server wants a key and does not look at it.
var standIns = []string{
	"lm-studio", "lmstudio", "not-needed", "not-required", "no-key-required", "sk-no-key-required", "placeholder", "undefined", "password", "your-api-key",
	"your-api-key-here", "localhost", "anything", "sk-fake", "sk-xxx", "changeme", "api-key-here",
}

// exactValues finds values in their plain and encoded forms. The first eight bytes of each form are looked up
// in a small table at every position of a text.
type exactValues struct {
	forms  []string            // longest first
	starts map[uint64][]string // by the first eight bytes
	filter [256]uint8          // bits of the 2nd byte's hash, by the 1st byte: most positions end here
}

func (e *exactValues) add(value string) {
	value = strings.TrimSpace(value)
	if len(value) < leastExact || slices.Contains(standIns, strings.ToLower(value)) || strings.Contains(value, maskOpen) {
		return
	}
	for _, form := range forms(value) {
		if len(form) < leastExact || slices.Contains(e.forms, form) {
			continue
		}
		if e.starts == nil {
			e.starts = map[uint64][]string{}
		}
		e.forms = append(e.forms, form)
		start := word(form, 0)
		list, at := e.starts[start], 0
		for at < len(list) && len(list[at]) >= len(form) {
			at++
		}
		e.starts[start] = slices.Insert(list, at, form) // the longest first
		e.filter[form[0]] |= 1 << (form[1] & 7)
	}
}

// forms gives a value as it is, as JSON, URLs and base64 carry it. Base64 of a longer text that contains
// the value looks different for each of three alignments; the characters that depend on the value alone are kept.
func forms(v string) []string {
	list := []string{v}
	if quoted := jsonInside(v); quoted != v {
		list = append(list, quoted, jsonInside(quoted))
	}
	if strings.Contains(v, "/") { // PHP and others escape it
		list = append(list, strings.ReplaceAll(jsonInside(v), "/", `\/`))
	}
	for _, upper := range []bool{true, false} {
		query := percent(v, upper, "-_.~")
		list = append(list, query, strings.ReplaceAll(query, "%20", "+"), percent(v, upper, "-_.!~*'()"), percent(v, upper, "-_.~$&+:=@"))
	}
	for shift := range 3 {
		coded := base64.RawStdEncoding.EncodeToString([]byte("\x00\x00"[:shift] + v))
		from := []int{0, 2, 3}[shift]
		to := len(coded)
		if (len(v)+shift)%3 != 0 {
			to-- // the last character depends on what follows
		}
		if to-from >= 10 { // shorter ones are in ordinary words
			list = append(list, coded[from:to], strings.NewReplacer("+", "-", "/", "_").Replace(coded[from:to]))
		}
	}
	return list
}

func jsonInside(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(s)
}

func percent(s string, upper bool, keep string) string {
	digits := "0123456789abcdef"
	if upper {
		digits = "0123456789ABCDEF"
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if c := s[i]; alnum(c) || strings.IndexByte(keep, c) >= 0 {
			b.WriteByte(c)
		} else {
			b.WriteByte('%')
			b.WriteByte(digits[c>>4])
			b.WriteByte(digits[c&15])
		}
	}
	return b.String()
}

func word(s string, i int) uint64 {
	_ = s[i+7]
	return uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 | uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
}

// knownKey is the kind of an exact value.
const knownKey = "known-key"

// hide replaces every occurrence; values that overlap become one mask. At the ends of a text, where it may have been
// cut, eight characters of a value are enough.
func (e *exactValues) hide(s string, report *Report) string {
	if len(e.forms) == 0 {
		return s
	}
	var out []byte
	copied := 0
	put := func(from, to int) {
		out = appendMask(append(out, s[copied:from]...), knownKey, s[from:to])
		report.add(knownKey, s[from:to], false)
		copied = to
	}
	start := 0
	if n := e.cutStart(s); n > 0 {
		put(0, n)
		start = n
	}
	for i := start; i+leastExact <= len(s); i++ {
		if s[i] == '[' {
			if end := maskEnd(s, i); end > 0 {
				i = end - 1
				continue
			}
		}
		end := e.match(s, i)
		if end < 0 {
			continue
		}
		for j := i + 1; j < end && j+leastExact <= len(s); j++ {
			end = max(end, e.match(s, j))
		}
		put(i, end)
		i = end - 1
	}
	if n := e.cutEnd(s[copied:]); n > 0 {
		put(len(s)-n, len(s))
	}
	if out == nil {
		return s
	}
	return string(append(out, s[copied:]...))
}

func (e *exactValues) match(s string, i int) int {
	if e.filter[s[i]]>>(s[i+1]&7)&1 == 0 {
		return -1
	}
	for _, form := range e.starts[word(s, i)] {
		if strings.HasPrefix(s[i:], form) && !(strings.Contains(form, "[") && hasMask(s[i:min(len(s), i+len(form)+maxKind+len(maskOpen)+1)])) {
			return i + len(form)
		}
	}
	return -1
}

// cutStart gives how much of the beginning of s is the end of a value.
func (e *exactValues) cutStart(s string) int {
	for n := min(len(s), e.longest()-1); n >= leastExact; n-- {
		for _, form := range e.forms {
			if n < len(form) && strings.HasSuffix(form, s[:n]) && !hasMask(s[:min(len(s), n+maxKind+len(maskOpen)+1)]) {
				return n
			}
		}
	}
	return 0
}

// cutEnd gives how much of the end of s is the beginning of a value.
func (e *exactValues) cutEnd(s string) int {
	for n := min(len(s), e.longest()-1); n >= leastExact; n-- {
		for _, form := range e.forms {
			if n < len(form) && strings.HasPrefix(form, s[len(s)-n:]) && !hasMask(s[len(s)-n:]) {
				return n
			}
		}
	}
	return 0
}

func (e *exactValues) longest() int {
	n := 0
	for _, form := range e.forms {
		n = max(n, len(form))
	}
	return n
}
