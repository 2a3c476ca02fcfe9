package shrink

import (
	"bytes"
	"testing"
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

func TestFoldOffsets(t *testing.T) {
	const (
		load, store = 0x29, 0x37 // i64
		align       = 3
	)
	at := func(local, c byte) []byte {
		return []byte{opLocalGet, local, opExtend, opI64Const, c, opI64Add, opWrap}
	}
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
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

func TestConstantsKeepTheirValue(t *testing.T) {
	for _, n := range []int64{0, 1, -1, 63, 64, -64, -65, 1 << 31, -1 << 31, 1<<63 - 1, -1 << 63} {
		c := &cursor{data: appendSigned(nil, n)}
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
		fn.foldOffsets()
		fn.append(nil)
	})
}
