package judge

import "strings"

// options is a command line taken apart.
type options struct {
	flags []option
	rest  []field // what is no option
	odd   bool    // an option that the spec does not know
	vague bool    // a word, only known later, that may be an option
	lead  bool    // a pattern that may match a file named like an option
}

type option struct {
	name string // without dashes
	val  field
	has  bool // it carries a value
}

// parseOptions reads args by a spec: words separated by blanks, one letter for
// a short option, more for a long one; a trailing ":" takes a value. Options
// may stand after operands unless the spec holds "+". Values may be joined
// (-n5, --name=5), short options clustered (-rf), and "--" ends them. Long options
// have two dashes or one, and in a spec that holds "--" two.
func parseOptions(args []field, spec string) *options {
	kinds := map[string]bool{}
	inOrder, dashes := false, false
	for _, w := range strings.Fields(spec) {
		if w == "+" || w == "--" {
			inOrder, dashes = inOrder || w == "+", dashes || w == "--"
			continue
		}
		kinds[strings.TrimSuffix(w, ":")] = strings.HasSuffix(w, ":")
	}
	o := &options{}
	for i := 0; i < len(args); i++ {
		fd := args[i]
		s := fd.text
		switch {
		case fd.unknown && s == "":
			o.vague = o.vague || fd.many
			o.rest = append(o.rest, fd)
		case s == "--" && !fd.unknown:
			o.rest = append(o.rest, args[i+1:]...)
			return o
		case len(s) < 2 || s[0] != '-' || fd.lead:
			o.lead = o.lead || fd.lead
			o.rest = append(o.rest, fd)
			if inOrder {
				o.rest = append(o.rest, args[i+1:]...)
				return o
			}
		case strings.HasPrefix(s, "--"):
			name, val, joined := strings.Cut(s[2:], "=")
			takes, known := kinds[name]
			o.odd = o.odd || !known || joined && !takes && !optional[name]
			op := option{name: name, has: joined}
			op.val = fd
			op.val.text = val
			if !joined && takes && i+1 < len(args) {
				i++
				op.val, op.has = args[i], true
			}
			o.flags = append(o.flags, op)
		default:
			// Some tools have long options with one dash.
			if name, val, joined := strings.Cut(s[1:], "="); len(name) > 1 && !dashes {
				if takes, known := kinds[name]; known {
					op := option{name: name, has: joined, val: fd}
					op.val.text = val
					if !joined && takes && i+1 < len(args) {
						i++
						op.val, op.has = args[i], true
					}
					o.flags = append(o.flags, op)
					continue
				}
			}
			for j := 1; j < len(s); j++ {
				name := s[j : j+1]
				takes, known := kinds[name]
				o.odd = o.odd || !known
				op := option{name: name}
				if takes {
					op.val, op.has = fd, true
					op.val.text = strings.TrimPrefix(s[j+1:], "=")
					if j+1 == len(s) && !fd.unknown {
						op.has = i+1 < len(args)
						if op.has {
							i++
							op.val = args[i]
						}
					}
					j = len(s)
				}
				o.flags = append(o.flags, op)
			}
			o.odd = o.odd || fd.unknown
		}
	}
	return o
}

// optional are long options whose value may be left out.
var optional = map[string]bool{"color": true, "colour": true, "force-with-lease": true, "abbrev": true, "stat": true, "word-diff": true}

// is reports whether the option has one of the names, separated by blanks. A
// long name may be shortened, as getopt allows.
func (op *option) is(names string) bool {
	for names != "" {
		var n string
		n, names, _ = strings.Cut(names, " ")
		if op.name == n || len(n) > 3 && len(op.name) >= 3 && strings.HasPrefix(n, op.name) {
			return true
		}
	}
	return false
}

// has reports whether one of several options was given.
func (o *options) has(names string) bool {
	for i := range o.flags {
		if o.flags[i].is(names) {
			return true
		}
	}
	return false
}

// values gives the values of several options.
func (o *options) values(names string) []field {
	var out []field
	for i := range o.flags {
		if op := &o.flags[i]; op.has && op.is(names) {
			out = append(out, op.val)
		}
	}
	return out
}
