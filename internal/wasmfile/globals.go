package wasmfile

import (
	"encoding/binary"
	"fmt"
)

// GlobalVar is a global of the module's own, and the number that it starts with.
type GlobalVar struct {
	Type    byte // TypeI32 or TypeI64
	Mutable bool
	Value   int64
}

// Types of numbers.
const (
	TypeI32 = 0x7f
	TypeI64 = 0x7e
)

// Globals gives the module's own globals. One that is neither i32 nor i64, or starts with more than a number, is an error, and
// so is one that is imported.
func (m *Module) Globals(file []byte) (all []GlobalVar, err error) {
	for _, i := range m.Imports {
		if i.Kind == Global {
			return nil, fmt.Errorf("read globals: %s.%s is imported", i.Module, i.Name)
		}
	}
	r := &reader{data: m.Content(file, SecGlobal)}
	if len(r.data) == 0 {
		return nil, nil
	}
	ops := map[byte]byte{opI32Const: TypeI32, opI64Const: TypeI64}
	r.each(func() {
		g := GlobalVar{Type: r.byte(), Mutable: r.byte() == 1}
		if op := r.byte(); g.Type != ops[op] {
			r.fail("global %d of type %#x starts with instruction %#x, and not with a number", len(all), g.Type, op)
		}
		g.Value = r.s64()
		if op := r.byte(); op != opEnd {
			r.fail("global %d starts with more than a number", len(all))
		}
		all = append(all, g)
	})
	if r.err != nil {
		return nil, fmt.Errorf("read globals: %w", r.err)
	}
	return all, nil
}

// AppendGlobals encodes the content of a section of globals.
func AppendGlobals(b []byte, all []GlobalVar) []byte {
	b = binary.AppendUvarint(b, uint64(len(all)))
	for _, g := range all {
		op, mutable := byte(opI32Const), byte(0)
		if g.Type == TypeI64 {
			op = opI64Const
		}
		if g.Mutable {
			mutable = 1
		}
		b = append(AppendSigned(append(b, g.Type, mutable, op), g.Value), opEnd)
	}
	return b
}

// AppendExports encodes the content of a section of exports.
func AppendExports(b []byte, all []Export) []byte {
	b = binary.AppendUvarint(b, uint64(len(all)))
	for _, e := range all {
		b = append(binary.AppendUvarint(b, uint64(len(e.Name))), e.Name...)
		b = binary.AppendUvarint(append(b, byte(e.Kind)), uint64(e.Index))
	}
	return b
}
