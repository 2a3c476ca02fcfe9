package shrink

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/internal/wasmfile"
)

// body is a function with an i32 local 1, as SP is, and an i64 local 2.
func body(code ...byte) []byte {
	return append([]byte{2, 1, typeI32, 1, 0x7e}, append(code, opEnd)...)
}

func shrunk(t *testing.T, in []byte) []byte {
	t.Helper()
	f, err := readFunction(in)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.append(nil); !bytes.Equal(got, in) {
		t.Fatalf("comes back as %x, want %x", got, in)
	}
	f.straighten()
	f.foldOffsets()
	return f.append(nil)
}

// passed is a body after one pass.
func passed(t *testing.T, in []byte, pass func(*function)) []byte {
	t.Helper()
	f, err := readFunction(in)
	if err != nil {
		t.Fatal(err)
	}
	pass(f)
	f.sweep()
	return f.append(nil)
}

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func TestFoldOffsets(t *testing.T) {
	const (
		load, store = 0x29, 0x37 // i64
		align       = 3
	)
	at := func(local, c byte) []byte {
		return []byte{opLocalGet, local, opExtend, opI64Const, c, opI64Add, opWrap}
	}
	for _, c := range []struct {
		name     string
		in, want []byte
	}{
		{"store of a local", join(at(1, 24), []byte{opLocalGet, 2, store, align, 8}), []byte{opLocalGet, 1, opLocalGet, 2, store, align, 32}},
		{"load", join(at(1, 24), []byte{load, align, 8, opDrop}), []byte{opLocalGet, 1, load, align, 32, opDrop}},
		{"store of what was loaded in the same way", join(at(1, 24), at(1, 16), []byte{load, align, 0, store, align, 0}),
			[]byte{opLocalGet, 1, opLocalGet, 1, load, align, 16, store, align, 24}},
		{"store of a sum", join(at(1, 24), []byte{opLocalGet, 2, opI64Const, 1, opI64Add, store, align, 0}),
			[]byte{opLocalGet, 1, opLocalGet, 2, opI64Const, 1, opI64Add, store, align, 24}},
		{"the value of a store, not its address", join([]byte{opLocalGet, 1}, at(1, 24), []byte{0x36, 2, 0}),
			[]byte{opLocalGet, 1, opLocalGet, 1, opI32Const, 24, opI32Add, 0x36, 2, 0}},
		{"an argument of a call", join(at(1, 24), []byte{opCall, 7}), []byte{opLocalGet, 1, opI32Const, 24, opI32Add, opCall, 7}},
		{"a call before the store", join(at(1, 24), []byte{opCall, 7, store, align, 0}),
			[]byte{opLocalGet, 1, opI32Const, 24, opI32Add, opCall, 7, store, align, 0}},
		{"below zero", join([]byte{opLocalGet, 1, opExtend, opI64Const, 0x78, opI64Add, opWrap}, []byte{load, align, 8, opDrop}),
			[]byte{opLocalGet, 1, opI32Const, 0x78, opI32Add, load, align, 8, opDrop}},
		{"of a local that is no i32", join(at(2, 24), []byte{opDrop}), join(at(2, 24), []byte{opDrop})},
		{"a constant address", []byte{opI64Const, 0x80, 0x01, opWrap, load, align, 0, opDrop}, []byte{opI32Const, 0x80, 0x01, load, align, 0, opDrop}},
	} {
		if got, want := shrunk(t, body(c.in...)), body(c.want...); !bytes.Equal(got, want) {
			t.Errorf("%s:\n got %x\nwant %x", c.name, got, want)
		}
	}
}

