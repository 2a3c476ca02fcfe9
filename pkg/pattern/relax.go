package pattern

import (
	"regexp/syntax"
	"strconv"
	"strings"
)

// relax writes the pattern as RE2, with every part that RE2 lacks left out or
// widened: what the pattern matches, the result matches too. It is exact when
// nothing had to be widened.
func relax(n *node) (expr string, exact bool) {
	var b strings.Builder
	exact = true
	relaxTo(&b, n, &exact)
	return b.String(), exact
}

func relaxTo(b *strings.Builder, n *node, exact *bool) {
	switch n.op {
	case nodeSet:
		if len(n.set) == 2 && n.set[0] == n.set[1] && n.set[0] > ' ' {
			b.WriteString(quote(string(n.set[0])))
			return
		}
		if len(n.set) == 0 {
			b.WriteString(`[^\x00-\x{10FFFF}]`)
			return
		}
		b.WriteByte('[')
		for i := 0; i < len(n.set); i += 2 {
			b.WriteString(`\x{` + strconv.FormatInt(int64(n.set[i]), 16) + `}-\x{` + strconv.FormatInt(int64(n.set[i+1]), 16) + `}`)
		}
		b.WriteByte(']')
	case nodeCat, nodeAlt:
		b.WriteString("(?:")
		for i, sub := range n.subs {
			if i > 0 && n.op == nodeAlt {
				b.WriteByte('|')
			}
			relaxTo(b, sub, exact)
		}
		b.WriteByte(')')
	case nodeRepeat:
		b.WriteString("(?:")
		relaxTo(b, n.subs[0], exact)
		b.WriteByte(')')
		switch {
		case n.max < 0 && n.min == 0:
			b.WriteByte('*')
		case n.max < 0 && n.min == 1:
			b.WriteByte('+')
		case n.max < 0:
			b.WriteString("{" + strconv.Itoa(n.min) + ",}")
		default:
			b.WriteString("{" + strconv.Itoa(n.min) + "," + strconv.Itoa(n.max) + "}")
		}
	case nodeGroup:
		b.WriteString("(?:")
		relaxTo(b, n.subs[0], exact)
		b.WriteByte(')')
	case nodeAtomic:
		*exact = false
		b.WriteString("(?:")
		relaxTo(b, n.subs[0], exact)
		b.WriteByte(')')
	case nodeBack:
		*exact = false
		b.WriteString("(?s:.*)")
	case nodeLook:
		*exact = false
		b.WriteString("(?:)")
	case nodeAssert:
		switch n.cond {
		case syntax.EmptyBeginText:
			b.WriteByte('^')
		case syntax.EmptyEndText:
			b.WriteByte('$')
		case syntax.EmptyWordBoundary:
			b.WriteString(`\b`)
		case syntax.EmptyNoWordBoundary:
			b.WriteString(`\B`)
		}
	default:
		b.WriteString("(?:)")
	}
}

// lookLiterals gathers, from every positive lookaround that each match must
// pass, the literal that the line must therefore contain.
func lookLiterals(n *node, found []*literal) []*literal {
	switch n.op {
	case nodeCat, nodeGroup, nodeAtomic:
		for _, sub := range n.subs {
			found = lookLiterals(sub, found)
		}
	case nodeRepeat:
		if n.min > 0 {
			found = lookLiterals(n.subs[0], found)
		}
	case nodeLook:
		if n.negate {
			return found
		}
		expr, _ := relax(n.subs[0])
		if re, err := syntax.Parse(expr, syntax.Perl); err == nil {
			if l := requiredLiteral(re.Simplify()); l != nil {
				found = append(found, l)
			}
		}
		found = lookLiterals(n.subs[0], found)
	}
	return found
}
