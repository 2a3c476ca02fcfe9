package shrink

import "encoding/binary"

// Go's function, when it has a jump, is
//
//	loop
//	  block ... block        one for each place that can be jumped or returned to
//	    local.get PC_B
//	    br_table ...         by PC_B
//	  end  code of the first place
//	  end  code of the second place
//	  ...
//
// and a jump is i32.const N, local.set PC_B, br to the loop. PC_B is local 0, and nothing
// but the br_table reads it.

const pcB = 0 // the local with the number of the next place

// open is a block, loop or if that has not ended.
type open struct {
	op   byte
	from int // instruction that opened it
}

// straighten turns jumps forwards into branches. Whatever does not look exactly as
// above stays as it is.
func (f *function) straighten() {
	d := f.dispatcher()
	if d == nil || !f.jumpsTell(d) {
		return
	}
	var stack []open
	for x := range f.code {
		in := &f.code[x]
		switch in.op {
		case opBlock, opLoop, opIf:
			stack = append(stack, open{in.op, x})
		case opEnd:
			if len(stack) > 0 { // the last one ends the function
				stack = stack[:len(stack)-1]
			}
		case opI32Const:
			f.jump(d, stack, x)
		}
	}
}

// jumpsTell reports whether every branch to the loop sets PC_B first. One that did not
// would find the number of a place that a rewritten jump has not stored.
func (f *function) jumpsTell(d *dispatcher) bool {
	depth := 0 // of what is open inside the loop; the loop itself is 1
	for x := d.loop; x < len(f.code); x++ {
		switch in := &f.code[x]; in.op {
		case opBlock, opLoop, opIf:
			depth++
		case opEnd:
			if depth--; depth == 0 {
				return true
			}
		case opBr, opBrIf:
			told := f.is(x-2, opI32Const, opLocalSet, opBr) && f.code[x-1].a == pcB
			if in.a == uint64(depth-1) && !told {
				return false
			}
		}
	}
	return false
}

// dispatcher is the loop and the table of a function.
type dispatcher struct {
	loop   int      // instruction that opens the loop
	blocks []int    // instructions that open the blocks, innermost first
	table  []uint32 // by PC_B: how many blocks out
}

// dispatcher finds them. It is nil when there is none, or when PC_B is used otherwise.
func (f *function) dispatcher() *dispatcher {
	var d *dispatcher
	for x := range f.code {
		switch in := &f.code[x]; {
		case in.op == opLocalGet && in.a == pcB:
			if d != nil || x+1 >= len(f.code) || f.code[x+1].op != opBrTable {
				return nil
			}
			d = &dispatcher{table: f.code[x+1].table}
			y := x - 1
			for ; y >= 0 && f.code[y].op == opBlock && f.code[y].a == opVoid; y-- {
				d.blocks = append(d.blocks, y)
			}
			if y < 0 || f.code[y].op != opLoop {
				return nil
			}
			d.loop = y
		case in.op == opLocalTee && in.a == pcB:
			return nil
		case in.op == opLocalSet && in.a == pcB:
			// Only as part of a jump.
			if x == 0 || f.code[x-1].op != opI32Const || x+1 >= len(f.code) || f.code[x+1].op != opBr {
				return nil
			}
		}
	}
	return d
}

// jump rewrites the jump at x, if there is one and it goes forwards.
func (f *function) jump(d *dispatcher, stack []open, x int) {
	if !f.is(x, opI32Const, opLocalSet, opBr) || f.code[x+1].a != pcB {
		return
	}
	depth := f.code[x+2].a
	if depth >= uint64(len(stack)) || stack[len(stack)-1-int(depth)].from != d.loop {
		return
	}
	// The last entry is the default, which is for numbers that do not occur.
	place := f.code[x].a
	if place >= uint64(len(d.table)-1) || int(d.table[place]) >= len(d.blocks) {
		return
	}
	block := d.blocks[d.table[place]]
	for out := range stack {
		if stack[len(stack)-1-out].from != block {
			continue
		}
		f.code[x].gone, f.code[x+1].gone = true, true
		// if, jump, end is one conditional branch, seen from outside of the if.
		if x > 0 && f.code[x-1].op == opIf && f.code[x-1].a == opVoid && f.code[x+3].op == opEnd && out > 0 {
			f.code[x-1].gone, f.code[x+3].gone = true, true
			f.code[x+2] = instr{op: opBrIf, a: uint64(out - 1), fresh: true}
			return
		}
		f.code[x+2] = instr{op: opBr, a: uint64(out), fresh: true}
		return
	}
}

// freePCB gives a function that calls by a table a local of its own for the number in it. The compiler takes PC_B, which is then
// not read by the br_table alone:
//
//	local.set PC_B, i32.const 0, local.get PC_B, call_indirect
func (f *function) freePCB() {
	local := uint64(paramsOfGo + len(f.types))
	found := false
	for x := range f.code {
		if f.is(x, opLocalSet, opI32Const, opLocalGet, opCallInd) && f.code[x].a == pcB && f.code[x+2].a == pcB {
			f.code[x] = instr{op: opLocalSet, a: local, fresh: true}
			f.code[x+2] = instr{op: opLocalGet, a: local, fresh: true}
			found = true
		}
	}
	if found {
		f.types = append(f.types, typeI32)
		c := &cursor{data: f.locals}
		groups := c.unsigned()
		f.locals = append(append(binary.AppendUvarint(nil, groups+1), f.locals[c.at:]...), 1, typeI32)
	}
}
