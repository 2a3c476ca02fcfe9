package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/Kayphoon/opencode-advisor/internal/wasmfile"
)

// printSizes builds the guest with its names and tells what each package's code takes. Data (constants,
// types, tables of functions and lines) belongs to no one package; it grows with the code.
func printSizes(w io.Writer) error {
	withNames, err := build("", named)
	if err != nil {
		return err
	}
	shipped, err := build("", stripped)
	if err != nil {
		return err
	}
	list, err := goTool("", "list", "-deps", "./wasm")
	if err != nil {
		return err
	}
	code, total, err := codeByPackage(withNames, strings.Fields(string(list)))
	if err != nil {
		return err
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tw, "code of\tfunctions\tbytes\tof the file\t\n")
	row := func(name string, functions, bytes int) {
		fmt.Fprintf(tw, "%s\t%d\t%d\t%.1f %%\t\n", name, functions, bytes, 100*float64(bytes)/float64(len(shipped)))
	}
	rest := cost{name: "everything smaller"}
	for i, c := range code {
		if i < 40 {
			row(c.name, c.functions, c.bytes)
			continue
		}
		rest.functions += c.functions
		rest.bytes += c.bytes
	}
	row(rest.name, rest.functions, rest.bytes)
	row("all code", total.functions, total.bytes)
	fmt.Fprintf(tw, "data and the rest\t\t%d\t%.1f %%\t\nthe file\t\t%d\t\t\n", len(shipped)-total.bytes, 100*float64(len(shipped)-total.bytes)/float64(len(shipped)), len(shipped))
	return tw.Flush()
}

// printNames prints the number and the name of each function of the guest, to read a traceback or an engine's
// "wasm-function[123]" by.
func printNames(w io.Writer) error {
	withNames, err := build("", named)
	if err != nil {
		return err
	}
	_, names, err := wasmfile.FuncSizes(withNames)
	if err != nil {
		return err
	}
	var out []byte
	for _, number := range slices.Sorted(maps.Keys(names)) {
		out = append(fmt.Append(out, number, " ", names[number]), '\n')
	}
	_, err = w.Write(out)
	return err
}

// cost is what one package takes.
type cost struct {
	name             string
	functions, bytes int
}

// codeByPackage sorts the code of a module to packages, largest first.
func codeByPackage(file []byte, packages []string) (all []cost, total cost, err error) {
	sizes, names, err := wasmfile.FuncSizes(file)
	if err != nil {
		return nil, total, err
	}
	byName := map[string]*cost{}
	for number, size := range sizes {
		name := packageOf(names[number], packages)
		if byName[name] == nil {
			byName[name] = &cost{name: name}
		}
		byName[name].functions++
		byName[name].bytes += size
		total.functions++
		total.bytes += size
	}
	for _, c := range byName {
		all = append(all, *c)
	}
	slices.SortFunc(all, func(a, b cost) int {
		return cmp.Or(b.bytes-a.bytes, strings.Compare(a.name, b.name))
	})
	return all, total, nil
}

// packageOf finds the package of a function. The linker writes what is no letter or digit, but the dot, as _.
func packageOf(function string, packages []string) string {
	best := ""
	for _, p := range packages {
		mangled := strings.Map(func(r rune) rune {
			if r == '/' || r == '-' || r == '~' {
				return '_'
			}
			return r
		}, p)
		if strings.HasPrefix(function, mangled+".") && len(p) > len(best) {
			best = p
		}
	}
	switch {
	case best != "":
		return strings.TrimPrefix(best, "github.com/Kayphoon/opencode-advisor/")
	case strings.HasPrefix(function, "type_"):
		return "(comparing types)"
	}
	return "(other)"
}
