package protocol

// Valid reports whether v is one JSON value, nested no deeper than MaxDepth.
func Valid[T ~string | ~[]byte](v T) bool { return valid([]byte(v)) }

func valid(data []byte) bool {
	d := decoder{data: data}
	d.skip("")
	d.end()
	return d.fatal == nil && d.bad == nil
}

// want is what skip has to find next.
type want uint8

const (
	wantValue want = iota
	wantFirst      // a value or ], behind [
	wantKey
	wantFirstKey // a key or }, behind {
	wantColon
	wantAfter // a comma or a closing bracket, behind a value
)

// skip steps over one value and checks that it is JSON. It does not recurse, so that a value
// nested deeper than MaxDepth costs its event only. It is one flat loop with its place in
// a local: a call or a field costs as much in wasm as ten bytes of text.
func (d *decoder) skip(path string) {
	data, i, open, next := d.data, d.pos, d.nest[:0], wantValue
	for i < len(data) {
		c := data[i]
		switch {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			i++
			continue
		case c == '"' && next < wantColon:
			i++
			for end := min(i+8, len(data)); i < end && data[i] >= ' ' && data[i] != '"' && data[i] != '\\'; {
				i++
			}
			if i < len(data) && data[i] == '"' {
				i++
			} else if i = d.skipString(i); d.fatal != nil {
				return
			}
			if next >= wantKey {
				next = wantColon
				continue
			}
		case c == ',' && next == wantAfter:
			i++
			if next = wantValue; open[len(open)-1] == '{' {
				next = wantKey
			}
			continue
		case c == ':' && next == wantColon:
			i++
			next = wantValue
			continue
		case (c == '{' || c == '[') && next < wantKey:
			if d.depth+len(open) >= MaxDepth {
				d.reject(FailDepth, path, "nested too deep")
			}
			open = append(open, c)
			i++
			if next = wantFirst; c == '{' {
				next = wantFirstKey
			}
			continue
		case c == ']' && (next == wantAfter || next == wantFirst) && open[len(open)-1] == '[',
			c == '}' && (next == wantAfter || next == wantFirstKey) && open[len(open)-1] == '{':
			open = open[:len(open)-1]
			i++
		case next < wantKey && c != ']':
			if d.pos = i; !d.scalar(c) {
				return
			}
			i = d.pos
		default:
			d.pos = i
			d.misplaced(next, open)
			return
		}
		// A value has ended.
		if next = wantAfter; len(open) == 0 {
			d.pos, d.nest = i, open
			return
		}
	}
	d.pos = i
	d.misplaced(next, open)
}

// misplaced says what skip misses, standing where it should be.
func (d *decoder) misplaced(next want, open []byte) {
	switch {
	case d.pos == len(d.data) && (next == wantValue || next == wantFirst):
		d.syntax("unexpected end")
	case next == wantKey || next == wantFirstKey:
		d.syntax("want a key")
	case next == wantColon:
		d.syntax("want a colon")
	case next == wantAfter:
		d.syntax("want a comma or " + string(rune(closing(open[len(open)-1]))))
	default:
		d.syntax("want a value")
	}
}

// closing gives the bracket that closes another: both follow it by 2 in ASCII.
func closing(bracket byte) byte { return bracket + 2 }

func behindSpace(s []byte, i int) int {
	for i < len(s) && s[i] <= ' ' && (s[i] == ' ' || s[i] == '\n' || s[i] == '\t' || s[i] == '\r') {
		i++
	}
	return i
}

// byteAt gives s[i], or 0 at the end.
func byteAt(s []byte, i int) byte {
	if i < len(s) {
		return s[i]
	}
	return 0
}

// skipString goes on inside a string, at i, and steps behind it.
func (d *decoder) skipString(i int) int {
	for {
		n, _ := textRun(d.data[i:])
		switch i += n; byteAt(d.data, i) {
		case '"':
			return i + 1
		case '\\':
			if _, size := escape(d.data[i:]); size > 0 {
				i += size
				continue
			}
		}
		d.pos = i
		d.stringFault()
		return i
	}
}

// scalar steps over a value that is neither a string nor in brackets, and begins with c.
func (d *decoder) scalar(c byte) bool {
	switch {
	case c == 't':
		return d.literal("true")
	case c == 'f':
		return d.literal("false")
	case c == 'n':
		return d.literal("null")
	case c == '-' || c >= '0' && c <= '9':
		return d.number()
	}
	d.syntax("want a value")
	return false
}

func (d *decoder) literal(word string) bool {
	if len(d.data)-d.pos < len(word) || string(d.data[d.pos:d.pos+len(word)]) != word {
		d.syntax("want a value")
		return false
	}
	d.pos += len(word)
	return true
}

// number steps over -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
func (d *decoder) number() bool {
	if d.data[d.pos] == '-' {
		d.pos++
	}
	if d.at('0') {
		d.pos++
	} else if !d.digits() {
		return false
	}
	if d.at('.') {
		d.pos++
		if !d.digits() {
			return false
		}
	}
	if d.at('e') || d.at('E') {
		d.pos++
		if d.at('+') || d.at('-') {
			d.pos++
		}
		return d.digits()
	}
	return true
}

func (d *decoder) at(c byte) bool { return d.pos < len(d.data) && d.data[d.pos] == c }

func (d *decoder) digits() bool {
	start := d.pos
	for d.pos < len(d.data) && d.data[d.pos] >= '0' && d.data[d.pos] <= '9' {
		d.pos++
	}
	if d.pos == start {
		d.syntax("want a digit")
		return false
	}
	return true
}
