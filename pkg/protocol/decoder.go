package protocol

import (
	"math"
	"strconv"
)

// MaxDepth bounds the nesting of a message. JavaScript's stack gives a Go
// guest about 9,000 frames in Node, fewer in other hosts; one level of
// nesting costs up to four.
const MaxDepth = 256

// decoder reads one message front to back, once. Values that do not fit are
// noted in bad and stepped over, so that one wrong field costs its event and
// nothing beside it; a syntax error ends everything.
type decoder struct {
	data     []byte
	pos      int
	depth    int
	first    bool   // just behind an opening bracket
	key      []byte // of the member that next stands on; valid until the next read
	scratch  []byte // for strings with escapes
	nest     []byte // for skip
	bad      *Failure
	fatal    *Failure
	failures []Failure
}

// syntax ends the message.
func (d *decoder) syntax(message string) {
	if d.fatal == nil {
		d.fatal = &Failure{Op: "decode", Kind: FailSyntax, Path: "message",
			Message: message + " at byte " + strconv.Itoa(min(d.pos, len(d.data)))}
	}
	d.pos = len(d.data)
}

// reject notes the first misfit of the event at hand.
func (d *decoder) reject(kind FailureKind, path, message string) {
	if d.bad == nil {
		d.bad = &Failure{Op: "decode", Kind: kind, Path: path, Message: message}
	}
}

// misfit steps over a value that is not what the field wants. null is no
// misfit: it is the absent value.
func (d *decoder) misfit(path, want string) {
	got := d.describe()
	if got != "null" {
		d.reject(FailType, path, "want "+want+", got "+got)
	}
	d.skip(path)
}

// unknown steps over a member of a type that this version does not have.
func (d *decoder) unknown(what, name string) {
	d.reject(FailUnknown, what+"."+name[:min(len(name), 64)], "unknown type; it is ignored")
	d.skip(what)
}

// describe names the value at the next token.
func (d *decoder) describe() string {
	switch c := d.token(); {
	case c == '"':
		return "a string"
	case c == '{':
		return "an object"
	case c == '[':
		return "an array"
	case c == 't' || c == 'f':
		return "a boolean"
	case c == 'n':
		return "null"
	case c == '-' || c >= '0' && c <= '9':
		return "a number"
	}
	return "something else"
}

// token moves to the next byte that is not white space, and gives it; 0 at the end.
func (d *decoder) token() byte {
	d.pos = behindSpace(d.data, d.pos)
	return byteAt(d.data, d.pos)
}

// enter steps into an object or array and reports whether there is one.
// Each enter that gives true is followed by next or more until these give false.
func (d *decoder) enter(bracket byte, path, want string) bool {
	if d.token() != bracket {
		d.misfit(path, want)
		return false
	}
	if d.depth >= MaxDepth {
		d.skip(path)
		return false
	}
	d.pos++
	d.depth++
	d.first = true
	return true
}

func (d *decoder) object(path string) bool { return d.enter('{', path, "an object") }
func (d *decoder) array(path string) bool  { return d.enter('[', path, "an array") }

// more moves to the next element of an array, or out of it.
func (d *decoder) more() bool { return d.step(']') }

// next moves to the value of the next member of an object, with key set, or out of it.
func (d *decoder) next() bool {
	return d.step('}') && d.readKey()
}

// readKey reads a key and its colon.
func (d *decoder) readKey() bool {
	if d.token() != '"' {
		d.syntax("want a key")
		return false
	}
	d.key = d.quoted()
	if d.token() != ':' {
		d.syntax("want a colon")
		return false
	}
	d.pos++
	return true
}

func (d *decoder) step(end byte) bool {
	c := d.token()
	if c == end {
		d.pos++
		d.depth--
		d.first = false
		return false
	}
	if d.first {
		d.first = false
		if c == 0 {
			d.syntax("unexpected end")
			return false
		}
		return true
	}
	if c != ',' {
		d.syntax("want a comma or " + string(rune(end)))
		return false
	}
	d.pos++
	return true
}

