package pattern

import (
	"regexp/syntax"
	"slices"
	"sort"
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
	sort.SliceStable(pairs, func(i, j int) bool { return pairs[i][0] < pairs[j][0] })
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
