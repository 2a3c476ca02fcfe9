package pattern

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"sort"
	"unicode"
	"unicode/utf8"
)

const (
	// maxInst bounds a compiled program. One new state costs at most this many
	// steps; \w{1,64} needs 130.
	maxInst = 4000
	// maxStates bounds the automaton's memory: at 60 classes, about 1 MB. Past it the
	// states are forgotten and built again as they are met.
	maxStates = 4096
	// maxTable is the same bound in table cells, for patterns with many classes.
	maxTable = 1 << 18
)

// Cells of the table hold a state's offset, or one of these.
const (
	stateUnknown = 0  // not built yet
	stateMatch   = -1 // the text has matched, whatever follows
	stateDead    = -2 // nothing that follows can match
)

// What stood before the next rune: a state remembers it for ^ and \b.
const (
	prevNone  = iota // start of the line
	prevWord         // letter, digit, underscore
	prevOther        // anything else
)

// automaton answers whether a line has a match, reading each rune once. States
// are sets of program counters, built when first met.
type automaton struct {
	prog     *syntax.Prog
	anchored bool // a match can only start at the start of the line

	// Runes that no instruction tells apart are one class. Class nclass is the end of the line.
	ascii   [utf8.RuneSelf]uint16
	bounds  []rune   // where the runs of one class begin, from 128 on
	classes []uint16 // class of each run
	reps    []rune   // one rune of each class
	stride  int

	table  []int32
	states []dfaState
	index  map[string]int32
	start  int32

	// Scratch space of one step.
	seen  []uint32 // program counter -> mark of the closure that reached it
	mark  uint32
	stack []uint32
	next  []uint32
	key   []byte
}

type dfaState struct {
	insts []uint32 // sorted
	prev  uint8
}

func newAutomaton(prog *syntax.Prog) *automaton {
	a := &automaton{prog: prog, seen: make([]uint32, len(prog.Inst))}
	a.anchored = prog.StartCond()&syntax.EmptyBeginText != 0
	a.classify()
	a.stride = len(a.reps) + 1
	a.reset()
	return a
}

// reset forgets all states but the first.
func (a *automaton) reset() {
	// Offset 0 means unknown, so the first row stays empty.
	a.table = append(a.table[:0], make([]int32, a.stride)...)
	a.states = append(a.states[:0], dfaState{})
	a.index = map[string]int32{}
	a.next = append(a.next[:0], uint32(a.prog.Start))
	a.start = a.state(prevNone)
}

// match reads a line. It returns the offset just behind the first match that
// ends, or -1, and what that cost: one step a byte, and for a new state one for each
// instruction looked at.
func (a *automaton) match(line []byte, budget int64) (end int, cost int64) {
	s := a.start
	for i := 0; i < len(line); {
		var class int32
		at := i
		if b := line[i]; b < utf8.RuneSelf {
			class = int32(a.ascii[b])
			i++
		} else {
			r, size := utf8.DecodeRune(line[i:])
			class = int32(a.classOf(r))
			i += size
		}
		next := a.table[s+class]
		if next <= 0 {
			if next == stateUnknown {
				var steps int64
				next, steps = a.build(s, class)
				if cost += steps; cost > budget {
					return -1, cost
				}
			}
			if next == stateMatch {
				return at, cost + int64(i)
			}
			if next == stateDead {
				return -1, cost + int64(i)
			}
		}
		s = next
	}
	class := int32(a.stride - 1)
	next := a.table[s+class]
	if next == stateUnknown {
		var steps int64
		next, steps = a.build(s, class)
		cost += steps
	}
	cost += int64(len(line))
	if next == stateMatch {
		return len(line), cost
	}
	return -1, cost
}