func TestStraighten(t *testing.T) {
	// A function with three places; PC_B 0, 1 and 2 are the first, 3 the second, 4 and the default the third.
	frame := func(first, second, third []byte) []byte {
		code := []byte{opLoop, opVoid, opBlock, opVoid, opBlock, opVoid, opBlock, opVoid,
			opLocalGet, pcB, opBrTable, 5, 0, 0, 0, 1, 2, 2, opEnd}
		code = append(append(code, first...), opEnd)
		code = append(append(code, second...), opEnd)
		code = append(append(code, third...), opEnd)
		return body(code...)
	}
	jump := func(place, depth byte) []byte { return []byte{opI32Const, place, opLocalSet, pcB, opBr, depth} }
	when := func(code []byte) []byte { return append(append([]byte{opLocalGet, 1, opIf, opVoid}, code...), opEnd) }
	none := []byte{}
	for _, c := range []struct {
		name     string
		in, want []byte
	}{
		{"to the next place", frame(jump(3, 2), none, none), frame([]byte{opBr, 0}, none, none)},
		{"to the last place", frame(jump(4, 2), none, none), frame([]byte{opBr, 1}, none, none)},
		{"from the second to the last", frame(none, jump(4, 1), none), frame(none, []byte{opBr, 0}, none)},
		{"on a condition", frame(when(jump(4, 3)), none, none), frame([]byte{opLocalGet, 1, opBrIf, 1}, none, none)},
		{"with something else on the condition", frame(when(append([]byte{0x01}, jump(4, 3)...)), none, none),
			frame(when([]byte{0x01, opBr, 2}), none, none)},
		{"back to the first", frame(none, jump(1, 1), none), frame(none, jump(1, 1), none)},
		{"to itself", frame(none, jump(3, 1), none), frame(none, jump(3, 1), none)},
		{"to a number that does not occur", frame(jump(9, 2), none, none), frame(jump(9, 2), none, none)},
		{"a branch that stores no number keeps all as it is", frame(jump(3, 2), []byte{opBr, 1}, none), frame(jump(3, 2), []byte{opBr, 1}, none)},
		{"so does another use of PC_B", frame(jump(3, 2), []byte{opLocalGet, pcB, opDrop}, none), frame(jump(3, 2), []byte{opLocalGet, pcB, opDrop}, none)},
		{"and one that is stored and not jumped to", frame(jump(3, 2), []byte{opI32Const, 1, opLocalSet, pcB, 0x01}, none),
			frame(jump(3, 2), []byte{opI32Const, 1, opLocalSet, pcB, 0x01}, none)},
	} {
		if got := shrunk(t, c.in); !bytes.Equal(got, c.want) {
			t.Errorf("%s:\n got %x\nwant %x", c.name, got, c.want)
		}
	}
}

func TestFreePCB(t *testing.T) {
	indirect := func(local byte) []byte {
		return []byte{opLocalGet, 2, opWrap, opLocalSet, local, opI32Const, 0, opLocalGet, local, opCallInd, 0, 0, opDrop}
	}
	// A jump forwards beside such a call becomes a branch.
	code := func(local byte, jump ...byte) []byte {
		return join([]byte{opLoop, opVoid, opBlock, opVoid, opBlock, opVoid, opLocalGet, pcB, opBrTable, 2, 0, 1, 1, opEnd},
			indirect(local), jump, []byte{opEnd, opEnd, opUnreachable})
	}
	in := body(code(pcB, opI32Const, 1, opLocalSet, pcB, opBr, 1)...)
	want := append([]byte{3, 1, typeI32, 1, 0x7e, 1, typeI32}, append(code(3, opBr, 0), opEnd)...)
	if got := passed(t, in, func(f *function) { f.freePCB(); f.straighten() }); !bytes.Equal(got, want) {
		t.Errorf("\n got %x\nwant %x", got, want)
	}
	for name, in := range map[string][]byte{
		"another local":     body(code(1)...),
		"no call behind it": body(bytes.Replace(code(pcB), []byte{opCallInd, 0, 0}, []byte{opDrop}, 1)...),
	} {
		if got := passed(t, in, (*function).freePCB); !bytes.Equal(got, in) {
			t.Errorf("%s:\n got %x\nwant %x", name, got, in)
		}
	}
}

