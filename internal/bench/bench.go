// Package bench is what the benches have in common: each is a package beside this one that
// prints a table, and what it returns is kept in testdata/bench, one file a bench. What is
// kept is counted and the same on every machine; a timing is printed, as a ratio to a
// baseline of the same run, and fails no test.
package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Bench is one of them.
type Bench struct {
	Name  string // of its file
	Title string
	// Run prints the table and gives what is kept of it; nil for nothing.
	Run func(w io.Writer) (any, error)
}

// Write keeps the result of a bench in dir.
func Write(dir, name string, result any) error {
	data, err := Encode(result)
	if err != nil {
		return fmt.Errorf("keep the bench %s: %w", name, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name+".json"), data, 0o644)
}

// Encode is the form in which a result is kept.
func Encode(result any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(result)
	return b.Bytes(), err
}
