package shrink

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/Kayphoon/opencode-advisor/internal/wasmfile"
)

// Module gives the smaller module. The error says what it cannot read; a module that
// another compiler made is most likely refused. What rests on the linker's tables of functions is done
// where those are found: run it before Tables.
//
// Cold tells by a function's name whether its calls, and calls of it, had better be small than fast. It may be nil.
func Module(file []byte, cold func(name string) bool) ([]byte, error) {
	m, err := wasmfile.Parse(file)
	if err != nil {
		return nil, err
	}
	content, err := shrinkModule(m, file, cold)
	if err != nil {
		return nil, fmt.Errorf("shrink module: %w", err)
	}
	return m.Replace(file, content), nil
}

// program is the code of all functions, with what the linker's tables say about them.
type program struct {
	imports int
	funcs   []*function
	entries []entry // none when there are no tables
}

func shrinkModule(m *wasmfile.Module, file []byte, cold func(name string) bool) (map[byte][]byte, error) {
	p := &program{imports: len(m.Imports)}
	if err := p.read(m, file); err != nil {
		return nil, err
	}
	if image, err := wasmfile.Image(file); err == nil {
		if t, err := findTables(image); err == nil {
			if p.entries, err = t.read(); err != nil {
				return nil, err
			}
		}
	}
	for _, f := range p.funcs {
		f.sweep()
		f.freePCB()
		f.straighten()
	}
	helpers := p.coldCalls()
	if p.entries != nil {
		said := p.placesSaid()
		for n, f := range p.funcs {
			f.dropPlaces(said[uint32(n+p.imports)])
		}
	}
	helpers = p.pushCalls(helpers, cold)
	for _, f := range p.funcs {
		f.sweep()
		f.foldOffsets()
		f.peephole()
	}
	content := map[byte][]byte{wasmfile.SecCode: p.append(helpers)}
	if err := addFunctions(m, file, content, helperType, len(helpers)); err != nil {
		return nil, err
	}
	return content, nil
}

// addFunctions says in the other sections that the code has so many more functions of this type.
func addFunctions(m *wasmfile.Module, file []byte, content map[byte][]byte, typ []byte, count int) error {
	if count == 0 {
		return nil
	}
	types, number, err := withType(m.Content(file, wasmfile.SecType), typ)
	if err != nil {
		return err
	}
	functions := &cursor{data: m.Content(file, wasmfile.SecFunction)}
	old := functions.unsigned()
	list := append(binary.AppendUvarint(nil, old+uint64(count)), functions.data[functions.at:]...)
	for range count {
		list = binary.AppendUvarint(list, number)
	}
	content[wasmfile.SecType], content[wasmfile.SecFunction] = types, list
	return nil
}

// read reads the code of a module.
func (p *program) read(m *wasmfile.Module, file []byte) error {
	bodies, err := m.Bodies(file)
	if err != nil {
		return err
	}
	for n, body := range bodies {
		f, err := readFunction(body)
		if err != nil {
			return fmt.Errorf("function %d of the code: %w", n, err)
		}
		p.funcs = append(p.funcs, f)
	}
	return nil
}

// append encodes the section of code again, with further functions.
func (p *program) append(more [][]byte) []byte {
	var bodies [][]byte
	for _, f := range p.funcs {
		bodies = append(bodies, f.append(nil))
	}
	return wasmfile.AppendBodies(nil, append(bodies, more...))
}

// coldCalls rewrites the calls of all functions that never return, and gives the helpers for that.
func (p *program) coldCalls() (helpers [][]byte) {
	cold := map[uint32]uint32{} // functions that never return, and the helper of each, 0 when it has none yet
	for n := range p.entries {
		if e := &p.entries[n]; never[e.name] {
			cold[e.number(p.imports)] = 0
		}
	}
	for _, f := range p.funcs {
		f.coldCalls(func(callee uint32) (uint32, bool) {
			number, ok := cold[callee]
			if ok && number == 0 {
				number = uint32(p.imports + len(p.funcs) + len(helpers))
				helpers = append(helpers, helperBody(callee))
				cold[callee] = number
			}
			return number, ok
		})
		f.sweep()
	}
	return helpers
}

// pushCalls makes calls shorter that do not matter for speed.
func (p *program) pushCalls(helpers [][]byte, cold func(name string) bool) [][]byte {
	if cold == nil {
		return helpers
	}
	isCold := map[uint32]bool{}
	for n := range p.entries {
		isCold[p.entries[n].number(p.imports)] = cold(p.entries[n].name)
	}
	helper, found := uint64(p.imports+len(p.funcs)+len(helpers)), false
	for n, f := range p.funcs {
		own := isCold[uint32(n+p.imports)]
		found = f.pushCalls(helper, func(callee uint32) bool { return own || isCold[callee] }) || found
	}
	if found {
		helpers = append(helpers, pushBody())
	}
	return helpers
}

// helperType is the type of a helper: the return address in, and out whether to let go of the frame.
var helperType = []byte{0x60, 1, 0x7e, 1, typeI32}

// withType gives a section of types that has this one, and its number.
func withType(section, want []byte) ([]byte, uint64, error) {
	c := &cursor{data: section}
	count := c.unsigned()
	start := c.at
	for n := range count {
		from := c.at
		c.byte() // a function
		for range 2 {
			c.skip(int(c.unsigned()))
		}
		if c.err != nil {
			return nil, 0, c.err
		}
		if bytes.Equal(section[from:c.at], want) {
			return section, n, nil
		}
	}
	return append(append(binary.AppendUvarint(nil, count+1), section[start:]...), want...), count, nil
}