func TestColdCalls(t *testing.T) {
	call := func(callee byte) []byte {
		return []byte{opLocalGet, 1, opI32Const, word, opI32Sub, opLocalTee, 1, opGlobalSet, globalSP,
			opLocalGet, 1, opI64Const, 5, opI64Store, 3, 0, opI32Const, 0, opCall, callee,
			opGlobalGet, globalSP, opLocalSet, 1, opBrIf, 0}
	}
	const panics, helper = 7, 9
	short := []byte{opI64Const, 5, opCall, helper, opReturn}
	leave := []byte{opI32Const, 1}
	cold := func(in []byte) []byte {
		f, err := readFunction(in)
		if err != nil {
			t.Fatal(err)
		}
		f.coldCalls(func(callee uint32) (uint32, bool) { return helper, callee == panics })
		return f.append(nil)
	}
	for _, c := range []struct {
		name     string
		in, want []byte
	}{
		{"of a function that never returns", call(panics), short},
		{"twice", join(call(panics), call(panics)), join(short, short)},
		{"of another", call(8), call(8)},
		{"from another place than the first", bytes.Replace(call(panics), []byte{opI32Const, 0}, []byte{opI32Const, 1}, 1), nil},
		{"with an argument on the way", bytes.Replace(call(panics), []byte{opI64Const, 5}, []byte{opI64Const, 5, opNop}, 1), nil},
		{"with a frame of its own", bytes.Replace(call(panics), []byte{opI32Const, word}, []byte{opI32Const, 16}, 1), nil},
		{"with another stack pointer", bytes.Replace(call(panics), []byte{opGlobalGet, globalSP}, []byte{opGlobalGet, 1}, 1), nil},
	} {
		want := c.want
		if want == nil {
			want = c.in
		}
		in, want := body(join(c.in, leave)...), body(join(want, leave)...)
		if got := cold(in); !bytes.Equal(got, want) {
			t.Errorf("%s:\n got %x\nwant %x", c.name, got, want)
		}
	}
	other := body(join(call(panics), []byte{opI32Const, 0})...)
	if got := cold(other); !bytes.Equal(got, other) {
		t.Errorf("where a branch out gives 0:\n got %x\nwant %x", got, other)
	}
}

func TestPushCalls(t *testing.T) {
	call := func(callee byte) []byte {
		return []byte{opLocalGet, 1, opI32Const, word, opI32Sub, opLocalTee, 1, opGlobalSet, globalSP,
			opLocalGet, 1, opI64Const, 5, opI64Store, 3, 0, opI32Const, 0, opCall, callee,
			opGlobalGet, globalSP, opLocalSet, 1, opBrIf, 0}
	}
	const small, helper = 7, 9
	short := []byte{opI64Const, 5, opCall, helper, opCall, small, opBrIf, 0}
	for _, c := range []struct {
		name     string
		in, want []byte
	}{
		{"that may be small", call(small), short},
		{"twice", join(call(small), call(small)), join(short, short)},
		{"that may not", call(8), call(8)},
		{"from another place than the first", bytes.Replace(call(small), []byte{opI32Const, 0}, []byte{opI32Const, 1}, 1), nil},
		{"with the stack pointer still needed", bytes.Replace(call(small), []byte{opGlobalGet, globalSP, opLocalSet, 1}, []byte{opGlobalGet, globalSP, opLocalSet, 2}, 1), nil},
		{"with a frame of its own", bytes.Replace(call(small), []byte{opI32Const, word}, []byte{opI32Const, 16}, 1), nil},
	} {
		want := c.want
		if want == nil {
			want = c.in
		}
		var found bool
		got := passed(t, body(c.in...), func(f *function) {
			found = f.pushCalls(helper, func(callee uint32) bool { return callee == small })
		})
		if !bytes.Equal(got, body(want...)) || found == bytes.Equal(c.in, want) {
			t.Errorf("%s: found %t\n got %x\nwant %x", c.name, found, got, body(want...))
		}
	}
}

