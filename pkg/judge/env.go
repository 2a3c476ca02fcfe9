package judge

import (
	"maps"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// value is what a variable, or any other text of a command, may be when the
// command runs.
type value struct {
	alts     []string // the texts that the command itself gives it
	unknown  bool     // and it may be something else
	list     []string // an array's elements, all known
	isList   bool
	exported bool
	net      bool // it came from the network
	glob     bool // alts are patterns; it holds something that matches
	secret   bool // by its name it holds a key or password
}

func known(s string) value { return value{alts: []string{s}} }

var unknown = value{unknown: true}

// union is a value that may be either.
func union(a, b value) value {
	out := value{
		alts:     slices.Clone(a.alts),
		unknown:  a.unknown || b.unknown,
		exported: a.exported || b.exported,
		net:      a.net || b.net,
		glob:     a.glob || b.glob,
		secret:   a.secret || b.secret,
	}
	if a.isList || b.isList {
		if a.isList && b.isList && slices.Equal(a.list, b.list) {
			return a
		}
		out.unknown = true
	}
	for _, s := range b.alts {
		if !slices.Contains(out.alts, s) {
			out.alts = append(out.alts, s)
		}
	}
	if len(out.alts) > maxAlts {
		out.alts, out.unknown = out.alts[:maxAlts], true
	}
	return out
}

// env is what a shell knows at one point of a script.
type env struct {
	place Place
	vars  map[string]value
	cwd   []string // the folders it may be in; none: unknown
	// fallback are the folders it is in when a cd that nothing waits for fails.
	fallback []string
	pos      []field // $1 and on
	posOpen  bool    // there may be others
	funcs    map[string]*syntax.Stmt
	// poisoned: anything may have been assigned (source, eval of unknown text,
	// name references), so no variable is believed.
	poisoned bool
	guarded  bool // the last cd was followed by "|| exit"
	errexit  bool // set -e: a failed cd ends the script
	// code: some text holds a substitution, which arithmetic would run.
	code bool
}

func newEnv(p Place) *env {
	e := &env{place: p, vars: map[string]value{}, funcs: map[string]*syntax.Stmt{}}
	if p.Cwd != "" {
		e.cwd = []string{p.Cwd}
	}
	return e
}

// clone is a branch or subshell.
func (e *env) clone() *env {
	c := *e
	c.vars, c.funcs = maps.Clone(e.vars), maps.Clone(e.funcs)
	return &c
}

// child is what a new shell process sees: variables that were not exported may
// be unset there, and functions are gone.
func (e *env) child() *env {
	c := e.clone()
	for name, v := range c.vars {
		if !v.exported {
			c.vars[name] = union(v, known(""))
		}
	}
	c.funcs = map[string]*syntax.Stmt{}
	c.pos, c.posOpen = nil, false
	return c
}

// merge takes in what a branch may have done.
func (e *env) merge(b *env) {
	for name, v := range b.vars {
		old, had := e.vars[name]
		if !had {
			old = unknown
		}
		e.vars[name] = union(old, v)
	}
	for name, v := range e.vars {
		if _, had := b.vars[name]; !had {
			e.vars[name] = union(v, unknown)
		}
	}
	for name, f := range b.funcs {
		if e.funcs[name] == nil {
			e.funcs[name] = f
		}
	}
	if len(e.cwd) == 0 || len(b.cwd) == 0 {
		e.cwd = nil
	} else {
		e.cwd = addAll(e.cwd, b.cwd)
	}
	e.fallback = addAll(e.fallback, b.fallback)
	if len(e.cwd) > maxAlts {
		e.cwd = nil
	}
	if len(e.fallback) > maxAlts {
		e.fallback = e.fallback[:maxAlts]
	}
	e.posOpen = e.posOpen || b.posOpen || len(e.pos) != len(b.pos)
	e.poisoned = e.poisoned || b.poisoned
	e.code = e.code || b.code
}

func addAll(a, b []string) []string {
	a = slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}

// lookup gives a variable's value. What the command did not set comes from a
// surrounding that is not seen here.
func (e *env) lookup(name string) value {
	v, had := e.vars[name]
	switch {
	case e.poisoned:
		v.unknown, v.isList = true, false
		return v
	case had:
		return v
	}
	switch name {
	case "HOME":
		if e.place.Home != "" {
			return known(e.place.Home)
		}
	case "PWD":
		if len(e.cwd) > 0 {
			return value{alts: slices.Clone(e.cwd)}
		}
	case "IFS":
		return known(" \t\n")
	}
	return value{unknown: true, secret: secretName(name)}
}

// secretName reports a variable that by its name holds a key or a password.
func secretName(name string) bool {
	name = strings.ToUpper(name)
	for _, tail := range []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "API_KEY", "APIKEY", "ACCESS_KEY", "PRIVATE_KEY", "SECRET_KEY", "CREDENTIALS"} {
		if strings.HasSuffix(name, tail) {
			return true
		}
	}
	return false
}

