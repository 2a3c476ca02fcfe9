package judge

import (
	"cmp"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// flow is what a command can read from its standard input, or what it writes
// to its output.
type flow struct {
	open  bool // there is something
	known bool // text is all of it
	text  string
	net   bool // it came from the network
}

var errDeep = errors.New("nested too deeply")

// shallow feeds the parser, and stops feeding it once the parser's own
// recursion is deep: a text of ten thousand brackets would otherwise end the
// guest, whose stack is the host's. It gives no more bytes at a time than can
// bring the stack to its bound.
type shallow struct {
	rest   string
	frames [maxFrames]uintptr
}

const (
	maxFrames     = 1200
	framesPerByte = 8 // what one nesting sign costs the parser at the most
)

func (r *shallow) Read(p []byte) (int, error) {
	if r.rest == "" {
		return 0, io.EOF
	}
	room := maxFrames - runtime.Callers(0, r.frames[:])
	if room == 0 {
		return 0, errDeep
	}
	n := copy(p[:min(len(p), max(16, room/framesPerByte))], r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// script judges the text of a script in a shell that knows e. What stands
// before a syntax error is judged too: shells run line by line.
func (f *floor) script(text string, e *env, in flow) flow {
	odd := oddText(text)
	// A shell takes the CR in front of a line end for a part of the last word, or for what a backslash escapes. Such a text is
	// odd; it is read without them for what has to be denied in it.
	text = strings.ReplaceAll(text, "\r\n", "\n")
	f.scripts += len(text)
	if len(text) > maxCommand || f.scripts > maxScripts {
		f.over()
		return flow{open: true}
	}
	if odd {
		f.hit("odd-text")
	}
	f.depth++
	defer func() { f.depth-- }()
	var stmts []*syntax.Stmt
	p := syntax.NewParser(syntax.Variant(syntax.LangBash))
	var failed error
	for s, err := range p.StmtsSeq(&shallow{rest: text}) {
		// No break: the parser yields its error once more, and a loop that has
		// ended may not be yielded to.
		if failed = cmp.Or(failed, err); failed == nil {
			stmts = append(stmts, s)
		}
	}
	switch {
	case errors.Is(failed, errDeep):
		f.over()
	case failed != nil:
		f.hit("unparsed")
	}
	return f.statements(stmts, e, in)
}

// probe judges text that may be run somewhere, and takes over denials alone.
func (f *floor) probe(text string, e *env) {
	f.unsafe()
	if len(text) > maxValue || !f.step() {
		return
	}
	inner := &floor{place: f.place, off: f.off, steps: f.steps, scripts: f.scripts, depth: f.depth + 1}
	inner.script(text, e, flow{open: true})
	inner.uncalled()
	f.steps, f.scripts = inner.steps, inner.scripts
	if inner.deny != "" {
		f.hit(inner.deny)
	}
}

// statements judges a list. Its output is followed only when it is one command.
func (f *floor) statements(list []*syntax.Stmt, e *env, in flow) flow {
	out := flow{}
	for i, s := range list {
		if !f.step() {
			return flow{open: true}
		}
		before := e.cwd
		out = f.statement(s, e, in)
		if !e.guarded && !e.errexit && !slices.Equal(before, e.cwd) {
			// Nothing stops the script when a cd fails: it may still be here.
			e.fallback = addAll(e.fallback, before)
		}
		e.guarded = false
		if i > 0 || len(list) > 1 {
			out = flow{open: true, net: out.net || f.net}
		}
	}
	return out
}

// branch judges something that may or may not run: in a copy of the shell's
// knowledge, of which both outcomes are kept.
func (f *floor) branch(e *env, run func(*env) flow) flow {
	b := e.clone()
	out := run(b)
	e.merge(b)
	return out
}

func (f *floor) statement(s *syntax.Stmt, e *env, in flow) flow {
	if s == nil || !f.step() {
		return flow{open: true}
	}
	f.depth++
	defer func() { f.depth-- }()
	out, quiet := f.redirects(s.Redirs, e, &in)
	if s.Background || s.Coprocess || s.Disown {
		f.unsafe()
		f.piped++
		defer func() { f.piped-- }()
	}
	var got flow
	switch c := s.Cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		got = f.simple(c, e, in)
	case *syntax.BinaryCmd:
		got = f.binary(c, e, in)
	case *syntax.Block:
		got = f.statements(c.Stmts, e, in)
	case *syntax.Subshell:
		got = f.statements(c.Stmts, e.clone(), in)
	default:
		f.unsafe()
		got = f.compound(c, e, in)
	}
	for _, p := range out {
		if got.known {
			f.special(p, &body{text: got.text, known: true})
		}
		got.open = true
		f.wrote(p, got)
	}
	if quiet {
		return flow{}
	}
	return got
}

func (f *floor) binary(c *syntax.BinaryCmd, e *env, in flow) flow {
	// The tree leans left: a long list is walked, not recursed into.
	chain := []*syntax.BinaryCmd{c}
	for c.X != nil && len(c.X.Redirs) == 0 && !c.X.Negated && !c.X.Background {
		x, ok := c.X.Cmd.(*syntax.BinaryCmd)
		if !ok {
			break
		}
		chain = append(chain, x)
		c = x
	}
	last := chain[len(chain)-1]
	start := e.cwd
	out := flow{}
	if pipe(last.Op) {
		f.piped++
		out = f.branch(e, func(b *env) flow { return f.statement(last.X, b, in) })
		f.piped--
	} else {
		out = f.statement(last.X, e, in)
	}
	for i := len(chain) - 1; i >= 0; i-- {
		op := chain[i].Op
		if pipe(op) {
			out.open = true
			f.piped++
			out = f.branch(e, func(b *env) flow { return f.statement(chain[i].Y, b, out) })
			f.piped--
			continue
		}
		if op == syntax.AndStmt {
			out = f.andThen(chain[i].Y, e, in)
		} else {
			out = f.orElse(chain[i].Y, start, e, in)
		}
	}
	return out
}

// andThen judges what runs only when what stood before worked, a cd included.
func (f *floor) andThen(s *syntax.Stmt, e *env, in flow) flow {
	before := e.clone()
	out := f.statement(s, e, in)
	kept := e.cwd
	e.merge(before)
	if len(kept) > 0 {
		// What follows the list may run without this cd having happened.
		e.fallback = addAll(e.fallback, before.cwd)
		e.cwd = kept
	}
	return flow{open: true, net: out.net}
}

// orElse judges what runs when what stood before failed: a cd among it did
// not happen. start is where the list began.
func (f *floor) orElse(s *syntax.Stmt, start []string, e *env, in flow) flow {
	b := e.clone()
	b.cwd = addAll(b.cwd, start)
	began := b.cwd
	out := f.statement(s, b, in)
	if leaves(s) {
		e.guarded = true
		return flow{open: true, net: out.net}
	}
	kept := e.cwd
	e.merge(b)
	if slices.Equal(began, b.cwd) {
		e.fallback = addAll(e.fallback, start)
		e.cwd = kept
	}
	return flow{open: true, net: out.net}
}

// leaves reports a statement that ends the script or loop.
func leaves(s *syntax.Stmt) bool {
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 || s.Background {
		return false
	}
	switch c.Args[0].Lit() {
	case "exit", "return", "break", "continue":
		return true
	}
	return false
}

func pipe(op syntax.BinCmdOperator) bool { return op == syntax.Pipe || op == syntax.PipeAll }

// substitution judges $(...) and says what it may give.
func (f *floor) substitution(list []*syntax.Stmt, e *env) value {
	f.unsafe()
	f.depth++
	defer func() { f.depth-- }()
	if !f.step() {
		return unknown
	}
	out := f.statements(list, e.clone(), flow{})
	if out.known {
		return known(strings.TrimRight(out.text, "\n"))
	}
	return value{unknown: true, net: out.net}
}
