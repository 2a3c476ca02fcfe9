package judge

import (
	"slices"
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

// param expands $x and ${x...}.
func (f *floor) param(p *syntax.ParamExp, quoted bool, e *env) piece {
	f.unsafe()
	out := piece{value: unknown, quoted: quoted}
	if p.Param == nil {
		f.inner(p.NestedParam, e)
		return out
	}
	name := p.Param.Value
	if name == "@" || name == "*" {
		if p.Index == nil && p.Slice == nil && p.Repl == nil && p.Exp == nil && !p.Excl && !p.Length {
			return f.positionals(name == "@" && quoted, quoted, e)
		}
		f.innerOf(p, e)
		return out
	}
	v := e.lookup(name)
	if n, err := strconv.Atoi(name); err == nil {
		v = e.positional(n)
	}
	switch {
	case p.Index != nil:
		f.arithmetic(p.Index, e)
		if w, ok := p.Index.(*syntax.Word); ok && v.isList && p.Exp == nil && p.Slice == nil && p.Repl == nil && !p.Excl && !p.Length {
			if s := w.Lit(); s == "@" || s == "*" {
				for _, el := range v.list {
					out.words = append(out.words, lit(el))
				}
				out.spread = true
				return out
			}
		}
		f.innerOf(p, e)
		return out
	case v.isList:
		if len(v.list) > 0 {
			v = known(v.list[0])
		} else {
			v = known("")
		}
	}
	switch {
	case p.Excl:
		f.innerOf(p, e)
		if p.Exp == nil && p.Slice == nil && p.Repl == nil && p.Names == 0 && !v.unknown {
			out.alts, out.unknown = nil, false
			for _, n := range v.alts {
				out.value = union(out.value, e.lookup(n))
			}
		}
		return out
	case p.Length, p.Slice != nil, p.Repl != nil, p.Names != 0, p.Width, p.IsSet, p.NestedParam != nil, p.Flags != nil, len(p.Modifiers) > 0:
		f.innerOf(p, e)
		return out
	case p.Exp != nil:
		out.value = f.expansion(p, name, v, e)
		return out
	}
	if _, set := e.vars["IFS"]; set && !quoted {
		v.unknown = true // split at signs that are not followed here
	}
	out.value = v
	return out
}

// expansion handles ${x:-word} and its like.
func (f *floor) expansion(p *syntax.ParamExp, name string, v value, e *env) value {
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		w := f.text(p.Exp.Word, e)
		if !v.unknown && len(v.alts) == 1 && v.alts[0] != "" {
			return v
		}
		v = union(v, w)
		if p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull {
			e.set(name, v)
		}
		return v
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		return union(f.text(p.Exp.Word, e), known(""))
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		f.text(p.Exp.Word, e)
		return v
	case syntax.OtherParamOps:
		// ${x@P} runs the substitutions in the value of x.
		if e.code || v.unknown {
			f.hit("code-in-text")
		}
		return unknown
	}
	f.text(p.Exp.Word, e)
	return value{unknown: true, net: v.net}
}

func (e *env) positional(n int) value {
	switch {
	case n == 0:
		return unknown
	case n <= len(e.pos):
		fd := e.pos[n-1]
		v := value{unknown: fd.unknown || e.posOpen, net: fd.net}
		if !fd.unknown {
			v.alts = []string{fd.text}
		}
		return v
	case e.posOpen:
		return unknown
	}
	return known("")
}

func (f *floor) positionals(spread, quoted bool, e *env) piece {
	out := piece{quoted: quoted, words: e.pos, spread: true}
	if e.posOpen {
		return piece{value: unknown}
	}
	if spread || len(e.pos) == 0 {
		return out
	}
	// $* and unquoted $@ are split again.
	if slices.ContainsFunc(e.pos, func(fd field) bool { return fd.unknown }) {
		return piece{value: unknown, quoted: quoted}
	}
	return piece{value: known(joinTexts(e.pos)), quoted: quoted}
}

// innerOf looks at the substitutions inside the rest of an expansion.
func (f *floor) innerOf(p *syntax.ParamExp, e *env) {
	if p.Index != nil {
		f.arithmetic(p.Index, e)
	}
	if p.Slice != nil {
		if p.Slice.Offset != nil {
			f.arithmetic(p.Slice.Offset, e)
		}
		if p.Slice.Length != nil {
			f.arithmetic(p.Slice.Length, e)
		}
	}
	if p.Repl != nil {
		f.text(p.Repl.Orig, e)
		f.text(p.Repl.With, e)
	}
	if p.Exp != nil {
		f.text(p.Exp.Word, e)
	}
}

// inner runs every substitution below a node whose own meaning is not followed.
func (f *floor) inner(n syntax.Node, e *env) {
	if n == nil {
		return
	}
	f.unsafe()
	syntax.Walk(n, func(n syntax.Node) bool {
		switch x := n.(type) {
		case *syntax.CmdSubst:
			f.substitution(x.Stmts, e)
			return false
		case *syntax.ProcSubst:
			f.statements(x.Stmts, e.clone(), flow{open: true})
			return false
		}
		return true
	})
}

// arithmetic looks at an arithmetic expression. Shells evaluate the text of
// its variables again, substitutions included, and it may assign.
func (f *floor) arithmetic(x syntax.ArithmExpr, e *env) {
	f.inner(x, e)
	if e.code {
		f.hit("code-in-text")
	}
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryArithm:
			switch n.Op {
			case syntax.Assgn, syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn, syntax.QuoAssgn, syntax.RemAssgn, syntax.AndAssgn,
				syntax.OrAssgn, syntax.XorAssgn, syntax.ShlAssgn, syntax.ShrAssgn, syntax.AndBoolAssgn, syntax.OrBoolAssgn, syntax.XorBoolAssgn, syntax.PowAssgn:
				e.forget(n.X)
			}
		case *syntax.UnaryArithm:
			if n.Op == syntax.Inc || n.Op == syntax.Dec {
				e.forget(n.X)
			}
		case *syntax.SglQuoted:
			if runnable(n.Value) {
				f.hit("code-in-text")
			}
		}
		return true
	})
}

func (e *env) forget(x syntax.ArithmExpr) {
	if w, ok := x.(*syntax.Word); ok {
		if name := w.Lit(); name != "" {
			e.set(name, unknown)
		}
	}
}
