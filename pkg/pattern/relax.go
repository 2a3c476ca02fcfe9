package pattern

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// joinEdges turns a lookaround at the edge of the pattern into plain text, where
// that matches the same lines: what stands behind (?<=x)y and y(?=x) must be
// there anyway, so they are xy and yx, and (?<!x)y is y at the start of the line or
// after anything but x. Then the automaton alone answers.
func joinEdges(root *node) {
	if hasBack(root) {
		return // what a group holds would be another text
	}
	switch root.op {
	case nodeAlt:
		for _, sub := range root.subs {
			joinEdges(sub)
		}
	case nodeCat:
		if n := len(root.subs); n > 1 {
			root.subs[0] = joinEdge(root.subs[0], true)
			root.subs[n-1] = joinEdge(root.subs[n-1], false)
		}
	}
}

// joinEdge gives the plain form of a lookaround that looks out of the pattern at
// its first or last place, or the node itself.
func joinEdge(n *node, first bool) *node {
	if n.op != nodeLook || n.behind != first {
		return n
	}
	if !n.negate {
		return n.subs[0]
	}
	sets := runOfSets(n.subs[0])
	if sets == nil {
		return n
	}
	// Not "abc" ahead is: the end, or not a, or a and then not "bc" ahead.
	// Behind, the same from the last rune backwards.
	edge := &node{op: nodeAssert, cond: syntax.EmptyEndText}
	if first {
		edge.cond = syntax.EmptyBeginText
		slices.Reverse(sets)
	}
	var rest *node
	for i := len(sets) - 1; i >= 0; i-- {
		alt := &node{op: nodeAlt, subs: []*node{edge, {op: nodeSet, set: sets[i].not()}}}
		if rest != nil {
			same := &node{op: nodeSet, set: sets[i]}
			pair := []*node{same, rest}
			if first {
				pair = []*node{rest, same}
			}
			alt.subs = append(alt.subs, &node{op: nodeCat, subs: pair})
		}
		rest = alt
	}
	return rest
}

// runOfSets gives the runes of a node that always matches the same number of
// them, one set each; nil for any other node. Sixteen are enough for a word.
func runOfSets(n *node) []runeSet {
	const most = 16
	switch n.op {
	case nodeSet:
		return []runeSet{n.set}
	case nodeGroup:
		return runOfSets(n.subs[0])
	case nodeCat:
		var all []runeSet
		for _, sub := range n.subs {
			sets := runOfSets(sub)
			if sets == nil || len(all)+len(sets) > most {
				return nil
			}
			all = append(all, sets...)
		}
		return all
	}
	return nil
}

// not gives the runes that are not in the set.
func (s runeSet) not() runeSet {
	sorted := slices.Clone(s)
	pairs := make([][2]rune, 0, len(sorted)/2)
	for i := 0; i < len(sorted); i += 2 {
		pairs = append(pairs, [2]rune{sorted[i], sorted[i+1]})
	}
	slices.SortFunc(pairs, func(a, b [2]rune) int { return int(a[0] - b[0]) })
	var out runeSet
	next := rune(0)
	for _, p := range pairs {
		if p[0] > next {
			out = append(out, next, p[0]-1)
		}
		next = max(next, p[1]+1)
	}
	if next <= unicode.MaxRune {
		out = append(out, next, unicode.MaxRune)
	}
	return out
}

func hasBack(n *node) bool {
	if n.op == nodeBack {
		return true
	}
	return slices.ContainsFunc(n.subs, hasBack)
}

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
			fmt.Fprintf(b, `\x{%X}-\x{%X}`, n.set[i], n.set[i+1])
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
			fmt.Fprintf(b, "{%d,}", n.min)
		default:
			fmt.Fprintf(b, "{%d,%d}", n.min, n.max)
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
