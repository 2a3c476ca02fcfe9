// Command gen writes the two halves of the wire from the Go types of
// pkg/protocol: codec.gen.go beside them, and host/protocol.gen.ts for the
// loader. A type that it cannot map to both is an error.
//
// It runs in pkg/protocol, by go generate ./pkg/protocol.
package main

import (
	"fmt"
	"os"

	"github.com/Kayphoon/opencode-advisor/internal/cmdline"
)

func main() {
	cmdline.Parse("go generate ./pkg/protocol\nWrites the two halves of the wire.")
	files, err := Generate(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
	for name, text := range files {
		if err := os.WriteFile(name, text, 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "gen:", err)
			os.Exit(1)
		}
	}
}

// Generate reads the package in folder dir and gives the generated files by
// name, relative to dir.
func Generate(dir string) (map[string][]byte, error) {
	w, err := parse(dir)
	if err != nil {
		return nil, err
	}
	codec, err := writeGo(w)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		"codec.gen.go":               codec,
		"../../host/protocol.gen.ts": writeTypeScript(w),
	}, nil
}
