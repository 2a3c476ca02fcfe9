package pattern

import (
	"regexp/syntax"
	"unicode"
	"unicode/utf8"
)

const (
	// maxLine is how much of a line the backtracking matcher reads: its table
	// of failed states grows with it. Longer lines are generated code.
	maxLine = 8 << 10
	// maxLineSteps is what it may spend on one line, about 10 ms. Only back
	// references can need more than a few steps for each state.
	maxLineSteps = 1 << 20
	// stepCost is what one of its steps weighs beside a byte of the automaton.
	stepCost = 8
	// maxFailed bounds the table of failed states, in cells of 4 bytes. A
	// pattern and line that would need more go without it, and meet the bound instead.
	maxFailed = 1 << 20
)

type instOp uint8

const (
	opSet    instOp = iota // one rune of set, then the next instruction
	opAssert               // cond holds here
	opSplit                // x first, y when that fails
	opJump                 // x
	opSave                 // position into slot n
	opCheck                // fails when the position is still that of slot n
	opBack                 // what group n matched
	opLook                 // the part at x, up to its opEnd, matches here; then y
	opAtomic               // the same, and goes on where it ended
	opEnd                  // end of such a part
	opMatch
)

type btInst struct {
	op     instOp
	x, y   int
	n      int
	set    runeSet
	cond   syntax.EmptyOp
	fold   bool
	behind bool
	negate bool
	lo, hi int // opLook behind: how many runes back it can start, hi -1 for any
	branch int // opSplit: its number; opLook, opAtomic: the part's number
}

// backtracker tries the ways through a pattern in order, as Perl does. Without
// back references a state (instruction and position) that failed once fails
// always, so each is tried once: then no pattern takes more than instructions
// times line. With them, or past maxFailed, the bound on steps is what holds.
type backtracker struct {
	prog   []btInst
	slots  int
	splits int
	parts  int
	memo   bool

	line    []byte
	caps    []int
	stack   []btFrame
	failed  []uint32 // split and position -> mark of the run in which it failed
	useMemo bool
	marks   []uint32 // part -> its present mark
	mark    uint32
	steps   int
	over    bool
}

// btFrame is a way not yet taken, or, with slot >= 0, a slot to set back.
type btFrame struct{ pc, pos, slot int }

// match looks for the first start at which line matches, -1 when there is
// none. Ok is false when the bound came first; cost is in steps of a Pattern.
func (b *backtracker) match(line []byte, budget int64) (at int, cost int64, ok bool) {
	b.line, b.steps, b.over = line, int(min(budget/stepCost, maxLineSteps)), false
	limit := b.steps
	cells := b.splits * (len(line) + 1)
	b.useMemo = b.memo && cells <= maxFailed
	if b.useMemo && len(b.failed) < cells {
		b.failed = make([]uint32, cells)
		b.mark = 0
	}
	if b.mark > 1<<31 {
		clear(b.failed)
		b.mark = 0
	}
	for part := range b.marks {
		b.renew(part)
	}
	at = -1
	for pos := 0; pos <= len(line) && !b.over; {
		for i := range b.caps {
			b.caps[i] = -1
		}
		b.stack = b.stack[:0]
		if _, found := b.run(0, pos, 0, -1); found {
			at = pos
			break
		}
		_, size := utf8.DecodeRune(line[pos:])
		pos += max(size, 1)
	}
	return at, int64(limit-b.steps)*stepCost + 1, !b.over
}

// renew forgets what has failed in a part of the program.
func (b *backtracker) renew(part int) {
	b.mark++
	b.marks[part] = b.mark
}

