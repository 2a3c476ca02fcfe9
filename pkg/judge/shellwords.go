package judge

import (
	"path"
	"slices"
	"strings"
)

// shellWords are commands whose effect on the shell, or on what comes after
// them in a pipe, is followed. Filled in init: they call each other.
var shellWords map[string]func(*floor, *call) flow

func init() {
	shellWords = map[string]func(*floor, *call) flow{
		"echo": (*floor).echo, "printf": (*floor).printf, "cat": (*floor).cat,
		"cd": (*floor).cd, "pushd": (*floor).cd, "popd": (*floor).popd, "chdir": (*floor).cd,
		"eval": (*floor).eval, "source": (*floor).source, ".": (*floor).source, "trap": (*floor).trap,
		"set": (*floor).setCommand, "shift": (*floor).shift, "unset": (*floor).unset,
		"read": (*floor).read, "mapfile": (*floor).read, "readarray": (*floor).read, "getopts": (*floor).read, "wait": (*floor).read,
		"export": (*floor).declareWords, "declare": (*floor).declareWords, "typeset": (*floor).declareWords, "local": (*floor).declareWords, "readonly": (*floor).declareWords, "let": (*floor).declareWords,
		"env": (*floor).envCommand, "xargs": (*floor).xargs, "find": (*floor).find, "parallel": (*floor).parallel,
		"npx": (*floor).npx, "bunx": (*floor).npx, "pnpx": (*floor).npx, "uvx": (*floor).npx, "pipx": (*floor).npx,
	}
	for _, name := range []string{"alias", "unalias", "hash", "enable", "bind", "complete", "compopt", "shopt", "setopt", "unsetopt", "emulate", "zmodload", "autoload", "functions"} {
		shellWords[name] = (*floor).rewire
	}
	for _, name := range []string{"sh", "bash", "zsh", "dash", "ksh", "ash", "mksh", "rbash"} {
		shellWords[name] = (*floor).shell
	}
	for _, name := range []string{"fish", "nu", "pwsh", "powershell", "cmd", "csh", "tcsh", "xonsh", "elvish"} {
		shellWords[name] = (*floor).otherShell
	}
}