func TestDropPlaces(t *testing.T) {
	// Four places behind each other, PC_B 0 to 3, and what is behind the last for any other number.
	frame := func(places [4][]byte, table ...byte) []byte {
		code := []byte{opLoop, opVoid, opBlock, opVoid, opBlock, opVoid, opBlock, opVoid, opBlock, opVoid, opBlock, opVoid,
			opLocalGet, pcB, opBrTable, byte(len(table) - 1)}
		code = append(code, table...)
		for _, p := range places {
			code = append(append(code, opEnd), p...)
		}
		return body(append(code, opEnd, opUnreachable, opEnd)...)
	}
	mark := func(n byte) []byte { return []byte{opI32Const, n, opDrop} }
	places := [4][]byte{mark(0), mark(1), mark(2), mark(3)}
	whole := frame(places, 0, 1, 2, 3, 4)
	said := func(n ...uint64) map[uint64]bool {
		s := map[uint64]bool{}
		for _, n := range n {
			s[n] = true
		}
		return s
	}
	for _, c := range []struct {
		name     string
		in, want []byte
		said     map[uint64]bool
	}{
		{"all are said", whole, whole, said(0, 1, 2, 3)},
		{"nobody knows", whole, whole, said(0, anything)},
		{"two of four", whole, body(join([]byte{opLoop, opVoid, opBlock, opVoid, opBlock, opVoid, opBlock, opVoid,
			opLocalGet, pcB, opBrTable, 3, 0, 2, 1, 2, opEnd}, mark(0), mark(1), []byte{opEnd}, mark(2), mark(3),
			[]byte{opEnd, opUnreachable, opEnd})...), said(0, 2)},
		{"the first alone needs no table", whole, body(join(mark(0), mark(1), mark(2), mark(3), []byte{opUnreachable})...), said(0)},
		{"one is jumped to", frame([4][]byte{append(mark(0), opBr, 2), mark(1), mark(2), mark(3)}, 0, 1, 2, 3, 4),
			body(join([]byte{opBlock, opVoid}, mark(0), []byte{opBr, 0}, mark(1), mark(2), []byte{opEnd}, mark(3), []byte{opUnreachable})...), said(0)},
		{"a turn of the loop keeps the table", frame([4][]byte{mark(0), mark(1), append(mark(2), opI32Const, 1, opLocalSet, pcB, opBr, 2), mark(3)}, 0, 1, 2, 3, 4),
			body(join([]byte{opLoop, opVoid, opBlock, opVoid, opBlock, opVoid, opBlock, opVoid, opLocalGet, pcB, opBrTable, 2, 0, 1, 2, opEnd},
				mark(0), []byte{opEnd}, mark(1), mark(2), []byte{opI32Const, 1, opLocalSet, pcB, opBr, 1}, mark(3), []byte{opEnd, opUnreachable, opEnd})...), said(0, 1)},
		{"a table of the program's own", frame([4][]byte{append(mark(0), opI32Const, 0, opBrTable, 1, 0, 1), mark(1), mark(2), mark(3)}, 0, 1, 2, 3, 4), nil, said(0)},
	} {
		if c.want == nil {
			c.want = c.in
		}
		if got := passed(t, c.in, func(f *function) { f.dropPlaces(c.said) }); !bytes.Equal(got, c.want) {
			t.Errorf("%s:\n got %x\nwant %x", c.name, got, c.want)
		}
	}
}

