package judge

import "strings"

func (f *floor) eval(c *call) flow { return f.joined(c.args, c.e, c.in) }

// source runs a file in this shell: afterwards anything may be assigned.
func (f *floor) source(c *call) flow {
	f.unsafe()
	if len(c.args) == 0 {
		return flow{}
	}
	fd := &c.args[0]
	switch {
	case fd.proc != nil:
		f.runsInput(*fd.proc, c.e)
	case fd.oneOf("/dev/stdin /dev/fd/0 /proc/self/fd/0"):
		f.runsInput(c.in, c.e)
	case fd.unknown || fd.glob:
		f.hit("script-unresolved")
	default:
		f.readField(fd, c.e)
		if got, ok := f.justWritten(fd, c.e); ok {
			f.runsInput(got, c.e)
		}
	}
	c.e.poisoned = true
	return flow{open: true}
}

// runsInput judges a shell that reads its script from somewhere.
func (f *floor) runsInput(in flow, e *env) flow {
	f.unsafe()
	switch {
	case in.known:
		return f.script(in.text, e, flow{})
	case in.net:
		f.hit("net-to-shell")
	case in.open:
		f.hit("script-unresolved")
	}
	return flow{open: true}
}

// shell: options, then -c and a script, or a file, or the input.
func (f *floor) shell(c *call) flow {
	f.unsafe()
	var script, input bool
	i := 0
options:
	for ; i < len(c.args); i++ {
		fd := &c.args[i]
		s := fd.text
		switch {
		case fd.unknown || fd.lead:
			f.hit("script-unresolved")
			for j := i + 1; j < len(c.args); j++ {
				f.probe(c.args[j].text, c.e.child())
			}
			if fd.net {
				f.hit("net-to-shell")
			}
			return flow{open: true}
		case s == "--" || s == "-":
			i++
			input = input || s == "-"
			break options
		case strings.HasPrefix(s, "--rcfile") || strings.HasPrefix(s, "--init-file"):
			f.hit("script-unresolved")
			if !strings.Contains(s, "=") {
				i++
			}
		case strings.HasPrefix(s, "--"):
		case len(s) > 1 && (s[0] == '-' || s[0] == '+'):
			script = script || s[0] == '-' && strings.Contains(s, "c")
			input = input || s[0] == '-' && strings.Contains(s, "s")
			if strings.HasSuffix(s, "o") || strings.HasSuffix(s, "O") {
				i++ // the option's name follows
			}
		default:
			break options
		}
	}
	rest := c.args[min(i, len(c.args)):]
	e := c.e.child()
	switch {
	case script && len(rest) > 0:
		if len(rest) > 1 {
			e.pos, e.posOpen = rest[2:], hasMany(rest[1:])
		}
		return f.scriptField(&rest[0], e, c.in)
	case script || input || len(rest) == 0:
		e.pos = rest
		return f.runsInput(c.in, e)
	}
	return f.source(&call{name: "source", args: rest, e: e, in: c.in})
}

// otherShell runs a script in a language that is not read here.
func (f *floor) otherShell(c *call) flow {
	f.hit("shell-unknown")
	for i := range c.args {
		if fd := &c.args[i]; !fd.unknown && !strings.HasPrefix(fd.text, "-") {
			f.probe(fd.text, c.e.child())
		}
	}
	f.suffixes(c.args, c.e, c.in)
	return flow{open: true}
}
