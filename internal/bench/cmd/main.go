// Command cmd prints the bench tables and writes them as JSON to a folder.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/Kayphoon/opencode-advisor/internal/bench"
)

func main() {
	out := flag.String("o", "testdata/bench", "folder for the JSON files")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(out string) error {
	var rows []bench.Growth
	for _, c := range []struct {
		steps int
		reads bool
	}{{50, false}, {50, true}, {400, false}, {400, true}} {
		g, err := bench.Measure(c.steps, c.reads)
		if err != nil {
			return err
		}
		rows = append(rows, g)
	}
	bench.Print(os.Stdout, rows)
	data, err := json.MarshalIndent(rows, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "growth.json"), append(data, '\n'), 0o644)
}
