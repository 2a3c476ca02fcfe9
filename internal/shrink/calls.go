package shrink

import "encoding/binary"

// Go's call of a function is
//
//	local.get SP, i32.const 8, i32.sub, local.tee SP, global.set SP    a word on the stack
//	local.get SP, i64.const R, i64.store                               the return address
//	i32.const 0, call F                                                from its first place
//	global.get SP, local.set SP, br_if out                             when goroutines were switched, let go of the frame
//
// Two of five calls are of functions that never return to their caller: panics, and growing the stack, after which the
// caller starts anew. For each of those a helper does the first three lines and gives 1, as the caller does that lets go
// of its frame. That says so without the number of blocks around it, which is another at each call:
//
//	i64.const R, call helper, return

// Where speed does not matter (see Module) one more helper puts the return address on the stack for any call, and
// gives the 0 that the callee takes. The local SP keeps its value meanwhile, and a callee that comes back gives the
// global one back as it was; a stack that moves has no frame left that the engine knows:
//
//	i64.const R, call helper, call F, br_if out

// never are functions that give the frame up: they end the program, or go on in a deferred function or where the
// goroutine was left. None comes back with 0; the helper traps if one does.
var never = map[string]bool{
	"runtime.morestack_noctxt": true, "runtime.morestack": true, "runtime.sigpanic": true, "runtime.gopanic": true,
	"runtime.throw": true, "runtime.fatal": true, "runtime.goPanicIndex": true, "runtime.goPanicIndexU": true,
	"runtime.goPanicSliceAlen": true, "runtime.goPanicSliceAlenU": true, "runtime.goPanicSliceAcap": true, "runtime.goPanicSliceAcapU": true,
	"runtime.goPanicSliceB": true, "runtime.goPanicSliceBU": true, "runtime.goPanicSlice3Alen": true, "runtime.goPanicSlice3AlenU": true,
	"runtime.goPanicSlice3Acap": true, "runtime.goPanicSlice3AcapU": true, "runtime.goPanicSlice3B": true, "runtime.goPanicSlice3BU": true,
	"runtime.goPanicSlice3C": true, "runtime.goPanicSlice3CU": true, "runtime.goPanicSliceConvert": true,
	"runtime.panicdivide": true, "runtime.panicshift": true, "runtime.panicdottypeE": true, "runtime.panicdottypeI": true,
	"runtime.panicnildottype": true, "runtime.panicwrap": true, "runtime.panicrangestate": true,
	"runtime.panicunsafealignment": true, "runtime.panicunsafeslicelen": true, "runtime.panicunsafestringlen": true,
	"runtime.panicmakeslicelen": true, "runtime.panicmakeslicecap": true,
}

const opI32Sub = 0x6b

// word is what a call takes of the stack, for its return address.
const word = 8

// coldCalls rewrites the calls of functions that never return, which helper tells.
func (f *function) coldCalls(helper func(callee uint32) (number uint32, ok bool)) {
	if !f.is(len(f.code)-2, opI32Const, opEnd) || f.code[len(f.code)-2].a != 1 { // where the branches lead
		return
	}
	for x := range f.code {
		if !f.is(x, opLocalGet, opI32Const, opI32Sub, opLocalTee, opGlobalSet, opLocalGet, opI64Const, opI64Store,
			opI32Const, opCall, opGlobalGet, opLocalSet, opBrIf) {
			continue
		}
		c := f.code[x : x+13]
		sp := c[0].a
		same := c[1].a == word && c[3].a == sp && c[4].a == globalSP && c[5].a == sp && c[7].b == 0 && c[8].a == 0 && c[10].a == globalSP && c[11].a == sp
		if !same {
			continue
		}
		number, ok := helper(uint32(c[9].a))
		if !ok {
			continue
		}
		for n := range c {
			c[n].gone = true
		}
		c[6].gone, c[6].cold = false, true
		c[9] = instr{op: opCall, a: uint64(number), helper: 1, fresh: true}
		c[12] = plain(opReturn)
	}
}

// pushCalls lets a helper put the return address on the stack for all calls of callees that are to be small.
func (f *function) pushCalls(helper uint64, small func(callee uint32) bool) (found bool) {
	for x := range f.code {
		if !f.is(x, opLocalGet, opI32Const, opI32Sub, opLocalTee, opGlobalSet, opLocalGet, opI64Const, opI64Store, opI32Const, opCall, opGlobalGet, opLocalSet) {
			continue
		}
		c := f.code[x : x+12]
		sp := c[0].a
		same := c[1].a == word && c[3].a == sp && c[4].a == globalSP && c[5].a == sp && c[7].b == 0 && c[8].a == 0 && c[10].a == globalSP && c[11].a == sp
		if !same || !small(uint32(c[9].a)) {
			continue
		}
		for n := range c {
			c[n].gone = true
		}
		c[6].gone, c[9].gone = false, false
		c[8] = instr{op: opCall, a: helper, helper: 1, fresh: true}
		found = true
	}
	return found
}

const globalSP = 0 // the global with the stack pointer

// helperBody is a function that puts the return address it is given on the stack and calls.
func helperBody(callee uint32) []byte {
	b := []byte{0, // no locals
		opGlobalGet, globalSP, opI32Const, word, opI32Sub, opGlobalSet, globalSP,
		opGlobalGet, globalSP, opLocalGet, 0, opI64Store, 3, 0,
		opI32Const, 0, opCall}
	b = binary.AppendUvarint(b, uint64(callee))
	return append(b, opI32Eqz, opIf, opVoid, opUnreachable, opEnd, opI32Const, 1, opEnd)
}

// pushBody is a function that puts the return address it is given on the stack, and gives 0.
func pushBody() []byte {
	return []byte{0, // no locals
		opGlobalGet, globalSP, opI32Const, word, opI32Sub, opGlobalSet, globalSP,
		opGlobalGet, globalSP, opLocalGet, 0, opI64Store, 3, 0,
		opI32Const, 0, opEnd}
}
