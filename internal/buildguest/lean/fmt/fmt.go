// Package fmt stands in for the standard one in the guest, where nothing of ours
// prints: packages below still write their errors with it. The real one brings os, time and
// reflection. This one knows the verbs s, v, d, q, c, x and X, the flags # and 0, and a width, for texts, errors,
// numbers and what formats itself; anything else becomes ?. What is not here at
// all does not compile into the guest; write texts with + and strconv.
package fmt

import (
	"errors"
	"io"
	"strconv"
	"strings"
)

// State, Formatter and Stringer are as in the standard package.
type (
	State interface {
		Write(b []byte) (n int, err error)
		Width() (wid int, ok bool)
		Precision() (prec int, ok bool)
		Flag(c int) bool
	}
	Formatter interface{ Format(f State, verb rune) }
	Stringer  interface{ String() string }
)

// Errorf gives an error with the text of Sprintf. It wraps nothing.
func Errorf(format string, args ...any) error { return errors.New(Sprintf(format, args...)) }

// Fprintf writes the text of Sprintf.
func Fprintf(w io.Writer, format string, args ...any) (int, error) {
	return io.WriteString(w, Sprintf(format, args...))
}

// FormatString gives the verb with its flags, as it stood in the format.
func FormatString(state State, verb rune) string {
	text := "%"
	for _, flag := range "#0" {
		if state.Flag(int(flag)) {
			text += string(flag)
		}
	}
	if wide, ok := state.Width(); ok {
		text += strconv.Itoa(wide)
	}
	return text + string(verb)
}

// Sprintf puts the arguments in the place of the verbs.
func Sprintf(format string, args ...any) string {
	var p printer
	for {
		text, rest, found := strings.Cut(format, "%")
		p.WriteString(text)
		if !found {
			return p.String()
		}
		p.sharp, p.zero, p.width = false, false, 0
		at := 0
		for ; at < len(rest) && (rest[at] == '#' || rest[at] == '0'); at++ {
			p.sharp, p.zero = p.sharp || rest[at] == '#', p.zero || rest[at] == '0'
		}
		for ; at < len(rest) && rest[at] >= '0' && rest[at] <= '9'; at++ {
			p.width = p.width*10 + int(rest[at]-'0')
		}
		if at == len(rest) {
			return p.String() + "%!(NOVERB)"
		}
		switch verb := rest[at]; {
		case verb == '%':
			p.WriteByte('%')
		case len(args) == 0:
			p.WriteString("%!" + string(rune(verb)) + "(MISSING)")
		default:
			p.arg(args[0], verb)
			args = args[1:]
		}
		format = rest[at+1:]
	}
}

// printer is a text on its way, and the State of the verb at hand.
type printer struct {
	strings.Builder
	sharp, zero bool
	width       int
}

func (p *printer) Width() (int, bool)     { return p.width, p.width > 0 }
func (p *printer) Precision() (int, bool) { return 0, false }
func (p *printer) Flag(c int) bool        { return c == '#' && p.sharp || c == '0' && p.zero }

func (p *printer) arg(arg any, verb byte) {
	switch v := arg.(type) {
	case Formatter:
		v.Format(p, rune(verb))
	case string:
		p.text(v, verb)
	case []byte:
		p.text(string(v), verb)
	case error:
		p.text(v.Error(), verb)
	case Stringer:
		p.text(v.String(), verb)
	case int:
		p.number(int64(v), verb)
	case int32:
		p.number(int64(v), verb)
	case int64:
		p.number(v, verb)
	case uint8:
		p.number(int64(v), verb)
	case uint32:
		p.number(int64(v), verb)
	default:
		p.WriteByte('?')
	}
}

func (p *printer) text(s string, verb byte) {
	if verb == 'q' {
		if p.sharp && strconv.CanBackquote(s) {
			s = "`" + s + "`"
		} else {
			s = strconv.Quote(s)
		}
	}
	p.pad(s, " ")
}

func (p *printer) number(n int64, verb byte) {
	text, fill := "", " "
	switch verb {
	case 'c':
		text = string(rune(n))
	case 'q':
		text = strconv.QuoteRune(rune(n))
	case 'x':
		text = strconv.FormatInt(n, 16)
	case 'X':
		text = strings.ToUpper(strconv.FormatInt(n, 16))
	default:
		text = strconv.FormatInt(n, 10)
	}
	if p.zero && verb != 'c' && verb != 'q' {
		fill = "0"
	}
	p.pad(text, fill)
}

func (p *printer) pad(s, fill string) {
	p.WriteString(strings.Repeat(fill, max(0, p.width-len([]rune(s)))) + s)
}
