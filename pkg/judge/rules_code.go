package judge

import (
	"slices"
	"strings"
)

// testCommand judges test and [: some shells evaluate the index in a name.
func (f *floor) testCommand(c *call) {
	for _, fd := range c.args {
		if runnable(fd.text) {
			f.hit("code-in-text")
		}
	}
}

// fd runs a command on what it finds, behind -x or -X.
func (f *floor) fd(c *call) {
	for i, fd := range c.args {
		if fd.is("-x") || fd.is("-X") || fd.is("--exec") || fd.is("--exec-batch") {
			line := replaceAll(c.args[i+1:], "{}", field{unknown: true})
			f.argv(append(line, field{unknown: true}), c.e.child(), flow{open: true})
			return
		}
	}
}

// sed judges what a script of sed may do beside printing: w writes a file, e
// runs a command, and -i changes the operands.
func (f *floor) sed(c *call) {
	o := parseOptions(c.args, "n E r s u z i I l: e: f: expression: file: quiet silent in-place regexp-extended line-length: null-data debug posix separate sandbox")
	scripts := o.values("e", "expression")
	files := o.rest
	if len(scripts) == 0 && len(o.values("f", "file")) == 0 && len(files) > 0 {
		scripts, files = files[:1], files[1:]
	}
	for _, s := range scripts {
		if !sedScript(s) {
			f.hit("inline-code")
		}
	}
	if len(o.values("f", "file")) > 0 {
		f.unsafe()
	}
	inPlace := false
	for _, fd := range c.args {
		// -i may carry a suffix, and may be clustered: -ni, -i.bak.
		inPlace = inPlace || strings.HasPrefix(fd.text, "--in-place") || strings.HasPrefix(fd.text, "-") && !strings.HasPrefix(fd.text, "--") && sedInPlace(fd.text)
	}
	if inPlace {
		for _, fd := range files {
			f.writeField(fd, c.e, nil)
		}
	}
}

func sedInPlace(flag string) bool {
	for _, r := range flag[1:] {
		switch r {
		case 'i', 'I':
			return true
		case 'e', 'f', 'l':
			return false // the rest is a value
		}
	}
	return false
}

// sedScript reports a script that only prints, deletes lines or substitutes.
// A small scanner, which refuses what it does not know.
func sedScript(fd field) bool {
	if fd.unknown {
		return false
	}
	s := fd.text
	for s != "" {
		s = strings.TrimLeft(s, " \t\n;{}!")
		if s == "" {
			return true
		}
		switch ch := s[0]; {
		case ch >= '0' && ch <= '9' || strings.ContainsRune("$,~+", rune(ch)):
			s = s[1:]
		case ch == '/':
			part, rest, ok := delimited(s[1:], '/')
			if !ok || cutBracket(part) {
				return false
			}
			s = strings.TrimLeft(rest, "IM")
		case strings.ContainsRune("pdDgGhHnNxPqQ=lz", rune(ch)):
			s = s[1:]
		case ch == 's' || ch == 'y':
			if len(s) < 2 || s[1] == '\\' || s[1] == '\n' {
				return false
			}
			part, rest, ok := delimited(s[2:], s[1])
			if !ok || cutBracket(part) {
				return false
			}
			_, rest, ok = delimited(rest, s[1])
			if !ok {
				return false
			}
			s = strings.TrimLeft(rest, "gpiImM0123456789")
			if s != "" && !strings.ContainsRune(" \t\n;}", rune(s[0])) {
				return false // the flags w and e
			}
		default:
			return false
		}
	}
	return true
}

// cutBracket reports an expression that ends inside a bracket: to sed the
// delimiter was one of the bracket's letters, and the rest reads otherwise.
func cutBracket(part string) bool {
	return strings.LastIndexByte(part, '[') > strings.LastIndexByte(part, ']')
}

// delimited cuts at the next delimiter that no backslash protects.
func delimited(s string, by byte) (part, rest string, ok bool) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case by:
			return s[:i], s[i+1:], true
		}
	}
	return "", "", false
}

// awk programs may run commands and write files; those that cannot are told
// by what they do not contain.
func (f *floor) awk(c *call) {
	o := parseOptions(c.args, "F: v: f: e: i: o: d: p: l: n: E: field-separator: assign: file: source: include: load: exec: profile: sandbox posix +")
	if len(o.values("f", "i", "l", "E", "o", "d", "p", "file", "include", "load", "exec", "profile")) > 0 || o.odd || o.vague {
		f.unsafe()
	}
	progs := append(o.values("e", "source"), o.rest...)
	if len(o.values("f", "file", "E", "exec")) > 0 {
		progs = o.values("e", "source")
	} else if len(o.values("e", "source")) == 0 && len(progs) > 1 {
		progs = progs[:1]
	}
	for _, p := range progs {
		if p.unknown || strings.ContainsAny(p.text, "|@`") || strings.Contains(p.text, "system") || strings.Contains(p.text, "getline") || writesAwk(p.text) {
			f.hit("inline-code")
			for _, s := range quotedTexts(p.text) {
				f.probe(s, newEnv(f.place))
			}
		}
	}
}

