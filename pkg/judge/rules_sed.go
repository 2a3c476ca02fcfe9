package judge

import "strings"

// sed judges what a script of sed may do beside printing: w writes a file, e
// runs a command, and -i changes the operands.
func (f *floor) sed(c *call) {
	o := parseOptions(c.args, "n E r s u z i I l: e: f: expression: file: quiet silent in-place regexp-extended line-length: null-data debug posix separate sandbox")
	scripts := o.values("e expression")
	if !o.has("e expression f file") && len(o.rest) > 0 {
		scripts, o.rest = o.rest[:1], o.rest[1:]
	}
	for i := range scripts {
		if !sedScript(&scripts[i]) {
			f.hit("inline-code")
		}
	}
	if o.has("f file") {
		f.unsafe()
	}
	for i := range c.args {
		// -i may carry a suffix, and may be clustered: -ni, -i.bak.
		if s := c.args[i].text; strings.HasPrefix(s, "--in-place") || strings.HasPrefix(s, "-") && !strings.HasPrefix(s, "--") && sedInPlace(s) {
			f.does(c, o, "write: rest")
			return
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
func sedScript(fd *field) bool {
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
	if all := joinTexts(c.args); o.odd || o.vague || o.has("f i l E o d p file include load exec profile") ||
		strings.Contains(all, "ARGV") || strings.Contains(all, "ENVIRON") { // other files, and the environment
		f.unsafe()
	}
	progs := o.values("e source")
	if len(progs) == 0 && len(o.rest) > 0 && !o.has("f file E exec") {
		progs = o.rest[:1]
	}
	for i := range progs {
		p := progs[i].text
		if progs[i].unknown || strings.ContainsAny(p, "|@`") || strings.Contains(p, "system") || strings.Contains(p, "getline") || writesAwk(p) {
			f.foreign(p)
		}
	}
}

// writesAwk reports a > that may be a redirection rather than a comparison.
func writesAwk(prog string) bool {
	return strings.Contains(prog, ">") && strings.Contains(prog, "print") && strings.LastIndex(prog, ">") > strings.Index(prog, "print")
}
