package protocol

// Valid reports whether v is one JSON value, nested no deeper than MaxDepth.
func Valid[T ~string | ~[]byte](v T) bool {
	d := decoder{data: []byte(v)}
	d.skip("")
	d.end()
	return d.fatal == nil && d.bad == nil
}

// skip steps over one value and checks that it is JSON. It does not recurse, so that a value
// nested deeper than MaxDepth costs its event only.
func (d *decoder) skip(path string) {
	open := d.nest[:0]
	for {
		// A value begins here.
		switch c := d.token(); {
		case c == '{' || c == '[':
			d.pos++
			if d.depth+len(open) >= MaxDepth {
				d.reject(FailDepth, path, "nested too deep")
			}
			if end := c + 2; d.token() == end { // both closing brackets follow their opening one by 2
				d.pos++
				break
			}
			open = append(open, c)
			if c == '{' && !d.skipKey() {
				return
			}
			continue
		case c == '"':
			d.quoted()
		case c == 't':
			d.literal("true")
		case c == 'f':
			d.literal("false")
		case c == 'n':
			d.literal("null")
		case c == '-' || c >= '0' && c <= '9':
			d.number()
		case c == 0 && d.pos == len(d.data):
			d.syntax("unexpected end")
		default:
			d.syntax("want a value")
		}
		// A value has ended here: close what it closes.
		for {
			if d.fatal != nil {
				return
			}
			if len(open) == 0 {
				d.nest = open
				return
			}
			inside := open[len(open)-1]
			c := d.token()
			if c == ',' {
				d.pos++
				if inside == '{' && !d.skipKey() {
					return
				}
				break
			}
			if c != inside+2 {
				d.syntax("want a comma or " + string(rune(inside+2)))
				return
			}
			d.pos++
			open = open[:len(open)-1]
		}
	}
}

func (d *decoder) skipKey() bool {
	if d.token() != '"' {
		d.syntax("want a key")
		return false
	}
	d.quoted()
	if d.token() != ':' {
		d.syntax("want a colon")
		return false
	}
	d.pos++
	return true
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
