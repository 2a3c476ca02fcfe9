// Command cmd searches all sequences of events up to a depth and prints what it covered.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/Kayphoon/opencode-advisor/internal/cmdline"
	"github.com/Kayphoon/opencode-advisor/internal/search"
)

func main() {
	depth := flag.Int("depth", 11, "length of the sequences")
	cmdline.Parse("go run ./internal/search/cmd [options]\nTries every sequence of events that could wake twice.")
	ok := true
	for _, h := range search.Hosts() {
		r := search.Run(h, search.Real(), *depth)
		fmt.Println(r)
		ok = ok && r.Why == ""
	}
	if !ok {
		os.Exit(1)
	}
}
