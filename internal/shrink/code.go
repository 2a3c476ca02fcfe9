package shrink

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/Kayphoon/opencode-advisor/internal/wasmfile"
)

// Opcodes that the passes look at. The others are told apart by what they take and give alone.
const (
	opBlock     = 0x02
	opLoop      = 0x03
	opIf        = 0x04
	opElse      = 0x05
	opEnd       = 0x0b
	opBr        = 0x0c
	opBrIf      = 0x0d
	opBrTable   = 0x0e
	opCall      = 0x10
	opCallInd   = 0x11
	opDrop      = 0x1a
	opSelect    = 0x1b
	opLocalGet  = 0x20
	opLocalSet  = 0x21
	opLocalTee  = 0x22
	opGlobalGet = 0x23
	opGlobalSet = 0x24
	opLoadLow   = 0x28 // loads, up to
	opLoadHigh  = 0x35
	opStoreHigh = 0x3e // stores, from behind the loads up to
	opMemSize   = 0x3f
	opMemGrow   = 0x40
	opI32Const  = 0x41
	opI64Const  = 0x42
	opF32Const  = 0x43
	opF64Const  = 0x44
	opI32Add    = 0x6a
	opI64Add    = 0x7c
	opWrap      = 0xa7 // i32.wrap_i64
	opExtend    = 0xad // i64.extend_i32_u
	opPrefix    = 0xfc
	opVoid      = 0x40 // the type of a block that gives nothing
)

// instr is one instruction. Instructions that no pass changes keep their bytes.
type instr struct {
	op  byte
	raw []byte
	a   uint64 // first immediate: label, local, function, align, or a constant as 64 bits
	b   uint64 // second immediate: offset of a memory access, sub-opcode behind the prefix
	// table of br_table, the default last.
	table  []uint32
	gone   bool // to be left out
	fresh  bool // to be encoded from op, a, b and table
	cold   bool // a return address that nothing returns to
	back   bool // a return address
	helper int
}

// function is the code of one function.
type function struct {
	locals []byte // declarations, as they stand
	types  []byte // of the declared locals, by number, parameters not among them
	code   []instr
}

var errCut = errors.New("the code ends early")

// cursor reads immediates.
type cursor struct {
	data []byte
	at   int
	err  error
}

func (c *cursor) byte() byte {
	if c.at >= len(c.data) {
		c.err = errCut
		return 0
	}
	c.at++
	return c.data[c.at-1]
}

func (c *cursor) unsigned() (n uint64) {
	for shift := 0; shift < 64; shift += 7 {
		b := c.byte()
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
	}
	c.err = errors.New("a number is too large")
	return 0
}

func (c *cursor) signed() (n int64) {
	shift := 0
	for shift < 70 {
		b := c.byte()
		n |= int64(b&0x7f) << shift
		shift += 7
		if b < 0x80 {
			if shift < 64 && b&0x40 != 0 {
				n |= -1 << shift
			}
			return n
		}
	}
	c.err = errors.New("a number is too large")
	return 0
}

func (c *cursor) skip(n int) {
	if c.at += n; c.at > len(c.data) {
		c.err = errCut
	}
}

// readFunction decodes one body of the code section.
func readFunction(body []byte) (*function, error) {
	c := &cursor{data: body}
	f := &function{}
	const most = 50_000 // locals: what engines allow
	for n := c.unsigned(); n > 0 && c.err == nil; n-- {
		count, typ := c.unsigned(), c.byte()
		if count > most || len(f.types) > most {
			return nil, errors.New("too many locals")
		}
		for range count {
			f.types = append(f.types, typ)
		}
	}
	if c.err != nil {
		return nil, c.err
	}
	f.locals = body[:c.at]
	f.code = make([]instr, 0, len(body)/2)
	for c.at < len(body) {
		i, err := c.instr()
		if err != nil {
			return nil, err
		}
		f.code = append(f.code, i)
	}
	return f, nil
}

