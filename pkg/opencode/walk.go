package opencode

import "bytes"

// Bounds of the walker, so that no input makes it grow.
const (
	maxDepth = 256 // nesting of one JSON text; deeper is treated as no JSON
	maxKey   = 64  // bytes of a key that are kept: the keys we know are shorter
)

// leaf is a string, number or literal in a JSON text.
type leaf struct {
	key    string // the nearest key above it; elements of an array have their array's
	parent string // the key above that
	depth  int    // 1 for a value of the outermost object
	text   []byte // unescaped and cut at the limit; valid during the call only
	str    bool   // a string, not a number or literal
}

// handler receives what a walker finds. The leaves of one JSON text come before its end; a text that turns out
// to be no JSON ends with ok false.
type handler interface {
	begin()
	// limit says how many bytes of a string under this key are wanted; 0 skips the string.
	limit(key string) int
	leaf(leaf)
	end(ok bool)
}

// walker finds JSON objects in a stream of bytes that may hold other text before, between and after them, and
// walks each as it arrives. It keeps one key a level and one value, so its memory does not depend on the
// stream. An object must not contain a line feed outside of a string escape: the stream is line-delimited, and
// the line feed is what it recovers at after a broken object.
//
// A walker is a state machine fed by write; any way of cutting the stream gives the same result.
type walker struct {
	h     handler
	state state
	stack []level
	key   []byte // the key or value being read
	max   int    // how much of it is kept
	isKey bool
	hex   [4]byte
	nhex  int
	high  rune // first half of a surrogate pair
}

type level struct {
	array bool
	key   string
}

type state uint8

const (
	outside     state = iota // between objects
	skipLine                 // after an object that is too deep, until the line feed
	beforeKey                // after { : a key or }
	nextKey                  // after , in an object: a key
	colon                    // after a key
	beforeValue              // a value
	firstItem                // after [ : a value or ]
	inString                 // inside quotes
	inEscape                 // after a backslash
	inHex                    // inside \uXXXX
	inLiteral                // a number, true, false or null
	afterValue               // a comma or a closing bracket
)

func (w *walker) write(p []byte) {
	for len(p) > 0 {
		switch w.state {
		case outside:
			i := bytes.IndexByte(p, '{')
			if i < 0 {
				return
			}
			p = p[i+1:]
			w.h.begin()
			w.stack = append(w.stack[:0], level{})
			w.state = beforeKey
		case skipLine:
			i := bytes.IndexByte(p, '\n')
			if i < 0 {
				return
			}
			w.state, p = outside, p[i+1:]
		case inString:
			p = w.readString(p)
		default:
			if !w.step(p[0]) {
				w.fail(p[0])
				if p[0] == '{' && w.state == outside { // may be the start of the object that this was not
					continue
				}
			}
			p = p[1:]
		}
	}
}

// within reports whether the present leaf lies anywhere below a key.
func (w *walker) within(key string) bool {
	for _, l := range w.stack {
		if l.key == key {
			return true
		}
	}
	return false
}

// close ends the stream: an object that is still open is none.
func (w *walker) close() {
	if w.state != outside && w.state != skipLine {
		w.fail('\n')
	}
}

// fail gives up the present object at a byte that does not fit.
func (w *walker) fail(at byte) {
	if w.state = outside; len(w.stack) >= maxDepth && at != '\n' {
		w.state = skipLine // what follows is the inside of the object
	}
	w.h.end(false)
}

// step consumes one byte outside of a string's plain characters, and reports whether it fits.
func (w *walker) step(c byte) bool {
	switch w.state {
	case inEscape:
		return w.escape(c)
	case inHex:
		return w.hexDigit(c)
	case inLiteral:
		if isLiteral(c) {
			w.keep([]byte{c})
			return true
		}
		if !validLiteral(w.key) {
			return false
		}
		w.emit(false)
		return w.step(c)
	}
	if c == ' ' || c == '\t' || c == '\r' {
		return true
	}
	switch w.state {
	case beforeKey, nextKey:
		if c == '"' {
			w.startString(true)
			return true
		}
		return c == '}' && w.state == beforeKey && w.pop(false)
	case colon:
		w.state = beforeValue
		return c == ':'
	case beforeValue, firstItem:
		return w.value(c)
	case afterValue:
		top := &w.stack[len(w.stack)-1]
		switch {
		case c == ',' && top.array:
			w.state = beforeValue
			return true
		case c == ',':
			w.state = nextKey
			return true
		}
		return c == '}' && w.pop(false) || c == ']' && w.pop(true)
	}
	return false
}

func (w *walker) value(c byte) bool {
	switch {
	case c == '"':
		w.startString(false)
	case c == '{':
		return w.push(false)
	case c == '[':
		return w.push(true)
	case c == ']' && w.state == firstItem:
		return w.pop(true)
	case isLiteral(c):
		w.key = append(w.key[:0], c)
		w.max = maxKey
		w.state = inLiteral
	default:
		return false
	}
	return true
}

func (w *walker) push(array bool) bool {
	if len(w.stack) >= maxDepth {
		return false
	}
	l := level{array: array}
	w.state = beforeKey
	if array {
		l.key = w.stack[len(w.stack)-1].key // elements are named by their array
		w.state = firstItem
	}
	w.stack = append(w.stack, l)
	return true
}

func (w *walker) pop(array bool) bool {
	if w.stack[len(w.stack)-1].array != array {
		return false
	}
	w.stack = w.stack[:len(w.stack)-1]
	w.state = afterValue
	if len(w.stack) == 0 {
		w.state = outside
		w.h.end(true)
	}
	return true
}
