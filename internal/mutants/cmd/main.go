// Command cmd tries all mutants, prints one line for each and then the score. It fails below 100 %.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/Kayphoon/opencode-advisor/internal/cmdline"
	"github.com/Kayphoon/opencode-advisor/internal/mutants"
)

func main() {
	only := flag.String("only", "", "try only mutants whose name or file contains this")
	atOnce := flag.Int("n", 2, "how many at a time")
	cmdline.Parse("go run ./internal/mutants/cmd [options]\nBreaks each rule of loop safety, and demands a test that fails.")
	root, err := filepath.Abs(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var all []mutants.Mutant
	for _, m := range mutants.All {
		if strings.Contains(m.Name, *only) || strings.Contains(m.File, *only) {
			all = append(all, m)
		}
	}
	start := time.Now()
	killed := 0
	_, err = mutants.Run(root, all, *atOnce, func(v mutants.Verdict) {
		word := "SURVIVED"
		if v.Killed {
			word = "killed  "
			killed++
		}
		fmt.Printf("%s %4.1fs %s: %s (%s)\n", word, v.Took.Seconds(), v.File, v.Name, v.Detail)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("mutants: %d of %d killed, %d %%, in %.0f s\n", killed, len(all), 100*killed/max(1, len(all)), time.Since(start).Seconds())
	if killed < len(all) || len(all) == 0 {
		os.Exit(1)
	}
}
