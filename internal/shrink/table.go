package shrink

import (
	"encoding/binary"
	"errors"

	"github.com/Kayphoon/opencode-advisor/internal/wasmfile"
)

// The runtime's findfunctab, see runtime.findfuncbucket: for each 4 KB of program counters the
// number of a function, and 16 bytes of offsets. In wasm a function is 64 KB of program counters and
// has nothing inside of it, so entry k is k/16 and 16 zeroes.
const (
	entrySize  = 20
	perFunc    = 16
	leastFuncs = 200 // Go's runtime alone has more; a shorter run is chance
)

// segment is a piece of memory that a data section sets.
type segment struct {
	at   uint32
	data []byte
}

// readData gives the segments. ok is false when there are any but plain ones.
func readData(content []byte) (list []segment, ok bool) {
	c := &cursor{data: content}
	for n := c.unsigned(); n > 0 && c.err == nil; n-- {
		if c.unsigned() != 0 || c.byte() != opI32Const {
			return nil, false
		}
		at := c.signed()
		if c.byte() != opEnd || at < 0 {
			return nil, false
		}
		size := c.unsigned()
		start := c.at
		if c.skip(int(size)); c.err != nil {
			return nil, false
		}
		list = append(list, segment{uint32(at), content[start:c.at]})
	}
	return list, c.err == nil && c.at == len(content)
}

func appendData(out []byte, list []segment) []byte {
	out = appendUnsigned(out, uint64(len(list)))
	for _, s := range list {
		out = appendSigned(append(out, 0, opI32Const), int64(int32(s.at)))
		out = appendUnsigned(append(out, opEnd), uint64(len(s.data)))
		out = append(out, s.data...)
	}
	return out
}

// image gives the memory that segments make, from address 0.
func image(list []segment) ([]byte, error) {
	const most = 64 << 20 // far more than any module of ours starts with
	end := 0
	for _, s := range list {
		end = max(end, int(s.at)+len(s.data))
	}
	if end > most {
		return nil, errors.New("the data ends beyond 64 MB")
	}
	memory := make([]byte, end)
	for _, s := range list {
		copy(memory[s.at:], s.data)
	}
	return memory, nil
}

// run is a piece of the table: entries of numbers from..to-1, whose first lies at address at.
type run struct{ at, from, to int }

// findTable looks for the table. Its entries 0 to 15 are zero, so it is found from entry 16 on.
func findTable(memory []byte) (run, bool) {
	for at := 0; at+entrySize*perFunc*leastFuncs <= len(memory); at += 4 {
		if binary.LittleEndian.Uint32(memory[at:]) != 1 {
			continue
		}
		r := run{at: at, from: perFunc, to: perFunc}
		for ; isEntry(memory, at, r.to/perFunc); r.to++ {
			at += entrySize
		}
		if r.to >= perFunc*leastFuncs {
			return r, true
		}
		at = r.at
	}
	return run{}, false
}

// isEntry tells whether the entry at an address is that of the function with this number.
func isEntry(memory []byte, at, number int) bool {
	if at+entrySize > len(memory) || binary.LittleEndian.Uint32(memory[at:]) != uint32(number) {
		return false
	}
	for _, b := range memory[at+4 : at+entrySize] {
		if b != 0 {
			return false
		}
	}
	return true
}

// without gives the segments without what lies in a run.
func (r run) without(list []segment) (out []segment) {
	low, high := uint32(r.at), uint32(r.at+entrySize*(r.to-r.from))
	for _, s := range list {
		end := s.at + uint32(len(s.data))
		if s.at < low && end > s.at {
			out = append(out, segment{s.at, s.data[:min(end, low)-s.at]})
		}
		if end > high {
			from := max(s.at, high)
			out = append(out, segment{from, s.data[from-s.at:]})
		}
	}
	return out
}

// fill is the code of a function that writes the run and goes on with another.
func (r run) fill(then uint32) []byte {
	const at, number = 0, 1 // locals
	code := []byte{1, 2, typeI32, opI32Const}
	code = appendSigned(code, int64(r.at))
	code = append(code, opLocalSet, at, opI32Const)
	code = appendSigned(code, int64(r.from))
	code = append(code, opLocalSet, number,
		opLoop, opVoid,
		opLocalGet, at, opLocalGet, number, opI32Const, 4, 0x76, 0x36, 2, 0, // *at = number >> 4
		opLocalGet, at, opI32Const, entrySize, opI32Add, opLocalSet, at,
		opLocalGet, number, opI32Const, 1, opI32Add, opLocalTee, number,
		opI32Const)
	code = appendSigned(code, int64(r.to))
	code = append(code, 0x49, opBrIf, 0, opEnd, opCall) // number < to: again
	return append(appendUnsigned(code, uint64(then)), opEnd)
}

// write does to a memory what the filled function does.
func (r run) write(memory []byte) {
	for n := r.from; n < r.to; n++ {
		binary.LittleEndian.PutUint32(memory[r.at+entrySize*(n-r.from):], uint32(n/perFunc))
	}
}

// entries are the exports that start a Go module, one of which it has.
var entries = []string{"_initialize", "_start"}

// computeTable moves the table out of the data into a function that runs first. It changes the
// content of sections in place, or nothing when the table is not found.
func computeTable(m *wasmfile.Module, content map[byte][]byte) error {
	list, ok := readData(content[secData])
	if !ok {
		return nil
	}
	memory, err := image(list)
	if err != nil {
		return err
	}
	r, ok := findTable(memory)
	entry := -1
	for i, e := range m.Exports {
		if (e.Name == entries[0] || e.Name == entries[1]) && e.Type == "()" {
			entry = i
		}
	}
	if !ok || entry < 0 {
		return nil
	}
	rest := r.without(list)
	again, err := image(rest)
	if err != nil {
		return err
	}
	again = append(again, make([]byte, len(memory)-len(again))...)
	if r.write(again); string(again) != string(memory) {
		return errors.New("the table of functions comes out otherwise")
	}

	old := m.Exports[entry].Index
	body := r.fill(old)
	content[secData] = appendData(nil, rest)
	content[secFunction] = addItem(content[secFunction], appendUnsigned(nil, uint64(m.Funcs[old])))
	content[secCode] = addItem(content[secCode], append(appendUnsigned(nil, uint64(len(body))), body...))
	out := appendUnsigned(nil, uint64(len(m.Exports)))
	for i, e := range m.Exports {
		index := e.Index
		if i == entry {
			index = uint32(len(m.Funcs))
		}
		out = append(appendUnsigned(out, uint64(len(e.Name))), e.Name...)
		out = appendUnsigned(append(out, byte(e.Kind)), uint64(index))
	}
	content[secExport] = out
	return nil
}

// addItem appends to a vector.
func addItem(vector, item []byte) []byte {
	c := &cursor{data: vector}
	n := c.unsigned()
	out := append(appendUnsigned(nil, n+1), vector[c.at:]...)
	return append(out, item...)
}
