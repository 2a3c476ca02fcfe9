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
	c := &cursor{data: m.Content(file, secCode)}
	n := c.unsigned()
	out := appendUnsigned(nil, n)
	for i := uint64(0); i < n; i++ {
		size := c.unsigned()
		start := c.at
		if c.skip(int(size)); c.err != nil {
			return nil, c.err
		}
		f, err := readFunction(c.data[start:c.at])
		if err != nil {
			return nil, fmt.Errorf("function %d at byte %d of the code: %w", i, start, err)
		}
		f.straighten()
		f.foldOffsets()
		body := f.append(nil)
		out = append(appendUnsigned(out, uint64(len(body))), body...)
	}
	return out, nil
}
