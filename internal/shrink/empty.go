package shrink

import (
	"fmt"

	"github.com/Kayphoon/opencode-advisor/internal/wasmfile"
)

// Empty gives the module in which these functions, by their numbers, do nothing but trap: nobody calls them any more.
func Empty(file []byte, functions []uint32) ([]byte, error) {
	m, err := wasmfile.Parse(file)
	if err != nil {
		return nil, err
	}
	bodies, err := m.Bodies(file)
	if err != nil {
		return nil, fmt.Errorf("empty functions: %w", err)
	}
	for _, number := range functions {
		at := int64(number) - int64(m.ImportedFuncs())
		if at < 0 || at >= int64(len(bodies)) {
			return nil, fmt.Errorf("empty functions: there is no function %d", number)
		}
		bodies[at] = []byte{0, opUnreachable, opEnd}
	}
	return m.Replace(file, map[byte][]byte{wasmfile.SecCode: wasmfile.AppendBodies(nil, bodies)}), nil
}
