package shrink

import (
	"fmt"

	"github.com/Kayphoon/opencode-advisor/internal/wasmfile"
)

const secCode = 10 // the section of code

// Module gives the smaller module. The error says what it cannot read; a module that
// another compiler made is most likely refused.
func Module(file []byte) ([]byte, error) {
	m, err := wasmfile.Parse(file)
	if err != nil {
		return nil, err
	}
	code, err := shrinkCode(m, file)
	if err != nil {
		return nil, fmt.Errorf("shrink module: %w", err)
	}
	return m.Replace(file, map[byte][]byte{secCode: code}), nil
}

func shrinkCode(m *wasmfile.Module, file []byte) ([]byte, error) {
	code := m.Content(file, secCode)
	var bodies []byte
	n := uint64(0)
	err := eachFunction(code, func(f *function) {
		f.straighten()
		f.foldOffsets()
		body := f.append(nil)
		bodies = append(appendUnsigned(bodies, uint64(len(body))), body...)
		n++
	})
	return append(appendUnsigned(nil, n), bodies...), err
}

// eachFunction reads a section of code.
func eachFunction(code []byte, do func(*function)) error {
	c := &cursor{data: code}
	n := c.unsigned()
	for i := uint64(0); i < n; i++ {
		size := c.unsigned()
		start := c.at
		if c.skip(int(size)); c.err != nil {
			return c.err
		}
		f, err := readFunction(c.data[start:c.at])
		if err != nil {
			return fmt.Errorf("function %d at byte %d of the code: %w", i, start, err)
		}
		do(f)
	}
	return nil
}