func TestPlacesSaid(t *testing.T) {
	const imports, here = 2, firstFunc << counterBits
	pc := func(function, place int64) []byte {
		return wasmfile.AppendSigned([]byte{opI64Const}, here+function<<counterBits+place)
	}
	p := &program{imports: imports}
	for _, code := range [][]byte{
		join(pc(1, 3), []byte{opDrop}, pc(9, 4), []byte{opDrop}), // there is no function 9
		{opI32Const, 6, opCall, imports, opDrop, opLocalGet, 1, opCall, imports + 2, opDrop},
		{opI32Const, 5, opLocalSet, pcB, opBr, 0},
		{opNop},
	} {
		f, err := readFunction(body(code...))
		if err != nil {
			t.Fatal(err)
		}
		p.funcs = append(p.funcs, f)
	}
	asm := entry{fixed: make([]byte, funcSize)}
	asm.set(0, firstFunc+3)
	asm.set(atDeferReturn, 8)
	asm.fixed[atFlag] = flagAsm
	p.entries = []entry{asm}
	want := said{2: {0: true, 6: true}, 3: {0: true, 3: true}, 4: {0: true, 5: true, anything: true}, 5: {0: true, 8: true, anything: true}}
	if diff := cmp.Diff(want, p.placesSaid()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	p.funcs[0].code[0].cold = true // a return address that nothing returns to
	if p.placesSaid()[3][3] {
		t.Error("a cold call's return address is said")
	}
}

func TestPeephole(t *testing.T) {
	const i64LtS, f64Lt, i64GeS = 0x53, 0x63, 0x59
	add := func(n byte) []byte {
		return []byte{opLocalGet, 1, opI32Const, n, opI32Add, opLocalTee, 1, opGlobalSet, globalSP}
	}
	for _, c := range []struct {
		name     string
		in, want []byte
	}{
		{"is a wide zero 0", []byte{opExtend, opI64Eqz}, []byte{opI32Eqz}},
		{"not less", []byte{i64LtS, opI32Eqz}, []byte{i64GeS}},
		{"not less, of floats", []byte{f64Lt, opI32Eqz}, nil},
		{"branch on not not", []byte{opI32Eqz, opI32Eqz, opBrIf, 0}, []byte{opBrIf, 0}},
		{"a value of not not", []byte{opI32Eqz, opI32Eqz, opDrop}, nil},
		{"not not not", []byte{opI64Eqz, opExtend, opI64Eqz, opI32Eqz, opBrIf, 0}, []byte{opI64Eqz, opBrIf, 0}},
		{"set and get", []byte{opLocalSet, 2, opLocalGet, 2}, []byte{opLocalTee, 2}},
		{"set and get another", []byte{opLocalSet, 2, opLocalGet, 1}, nil},
		{"nops between", []byte{opLocalSet, 2, opNop, opLocalGet, 2}, []byte{opLocalTee, 2}},
		{"across a block", []byte{opLocalSet, 2, opBlock, opVoid, opLocalGet, 2, opDrop, opEnd}, nil},
		{"two frames given back", join(add(24), add(8), []byte{opLocalGet, 1}), join(add(32), []byte{opLocalGet, 1})},
		{"and returned", join(add(24), add(8), []byte{opI32Const, 0, opReturn}), []byte{opLocalGet, 1, opI32Const, 32, opI32Add, opGlobalSet, globalSP, opI32Const, 0, opReturn}},
		{"of another global", join(add(24), bytes.Replace(add(8), []byte{opGlobalSet, globalSP}, []byte{opGlobalSet, 1}, 1)), nil},
		{"of another local", join(add(24), bytes.Replace(add(8), []byte{opLocalTee, 1}, []byte{opLocalTee, 2}, 1)), nil},
	} {
		if c.want == nil {
			c.want = c.in
		}
		if got := passed(t, body(c.in...), func(f *function) { f.sweep(); f.peephole() }); !bytes.Equal(got, body(c.want...)) {
			t.Errorf("%s:\n got %x\nwant %x", c.name, got, body(c.want...))
		}
	}
}

func TestWithType(t *testing.T) {
	plain, wide := []byte{0x60, 0, 0}, []byte{0x60, 2, 0x7f, 0x7e, 1, 0x7f}
	section := join([]byte{2}, plain, wide)
	for _, c := range []struct {
		want   []byte
		number uint64
		out    []byte
	}{
		{plain, 0, section},
		{wide, 1, section},
		{helperType, 2, join([]byte{3}, plain, wide, helperType)},
	} {
		out, number, err := withType(section, c.want)
		if err != nil || number != c.number || !bytes.Equal(out, c.out) {
			t.Errorf("%x: got type %d of %x, error %v; want %d of %x", c.want, number, out, err, c.number, c.out)
		}
	}
	if _, _, err := withType(section[:5], wide); err == nil {
		t.Error("a cut section: no error")
	}
}

func TestConstantsKeepTheirValue(t *testing.T) {
	for _, n := range []int64{0, 1, -1, 63, 64, -64, -65, 1 << 31, -1 << 31, 1<<63 - 1, -1 << 63} {
		c := &cursor{data: wasmfile.AppendSigned(nil, n)}
		if got := c.signed(); got != n || c.err != nil || c.at != len(c.data) {
			t.Errorf("%d comes back as %d (%v)", n, got, c.err)
		}
	}
}

func FuzzReadFunction(f *testing.F) {
	f.Add(body(opLoop, opVoid, opLocalGet, pcB, opBrTable, 0, 0, opEnd))
	f.Add(body(opI32Const, 3, opLocalSet, pcB, opBr, 0))
	f.Fuzz(func(t *testing.T, in []byte) {
		fn, err := readFunction(in)
		if err != nil {
			return
		}
		if got := fn.append(nil); !bytes.Equal(got, in) {
			t.Errorf("%x comes back as %x", in, got)
		}
		fn.straighten()
		fn.sweep()
		fn.dropPlaces(map[uint64]bool{0: true})
		fn.sweep()
		fn.foldOffsets()
		fn.peephole()
		fn.append(nil)
	})
}
