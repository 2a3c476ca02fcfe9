package judge

import (
	"cmp"
	"strings"
)

// wrapped opens a wrapper and judges what is inside.
func (f *floor) wrapped(w wrapper, c *call) flow {
	if w.row != "" {
		f.hit(w.row)
	}
	o := parseOptions(c.args, w.spec+" +")
	if c.name == "command" && o.has("v V") {
		f.hit("safe-list")
		return flow{open: true}
	}
	if w.row != "" || w.script || c.name == "repeat" {
		f.unsafe()
	}
	switch {
	case in("time strace ltrace", c.name):
		f.does(c, o, "write: o output")
		for _, fd := range o.values("o output") {
			if script, ok := strings.CutPrefix(fd.text, "|"); ok {
				f.hit("inline-code") // strace pipes into it
				f.probe(script, c.e.child())
			}
		}
		for _, fd := range o.values("E") {
			name, val, _ := strings.Cut(fd.text, "=")
			f.unsafe()
			f.watchVariable(name, value{alts: []string{val}, unknown: fd.unknown, exported: true})
		}
	case c.name == "xvfb-run" && o.has("e f s p server-args"), c.name == "valgrind" && o.has("tool"), c.name == "direnv" && word(o.rest, 0) != "exec":
		f.unsafe() // files that are written, programs by their paths, a folder's own startup file
	case in("su runuser", c.name):
		f.does(c, o, "run: c command")
	}
	if o.odd || o.vague {
		// It is not sure where the command begins: it may be any word.
		f.hit("command-unresolved")
		f.suffixes(c.args, c.e, c.in)
	}
	rest := o.rest
	if len(rest) < w.skip {
		rest = nil
	} else {
		rest = rest[w.skip:]
	}
	if c.name == "exec" && len(rest) == 0 {
		return flow{}
	}
	if w.script {
		return f.joined(rest, c.e.child(), c.in)
	}
	if in("command builtin exec", c.name) {
		// These look past functions.
		e := c.e.clone()
		clear(e.funcs)
		out := f.argv(rest, e, c.in)
		e.funcs = c.e.funcs
		*c.e = *e
		return out
	}
	if w.row != "" || len(rest) == 0 {
		f.unsafe()
	}
	return f.argv(rest, c.e, c.in)
}

// joined judges words that become one script.
func (f *floor) joined(args []field, e *env, in flow) flow {
	f.unsafe()
	var text strings.Builder
	for i := range args {
		fd := &args[i]
		if fd.unknown || fd.glob {
			f.hit("script-unresolved")
			if fd.net {
				f.hit("net-to-shell")
			}
			// What is known of it may be enough to refuse it.
			f.probe(text.String(), e.clone())
			for j := i + 1; j < len(args); j++ {
				f.probe(args[j].text, e.clone())
			}
			e.poisoned = true
			return flow{open: true}
		}
		if i > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(fd.text)
	}
	if text.Len() == 0 {
		return flow{}
	}
	return f.script(text.String(), e, in)
}

// scriptField judges one word that is a script.
func (f *floor) scriptField(fd *field, e *env, in flow) flow {
	return f.joined([]field{*fd}, e, in)
}

// env: options, assignments, then a command.
func (f *floor) envCommand(c *call) flow {
	o := parseOptions(c.args, "i 0 u: C: S: v a: ignore-environment unset: chdir: split-string: null debug block-signal default-signal ignore-signal argv0: +")
	if o.odd || o.vague {
		f.hit("command-unresolved")
		f.suffixes(c.args, c.e, c.in)
	}
	e := c.e.clone()
	for _, dir := range o.values("C chdir") {
		f.enter(&dir, e)
	}
	if o.has("i ignore-environment u unset") {
		f.unsafe() // PATH itself may be gone
	}
	rest := o.rest
	for len(rest) > 0 {
		name, val, ok := strings.Cut(rest[0].text, "=")
		if !ok || strings.Contains(name, "/") {
			break
		}
		v := value{alts: []string{val}, unknown: rest[0].unknown, exported: true}
		f.watchVariable(name, v)
		e.set(name, v)
		rest = rest[1:]
	}
	out := flow{}
	split := false
	for _, s := range o.values("S split-string") {
		// Its words come before the rest.
		split = true
		words := []field{s}
		for _, fd := range rest {
			words = append(words, quoteField(fd))
		}
		out = f.joined(words, e, c.in)
	}
	switch {
	case split:
	case len(rest) == 0:
		// Alone it prints the environment, where keys often are.
		f.sawSecret()
	default:
		clear(e.funcs)
		out = f.argv(rest, e, c.in)
	}
	return out
}

// quoteField protects a word that becomes part of a script.
func quoteField(fd field) field {
	if !fd.unknown {
		fd.text = "'" + strings.ReplaceAll(fd.text, "'", `'\''`) + "'"
	}
	return fd
}

// xargs: options, a command, and words that come from the input.
func (f *floor) xargs(c *call) flow {
	f.unsafe()
	o := parseOptions(c.args, `0 a: d: E: e I: i: J: L: l: n: P: p r R: S: s: t x o null arg-file: delimiter: eof: replace: max-lines: max-args: max-procs:
		interactive no-run-if-empty max-chars: verbose exit open-tty process-slot-var: show-limits +`)
	if o.odd || o.vague {
		f.hit("command-unresolved")
		f.suffixes(c.args, c.e, c.in)
	}
	cmd := o.rest
	if len(cmd) == 0 {
		return flow{open: true}
	}
	extra := []field{{unknown: true, many: true, net: c.in.net}}
	if c.in.known && !o.has("d delimiter a arg-file") {
		extra = nil
		for _, word := range strings.Fields(strings.NewReplacer(`"`, "", "'", "", `\`, "", "\x00", " ").Replace(c.in.text)) {
			extra = append(extra, lit(word))
		}
	}
	if o.has("I J i replace") {
		mark := cmp.Or(word(o.values("I J i replace"), 0), "{}")
		for i := range extra {
			f.argv(replaceAll(cmd, mark, &extra[i]), c.e.child(), flow{open: true})
		}
		return flow{open: true, net: f.net}
	}
	f.argv(append(append([]field(nil), cmd...), extra...), c.e.child(), flow{open: true})
	return flow{open: true, net: f.net}
}

// replaceAll puts a field in the place of a mark, as find and xargs do.
func replaceAll(args []field, mark string, with *field) []field {
	out := make([]field, len(args))
	for i, fd := range args {
		if before, after, ok := strings.Cut(fd.text, mark); ok {
			if with.unknown {
				fd.tail, fd.unknown, fd.many = after, true, false
				fd.text = before
			} else {
				fd.text = before + with.text + strings.ReplaceAll(after, mark, with.text)
				fd.glob = fd.glob || with.glob
			}
		}
		out[i] = fd
	}
	return out
}
