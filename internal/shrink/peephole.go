package shrink

import "slices"

const (
	opUnreachable = 0x00
	opNop         = 0x01
	opReturn      = 0x0f
	opI64Store    = 0x37
	opI32Eqz      = 0x45
	opI64Eqz      = 0x50
)

// opposite gives the comparison of integers that is true when this one is false. Of floats there is none,
// for neither is true of what is no number.
var opposite = map[byte]byte{
	0x46: 0x47, 0x47: 0x46, 0x48: 0x4e, 0x4e: 0x48, 0x49: 0x4f, 0x4f: 0x49, 0x4a: 0x4c, 0x4c: 0x4a, 0x4b: 0x4d, 0x4d: 0x4b,
	0x51: 0x52, 0x52: 0x51, 0x53: 0x59, 0x59: 0x53, 0x54: 0x5a, 0x5a: 0x54, 0x55: 0x57, 0x57: 0x55, 0x56: 0x58, 0x58: 0x56,
}

// sweep removes what is to be left out, and what does nothing: the compiler puts a nop where a line begins that has
// no code. What remains counts as neighbours, for the patterns of the passes.
func (f *function) sweep() {
	f.code = slices.DeleteFunc(f.code, func(in instr) bool { return in.gone || in.op == opNop })
}

// peephole shortens what neighbours do together. Instructions side by side are entered by the first alone,
// for all ways to enter code begin with an instruction of their own.
func (f *function) peephole() {
	var out []instr
	last := func(n int) *instr { // the nth from the end
		if n > len(out) {
			return &instr{op: opNop}
		}
		return &out[len(out)-n]
	}
	cut := func(n int) { out = out[:len(out)-n] }
	for x := range f.code {
		in := f.code[x]
		if in.gone {
			continue
		}
		if in.op == opI64Eqz && last(1).op == opExtend { // of a wider number, which is 0 when the number is
			cut(1)
			in = plain(opI32Eqz)
		}
		switch in.op {
		case opI32Eqz:
			if op, ok := opposite[last(1).op]; ok {
				cut(1)
				in = plain(op)
			} else if last(1).op == opI32Eqz && (last(2).op == opI32Eqz || last(2).op == opI64Eqz) {
				cut(1) // thrice no is no
				continue
			}
		case opBrIf, opIf:
			if last(1).op == opI32Eqz && last(2).op == opI32Eqz {
				cut(2) // whether it is not 0, which the branch asks itself
			}
		case opLocalGet:
			if last(1).op == opLocalSet && last(1).a == in.a {
				cut(1)
				in = instr{op: opLocalTee, a: in.a, fresh: true}
			}
		case opReturn:
			// SP's local is not looked at any more.
			if last(1).op == opI32Const && last(2).op == opGlobalSet && last(3).op == opLocalTee {
				end := out[len(out)-2:]
				out = append(out[:len(out)-3], end...)
			}
		case opGlobalSet:
			f.joinAdds(&out, in)
		}
		out = append(out, in)
	}
	f.code = out
}

func plain(op byte) instr { return instr{op: op, fresh: true} }

// joinAdds makes one of two additions to SP, where a function gives back first its frame and then the return address:
//
//	local.get SP, i32.const A, i32.add, local.tee SP, global.set SP, local.get SP, i32.const B, i32.add, local.tee SP, global.set SP
func (f *function) joinAdds(code *[]instr, set instr) {
	c := *code
	if len(c) < 9 {
		return
	}
	c = c[len(c)-9:]
	for n, op := range []byte{opLocalGet, opI32Const, opI32Add, opLocalTee, opGlobalSet, opLocalGet, opI32Const, opI32Add, opLocalTee} {
		if c[n].op != op {
			return
		}
	}
	sp := c[0].a
	if c[3].a != sp || c[5].a != sp || c[8].a != sp || c[4].a != set.a || set.a != globalSP {
		return
	}
	c[1] = instr{op: opI32Const, a: uint64(uint32(c[1].a) + uint32(c[6].a)), fresh: true}
	*code = (*code)[:len(*code)-5]
}
