package wasmfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// The linker's table from a program counter to its function, runtime.findfunctab, is
// made of buckets: a first index of four bytes and sixteen small ones of a byte. In
// WebAssembly a function's counters are its number times 65,536, 16 buckets, and they
// all hold the function's own index, 16 times.
const (
	bucketSize     = 4 + 16
	bucketsPerFunc = 16
	// leastFuncs is how long a table must be to be taken for one: Go's runtime alone has more.
	leastFuncs = 500
)

// ThinFuncTable gives a copy of a module, linked by Go, whose table of functions is all zeroes, which the
// file leaves out: it is a twelfth of it. An entry is where the runtime begins a search upwards, so that zero is slower and never
// wrong; the guest's runtime is patched to begin at the function's own number (see RATIONALE.md).
func ThinFuncTable(file []byte) ([]byte, error) {
	out, err := RewriteData(file, func(image []byte) error {
		at, funcs, err := findFuncTable(image)
		if err != nil {
			return err
		}
		clear(image[at : at+funcs*bucketsPerFunc*bucketSize])
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("thin the table of functions: %w", err)
	}
	return out, nil
}

// findFuncTable finds the table by its content, for a stripped module has no names.
// It gives where the table begins and how many functions fill all their buckets.
func findFuncTable(image []byte) (at, funcs int, err error) {
	var start []byte // the buckets of the functions 0 to 3
	for n := range 4 * bucketsPerFunc {
		start = append(start, bucket(n)...)
	}
	// A search for the zeroes of function 0 would stop everywhere.
	const zeroes = bucketsPerFunc * bucketSize
	for from := 0; ; {
		found := bytes.Index(image[from:], start[zeroes:])
		if found < 0 {
			return 0, 0, errors.New("the module has none; is it linked by Go?")
		}
		at = from + found - zeroes
		from += found + 1
		if at < 0 || !bytes.HasPrefix(image[at:], start) {
			continue
		}
		n := 0
		for rest := image[at:]; bytes.HasPrefix(rest, bucket(n)); n++ {
			rest = rest[bucketSize:]
		}
		if n >= leastFuncs*bucketsPerFunc {
			return at, n / bucketsPerFunc, nil
		}
	}
}

// bucket is the bucket number n, as the linker writes it.
func bucket(n int) []byte {
	b := make([]byte, bucketSize)
	binary.LittleEndian.PutUint32(b, uint32(n/bucketsPerFunc))
	return b
}