// writesAwk reports a > that may be a redirection rather than a comparison.
func writesAwk(prog string) bool {
	return strings.Contains(prog, ">") && strings.Contains(prog, "print") && strings.LastIndex(prog, ">") > strings.Index(prog, "print")
}

// quotedTexts gives the string literals of a program in another language. Only
// their denials are believed: this is how system("...") is caught.
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

// interpreter judges programs in other languages. A file of the workspace is
// like any build; a program on the command line or from a pipe is not read.
func (f *floor) interpreter(c *call) {
	code := map[string]string{
		"python": "c", "python2": "c", "python3": "c", "pypy": "c", "pypy3": "c", "perl": "e E n p i", "ruby": "e n p i r", "php": "r B R E",
		"node": "e p eval print r require import loader", "nodejs": "e p eval print r require import loader", "lua": "e", "luajit": "e", "rscript": "e", "osascript": "e", "ghc": "e",
		"ts-node": "e eval p", "tsx": "e eval p", "groovy": "e", "scala": "e", "julia": "e E", "guile": "c", "elixir": "e", "erl": "eval", "tclsh": "",
	}[c.name]
	for i, fd := range c.args {
		s := fd.text
		if fd.unknown && s == "" {
			if i == 0 {
				f.hit("script-unresolved")
			}
			return
		}
		if fd.proc != nil {
			f.runsForeign(*fd.proc)
			return
		}
		if s == "-" || s == "/dev/stdin" {
			break
		}
		if !strings.HasPrefix(s, "-") {
			f.interpreterFile(c, i)
			return
		}
		if (c.name == "python" || c.name == "python3" || c.name == "pypy3") && strings.HasPrefix(s, "-m") {
			f.module(c, i)
			return
		}
		for name := range strings.FieldsSeq(code) {
			long := len(name) > 1
			if long && (s == "-"+name || s == "--"+name || strings.HasPrefix(s, "--"+name+"=")) ||
				!long && !strings.HasPrefix(s, "--") && strings.Contains(s[1:], name) {
				f.hit("inline-code")
				for _, later := range c.args[i:] {
					for _, t := range quotedTexts(later.text) {
						f.probe(t, newEnv(f.place))
					}
				}
				return
			}
		}
	}
	f.runsForeign(c.in)
}

// runsForeign judges an interpreter that reads its program from somewhere.
func (f *floor) runsForeign(in flow) {
	switch {
	case in.net:
		f.hit("net-to-shell")
	case in.open:
		f.hit("inline-code")
		for _, t := range quotedTexts(in.text) {
			f.probe(t, newEnv(f.place))
		}
	}
}

func (f *floor) interpreterFile(c *call, i int) {
	word := c.args[i].text
	if c.name == "deno" {
		f.denoTool(c, word, c.args[i+1:])
		return
	}
	if strings.Contains(word, "://") {
		f.hit("net-to-shell")
	}
	if c.name == "erl" || c.name == "osascript" {
		f.hit("inline-code")
	}
}

func (f *floor) denoTool(c *call, sub string, rest []field) {
	switch sub {
	case "eval", "repl":
		f.hit("inline-code")
	case "install", "add":
		if slices.ContainsFunc(rest, func(fd field) bool { return fd.is("-g") || fd.is("--global") }) {
			f.hit("pkg-global")
		}
	case "publish":
		f.hit("pkg-publish")
	}
	for _, fd := range rest {
		if strings.Contains(fd.text, "://") && (sub == "run" || sub == "install" || sub == "serve") {
			f.hit("net-to-shell")
		}
	}
}

// module judges python -m NAME.
func (f *floor) module(c *call, i int) {
	name, rest := strings.TrimPrefix(c.args[i].text, "-m"), c.args[i+1:]
	if name == "" && len(rest) > 0 {
		name, rest = rest[0].text, rest[1:]
	}
	switch name {
	case "pip":
		f.pip(&call{name: "pip", args: rest, e: c.e, in: c.in})
	case "http.server", "smtpd", "SimpleHTTPServer", "pyftpdlib":
		f.hit("net-upload")
	case "twine":
		f.hit("pkg-publish")
	case "timeit", "code", "pdb":
		f.hit("inline-code")
	}
}

func (f *floor) make(c *call) {
	o := parseOptions(c.args, "j: k s n B i w t q e r R d p C: f: I: l: o: W: directory: file: makefile: include-dir: jobs: keep-going silent quiet dry-run always-make eval: load-average: old-file: what-if: no-print-directory")
	for _, fd := range o.values("eval") {
		f.hit("inline-code")
		f.probe(fd.text, c.e.child())
	}
	for _, fd := range o.rest {
		if name, val, ok := strings.Cut(fd.text, "="); ok {
			f.unsafe()
			f.probe(val, c.e.child())
			if name == "SHELL" || name == "MAKEFLAGS" {
				f.hit("env-hijack")
			}
		}
	}
	for _, fd := range o.values("f", "file", "makefile") {
		if fd.is("-") || fd.is("/dev/stdin") {
			f.hit("inline-code")
		}
	}
}
