package judge

import "strings"

// testCommand judges test and [: some shells evaluate the index in a name.
func (f *floor) testCommand(c *call) { f.runnables(c.args) }

// runnables notices words with a substitution in them, in a place where a
// shell evaluates words again.
func (f *floor) runnables(args []field) {
	for i := range args {
		if runnable(args[i].text) {
			f.hit("code-in-text")
		}
	}
}

// fd runs a command on what it finds, behind -x or -X.
func (f *floor) fd(c *call) {
	for i := range c.args {
		if c.args[i].oneOf("-x -X --exec --exec-batch") {
			line := replaceAll(c.args[i+1:], "{}", &field{unknown: true})
			f.argv(append(line, field{unknown: true}), c.e.child(), flow{open: true})
			return
		}
	}
}

// rg runs a command on each file that it searches.
func (f *floor) rg(c *call) {
	o := parseOptions(c.args, safeList["rg"].spec+" pre: hostname-bin:")
	for _, fd := range o.values("pre hostname-bin") {
		f.unsafe()
		f.argv([]field{fd, {unknown: true}}, c.e.child(), flow{open: true})
	}
}

// foreign judges a program in another language: it is not read, but for the
// texts in it, of which only denials are believed. That catches system("...").
func (f *floor) foreign(prog string) {
	f.hit("inline-code")
	for _, s := range quotedTexts(prog) {
		f.probe(s, newEnv(f.place))
	}
}

// quotedTexts gives the string literals of a program that may be commands.
func quotedTexts(prog string) []string {
	var out []string
	for i := 0; i < len(prog) && len(out) < 8; i++ {
		q := prog[i]
		if q != '"' && q != '\'' && q != '`' {
			continue
		}
		part, rest, ok := delimited(prog[i+1:], q)
		if !ok {
			continue
		}
		if strings.ContainsAny(part, " /") {
			out = append(out, part)
		}
		i = len(prog) - len(rest) - 1
	}
	return out
}

// inlineFlags are the options by which interpreters take a program as text.
var inlineFlags = map[string]string{
	"python": "c", "python2": "c", "python3": "c", "pypy": "c", "pypy3": "c", "perl": "e E n p i", "ruby": "e n p i r", "php": "r B R E",
	"node": "e p eval print r require import loader", "nodejs": "e p eval print r require import loader", "lua": "e", "luajit": "e", "rscript": "e", "osascript": "e", "ghc": "e",
	"ts-node": "e eval p", "tsx": "e eval p", "groovy": "e", "scala": "e", "julia": "e E", "guile": "c", "elixir": "e", "erl": "eval",
}

// interpreter judges programs in other languages. A file of the workspace is
// like any build; a program on the command line or from a pipe is not read.
func (f *floor) interpreter(c *call) {
	for i := range c.args {
		fd := &c.args[i]
		s := fd.text
		switch {
		case c.name == "php" && s == "-S":
			f.hit("net-upload") // serves the folder
			return
		case fd.unknown && s == "":
			if i == 0 {
				f.hit("script-unresolved")
			}
			return
		case fd.proc != nil:
			f.runsForeign(*fd.proc)
			return
		case in("- /dev/stdin", s):
			f.runsForeign(c.in)
			return
		case !strings.HasPrefix(s, "-"):
			f.interpreterFile(c, i)
			return
		case strings.HasPrefix(s, "-m") && strings.HasPrefix(c.name, "py"):
			f.module(c, i)
			return
		case takesCode(inlineFlags[c.name], s):
			f.foreign(joinTexts(c.args[i:]))
			return
		}
	}
	f.runsForeign(c.in)
}

// takesCode reports an option of the list: a letter may be anywhere in a
// cluster, a word may carry its value.
func takesCode(flags, s string) bool {
	for _, name := range strings.Fields(flags) {
		if len(name) > 1 && (strings.TrimLeft(s, "-") == name || strings.HasPrefix(s, "--"+name+"=")) ||
			len(name) == 1 && !strings.HasPrefix(s, "--") && strings.Contains(s[1:], name) {
			return true
		}
	}
	return false
}

// runsForeign judges an interpreter that reads its program from somewhere.
func (f *floor) runsForeign(in flow) {
	switch {
	case in.net:
		f.hit("net-to-shell")
	case in.open:
		f.foreign(in.text)
	}
}

// interpreterFile judges a program that is named, or deno's subcommand.
func (f *floor) interpreterFile(c *call, i int) {
	name, rest := c.args[i].text, c.args[i+1:]
	if got, ok := f.justWritten(&c.args[i], c.e); ok {
		f.runsForeign(got)
	}
	remote := strings.Contains(name, "://")
	if c.name == "deno" && in("run install serve add test check lint bench doc info cache compile", name) {
		for j := range rest {
			remote = remote || strings.Contains(rest[j].text, "://")
		}
	}
	switch {
	case remote:
		f.hit("net-to-shell")
	case in("erl osascript", c.name), c.name == "deno" && in("eval repl", name):
		f.foreign(joinTexts(rest))
	case c.name == "deno" && name == "install" && anyIs(rest, "-g --global"):
		f.hit("pkg-global")
	case c.name == "deno" && name == "publish":
		f.hit("pkg-publish")
	}
}

// module judges python -m NAME.
func (f *floor) module(c *call, i int) {
	name, rest := strings.TrimPrefix(c.args[i].text, "-m"), c.args[i+1:]
	if name == "" && len(rest) > 0 {
		name, rest = rest[0].text, rest[1:]
	}
	switch {
	case name == "pip":
		f.pip(&call{name: "pip", args: rest, e: c.e, in: c.in})
	case in("http.server smtpd SimpleHTTPServer pyftpdlib", name):
		f.hit("net-upload")
	case name == "twine":
		f.hit("pkg-publish")
	case in("timeit code pdb", name):
		f.hit("inline-code")
	}
}

func (f *floor) make(c *call) {
	o := parseOptions(c.args, "j: k s n B i w t q e r R d p C: f: I: l: o: W: directory: file: makefile: include-dir: jobs: keep-going silent quiet dry-run always-make eval: load-average: old-file: what-if: no-print-directory")
	f.does(c, o, "probe inline-code: eval")
	for i := range o.rest {
		if name, val, ok := strings.Cut(o.rest[i].text, "="); ok {
			f.unsafe()
			f.probe(val, c.e.child())
			if in("SHELL MAKEFLAGS", name) {
				f.hit("env-hijack")
			}
		}
	}
	if anyIs(o.values("f file makefile"), "- /dev/stdin") {
		f.hit("inline-code")
	}
}
