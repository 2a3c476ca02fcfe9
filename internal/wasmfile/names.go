package wasmfile

import "errors"

// FuncSizes gives the size of each function's code by its number among all functions, and
// the names that the module's name section has for them. Imported functions have no code.
func FuncSizes(file []byte) (sizes map[uint32]int, names map[uint32]string, err error) {
	m, err := Parse(file)
	if err != nil {
		return nil, nil, err
	}
	sizes, names = map[uint32]int{}, map[uint32]string{}
	number := m.ImportedFuncs()
	bodies, err := m.Bodies(file)
	if err != nil {
		return nil, nil, err
	}
	for _, body := range bodies {
		sizes[number] = len(body)
		number++
	}
	for _, s := range m.Sections {
		if s.ID == secCustom && s.Name == "name" {
			return sizes, names, readNames(file[s.Offset:s.Offset+s.Size], names)
		}
	}
	return nil, nil, errors.New("the module has no names")
}

// readNames reads the names of functions out of a name section.
func readNames(body []byte, names map[uint32]string) error {
	const functions = 1 // the subsection's id
	r := &reader{data: body}
	r.name() // "name"
	for r.err == nil && r.at < len(body) {
		id := r.byte()
		part := &reader{data: r.bytes(r.count())}
		if id != functions {
			continue
		}
		part.each(func() {
			number := part.u32()
			names[number] = part.name()
		})
		if r.err == nil {
			r.err = part.err
		}
	}
	return r.err
}
