package judge

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// compound judges everything but simple commands, lists and groups.
func (f *floor) compound(cmd syntax.Command, e *env, in flow) flow {
	switch c := cmd.(type) {
	case *syntax.IfClause:
		f.ifClause(c, e, in)
	case *syntax.WhileClause:
		f.loop(e, func(b *env) {
			f.statements(c.Cond, b, in)
			f.statements(c.Do, b, in)
		})
	case *syntax.ForClause:
		f.forClause(c, e, in)
	case *syntax.CaseClause:
		f.text(c.Word, e)
		for _, item := range c.Items {
			for _, p := range item.Patterns {
				f.text(p, e)
			}
			f.branch(e, func(b *env) flow { return f.statements(item.Stmts, b, in) })
		}
	case *syntax.FuncDecl:
		f.declare(c, e)
	case *syntax.ArithmCmd:
		f.arithmetic(c.X, e)
	case *syntax.LetClause:
		for _, x := range c.Exprs {
			f.arithmetic(x, e)
		}
	case *syntax.TestClause:
		f.test(c.X, e)
	case *syntax.DeclClause:
		f.declClause(c, e)
	case *syntax.TimeClause:
		return f.statement(c.Stmt, e, in)
	case *syntax.CoprocClause:
		f.piped++
		f.statement(c.Stmt, e.clone(), flow{open: true})
		f.piped--
	default:
		f.hit("unparsed")
	}
	return flow{open: true, net: f.net}
}

func (f *floor) ifClause(c *syntax.IfClause, e *env, in flow) {
	for ; c != nil && f.step(); c = c.Else {
		f.statements(c.Cond, e, in)
		f.branch(e, func(b *env) flow { return f.statements(c.Then, b, in) })
	}
}

// loop judges a body twice: the second time it knows what the first changed.
func (f *floor) loop(e *env, body func(*env)) {
	for range 2 {
		f.branch(e, func(b *env) flow { body(b); return flow{} })
	}
}

// maxItems is how many known items of a for loop are judged one by one; past
// it the variable is unknown in the body.
const maxItems = 12

func (f *floor) forClause(c *syntax.ForClause, e *env, in flow) {
	body := func(b *env) { f.statements(c.Do, b, in) }
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		cs := c.Loop.(*syntax.CStyleLoop)
		for _, x := range []syntax.ArithmExpr{cs.Init, cs.Cond, cs.Post} {
			if x != nil {
				f.arithmetic(x, e)
			}
		}
		f.loop(e, body)
		return
	}
	name := iter.Name.Value
	items := [][]field{e.pos}
	if iter.InPos.IsValid() {
		items = f.expand(iter.Items, e)
	}
	for _, way := range items {
		exact := len(way) <= maxItems && !c.Select && !(e.posOpen && !iter.InPos.IsValid())
		for _, fd := range way {
			exact = exact && !fd.many
		}
		if !exact {
			for _, fd := range way {
				// A denied item is denied though there may be more of them.
				if !fd.unknown && len(way) <= maxItems*4 {
					f.branch(e, func(b *env) flow { b.bind(name, fd); body(b); return flow{} })
				}
			}
			f.loop(e, func(b *env) { b.set(name, unknown); body(b) })
			continue
		}
		for range 2 { // twice, for what one pass leaves to the next
			for _, fd := range way {
				f.branch(e, func(b *env) flow { b.bind(name, fd); body(b); return flow{} })
			}
			if len(way)*f.depth > maxItems*4 {
				break
			}
		}
	}
}

// bind gives a loop variable one item. A glob stays one: whatever it matched,
// quoted or not, is a match of it.
func (e *env) bind(name string, fd field) {
	v := value{unknown: fd.unknown, net: fd.net, glob: fd.glob}
	if !fd.unknown {
		v.alts = []string{fd.text}
	}
	e.set(name, v)
}

// declare stores a function; its body is judged when it is called.
func (f *floor) declare(c *syntax.FuncDecl, e *env) {
	if c.Name == nil {
		f.hit("unparsed")
		return
	}
	e.funcs[c.Name.Value] = c.Body
	f.declared = append(f.declared, declaration{c.Body, e.clone()})
}

// declaration is a function, and what the shell knew when it met it.
type declaration struct {
	body *syntax.Stmt
	e    *env
}

// uncalled judges the functions that no command called: a trap or another
// shell may.
func (f *floor) uncalled() {
	for i := 0; i < len(f.declared) && f.step(); i++ {
		if d := f.declared[i]; !f.ran[d.body] {
			d.e.pos, d.e.posOpen = nil, true
			f.ranBody(d.body)
			f.statement(d.body, d.e, flow{open: true})
		}
	}
}

func (f *floor) ranBody(body *syntax.Stmt) {
	if f.ran == nil {
		f.ran = map[*syntax.Stmt]bool{}
	}
	f.ran[body] = true
}

// callFunction judges a function's body with its arguments.
func (f *floor) callFunction(name string, args []field, e *env, in flow) flow {
	body := e.funcs[name]
	f.ranBody(body)
	f.unsafe()
	if slices.Contains(f.calls, body) {
		if f.piped > 0 {
			f.hit("fork-bomb")
		}
		return flow{open: true}
	}
	f.calls = append(f.calls, body)
	pos, open := e.pos, e.posOpen
	e.pos, e.posOpen = args, hasMany(args)
	out := f.statement(body, e, in)
	e.pos, e.posOpen = pos, open
	f.calls = f.calls[:len(f.calls)-1]
	return out
}

func hasMany(fs []field) bool {
	return slices.ContainsFunc(fs, func(fd field) bool { return fd.many })
}

// test judges [[ ... ]]: its words, and arithmetic in its comparisons.
func (f *floor) test(x syntax.TestExpr, e *env) {
	if !f.step() {
		return
	}
	f.depth++
	defer func() { f.depth-- }()
	switch t := x.(type) {
	case *syntax.BinaryTest:
		switch t.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			if e.code {
				f.hit("code-in-text")
			}
		}
		f.test(t.X, e)
		f.test(t.Y, e)
	case *syntax.UnaryTest:
		if t.Op == syntax.TsVarSet && e.code {
			f.hit("code-in-text")
		}
		f.test(t.X, e)
	case *syntax.ParenTest:
		f.test(t.X, e)
	case *syntax.Word:
		v := f.text(t, e)
		for _, s := range v.alts {
			if runnable(s) {
				f.hit("code-in-text")
			}
		}
	}
}

// declClause judges declare, export, local, readonly and typeset.
func (f *floor) declClause(c *syntax.DeclClause, e *env) {
	exported, integer := c.Variant.Value == "export", false
	if len(c.Args) == 0 {
		f.sawSecret() // prints every variable
	}
	if c.Variant.Value == "nameref" {
		e.poisoned = true
	}
	for _, a := range c.Args {
		if a.Naked && a.Name == nil && a.Value != nil {
			v := f.text(a.Value, e)
			for _, s := range v.alts {
				if strings.HasPrefix(s, "-") {
					exported = exported || strings.Contains(s, "x")
					integer = integer || strings.Contains(s, "i")
					if s == "-p" {
						f.sawSecret()
					}
					if strings.ContainsAny(s, "niul") {
						e.poisoned = true // references, and values that change
					}
				}
				if runnable(s) {
					f.hit("code-in-text")
				}
			}
			if v.unknown {
				e.poisoned = true
				f.unsafe()
			}
			continue
		}
		f.assign(a, e, exported)
		if integer && e.code {
			f.hit("code-in-text") // its value is evaluated at once
		}
	}
}
