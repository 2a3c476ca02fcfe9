// Package vector gives some functions of a module that Go's compiler wrote bodies with vector instructions, which that
// compiler does not know: they look at 16 bytes at a time. Each has a reference in Go, which native builds run and
// which the module keeps for engines without vectors. See RATIONALE.md.
package vector

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/Kayphoon/opencode-advisor/internal/shrink"
	"github.com/Kayphoon/opencode-advisor/internal/wasmfile"
)

var (
	//go:embed memchr.wat
	memchr string
	//go:embed breaks.wat
	breaks string
	//go:embed pair.wat
	pair string
)

const (
	ours = "github.com/Kayphoon/opencode-advisor/pkg/pattern."
	// goFunc is the type of every function of Go. Its arguments and results lie on Go's stack, behind the return address;
	// one that calls nothing takes that off and gives 0.
	goFunc = "(i32) -> i32"
)

// functions are those that get another body. They call nothing, so nobody looks at the stack while they run.
var functions = []struct{ name, typ, text string }{
	{"memchr", "(i32, i32, i32) -> i32", memchr},
	{ours + "Breaks", goFunc, breaks},
	{ours + "findPair", goFunc, pair},
}

// Functions are the numbers of those that a module has.
type Functions struct {
	number  []uint32 // 0 where it has none
	Missing []string
}

// Find looks for them by their names, so before shrink.Tables takes those away. That one is not there is for the
// caller to judge; that a name stands for two functions, or one of another type, is an error.
func Find(file []byte) (Functions, error) {
	m, err := wasmfile.Parse(file)
	if err != nil {
		return Functions{}, err
	}
	names, err := shrink.Names(file)
	if err != nil {
		return Functions{}, fmt.Errorf("find functions for vectors: %w", err)
	}
	return match(m, names)
}

func match(m *wasmfile.Module, names map[string][]uint32) (Functions, error) {
	found := Functions{number: make([]uint32, len(functions))}
	for n, f := range functions {
		switch at := names[f.name]; {
		case len(at) == 0:
			found.Missing = append(found.Missing, f.name)
		case len(at) > 1:
			return Functions{}, fmt.Errorf("find functions for vectors: %d are named %s", len(at), f.name)
		case int(at[0]) >= len(m.Funcs) || m.Types[m.Funcs[at[0]]] != f.typ:
			return Functions{}, fmt.Errorf("find functions for vectors: %s is not of type %s; look what this Go made of it", f.name, f.typ)
		default:
			found.number[n] = at[0]
		}
	}
	return found, nil
}

// plainSection is the custom section with the bodies that Go's compiler wrote.
const plainSection = "plain"

// Put gives the functions their bodies. It comes last, for what it puts at the end of the file tells places in it: a custom section
// with the bodies that were there, by which an engine without vectors can run the module too (host/module.ts).
// It holds, for each, where the body lies in the file, how long it is, and the bytes; then how long all that is.
// All numbers have four bytes, the least first. Of two bodies the shorter is filled up, so that one fits in the other's place.
func (f Functions) Put(file []byte) ([]byte, error) {
	m, err := wasmfile.Parse(file)
	if err != nil {
		return nil, err
	}
	code, err := m.Bodies(file)
	if err != nil {
		return nil, fmt.Errorf("put vectors: %w", err)
	}
	imported := m.ImportedFuncs()
	old := map[uint32][]byte{}
	for n, number := range f.number {
		if number == 0 {
			continue
		}
		body, err := assemble(functions[n].text)
		if err != nil {
			return nil, fmt.Errorf("put vectors: %s: %w", functions[n].name, err)
		}
		at := number - imported
		if number < imported || int(at) >= len(code) {
			return nil, fmt.Errorf("put vectors: there is no function %d", number)
		}
		old[at], code[at] = fill(code[at], len(body)), fill(body, len(code[at]))
	}
	content := binary.AppendUvarint(nil, uint64(len(code)))
	var plain []byte
	starts := map[uint32]int{}
	for n, body := range code {
		content = binary.AppendUvarint(content, uint64(len(body)))
		starts[uint32(n)] = len(content)
		content = append(content, body...)
	}
	out := m.Replace(file, map[byte][]byte{wasmfile.SecCode: content})
	if m, err = wasmfile.Parse(out); err != nil {
		return nil, err
	}
	start := uint32(0)
	for _, s := range m.Sections {
		if s.ID == wasmfile.SecCode {
			start = uint32(s.Offset)
		}
	}
	for _, number := range f.number {
		if body := old[number-imported]; number != 0 {
			plain = binary.LittleEndian.AppendUint32(plain, start+uint32(starts[number-imported]))
			plain = binary.LittleEndian.AppendUint32(plain, uint32(len(body)))
			plain = append(plain, body...)
		}
	}
	plain = binary.LittleEndian.AppendUint32(plain, uint32(len(plain)))
	section := append(append([]byte{byte(len(plainSection))}, plainSection...), plain...)
	return append(binary.AppendUvarint(append(out, 0), uint64(len(section))), section...), nil
}

// fill makes a body this long, with what does nothing before its end.
func fill(body []byte, size int) []byte {
	end := len(body) - 1
	more := max(0, size-len(body))
	return append(append(append([]byte{}, body[:end]...), strings.Repeat(nop, more)...), body[end])
}