// build finds where state s goes on a class, and remembers it.
func (a *automaton) build(s, class int32) (int32, int64) {
	from := a.states[s/int32(a.stride)]
	end := class == int32(a.stride-1)
	var rune0 rune
	follow := uint8(prevOther)
	var cond syntax.EmptyOp
	if from.prev == prevNone {
		cond |= syntax.EmptyBeginText | syntax.EmptyBeginLine
	}
	if end {
		cond |= syntax.EmptyEndText | syntax.EmptyEndLine
	} else {
		rune0 = a.reps[class]
		if syntax.IsWordChar(rune0) {
			follow = prevWord
		}
	}
	if (from.prev == prevWord) != (follow == prevWord) {
		cond |= syntax.EmptyWordBoundary
	} else {
		cond |= syntax.EmptyNoWordBoundary
	}

	a.mark++
	a.stack = append(a.stack[:0], from.insts...)
	if !a.anchored && from.prev != prevNone {
		a.stack = append(a.stack, uint32(a.prog.Start))
	}
	a.next = a.next[:0]
	var steps int64
	for len(a.stack) > 0 {
		pc := a.stack[len(a.stack)-1]
		a.stack = a.stack[:len(a.stack)-1]
		if a.seen[pc] == a.mark {
			continue
		}
		a.seen[pc] = a.mark
		steps++
		inst := &a.prog.Inst[pc]
		switch inst.Op {
		case syntax.InstMatch:
			a.table[s+class] = stateMatch
			return stateMatch, steps
		case syntax.InstAlt, syntax.InstAltMatch:
			a.stack = append(a.stack, inst.Arg, inst.Out)
		case syntax.InstCapture, syntax.InstNop:
			a.stack = append(a.stack, inst.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg)&^cond == 0 {
				a.stack = append(a.stack, inst.Out)
			}
		case syntax.InstFail:
		default:
			if !end && inst.MatchRune(rune0) {
				a.next = append(a.next, inst.Out)
			}
		}
	}
	if end || len(a.next) == 0 && a.anchored {
		a.table[s+class] = stateDead
		return stateDead, steps
	}
	if len(a.states) >= maxStates || len(a.table)+a.stride > maxTable && len(a.states) > 2 {
		kept := slices.Clone(a.next)
		a.reset()
		a.next = append(a.next[:0], kept...)
		return a.state(follow), steps + maxStates
	}
	next := a.state(follow)
	a.table[s+class] = next
	return next, steps
}

// state gives the offset of the state with the instructions in a.next.
func (a *automaton) state(prev uint8) int32 {
	slices.Sort(a.next)
	a.next = slices.Compact(a.next)
	a.key = append(a.key[:0], prev)
	for _, pc := range a.next {
		a.key = binary.LittleEndian.AppendUint16(a.key, uint16(pc))
	}
	if at, ok := a.index[string(a.key)]; ok {
		return at
	}
	at := int32(len(a.states) * a.stride)
	a.states = append(a.states, dfaState{slices.Clone(a.next), prev})
	a.table = append(a.table, make([]int32, a.stride)...)
	a.index[string(a.key)] = at
	return at
}

func (a *automaton) classOf(r rune) uint16 {
	i := sort.Search(len(a.bounds), func(i int) bool { return a.bounds[i] > r })
	return a.classes[i-1]
}

// classify cuts the runes into runs at every place where some instruction's
// answer may change, then joins the runs that all instructions treat alike.
func (a *automaton) classify() {
	cuts := map[rune]bool{0: true, utf8.RuneSelf: true, 'A': true, 'Z' + 1: true, 'a': true, 'z' + 1: true, '0': true, '9' + 1: true, '_': true, '_' + 1: true}
	var tests []*syntax.Inst
	known := map[string]bool{}
	var name []byte
	for i := range a.prog.Inst {
		inst := &a.prog.Inst[i]
		switch inst.Op {
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		default:
			continue
		}
		name = append(name[:0], byte(inst.Op), byte(inst.Arg))
		for _, r := range inst.Rune {
			name = binary.LittleEndian.AppendUint32(name, uint32(r))
		}
		if known[string(name)] {
			continue
		}
		known[string(name)] = true
		tests = append(tests, inst)
		switch {
		case inst.Op == syntax.InstRuneAny || inst.Op == syntax.InstRuneAnyNotNL:
			cuts['\n'], cuts['\n'+1] = true, true
		case len(inst.Rune) == 1:
			r := inst.Rune[0]
			cuts[r], cuts[r+1] = true, true
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				cuts[f], cuts[f+1] = true, true
			}
		default:
			for j := 0; j+1 < len(inst.Rune); j += 2 {
				cuts[inst.Rune[j]], cuts[inst.Rune[j+1]+1] = true, true
			}
		}
	}
	sorted := make([]rune, 0, len(cuts))
	for r := range cuts {
		if r >= 0 && r <= unicode.MaxRune {
			sorted = append(sorted, r)
		}
	}
	slices.Sort(sorted)
	ids := map[string]uint16{}
	sign := make([]byte, 1+(len(tests)+7)/8)
	for i, lo := range sorted {
		clear(sign)
		if syntax.IsWordChar(lo) {
			sign[0] = 1
		}
		for j, inst := range tests {
			if inst.MatchRune(lo) {
				sign[1+j/8] |= 1 << (j % 8)
			}
		}
		id, ok := ids[string(sign)]
		if !ok {
			id = uint16(len(a.reps))
			ids[string(sign)] = id
			a.reps = append(a.reps, lo)
		}
		if lo >= utf8.RuneSelf {
			a.bounds = append(a.bounds, lo)
			a.classes = append(a.classes, id)
			continue
		}
		hi := sorted[i+1] // there is always a cut at RuneSelf
		for r := lo; r < hi; r++ {
			a.ascii[r] = id
		}
	}
}