// run follows the program from pc at pos until opMatch or opEnd. With until
// set, the end must be there.
func (b *backtracker) run(pc, pos, part, until int) (int, bool) {
	base := len(b.stack)
	for {
		if b.steps--; b.steps < 0 {
			b.over = true
			return 0, false
		}
		in := &b.prog[pc]
		good := false
		switch in.op {
		case opSet:
			if pos < len(b.line) {
				r, size := rune(b.line[pos]), 1
				if r >= utf8.RuneSelf {
					r, size = utf8.DecodeRune(b.line[pos:])
				}
				if good = in.set.has(r); good {
					pos += size
					pc++
				}
			}
		case opAssert:
			good = b.holds(in.cond, pos)
			pc++
		case opSplit:
			if b.useMemo {
				cell := &b.failed[in.branch*(len(b.line)+1)+pos]
				if *cell == b.marks[part] {
					break
				}
				*cell = b.marks[part]
			}
			b.stack = append(b.stack, btFrame{in.y, pos, -1})
			pc, good = in.x, true
		case opJump:
			pc, good = in.x, true
		case opSave:
			b.save(in.n, pos)
			pc++
			good = true
		case opCheck:
			// The table of failed states knows an empty round by itself, and
			// an answer that depends on the slot has no place in it.
			good = b.useMemo || b.caps[in.n] != pos
			pc++
		case opBack:
			var n int
			if n, good = b.again(in, pos); good {
				pos += n
				pc++
			}
		case opLook:
			good = b.look(in, pos) != in.negate && !b.over
			pc = in.y
		case opAtomic:
			var end int
			if end, good = b.part(in, pos, -1); good {
				pos, pc = end, in.y
			}
		case opEnd:
			if until < 0 || pos == until {
				return pos, true
			}
		case opMatch:
			return pos, true
		}
		if good {
			continue
		}
		if b.over {
			return 0, false
		}
		for {
			if len(b.stack) == base {
				return 0, false
			}
			top := b.stack[len(b.stack)-1]
			b.stack = b.stack[:len(b.stack)-1]
			if top.slot >= 0 {
				b.caps[top.slot] = top.pos
				continue
			}
			pc, pos = top.pc, top.pos
			break
		}
	}
}

func (b *backtracker) save(slot, pos int) {
	b.stack = append(b.stack, btFrame{0, b.caps[slot], slot})
	b.caps[slot] = pos
}

// part runs a lookaround's or atomic group's own part. On success the ways it
// has not taken are dropped, and what it saved stays until the caller backtracks.
func (b *backtracker) part(in *btInst, pos, until int) (int, bool) {
	base := len(b.stack)
	end, ok := b.run(in.x, pos, in.branch, until)
	if !ok {
		return 0, false
	}
	kept := b.stack[:base]
	for _, f := range b.stack[base:] {
		if f.slot >= 0 {
			kept = append(kept, f)
		}
	}
	b.stack = kept
	b.renew(in.branch) // states on the way to success have not failed
	return end, true
}

// look says whether the part of a lookaround matches at pos.
func (b *backtracker) look(in *btInst, pos int) bool {
	base := len(b.stack)
	found := false
	if !in.behind {
		_, found = b.part(in, pos, -1)
	} else {
		b.renew(in.branch) // a failure held for another end
		start := pos
		for back := 0; (in.hi < 0 || back <= in.hi) && !b.over; back++ {
			if back >= in.lo {
				if _, found = b.part(in, start, pos); found {
					break
				}
			}
			if start == 0 {
				break
			}
			_, size := utf8.DecodeLastRune(b.line[:start])
			start -= size
		}
	}
	if found && in.negate {
		b.undo(base)
	}
	return found
}

// undo sets back all that was saved since base.
func (b *backtracker) undo(base int) {
	for i := len(b.stack) - 1; i >= base; i-- {
		if f := b.stack[i]; f.slot >= 0 {
			b.caps[f.slot] = f.pos
		}
	}
	b.stack = b.stack[:base]
}

// again matches what a group has matched before. A group that has not matched
// fails, as in Perl.
func (b *backtracker) again(in *btInst, pos int) (int, bool) {
	from, to := b.caps[2*in.n], b.caps[2*in.n+1]
	if from < 0 || to < from {
		return 0, false
	}
	want, text := b.line[from:to], b.line[pos:]
	b.steps -= len(want) / stepCost
	if !in.fold {
		if len(text) < len(want) || string(text[:len(want)]) != string(want) {
			return 0, false
		}
		return len(want), true
	}
	used := 0
	for len(want) > 0 {
		w, n := utf8.DecodeRune(want)
		t, m := utf8.DecodeRune(text[used:])
		if m == 0 || !sameFold(w, t) {
			return 0, false
		}
		want, used = want[n:], used+m
	}
	return used, true
}

func sameFold(a, b rune) bool {
	if a == b {
		return true
	}
	for f := unicode.SimpleFold(a); f != a; f = unicode.SimpleFold(f) {
		if f == b {
			return true
		}
	}
	return false
}

func (b *backtracker) holds(cond syntax.EmptyOp, pos int) bool {
	switch cond {
	case syntax.EmptyBeginText:
		return pos == 0
	case syntax.EmptyEndText:
		return pos == len(b.line)
	}
	before := pos > 0 && syntax.IsWordChar(rune(b.line[pos-1]))
	after := pos < len(b.line) && syntax.IsWordChar(rune(b.line[pos]))
	return (before != after) == (cond == syntax.EmptyWordBoundary)
}
