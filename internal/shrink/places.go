package shrink

// A place of a function is where its code can be entered: by a jump, or by the return from a call
// when goroutines were switched meanwhile, for then all frames of the engine are gone and
// Go's scheduler calls the function again with the number of the place. The compiler gives a block and entries of
// the br_table to every place and to much that is none; a place needs them only
// when something says its number.

// said collects which numbers of places are said to each function.
type said map[uint32]map[uint64]bool

func (s said) add(function uint32, place uint64) {
	if s[function] == nil {
		s[function] = map[uint64]bool{}
	}
	s[function][place] = true
}

// anything is said of a function whose numbers are not known.
const anything = 1 << 16

// placesSaid finds all numbers that the program can say: constant program counters, which are return
// addresses and functions, numbers that calls hand over and the places of deferred calls.
func (p *program) placesSaid() said {
	s := said{}
	for n, f := range p.funcs {
		number := uint32(n + p.imports)
		s.add(number, 0)
		for x := range f.code {
			switch in := &f.code[x]; {
			case in.op == opI64Const && !in.cold:
				if in.a>>counterBits >= firstFunc && in.a>>counterBits < firstFunc+uint64(len(p.funcs)) {
					s.add(uint32(in.a>>counterBits)-firstFunc+uint32(p.imports), in.a&(1<<counterBits-1))
				}
			case in.op == opCall:
				if x > 0 && f.code[x-1].op == opI32Const {
					s.add(uint32(in.a), f.code[x-1].a)
				} else if in.helper == 0 {
					s.add(uint32(in.a), anything)
				}
			case in.op == opLocalSet && in.a == pcB && x > 0:
				s.add(number, f.code[x-1].a) // dispatcher makes sure that it is an i32.const
			}
		}
	}
	for n := range p.entries {
		e := &p.entries[n]
		s.add(e.number(p.imports), uint64(e.field(atDeferReturn)))
		if e.fixed[atFlag]&flagAsm != 0 {
			s.add(e.number(p.imports), anything)
		}
	}
	return s
}

// dropPlaces leaves out the blocks of places that nothing jumps to and whose numbers nothing says.
func (f *function) dropPlaces(said map[uint64]bool) {
	d := f.dispatcher()
	if d == nil || len(d.blocks) == 0 || said[anything] {
		return
	}
	at := d.blocks[0] // the innermost block, then local.get and br_table
	for f.code[at].op != opBrTable {
		at++
	}
	target := func(label uint32) int { return d.blocks[label] }
	other := d.table[len(d.table)-1]
	for _, label := range d.table {
		if int(label) >= len(d.blocks) {
			return
		}
	}
	needed := map[int]bool{target(other): true}
	first := true // every place that is said is the first
	table := make([]int, len(d.table))
	for n, label := range d.table {
		table[n] = target(label)
		switch {
		case n == len(d.table)-1:
		case said[uint64(n)]:
			needed[table[n]] = true
			first = first && label == 0
		default:
			table[n] = target(other)
		}
	}
	goals := map[int]int{} // of each branch: the instruction that opened what it leaves, -1 the function
	var stack []int
	for x := range f.code {
		switch in := &f.code[x]; in.op {
		case opBlock, opLoop, opIf:
			stack = append(stack, x)
		case opEnd:
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		case opBr, opBrIf:
			goals[x] = -1
			if in.a < uint64(len(stack)) {
				goals[x] = stack[len(stack)-1-int(in.a)]
			}
			needed[goals[x]] = true
		case opBrTable:
			if x != at {
				return
			}
		}
	}
	drop := map[int]bool{}
	for _, b := range d.blocks {
		drop[b] = !needed[b]
	}
	if first {
		// What follows is the end of the innermost block, and then the first place.
		f.code[at].gone, f.code[at-1].gone = true, true
		drop[target(other)] = !f.branches(goals, target(other))
		drop[d.blocks[0]] = !f.branches(goals, d.blocks[0])
		drop[d.loop] = !f.branches(goals, d.loop)
	}
	f.leaveOut(drop, goals, at, table)
}

// branches tells whether any branch leaves, or starts again, what this instruction opened.
func (f *function) branches(goals map[int]int, open int) bool {
	for _, goal := range goals {
		if goal == open {
			return true
		}
	}
	return false
}

// leaveOut removes blocks that nothing branches to, and counts all labels anew.
func (f *function) leaveOut(drop map[int]bool, goals map[int]int, at int, table []int) {
	var stack, kept []int // what is open, all and without the dropped
	label := func(goal int) uint64 {
		for out := range kept {
			if kept[len(kept)-1-out] == goal {
				return uint64(out)
			}
		}
		return uint64(len(kept))
	}
	for x := range f.code {
		in := &f.code[x]
		if in.gone {
			continue
		}
		switch in.op {
		case opBlock, opLoop, opIf:
			stack = append(stack, x)
			if drop[x] {
				in.gone = true
			} else {
				kept = append(kept, x)
			}
		case opEnd:
			if len(stack) == 0 {
				break
			}
			open := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if drop[open] {
				in.gone = true
			} else {
				kept = kept[:len(kept)-1]
			}
		case opBr, opBrIf:
			if to := label(goals[x]); to != in.a {
				in.a, in.fresh = to, true
			}
		case opBrTable:
			list := make([]uint32, len(table))
			for n, goal := range table {
				list[n] = uint32(label(goal))
			}
			// The last entry stands for all numbers beyond the table.
			for len(list) > 1 && list[len(list)-2] == list[len(list)-1] {
				list = list[:len(list)-1]
			}
			in.table, in.fresh = list, true
		}
	}
}
