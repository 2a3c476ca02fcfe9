package judge

import (
	"strings"
)

// shellWords are commands whose effect on the shell, or on what comes after
// them in a pipe, is followed. Filled in init: they call each other.
var shellWords map[string]func(*floor, *call) flow

func init() {
	shellWords = map[string]func(*floor, *call) flow{}
	for _, g := range []struct {
		names string
		word  func(*floor, *call) flow
	}{
		{"echo", (*floor).echo},
		{"printf", (*floor).printf},
		{"cat", (*floor).cat},
		{"cd pushd chdir", (*floor).cd},
		{"popd", (*floor).popd},
		{"eval", (*floor).eval},
		{"source .", (*floor).source},
		{"trap", (*floor).trap},
		{"set", (*floor).setCommand},
		{"shift", (*floor).shift},
		{"unset", (*floor).unset},
		{"read mapfile readarray getopts wait", (*floor).read},
		{"export declare typeset local readonly let", (*floor).declareWords},
		{"alias unalias hash enable bind complete compopt shopt setopt unsetopt emulate zmodload autoload functions", (*floor).rewire},
		{"sh bash zsh dash ksh ash mksh rbash", (*floor).shell},
		{"fish nu pwsh powershell cmd csh tcsh xonsh elvish", (*floor).otherShell},
		{"env", (*floor).envCommand},
		{"xargs", (*floor).xargs},
		{"find", (*floor).find},
		{"parallel", (*floor).parallel},
		{"npx bunx pnpx uvx pipx", (*floor).npx},
	} {
		for _, name := range words(g.names) {
			shellWords[name] = g.word
		}
	}
}

// echo and printf give their text to what follows, where it can be told.
func (f *floor) echo(c *call) flow {
	args := c.args
	newline := "\n"
	for len(args) > 0 && args[0].oneOf("-n -e -E -ne -en") {
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
		if fd.secret {
			f.sawSecret()
		}
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
		f.runnables(c.args)
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
func (f *floor) reads(c *call, o *options, row string) {
	f.hit(row)
	if o.odd || !c.bare {
		f.unsafe()
	}
	for _, fd := range o.rest {
		if !fd.is("-") {
			f.readField(&fd, c.e)
		}
	}
}

func (f *floor) cd(c *call) flow {
	o := parseOptions(c.args, "L P e q s n")
	f.hit("safe-shell")
	dir := &field{text: c.e.place.Home, unknown: c.e.place.Home == ""}
	if len(o.rest) > 0 {
		dir = &o.rest[len(o.rest)-1]
	}
	f.enter(dir, c.e)
	return flow{}
}

// enter moves to a folder.
func (f *floor) enter(dir *field, e *env) {
	if dir.unknown || dir.glob || dir.is("-") {
		e.cwd = nil
		f.unsafe()
		return
	}
	paths, _ := e.resolve(dir.text)
	if e.place.Real != nil && strings.Contains(dir.text, "..") {
		// The shell climbs by the names it came by, and with -P, or where that fails, as the kernel does.
		logical := *e
		logical.place.Real = nil
		more, _ := logical.resolve(dir.text)
		paths = addAll(paths, more)
	}
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

func (f *floor) trap(c *call) flow {
	f.unsafe()
	o := parseOptions(c.args, "l p +")
	if len(o.rest) > 1 {
		e := c.e.clone()
		e.posOpen = true
		f.scriptField(&o.rest[0], e, flow{open: true})
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
	f.runnables(c.args)
	for i := range c.args {
		switch fd := &c.args[i]; {
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
