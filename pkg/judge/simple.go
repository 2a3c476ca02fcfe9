package judge

import (
	"path"
	"slices"
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
	c := &call{name: strings.ToLower(strings.TrimSuffix(path.Base(head.text), ".exe")), args: argv[1:], e: e, in: in}
	c.bare = head.text == c.name || standardDir(path.Dir(head.text))
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
		row = f.safe(c)
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
	return flow{open: true, net: networkNames[c.name] || c.in.net}
}

// suffixes judges the words of a command that is not known, each as if a
// command began there: it may be a wrapper. A text with blanks may be a script.
func (f *floor) suffixes(args []field, e *env, in flow) {
	if f.inSuffix {
		return
	}
	for i, fd := range args {
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

// readField judges a file that a command reads.
func (f *floor) readField(fd field, e *env) {
	if fd.proc != nil {
		return
	}
	if fd.unknown {
		f.unsafe()
		if fd.tail != "" && secretPath("/"+strings.TrimPrefix(fd.tail, "/"), "") {
			f.sawSecret()
		}
		return
	}
	paths, ok := e.resolve(fd.text)
	if !ok {
		paths = []string{"/" + fd.text}
		f.unsafe()
	}
	for _, p := range paths {
		if strings.HasPrefix(p, "/dev/tcp/") || strings.HasPrefix(p, "/dev/udp/") {
			f.hit("remote-shell")
		}
		if secretPath(p, f.place.Home) {
			f.sawSecret()
		}
		if !f.inside(p) && !harmlessDevice(p) {
			f.unsafe()
		}
	}
}

// secretArgs looks for credential files among a command's words, in whatever
// form tools take them: file, --file=file, @file, of=file, name=@file.
func (f *floor) secretArgs(c *call) {
	if textOnly[c.name] {
		return
	}
	args := c.args
	if searches[c.name] {
		// The first word is what is searched for.
		for i, fd := range args {
			if !strings.HasPrefix(fd.text, "-") {
				args = slices.Delete(slices.Clone(args), i, i+1)
				break
			}
		}
	}
	for _, fd := range args {
		forms := []string{fd.text}
		if fd.unknown {
			forms = []string{"/x" + fd.tail}
			if fd.text != "" {
				forms = append(forms, fd.text+"x")
			}
		}
		for i := 0; i < len(forms) && len(forms) < 6; i++ {
			if _, after, ok := strings.Cut(forms[i], "="); ok {
				forms = append(forms, after)
			}
			if _, after, ok := strings.Cut(forms[i], "@"); ok {
				forms = append(forms, after)
			}
		}
		for _, s := range forms {
			if strings.Contains(s, "://") || s == "" {
				continue
			}
			if paths, ok := c.e.resolve(s); ok && slices.ContainsFunc(paths, func(p string) bool { return secretPath(p, f.place.Home) }) ||
				!ok && secretPath("/"+s, "") {
				f.sawSecret()
				return
			}
		}
	}
}

// writeField judges a file that a command creates or changes.
func (f *floor) writeField(fd field, e *env, b *body) {
	f.unsafe()
	if b == nil {
		b = &body{}
	}
	if fd.proc != nil {
		return
	}
	paths, ok := e.resolve(fd.text)
	if fd.unknown || !ok {
		f.hit("target-unresolved")
		return
	}
	if fd.glob {
		// What it matches lies below the part before the first sign.
		for i, p := range paths {
			paths[i] = globBase(p)
		}
	}
	for _, p := range paths {
		f.writePath(p, b)
	}
	f.elsewhere(fd, e, func(g *floor, p string) { g.writePath(p, b) })
}

// elsewhere judges a relative path in the folders where a failed cd would have
// left the shell. What would be denied there is asked.
func (f *floor) elsewhere(fd field, e *env, judge func(*floor, string)) {
	if strings.HasPrefix(fd.text, "/") || drive(fd.text) {
		return
	}
	for _, dir := range e.fallback {
		g := &floor{place: f.place, off: f.off}
		judge(g, path.Clean(dir+"/"+fd.text))
		if g.deny != "" {
			f.hit("target-unresolved")
		}
	}
}

// globBase is the part of a path before its first element with a glob sign.
func globBase(p string) string {
	at := strings.IndexAny(p, "*?[")
	if at < 0 {
		return p
	}
	if at = strings.LastIndexByte(p[:at], '/'); at <= 0 {
		return "/"
	}
	return p[:at]
}

// removeField judges something that a command deletes.
func (f *floor) removeField(fd field, e *env) {
	f.unsafe()
	paths, ok := e.resolve(fd.text)
	if fd.unknown || !ok {
		f.hit("target-unresolved")
		return
	}
	if fd.text == "" {
		return
	}
	for _, p := range paths {
		f.removeGlob(p, fd.glob)
	}
	f.elsewhere(fd, e, func(g *floor, p string) { g.removeGlob(p, fd.glob) })
}

// removeGlob judges a deletion: a pattern that takes everything in a folder
// deletes the folder, as far as it matters.
func (f *floor) removeGlob(p string, glob bool) {
	for glob && everything(path.Base(p)) {
		p = path.Dir(p)
	}
	if glob && globBase(p) != p {
		if !f.within(globBase(p)) {
			f.outside(globBase(p), "delete-outside")
			return
		}
	}
	f.removePath(p)
}

// everything reports a pattern that matches all names, or all dot names.
func everything(pattern string) bool {
	return strings.Contains(pattern, "*") && strings.Trim(pattern, "*.?[]!^") == ""
}
