package judge

import "strings"

// wrapper is a command that runs another one, given after its own options.
type wrapper struct {
	spec   string // see parseOptions; options end at the first operand
	skip   int    // operands before the command
	script bool   // the rest, joined, is a script rather than a command line
	row    string // what the wrapper alone already means
}

var wrappers = map[string]wrapper{
	"command":          {spec: "p v V"},
	"builtin":          {},
	"exec":             {spec: "c l a:"},
	"noglob":           {},
	"nocorrect":        {},
	"-":                {},
	"repeat":           {skip: 1},
	"nohup":            {},
	"setsid":           {spec: "c f w ctty fork wait"},
	"time":             {spec: "f: o: v p a format: output: verbose portability append"},
	"timeout":          {spec: "k: s: v kill-after: signal: preserve-status foreground verbose p f", skip: 1},
	"gtimeout":         {spec: "k: s: v kill-after: signal: preserve-status foreground verbose", skip: 1},
	"nice":             {spec: "n: adjustment: 0 1 2 3 4 5 6 7 8 9"},
	"ionice":           {spec: "c: n: t class: classdata: ignore"},
	"stdbuf":           {spec: "i: o: e: input: output: error:"},
	"chrt":             {spec: "b f i o r a v R p T: P: D:", skip: 1},
	"taskset":          {spec: "a c p cpu-list pid all-tasks", skip: 1},
	"numactl":          {spec: "i: m: N: C: l interleave: membind: cpunodebind: physcpubind: localalloc"},
	"setarch":          {spec: "R addr-no-randomize", skip: 1},
	"linux32":          {},
	"linux64":          {},
	"busybox":          {},
	"toybox":           {},
	"unbuffer":         {spec: "p"},
	"chronic":          {spec: "v e"},
	"caffeinate":       {spec: "d i m s u t: w:"},
	"entr":             {spec: "a c d n p r s z"},
	"strace":           {spec: "f ff c q v y t tt T o: e: p: s: u: E: a: P:"},
	"ltrace":           {spec: "f c S o: e: p: s: u:"},
	"valgrind":         {spec: "q v leak-check: tool: error-exitcode: track-origins:"},
	"proxychains":      {spec: "q f:"},
	"proxychains4":     {spec: "q f:"},
	"torsocks":         {},
	"torify":           {},
	"firejail":         {},
	"dbus-run-session": {},
	"xvfb-run":         {spec: "a e: f: n: p: s: auto-servernum server-args: server-num:"},
	"faketime":         {spec: "f m", skip: 1},
	"watch":            {spec: "n: d t b e g c x interval: differences no-title beep errexit chgexit color exec", script: true},
	"sudo":             {spec: "A b E e H h: i K k l n P p: R: r: S s T: t: u: U: V v g: C: D: user: group: preserve-env login shell set-home non-interactive stdin", row: "escalate"},
	"doas":             {spec: "C: L n s u:", row: "escalate"},
	"pkexec":           {spec: "user: disable-internal-agent", row: "escalate"},
	"gosu":             {skip: 1, row: "escalate"},
	"su-exec":          {skip: 1, row: "escalate"},
	"run0":             {spec: "u: g: D: user: group:", row: "escalate"},
	"runuser":          {spec: "u: g: c: s: l m p command: shell: user:", row: "escalate"},
	"setpriv":          {spec: "reuid: regid: clear-groups keep-groups no-new-privs", row: "escalate"},
	"sudoedit":         {row: "escalate"},
	"su":               {spec: "c: l m p s: g: G: command: shell: login preserve-environment", skip: 1, row: "escalate"},
	"runas":            {row: "escalate"},
	"gsudo":            {row: "escalate"},
	"chroot":           {spec: "userspec: groups: skip-chdir", skip: 1, row: "escalate-container"},
	"nsenter":          {spec: "t: m u i n p U C T a S: G: r w F target: all mount uts ipc net pid user", row: "escalate-container"},
	"unshare":          {spec: "m u i n p U C T f r c mount uts ipc net pid user fork map-root-user mount-proc", row: "escalate-container"},
	"bwrap":            {row: "escalate-container"},
	"direnv":           {skip: 2},
}

// wrapped opens a wrapper and judges what is inside.
func (f *floor) wrapped(w wrapper, c *call) flow {
	if w.row != "" {
		f.hit(w.row)
	}
	o := parseOptions(c.args, w.spec+" +")
	if c.name == "command" && o.has("v", "V") {
		f.hit("safe-list")
		return flow{open: true}
	}
	if w.row != "" || w.script || c.name == "watch" || c.name == "repeat" {
		f.unsafe()
	}
	for _, v := range o.values("o", "output") {
		if c.name == "time" || c.name == "strace" || c.name == "ltrace" {
			f.writeField(v, c.e, nil)
		}
	}
	for _, v := range o.values("c", "command") {
		if c.name == "su" || c.name == "runuser" {
			f.scriptField(v, c.e.child(), c.in)
		}
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
	if c.name == "command" || c.name == "builtin" || c.name == "exec" {
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
	for i, fd := range args {
		if fd.unknown || fd.glob {
			f.hit("script-unresolved")
			if fd.net {
				f.hit("net-to-shell")
			}
			// What is known of it may be enough to refuse it.
			f.probe(text.String(), e.clone())
			for _, later := range args[i+1:] {
				f.probe(later.text, e.clone())
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
func (f *floor) scriptField(fd field, e *env, in flow) flow {
	return f.joined([]field{fd}, e, in)
}

// env: options, assignments, then a command.
func (f *floor) envCommand(c *call) flow {
	o := parseOptions(c.args, "i 0 u: C: S: v a: ignore-environment unset: chdir: split-string: null debug block-signal default-signal ignore-signal argv0: +")
	if o.odd || o.vague {
		f.hit("command-unresolved")
		f.suffixes(c.args, c.e, c.in)
	}
	e := c.e.clone()
	for _, dir := range o.values("C", "chdir") {
		f.enter(dir, e)
	}
	if o.has("i", "ignore-environment", "u", "unset") {
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
	for _, s := range o.values("S", "split-string") {
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
	if c.in.known && !o.has("d", "delimiter", "a", "arg-file") {
		extra = nil
		for word := range strings.FieldsSeq(strings.NewReplacer(`"`, "", "'", "", `\`, "", "\x00", " ").Replace(c.in.text)) {
			extra = append(extra, lit(word))
		}
	}
	if marks := o.values("I", "J", "i", "replace"); len(marks) > 0 || o.has("i", "replace") {
		mark := "{}"
		if len(marks) > 0 && marks[0].text != "" {
			mark = marks[0].text
		}
		for _, x := range extra {
			f.argv(replaceAll(cmd, mark, x), c.e.child(), flow{open: true})
		}
		return flow{open: true, net: f.net}
	}
	f.argv(append(append([]field(nil), cmd...), extra...), c.e.child(), flow{open: true})
	return flow{open: true, net: f.net}
}

// replaceAll puts a field in the place of a mark, as find and xargs do.
func replaceAll(args []field, mark string, with field) []field {
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
