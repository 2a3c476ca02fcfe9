package shrink

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/Kayphoon/opencode-advisor/internal/wasmfile"
)

// The linker's tables are records of words that grow from one to the next, which neither a data segment nor gzip makes
// shorter. So the module holds them as columns, each as the differences between its words, and a function of ours writes them out
// before the program starts.
//
// A stream of columns is, for each: where its first word lies, from one word to the next, how many there are, what a hole is (four bytes
// each, the lowest first), and for each word a number in LEB128. That is 0 for a hole, or one more than the difference to the last
// word that was none, folded so that small negative ones are small (zigzag). A column of no words ends it.

// column is a word of each record.
type column struct {
	at, stride, count int
	hole              uint32 // what stands where a record has none
}

const columnHeader = 16

var errPack = errors.New("the columns cannot be packed")

// packer takes columns out of a memory.
type packer struct {
	image  []byte
	stream []byte
	err    error
}

// take adds a column to the stream, and clears it. One of zeroes needs none.
func (p *packer) take(c column) {
	var words []byte
	last, all := uint32(0), uint32(0)
	for n := range c.count {
		at := p.image[c.at+n*c.stride:]
		word := little.Uint32(at)
		little.PutUint32(at, 0)
		all |= word
		if word == c.hole {
			words = append(words, 0)
			continue
		}
		delta := int32(word - last)
		if delta == math.MinInt32 { // one more than it folded is no word
			p.err = errPack
		}
		words = binary.AppendUvarint(words, uint64(uint32(delta<<1)^uint32(delta>>31))+1)
		last = word
	}
	if all == 0 {
		return
	}
	for _, n := range []uint32{uint32(c.at), uint32(c.stride), uint32(c.count), c.hole} {
		p.stream = little.AppendUint32(p.stream, n)
	}
	p.stream = append(p.stream, words...)
}

// store writes the stream into a part of the memory that nothing reads.
func (p *packer) store(at, room int) error {
	p.stream = append(p.stream, make([]byte, columnHeader)...)
	if len(p.stream) > room {
		return fmt.Errorf("%w: %d bytes into %d", errPack, len(p.stream), room)
	}
	copy(p.image[at:], p.stream)
	return p.err
}

// addUnpack gives the module in which the function that is called first writes out the stream at this place.
func addUnpack(file []byte, at int) ([]byte, error) {
	m, err := wasmfile.Parse(file)
	if err != nil {
		return nil, err
	}
	p := &program{imports: len(m.Imports)}
	if err := p.read(m, file); err != nil {
		return nil, err
	}
	first := -1
	for _, e := range m.Exports {
		if e.Kind == wasmfile.Func && (e.Name == "_start" || e.Name == "_initialize") {
			first = int(e.Index) - p.imports
		}
	}
	if first < 0 || first >= len(p.funcs) {
		return nil, errors.New("the module has no function that is called first")
	}
	f := p.funcs[first]
	f.code = append([]instr{{op: opCall, a: uint64(p.imports + len(p.funcs)), fresh: true}}, f.code...)
	content := map[byte][]byte{wasmfile.SecCode: p.append([][]byte{unpackBody(at)})}
	if err := addFunctions(m, file, content, unpackType, 1); err != nil {
		return nil, err
	}
	return m.Replace(file, content), nil
}

// unpackType is the type of a function without parameters and results.
var unpackType = []byte{0x60, 0, 0}

const (
	opI32Load   = 0x28
	opI32Load8  = 0x2d
	opI32Store  = 0x36
	opI32GeU    = 0x4f
	opI32And    = 0x71
	opI32Or     = 0x72
	opI32Xor    = 0x73
	opI32Shl    = 0x74
	opI32ShrU   = 0x76
	alignWord   = 2
	wordBytes   = 4
	lebBits     = 7
	lebContinue = 1 << lebBits
)

// unpackBody is the code that writes a stream out.
func unpackBody(stream int) []byte {
	const (
		at, to, stride, count, hole, last, number, shift, b = 0, 1, 2, 3, 4, 5, 6, 7, 8
		locals                                              = 9
	)
	code := []byte{1, locals, typeI32}
	op := func(ops ...byte) { code = append(code, ops...) }
	number32 := func(n int) { op(opI32Const); code = wasmfile.AppendSigned(code, int64(n)) }
	header := func(field, local byte) { op(opLocalGet, at, opI32Load, alignWord, field*wordBytes, opLocalSet, local) }
	add := func(local byte, n int) { op(opLocalGet, local); number32(n); op(opI32Add, opLocalSet, local) }
	zero := func(local byte) { number32(0); op(opLocalSet, local) }

	number32(stream)
	op(opLocalSet, at)
	op(opLoop, opVoid) // a column
	header(0, to)
	header(1, stride)
	header(2, count)
	header(3, hole)
	op(opLocalGet, count, opI32Eqz, opIf, opVoid, opReturn, opEnd)
	zero(last)
	add(at, columnHeader)
	op(opLoop, opVoid) // a word
	zero(number)
	zero(shift)
	op(opLoop, opVoid) // a byte: number |= (b & 0x7f) << shift
	op(opLocalGet, number, opLocalGet, at, opI32Load8, 0, 0, opLocalTee, b)
	number32(lebContinue - 1)
	op(opI32And, opLocalGet, shift, opI32Shl, opI32Or, opLocalSet, number)
	add(shift, lebBits)
	add(at, 1)
	op(opLocalGet, b)
	number32(lebContinue)
	op(opI32GeU, opBrIf, 0, opEnd)
	op(opLocalGet, to, opLocalGet, number, opIf, typeI32) // last += (number-1)>>1 ^ -((number-1)&1)
	add(number, -1)
	op(opLocalGet, number)
	number32(1)
	op(opI32ShrU)
	number32(0)
	op(opLocalGet, number)
	number32(1)
	op(opI32And, opI32Sub, opI32Xor, opLocalGet, last, opI32Add, opLocalTee, last)
	op(opElse, opLocalGet, hole, opEnd, opI32Store, alignWord, 0)
	op(opLocalGet, to, opLocalGet, stride, opI32Add, opLocalSet, to)
	op(opLocalGet, count)
	number32(1)
	op(opI32Sub, opLocalTee, count, opBrIf, 0, opEnd)
	op(opBr, 0, opEnd, opEnd)
	return code
}