// end makes sure that nothing follows.
func (d *decoder) end() {
	if d.fatal == nil && (d.token() != 0 || d.pos < len(d.data)) {
		d.syntax("unexpected text behind the message")
	}
}

func (d *decoder) text(path string) string {
	if d.token() != '"' {
		d.misfit(path, "a string")
		return ""
	}
	return string(d.quoted())
}

func (d *decoder) flag(path string) bool {
	switch d.token() {
	case 't':
		return d.literal("true")
	case 'f':
		d.literal("false")
		return false
	}
	d.misfit(path, "a boolean")
	return false
}

// integer reads a number. A fraction is cut off: a host's clock or cost may have one, and
// losing the whole event for it would help nobody.
func (d *decoder) integer(path string) int64 {
	if c := d.token(); c != '-' && (c < '0' || c > '9') {
		d.misfit(path, "a whole number")
		return 0
	}
	start := d.pos
	if !d.number() {
		return 0
	}
	lit := d.data[start:d.pos]
	if n, ok := small(lit); ok {
		return n
	}
	if n, err := strconv.ParseInt(string(lit), 10, 64); err == nil {
		return n
	}
	f, err := strconv.ParseFloat(string(lit), 64)
	// The largest float64 below 2^63 is exact; 2^63 itself is out of range.
	if err != nil || f >= math.MaxInt64 || f < math.MinInt64 {
		d.reject(FailType, path, "want a whole number of 64 bits, got "+string(lit[:min(len(lit), 40)]))
		return 0
	}
	return int64(f)
}

// small reads a plain integer of at most 18 digits, which cannot overflow.
func small(lit []byte) (n int64, ok bool) {
	digits := lit
	if digits[0] == '-' {
		digits = digits[1:]
	}
	if len(digits) > 18 {
		return 0, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if len(digits) < len(lit) {
		n = -n
	}
	return n, true
}

// raw keeps a value as its text; null is absent.
func (d *decoder) raw(path string) JSON {
	d.token()
	start := d.pos
	d.skip(path)
	if d.fatal != nil {
		return ""
	}
	if lit := d.data[start:d.pos]; string(lit) != "null" {
		return JSON(lit)
	}
	return ""
}

func (d *decoder) texts(path string) []string {
	if !d.array(path) {
		return nil
	}
	var list []string
	for d.more() {
		list = append(list, d.text(path))
	}
	return list
}

// list reads an array of objects.
func list[T any](d *decoder, path string, one func(*decoder, *T)) []T {
	if !d.array(path) {
		return nil
	}
	var all []T
	for d.more() {
		all = append(all, *new(T))
		one(d, &all[len(all)-1])
	}
	return all
}

// members reads an array of events or effects. Each is judged by itself.
func members[T any](d *decoder, path string, one func(*decoder, string) T) []T {
	if !d.array(path) {
		return nil
	}
	var all []T
	for d.more() {
		if v, ok := member(d, path, one); ok {
			all = append(all, v)
		}
	}
	return all
}

// member reads one event or effect; what does not fit becomes a failure.
func member[T any](d *decoder, path string, one func(*decoder, string) T) (v T, ok bool) {
	outer := d.bad
	d.bad = nil
	if name, found := d.typeName(path); found {
		v = one(d, name)
	} else {
		if d.bad == nil {
			d.reject(FailType, path, `want an object with a "type"`)
		}
		d.skip(path)
	}
	if ok = d.bad == nil && d.fatal == nil; d.bad != nil {
		d.failures = append(d.failures, *d.bad)
	}
	d.bad = outer
	return v, ok
}

// typeName looks up "type" without consuming anything. It is the first key of what our
// own sides write, and found at once then.
func (d *decoder) typeName(path string) (name string, found bool) {
	d.token()
	start, depth := d.pos, d.depth
	if !d.object(path) {
		d.pos = start
		return "", false
	}
	for d.next() {
		if string(d.key) != "type" {
			d.skip(path)
			continue
		}
		if d.token() == '"' {
			name, found = string(d.quoted()), true
		}
		break
	}
	if d.fatal == nil {
		d.pos, d.depth = start, depth
	}
	return name, found
}
