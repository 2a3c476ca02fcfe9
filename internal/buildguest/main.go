// Command buildguest compiles the guest: ./wasm as a WebAssembly reactor, stripped,
// the same bytes whoever builds it and wherever, with the maximum of its memory set.
//
//	go run ./internal/buildguest [-o dist/superadvisor.wasm] [-twice]
//	go run ./internal/buildguest -bench -o .cache/bench/bench.wasm
//	go run ./internal/buildguest -plain -o .cache/bench/plain.wasm
//	go run ./internal/buildguest -sizes [-keep testdata/bench/sizes.json]
//	go run ./internal/buildguest -names
//
// With -bench the module also exports bench, which runs one tool (wasm/bench.go). With -plain it is not started yet
// (internal/snapshot), as a module is that Go's compiler wrote.
// With -twice it builds a second time with an empty build cache, and fails when
// the two differ. With -sizes it writes nothing and prints what each package takes.
//
// The module knows no names of functions and no lines: a traceback of it gives numbers. With
// -names it writes nothing and prints each number with its function's name.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	out := flag.String("o", "dist/superadvisor.wasm", "the `file` to write")
	twice := flag.Bool("twice", false, "build again from nothing and compare")
	bench := flag.Bool("bench", false, "with the export for measuring")
	plain := flag.Bool("plain", false, "as it is before its start")
	sizes := flag.Bool("sizes", false, "print what each package takes")
	keep := flag.String("keep", "", "with -sizes: the `file` to keep them in")
	names := flag.Bool("names", false, "print the functions by their numbers")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	var err error
	switch {
	case *sizes:
		err = printSizes(os.Stdout, *keep)
	case *names:
		err = printNames(os.Stdout)
	default:
		err = run(os.Stdout, *out, *twice, way{bench: *bench, plain: *plain})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "buildguest:", err)
		os.Exit(1)
	}
}
