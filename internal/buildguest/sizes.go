package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/Kayphoon/opencode-advisor/internal/wasmfile"
)

// sizes is what the guest takes. Data (constants, types, tables of functions and lines) belongs to no one package; it
// grows with the code.
type sizes struct {
	Command string `json:"command"`
	File    int    `json:"file"` // bytes
	Gzip    int    `json:"gzip"` // bytes, by Go's gzip at its best level; npm's is a hundredth smaller
	Data    int    `json:"data"` // bytes of the file that are no code
	Code    []cost `json:"code"` // largest first, the rest as one
}

// mostRows of the packages are told one by one.
const mostRows = 40

// printSizes builds the guest with its names and tells what each package's code takes, and keeps it in a file of JSON if
// one is named.
func printSizes(w io.Writer, kept string) error {
	withNames, err := build(way{named: true})
	if err != nil {
		return err
	}
	shipped, err := build(way{})
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
	if len(code) > mostRows {
		rest := cost{Name: "everything smaller"}
		for _, c := range code[mostRows:] {
			rest.Functions += c.Functions
			rest.Bytes += c.Bytes
		}
		code = append(code[:mostRows:mostRows], rest)
	}
	var packed bytes.Buffer
	zw, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // the level is one
	if _, err := zw.Write(shipped); err != nil {
		return err
	}
	if err := zw.Close(); err != nil {
		return err
	}
	all := sizes{Command: "make sizes", File: len(shipped), Gzip: packed.Len(), Data: len(shipped) - total.Bytes, Code: code}
	if kept != "" {
		data, err := json.MarshalIndent(all, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(kept, append(data, '\n'), 0o644); err != nil {
			return err
		}
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tw, "code of\tfunctions\tbytes\tof the file\t\n")
	for _, c := range append(all.Code, total) {
		fmt.Fprintf(tw, "%s\t%d\t%d\t%.1f %%\t\n", c.Name, c.Functions, c.Bytes, all.share(c.Bytes))
	}
	fmt.Fprintf(tw, "data and the rest\t\t%d\t%.1f %%\t\nthe file\t\t%d\t\t\ncompressed by gzip\t\t%d\t\t\n", all.Data, all.share(all.Data), all.File, all.Gzip)
	return tw.Flush()
}

func (s sizes) share(bytes int) float64 { return 100 * float64(bytes) / float64(s.File) }

// printNames prints the number and the name of each function of the guest, to read a traceback or an engine's
// "wasm-function[123]" by.
func printNames(w io.Writer) error {
	withNames, err := build(way{named: true})
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
	Name      string `json:"name"`
	Functions int    `json:"functions"`
	Bytes     int    `json:"bytes"`
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
			byName[name] = &cost{Name: name}
		}
		byName[name].Functions++
		byName[name].Bytes += size
		total.Functions++
		total.Bytes += size
	}
	for _, c := range byName {
		all = append(all, *c)
	}
	slices.SortFunc(all, func(a, b cost) int {
		return cmp.Or(b.Bytes-a.Bytes, strings.Compare(a.Name, b.Name))
	})
	total.Name = "all code"
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
