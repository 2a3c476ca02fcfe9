package pattern

import (
	"regexp/syntax"
)

type nodeOp uint8

const (
	nodeEmpty  nodeOp = iota
	nodeSet           // one rune of set
	nodeCat           // all of subs
	nodeAlt           // one of subs
	nodeRepeat        // subs[0], min to max times
	nodeGroup         // subs[0], kept as group n
	nodeBack          // what group n matched
	nodeLook          // subs[0] matches here (or just before), or does not
	nodeAtomic        // subs[0], its first way only
	nodeAssert        // an empty-width condition
)

// node is a part of a pattern that RE2 cannot express.
type node struct {
	op       nodeOp
	subs     []*node
	set      runeSet
	min, max int // max is -1 for no bound
	lazy     bool
	n        int
	fold     bool // nodeBack: in either case
	behind   bool // nodeLook
	negate   bool // nodeLook
	cond     syntax.EmptyOp
}

// runeSet is sorted pairs of bounds, both included.
type runeSet []rune

func (s runeSet) has(r rune) bool {
	if len(s) <= 8 {
		for i := 0; i < len(s); i += 2 {
			if s[i] <= r && r <= s[i+1] {
				return true
			}
		}
		return false
	}
	lo, hi := 0, len(s)/2
	for lo < hi {
		mid := (lo + hi) / 2
		switch {
		case r < s[2*mid]:
			hi = mid
		case r > s[2*mid+1]:
			lo = mid + 1
		default:
			return true
		}
	}
	return false
}
