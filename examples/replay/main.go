// Command replay runs a recording of the advisor through a fresh core and says whether it decides the same:
//
//	go run ./examples/replay FILE
//
// It ends with 0 when every decision is the same, 1 when one differs, and 2 when the file cannot be replayed.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/Kayphoon/opencode-advisor/pkg/engine"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, out, complaints io.Writer) int {
	if len(args) != 1 {
		fmt.Fprintln(complaints, "usage: replay FILE, a file of the folder recordings")
		return 2
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		fmt.Fprintln(complaints, "replay:", err)
		return 2
	}
	done, err := engine.Replay(string(text))
	if err != nil {
		fmt.Fprintf(complaints, "replay: %s: %v\n", args[0], err)
		return 2
	}
	fmt.Fprintln(out, done.String())
	if done.Different != "" {
		return 1
	}
	return 0
}