func (c *cursor) instr() (instr, error) {
	start := c.at
	i := instr{op: c.byte()}
	switch op := i.op; {
	case op == opBlock || op == opLoop || op == opIf:
		i.a = uint64(c.byte()) // Go's blocks have no parameters and at most one result
		if i.a&0xc0 != 0x40 {
			return i, fmt.Errorf("block type %#x is not of Go's making", i.a)
		}
	case op == opBr || op == opBrIf || op == opCall || op >= opLocalGet && op <= 0x26 || op == 0xd2:
		i.a = c.unsigned()
	case op == opCallInd:
		i.a, i.b = c.unsigned(), c.unsigned()
	case op == opBrTable:
		n := c.unsigned()
		if n > uint64(len(c.data)) {
			return i, errCut
		}
		for range n + 1 {
			i.table = append(i.table, uint32(c.unsigned()))
		}
	case op >= opLoadLow && op <= opStoreHigh:
		i.a, i.b = c.unsigned(), c.unsigned()
	case op == opMemSize || op == opMemGrow:
		c.byte()
	case op == opI32Const || op == opI64Const:
		i.a = uint64(c.signed())
	case op == opF32Const:
		c.skip(4)
	case op == opF64Const:
		c.skip(8)
	case op == opPrefix:
		switch i.b = c.unsigned(); {
		case i.b < 8: // saturating truncations
		case i.b == 10: // memory.copy
			c.skip(2)
		case i.b == 11: // memory.fill
			c.skip(1)
		default:
			return i, fmt.Errorf("instruction 0xfc %d is not of Go's making", i.b)
		}
	case op <= 0x01 || op == opElse || op == opEnd || op == 0x0f || op == opDrop || op == opSelect || op >= 0x45 && op <= 0xc4:
	default:
		return i, fmt.Errorf("instruction %#x is not of Go's making", op)
	}
	if c.err != nil {
		return i, c.err
	}
	i.raw = c.data[start:c.at]
	return i, nil
}

// append encodes the function again.
func (f *function) append(out []byte) []byte {
	out = append(out, f.locals...)
	for i := range f.code {
		switch in := &f.code[i]; {
		case in.gone:
		case !in.fresh:
			out = append(out, in.raw...)
		default:
			out = append(out, in.op)
			switch in.op {
			case opI32Const:
				out = wasmfile.AppendSigned(out, int64(int32(in.a)))
			case opI64Const:
				out = wasmfile.AppendSigned(out, int64(in.a))
			case opBr, opBrIf, opCall, opLocalGet, opLocalSet, opLocalTee:
				out = binary.AppendUvarint(out, in.a)
			case opBrTable:
				out = binary.AppendUvarint(out, uint64(len(in.table)-1))
				for _, label := range in.table {
					out = binary.AppendUvarint(out, uint64(label))
				}
			default:
				if in.op >= opLoadLow && in.op <= opStoreHigh {
					out = binary.AppendUvarint(out, in.a)
					out = binary.AppendUvarint(out, in.b)
				}
			}
		}
	}
	return out
}

// effect gives how many values an instruction takes and gives. It knows the plain ones
// only: ok is false for calls and everything that has to do with control.
func (i *instr) effect() (takes, gives int, ok bool) {
	switch op := i.op; {
	case op == opLocalGet, op == opGlobalGet, op == opMemSize, op >= opI32Const && op <= opF64Const:
		return 0, 1, true
	case op == opLocalSet, op == opGlobalSet, op == opDrop:
		return 1, 0, true
	case op == opLocalTee, op == opMemGrow, op >= opLoadLow && op <= opLoadHigh:
		return 1, 1, true
	case op > opLoadHigh && op <= opStoreHigh:
		return 2, 0, true
	case op == opSelect:
		return 3, 1, true
	case op == 0x45 || op == 0x50: // eqz
		return 1, 1, true
	case op >= 0x46 && op <= 0x66: // comparisons
		return 2, 1, true
	case op >= 0x67 && op <= 0x69, op >= 0x79 && op <= 0x7b: // clz, ctz, popcnt
		return 1, 1, true
	case op >= 0x6a && op <= 0x78, op >= 0x7c && op <= 0x8a: // integer arithmetic
		return 2, 1, true
	case op >= 0x8b && op <= 0x91, op >= 0x99 && op <= 0x9f: // abs to sqrt
		return 1, 1, true
	case op >= 0x92 && op <= 0x98, op >= 0xa0 && op <= 0xa6: // float arithmetic
		return 2, 1, true
	case op >= 0xa7 && op <= 0xc4: // conversions
		return 1, 1, true
	case op == opPrefix && i.b < 8:
		return 1, 1, true
	case op == opPrefix:
		return 3, 0, true
	}
	return 0, 0, false
}