func (e *env) set(name string, v value) {
	for _, s := range v.alts {
		if runnable(s) {
			e.code = true
		}
	}
	for _, s := range v.list {
		if runnable(s) {
			e.code = true
		}
	}
	if old, had := e.vars[name]; had {
		v.exported = v.exported || old.exported
	}
	e.vars[name] = v
}

// runnable reports text that arithmetic or a prompt would run.
func runnable(s string) bool { return strings.Contains(s, "$(") || strings.Contains(s, "`") }

// assign performs NAME=value, NAME+=value and NAME=(...).
func (f *floor) assign(a *syntax.Assign, e *env, exported bool) {
	if a.Name == nil {
		if a.Value != nil {
			f.text(a.Value, e)
		}
		return
	}
	name := a.Name.Value
	if a.Index != nil {
		f.arithmetic(a.Index, e)
	}
	v := value{exported: exported}
	switch {
	case a.Naked:
		if exported {
			v = e.lookup(name)
			v.exported = true
			e.set(name, v)
		}
		return
	case a.Array != nil:
		v.isList = true
		for _, el := range a.Array.Elems {
			if el.Index != nil {
				f.arithmetic(el.Index, e)
				v.unknown = true
			}
			if el.Value == nil {
				continue
			}
			argvs := f.expand([]*syntax.Word{el.Value}, e)
			for _, fd := range argvs[0] {
				v.unknown = v.unknown || fd.unknown || fd.glob || len(argvs) > 1
				v.list = append(v.list, fd.text)
			}
		}
		v.isList = !v.unknown
	case a.Value != nil:
		v = f.text(a.Value, e)
		v.exported = exported
	default:
		v = value{alts: []string{""}, exported: exported}
	}
	if a.Append {
		v = join(e.lookup(name), v)
	}
	if a.Index != nil {
		v.unknown, v.isList = true, false
	}
	f.watchVariable(name, v)
	e.set(name, v)
}

// join is one text after another.
func join(a, b value) value {
	out := value{unknown: a.unknown || b.unknown || a.isList || b.isList, exported: a.exported, net: a.net || b.net, glob: a.glob || b.glob, secret: a.secret || b.secret}
	for _, x := range a.alts {
		for _, y := range b.alts {
			if s := x + y; len(s) <= maxValue && len(out.alts) < maxAlts {
				out.alts = append(out.alts, s)
			} else {
				out.unknown = true
			}
		}
	}
	return out
}

// resolve gives the absolute paths that a word may name. False: not all of
// them are known.
func (e *env) resolve(text string) ([]string, bool) {
	if roots := e.place.Roots; len(roots) > 0 && drive(roots[0]) && len(text) > 1 && text[0] == '/' && drive(text[1:2]+":") && (len(text) == 2 || text[2] == '/') {
		text = text[1:2] + ":" + text[2:] // /c/Users, as git's bash has it
	}
	if strings.HasPrefix(text, "/") {
		return []string{e.place.climb(text)}, true
	}
	if drive(text) {
		return []string{path.Clean(strings.ReplaceAll(text, `\`, "/"))}, true
	}
	var out []string
	for _, dir := range e.cwd {
		out = append(out, e.place.climb(dir+"/"+text))
	}
	return out, len(out) > 0
}

// climb cleans an absolute path as the kernel reads it: .. behind a link is above what the link leads to.
func (p *Place) climb(name string) string {
	if p.Real == nil || drive(name) || !strings.Contains(name, "/..") {
		return path.Clean(name)
	}
	at := ""
	for _, elem := range strings.Split(name, "/") {
		if elem == ".." {
			if real, ok := p.Real(path.Clean("/" + at)); ok {
				at = real
			}
		}
		at = path.Clean("/" + at + "/" + elem)
	}
	return at
}

// everywhere is resolve for a shell that may also be where a failed cd left it.
func (e *env) everywhere(text string) ([]string, bool) {
	paths, ok := e.resolve(text)
	if !strings.HasPrefix(text, "/") && !drive(text) {
		for _, dir := range e.fallback {
			paths = addAll(paths, []string{e.place.climb(dir + "/" + text)})
		}
	}
	return paths, ok
}