// echo and printf give their text to what follows, where it can be told.
func (f *floor) echo(c *call) flow {
	args := c.args
	newline := "\n"
	for len(args) > 0 && !args[0].unknown && (args[0].text == "-n" || args[0].text == "-e" || args[0].text == "-E" || args[0].text == "-ne") {
		if strings.Contains(args[0].text, "n") {
			newline = ""
		}
		args = args[1:]
	}
	return f.says(args, newline, strings.Contains(joinTexts(args), `\`))
}

// says gives the text of words; vague: what becomes of it differs by shell.
func (f *floor) says(args []field, end string, vague bool) flow {
	f.hit("safe-shell")
	net := false
	for _, fd := range args {
		net = net || fd.net
		if fd.net || fd.proc != nil {
			f.unsafe()
		}
		vague = vague || fd.unknown || fd.glob
	}
	if vague {
		return flow{open: true, net: net}
	}
	return flow{open: true, known: true, text: joinTexts(args) + end}
}

func joinTexts(args []field) string {
	var b strings.Builder
	for i, fd := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(fd.text)
	}
	return b.String()
}

func (f *floor) printf(c *call) flow {
	if len(c.args) == 0 {
		f.unsafe()
		return flow{}
	}
	if c.args[0].text == "-v" || c.args[0].unknown || c.args[0].text == "" {
		// -v assigns, and evaluates an index in the name.
		f.unsafe()
		for _, fd := range c.args {
			if runnable(fd.text) {
				f.hit("code-in-text")
			}
		}
		if len(c.args) > 1 && !c.args[1].unknown {
			c.e.set(c.args[1].text, unknown)
		}
		return flow{open: true}
	}
	args := c.args
	if args[0].is("--") {
		args = args[1:]
	}
	if len(args) == 0 {
		return flow{}
	}
	format := args[0].text
	switch {
	case len(args) == 1 && !strings.Contains(format, "%"):
		text := strings.ReplaceAll(format, `\n`, "\n")
		return f.says([]field{lit(text)}, "", strings.Contains(text, `\`) || args[0].unknown)
	case format == "%s" || format == `%s\n`:
		end := ""
		if format != "%s" {
			end = "\n"
		}
		return f.says(args[1:], end, len(args) != 2)
	}
	return f.says(args, "", true)
}

// cat hands on its input when it has no file.
func (f *floor) cat(c *call) flow {
	o := parseOptions(c.args, "n b s A E T v e t u number squeeze-blank show-all")
	if len(o.rest) == 0 && len(o.flags) == 0 {
		f.hit("safe-read")
		return c.in
	}
	out := flow{open: true, net: c.in.net}
	for _, fd := range o.rest {
		if fd.proc != nil {
			out.net = out.net || fd.proc.net
		}
	}
	f.reads(c, o, "safe-read")
	return out
}

// reads judges the files of a command that only reads.
func (f *floor) reads(c *call, o options, row string) {
	f.hit(row)
	if o.odd || !c.bare {
		f.unsafe()
	}
	for _, fd := range o.rest {
		if !fd.is("-") {
			f.readField(fd, c.e)
		}
	}
}

func (f *floor) cd(c *call) flow {
	o := parseOptions(c.args, "L P e q s n")
	f.hit("safe-shell")
	dir := field{text: c.e.place.Home}
	if len(o.rest) > 0 {
		dir = o.rest[len(o.rest)-1]
	} else if c.e.place.Home == "" {
		dir = field{unknown: true}
	}
	f.enter(dir, c.e)
	return flow{}
}

// enter moves to a folder.
func (f *floor) enter(dir field, e *env) {
	if dir.unknown || dir.glob || dir.is("-") {
		e.cwd = nil
		f.unsafe()
		return
	}
	paths, _ := e.resolve(dir.text)
	// CDPATH may send a plain name elsewhere.
	if _, set := e.vars["CDPATH"]; set && !strings.HasPrefix(dir.text, "/") && !strings.HasPrefix(dir.text, ".") {
		paths = nil
	}
	for _, p := range paths {
		if !f.inside(p) {
			f.unsafe()
		}
	}
	e.cwd = paths
}

func (f *floor) popd(c *call) flow {
	c.e.cwd = nil
	f.unsafe()
	return flow{}
}

func (f *floor) eval(c *call) flow { return f.joined(c.args, c.e, c.in) }

// source runs a file in this shell: afterwards anything may be assigned.
func (f *floor) source(c *call) flow {
	f.unsafe()
	if len(c.args) == 0 {
		return flow{}
	}
	fd := c.args[0]
	switch {
	case fd.proc != nil:
		f.runsInput(*fd.proc, c.e)
	case fd.is("/dev/stdin") || fd.is("/dev/fd/0") || fd.is("/proc/self/fd/0"):
		f.runsInput(c.in, c.e)
	case fd.unknown || fd.glob:
		f.hit("script-unresolved")
	default:
		f.readField(fd, c.e)
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

func (f *floor) trap(c *call) flow {
	f.unsafe()
	o := parseOptions(c.args, "l p +")
	if len(o.rest) > 1 {
		e := c.e.clone()
		e.posOpen = true
		f.scriptField(o.rest[0], e, flow{open: true})
	}
	return flow{}
}

// setCommand follows set -- words, and set -e.
func (f *floor) setCommand(c *call) flow {
	f.hit("safe-shell")
	if len(c.args) == 0 {
		f.unsafe()
		f.sawSecret() // prints every variable
		return flow{open: true}
	}
	for i, fd := range c.args {
		s := fd.text
		if fd.unknown {
			f.unsafe()
			c.e.posOpen = true
			return flow{}
		}
		if s == "--" || s == "-" {
			c.e.pos, c.e.posOpen = c.args[i+1:], hasMany(c.args[i+1:])
			return flow{}
		}
		if s == "pipefail" || s == "errexit" || s == "nounset" {
			c.e.errexit = c.e.errexit || s == "errexit"
			continue
		}
		if !strings.HasPrefix(s, "-") && !strings.HasPrefix(s, "+") {
			c.e.pos, c.e.posOpen = c.args[i:], hasMany(c.args[i:])
			return flow{}
		}
		if strings.Trim(s, "-euxo") != "" || strings.HasPrefix(s, "+") {
			f.unsafe()
		}
		c.e.errexit = c.e.errexit || strings.HasPrefix(s, "-") && strings.Contains(s, "e")
		if strings.HasPrefix(s, "+") {
			c.e.errexit = false
		}
	}
	return flow{}
}

func (f *floor) shift(c *call) flow {
	f.unsafe()
	if len(c.args) == 0 && len(c.e.pos) > 0 {
		c.e.pos = c.e.pos[1:]
	} else if len(c.args) > 0 {
		c.e.posOpen = true
	}
	return flow{}
}

func (f *floor) unset(c *call) flow {
	f.unsafe()
	for _, fd := range c.args {
		switch {
		case runnable(fd.text):
			f.hit("code-in-text")
		case fd.unknown:
			c.e.poisoned = true
		case !strings.HasPrefix(fd.text, "-"):
			if v, had := c.e.vars[fd.text]; had {
				c.e.set(fd.text, union(v, known("")))
			}
			// A function of that name may be the command again.
			delete(c.e.funcs, fd.text)
		}
	}
	return flow{}
}

// read and its like fill variables from the input.
func (f *floor) read(c *call) flow {
	f.unsafe()
	if c.name == "mapfile" || c.name == "readarray" {
		for _, callback := range parseOptions(c.args, "C: c: d: n: O: s: t u:").values("C") {
			f.scriptField(callback, c.e.clone(), c.in)
		}
	}
	for _, fd := range c.args {
		if fd.unknown {
			c.e.poisoned = true
		}
		if runnable(fd.text) {
			f.hit("code-in-text")
		}
		c.e.set(fd.text, value{unknown: true, net: c.in.net})
	}
	c.e.set("REPLY", value{unknown: true, net: c.in.net})
	c.e.set("MAPFILE", value{unknown: true, net: c.in.net})
	// A later test may evaluate what was read.
	c.e.code = c.e.code || c.in.known && runnable(c.in.text)
	return flow{}
}

// declareWords is export and its like when they come by way of command or a
// variable, as plain words.
func (f *floor) declareWords(c *call) flow {
	f.unsafe()
	if len(c.args) == 0 || c.args[0].is("-p") {
		f.sawSecret()
	}
	for _, fd := range c.args {
		if fd.unknown || strings.HasPrefix(fd.text, "-") && strings.ContainsAny(fd.text, "niul") {
			c.e.poisoned = true
		}
		if runnable(fd.text) {
			f.hit("code-in-text")
		}
		name, val, ok := strings.Cut(fd.text, "=")
		if ok {
			v := value{alts: []string{val}, unknown: fd.unknown, exported: c.name == "export"}
			f.watchVariable(name, v)
			c.e.set(name, v)
		}
	}
	return flow{}
}

func (f *floor) rewire(c *call) flow {
	if len(c.args) == 0 {
		f.unsafe()
		return flow{open: true}
	}
	f.hit("rewire")
	for _, fd := range c.args {
		if _, val, ok := strings.Cut(fd.text, "="); ok {
			f.probe(val, newEnv(f.place))
		}
	}
	return flow{}
}

// shell: options, then -c and a script, or a file, or the input.
func (f *floor) shell(c *call) flow {
	f.unsafe()
	var script, input bool
	i := 0
options:
	for ; i < len(c.args); i++ {
		fd := c.args[i]
		s := fd.text
		switch {
		case fd.unknown && s == "" || fd.lead:
			f.hit("script-unresolved")
			for _, later := range c.args[i+1:] {
				f.probe(later.text, c.e.child())
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
		return f.scriptField(rest[0], e, c.in)
	case script || input || len(rest) == 0:
		e.pos = rest
		return f.runsInput(c.in, e)
	}
	return f.source(&call{name: "source", args: rest, e: e, in: c.in})
}

// otherShell runs a script in a language that is not read here.
func (f *floor) otherShell(c *call) flow {
	f.hit("shell-unknown")
	for _, fd := range c.args {
		if !fd.unknown && !strings.HasPrefix(fd.text, "-") {
			f.probe(fd.text, c.e.child())
		}
	}
	f.suffixes(c.args, c.e, c.in)
	return flow{open: true}
}

// parallel: a command, to which words are added, or which holds {}; after :::
// the words themselves.
func (f *floor) parallel(c *call) flow {
	f.unsafe()
	o := parseOptions(c.args, `j: jobs: k keep-order n: N: L: m X q I: 0 null d: a: halt: bar progress tag dry-run delay: timeout: retries: joblog: results: will-cite
		S: sshlogin: pipe block: eta no-notice +`)
	if o.odd || o.vague {
		f.hit("command-unresolved")
		f.suffixes(c.args, c.e, c.in)
	}
	cmd := o.rest
	words := []field{{unknown: true, many: true, net: c.in.net}}
	if at := slices.IndexFunc(cmd, func(fd field) bool { return strings.HasPrefix(fd.text, ":::") }); at >= 0 {
		cmd, words = cmd[:at], cmd[at+1:]
	}
	for _, w := range words {
		line := replaceAll(cmd, "{}", w)
		if slices.EqualFunc(line, cmd, func(a, b field) bool { return a.text == b.text && a.unknown == b.unknown }) {
			line = append(slices.Clone(cmd), w)
		}
		if len(line) > 0 && strings.ContainsAny(line[0].text, " ;|&") || len(cmd) == 0 {
			f.joined(line, c.e.child(), c.in)
			continue
		}
		f.argv(line, c.e.child(), flow{open: true})
	}
	return flow{open: true, net: f.net}
}

// find: folders, then tests and actions.
func (f *floor) find(c *call) flow {
	args := c.args
	for len(args) > 0 && (args[0].is("-H") || args[0].is("-L") || args[0].is("-P")) {
		args = args[1:]
	}
	var roots []field
	for len(args) > 0 && !args[0].unknown && !strings.HasPrefix(args[0].text, "-") && !args[0].is("(") && !args[0].is("!") {
		roots, args = append(roots, args[0]), args[1:]
	}
	for len(args) > 0 && args[0].unknown {
		roots, args = append(roots, args[0]), args[1:]
	}
	if len(roots) == 0 {
		roots = []field{lit(".")}
	}
	f.hit("safe-list")
	if !c.bare {
		f.unsafe()
	}
	for _, r := range roots {
		f.readField(r, c.e)
	}
	found := f.found(roots, args)
	for i := 0; i < len(args); i++ {
		next := func() field {
			if i+1 < len(args) {
				return args[i+1]
			}
			return field{unknown: true}
		}
		switch s := args[i].text; s {
		case "-delete":
			for _, t := range found {
				f.removeField(t, c.e)
			}
		case "-fprint", "-fprint0", "-fls", "-fprintf":
			f.writeField(next(), c.e, nil)
		case "-files0-from":
			f.unsafe()
		case "-exec", "-execdir", "-ok", "-okdir":
			f.unsafe()
			end := i + 1
			for end < len(args) && !args[end].is(";") && !args[end].is("+") {
				end++
			}
			cmd := args[min(i+1, len(args)):end]
			for _, t := range found {
				f.argv(replaceAll(cmd, "{}", t), c.e.child(), flow{open: true})
			}
			i = end
		default:
			if args[i].unknown && args[i].text == "" && args[i].many {
				f.hit("command-unresolved") // it may be -delete
			}
			if secretPath("/"+s, "") && !strings.HasPrefix(s, "-") {
				f.unsafe()
			}
		}
	}
	return flow{open: true}
}

// found gives what a find acts on: the folder itself when no test narrows it,
// a part of it when one does, and both when that cannot be told.
func (f *floor) found(roots, tests []field) []field {
	narrow, turned := false, false
	for i, fd := range tests {
		switch fd.text {
		case "-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex":
			narrow = narrow || i+1 < len(tests) && !everything(tests[i+1].text) && tests[i+1].text != ".*"
		case "-newer", "-size", "-empty", "-mtime", "-mmin", "-atime", "-amin", "-ctime", "-cmin", "-user", "-perm", "-links", "-inum":
			narrow = true
		case "!", "-not", "-o", "-or", ",":
			turned = true
		}
	}
	var out []field
	for _, r := range roots {
		part := r
		part.text, part.glob = path.Join(r.text, "x*.found"), true
		if r.unknown {
			out = append(out, r)
			continue
		}
		switch {
		case !narrow:
			out = append(out, r)
		case turned:
			out = append(out, part, field{text: r.text, unknown: true})
		default:
			out = append(out, part)
		}
	}
	return out
}
