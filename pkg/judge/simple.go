package judge

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call is one simple command, one way of its expansion.
type call struct {
	name string  // lower case, without folder and .exe
	args []field // after the name
	e    *env
	in   flow
	bare bool // named as it is usually named: safe lists apply
}

// simple judges a simple command in every way that it may expand.
func (f *floor) simple(c *syntax.CallExpr, e *env, in flow) flow {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			f.assign(a, e, false)
		}
		return flow{}
	}
	ways := f.expand(c.Args, e)
	var out flow
	at := e
	if len(c.Assigns) > 0 {
		// They hold for this command alone, save where it is a builtin: then
		// they may stay.
		at = e.clone()
		for _, a := range c.Assigns {
			f.assign(a, at, true)
		}
	}
	for i, argv := range ways {
		run := at
		if len(ways) > 1 {
			run = at.clone()
		}
		got := f.argv(argv, run, in)
		if len(ways) > 1 {
			at.merge(run)
		}
		if out = got; i > 0 {
			out = flow{open: true, net: got.net || f.net}
		}
	}
	if at != e {
		for _, a := range c.Assigns {
			if a.Name != nil {
				at.vars[a.Name.Value] = union(at.lookup(a.Name.Value), e.lookup(a.Name.Value))
			}
		}
		*e = *at
	}
	return out
}

// argv judges one command line.
func (f *floor) argv(argv []field, e *env, in flow) flow {
	f.depth++
	defer func() { f.depth-- }()
	if len(argv) == 0 || !f.step() {
		return flow{}
	}
	head := argv[0]
	if head.unknown || head.glob && head.text != "[" {
		f.hit("command-unresolved")
		if head.net {
			f.hit("net-to-shell")
		}
		f.suffixes(argv[1:], e, in)
		return flow{open: true, net: f.net}
	}
	if head.text == "" {
		return flow{}
	}
	if e.funcs[head.text] != nil {
		return f.callFunction(head.text, argv[1:], e, in)
	}
	if got, ok := f.justWritten(&head, e); ok {
		f.runsInput(got, e.child())
	}
	// zsh finds the program for =name.
	name := strings.TrimPrefix(path.Base(head.text), "=")
	c := &call{name: strings.ToLower(strings.TrimSuffix(name, ".exe")), args: argv[1:], e: e, in: in}
	c.bare = head.text == c.name || standardDir(path.Dir(head.text)) && name == c.name
	return f.call(c, head.text)
}

func standardDir(dir string) bool {
	return dir == "/bin" || dir == "/usr/bin" || dir == "/usr/local/bin" || dir == "/sbin" || dir == "/usr/sbin"
}

// call looks a command up: a wrapper is opened, a rule is applied, the safe
// list is asked, in that order. What nothing knows may itself be a wrapper.
func (f *floor) call(c *call, typed string) flow {
	if w, ok := wrappers[c.name]; ok {
		return f.wrapped(w, c)
	}
	if h, ok := shellWords[c.name]; ok {
		return h(f, c)
	}
	if strings.HasPrefix(c.name, "mkfs.") || strings.HasPrefix(c.name, "fsck.") {
		f.hit("disk")
	}
	rule, known := rules[c.name]
	if known {
		rule(f, c)
	}
	f.secretArgs(c)
	row := ""
	if c.bare || typed == "./gradlew" || typed == "./mvnw" {
		row = f.safeRow(c)
	}
	switch {
	case row != "":
		f.hit(row)
	case known || knownNames[c.name]:
		f.unsafe()
	default:
		f.unsafe()
		f.suffixes(c.args, c.e, c.in)
	}
	return flow{open: true, net: in(networkNames, c.name) || c.in.net}
}

// safeRow gives the row by which a command is safe. One that prints files may not reach credentials by a pattern, nor by
// walking; where the disk can be seen, a pattern is what it matches there.
func (f *floor) safeRow(c *call) string {
	row := f.safe(c)
	if row != "" && !in(showsFiles, row) {
		return row
	}
	seen := *c
	seen.args = nil
	for i := range c.args {
		words := c.args[i : i+1]
		if fd := &c.args[i]; fd.glob {
			found, ok := f.matches(fd, c.e)
			if !ok && (f.eyes != nil || reachesSecret(fd)) {
				return ""
			}
			if ok {
				words = found
			}
		}
		seen.args = append(seen.args, words...)
	}
	if row = f.safe(&seen); in(showsFiles, row) && !f.reachesNone(&seen) {
		return ""
	}
	return row
}

// showsFiles are the rows whose commands print what is in their files.
const showsFiles = "safe-read safe-search safe-git safe-lint"

// suffixes judges the words of a command that is not known, each as if a
// command began there: it may be a wrapper. A text with blanks may be a script.
func (f *floor) suffixes(args []field, e *env, in flow) {
	if f.inSuffix {
		return
	}
	for i := range args {
		fd := &args[i]
		if i == 12 || !f.step() {
			return // longer lines are data
		}
		if fd.unknown || fd.glob || fd.text == "" || strings.HasPrefix(fd.text, "-") {
			continue
		}
		inner := &floor{place: f.place, off: f.off, steps: f.steps, scripts: f.scripts, depth: f.depth + 1, inSuffix: true}
		if strings.ContainsAny(fd.text, " \t\n;|&") {
			if len(fd.text) <= maxValue && !oddText(fd.text) {
				inner.script(fd.text, e.child(), in)
				inner.uncalled()
			}
		} else {
			inner.argv(args[i:], e.clone(), in)
		}
		f.steps, f.scripts = inner.steps, inner.scripts
		if inner.full {
			f.over()
			return
		}
		if inner.deny != "" {
			f.hit("runs-denied")
			return
		}
	}
}
