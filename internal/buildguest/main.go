// Command buildguest compiles the guest: ./wasm as a WebAssembly reactor, stripped,
// the same bytes whoever builds it and wherever, with the maximum of its memory set.
//
//	go run ./internal/buildguest [-o dist/superadvisor.wasm] [-twice]
//	go run ./internal/buildguest -sizes
//
// With -twice it builds a second time with an empty build cache, and fails when
// the two differ. With -sizes it writes nothing and prints what each package takes.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	out := flag.String("o", "dist/superadvisor.wasm", "the `file` to write")
	twice := flag.Bool("twice", false, "build again from nothing and compare")
	sizes := flag.Bool("sizes", false, "print what each package takes")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if *sizes {
		if err := printSizes(os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "buildguest:", err)
			os.Exit(1)
		}
		return
	}
	report, err := run(*out, *twice)
	if err != nil {
		fmt.Fprintln(os.Stderr, "buildguest:", err)
		os.Exit(1)
	}
	fmt.Println(report)
}
