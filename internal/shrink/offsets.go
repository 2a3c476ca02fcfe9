package shrink

import "math"

const (
	typeI32 = 0x7f
	// paramsOfGo: every Go function has one parameter, PC_B.
	paramsOfGo = 1
)

// foldOffsets rewrites an address that Go computes from SP,
//
//	local.get SP, i64.extend_i32_u, i64.const C, i64.add, i32.wrap_i64
//
// to SP alone with C added to the offset of the one load or store that takes
// it. Where something else takes it, an i32.add stays. The two differ only when SP+C is beyond 4
// GB, where there is no memory.
//
// It also narrows a constant address: i64.const C, i32.wrap_i64 is i32.const C.
func (f *function) foldOffsets() {
	for x := range f.code {
		if f.is(x, opI64Const, opWrap) {
			f.code[x] = instr{op: opI32Const, a: f.code[x].a, fresh: true}
			f.code[x+1].gone = true
			continue
		}
		if !f.is(x, opLocalGet, opExtend, opI64Const, opI64Add, opWrap) || !f.isI32(f.code[x].a) {
			continue
		}
		c := f.code[x+2].a
		f.code[x+1].gone, f.code[x+4].gone = true, true
		if user := f.user(x + 5); user >= 0 && c+f.code[user].b < math.MaxInt32 && c < math.MaxInt32 {
			f.code[x+2].gone, f.code[x+3].gone = true, true
			f.code[user].b += c
			f.code[user].fresh = true
			continue
		}
		f.code[x+2] = instr{op: opI32Const, a: c, fresh: true}
		f.code[x+3] = instr{op: opI32Add, fresh: true}
	}
}

// is tells whether the instructions from x on have these opcodes and are as they were.
func (f *function) is(x int, ops ...byte) bool {
	if x < 0 || x+len(ops) > len(f.code) {
		return false
	}
	for n, op := range ops {
		if in := &f.code[x+n]; in.op != op || in.gone || in.fresh {
			return false
		}
	}
	return true
}

func (f *function) isI32(local uint64) bool {
	n := local - paramsOfGo
	return local >= paramsOfGo && n < uint64(len(f.types)) && f.types[n] == typeI32
}

// user finds the load or store that takes the value on top of the stack before x as its
// address; -1 when something else does, or when it lies beyond a call or a branch.
func (f *function) user(x int) int {
	above := 0 // values on top of the one that we follow
	for ; x < len(f.code); x++ {
		in := &f.code[x]
		if in.gone {
			continue
		}
		takes, gives, ok := in.effect()
		if !ok {
			return -1
		}
		if takes > above {
			store := in.op > opLoadHigh && in.op <= opStoreHigh
			load := in.op >= opLoadLow && in.op <= opLoadHigh
			if load && above == 0 || store && above == 1 {
				return x
			}
			return -1
		}
		above += gives - takes
	}
	return -1
}
