package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// wire is everything that the generated files are made from, in source order.
type wire struct {
	structs []*structure
	byName  map[string]*structure
	enums   []*enum // named string types
	consts  []*enum // Kind and Errno
	abi     []value // the other constants
}

// role tells where a struct stands.
type role int

const (
	part role = iota
	event
	effect
	envelope // Batch and Outcome
)

type structure struct {
	name   string // in Go
	wire   string // value of "type", for members
	role   role
	doc    string
	fields []field
}

type field struct {
	name      string // in Go
	key       string // on the wire
	doc       string
	omitempty bool
	omitzero  bool
	list      bool
	kind      kind
	ref       string // named type, for kinds that have one
}

type kind int

const (
	kindString kind = iota
	kindNamed       // named string type
	kindBool
	kindInt
	kindInt64
	kindRaw // JSON
	kindStruct
	kindEvent
	kindEffect
)

// enum is a named type and its constants.
type enum struct {
	name   string
	doc    string
	values []value
}

type value struct {
	name string // in Go
	doc  string
	text string // a literal of Go and TypeScript alike
}

// parse reads every hand-written file of the package in dir.
func parse(dir string) (*wire, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, ".gen.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return read(fset, files)
}

// read collects the wire from parsed files.
func read(fset *token.FileSet, files []*ast.File) (*wire, error) {
	// Only constants are taken from the type checker: without the generated file and the
	// imports it cannot accept the package, and need not.
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}}
	conf := types.Config{Error: func(error) {}, Importer: nowhere{}}
	pkg, _ := conf.Check("protocol", fset, files, info)

	w := &wire{byName: map[string]*structure{}}
	for _, f := range files {
		for _, decl := range f.Decls {
			gd, ok := decl.(*ast.GenDecl)
			if !ok || gd.Tok != token.TYPE {
				continue
			}
			for _, spec := range gd.Specs {
				ts := spec.(*ast.TypeSpec)
				doc := ts.Doc
				if doc == nil {
					doc = gd.Doc
				}
				if err := w.addType(fset, ts, doc.Text(), pkg); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, f := range files {
		w.addConstants(f, info)
	}
	return w, w.check()
}

// nowhere is an importer for which every import is missing.
type nowhere struct{}

func (nowhere) Import(path string) (*types.Package, error) {
	return nil, fmt.Errorf("import %s is not followed", path)
}

// addType takes the type up when it is on the wire: a struct with tagged fields, or a
// named string or integer with constants.
func (w *wire) addType(fset *token.FileSet, ts *ast.TypeSpec, doc string, pkg *types.Package) error {
	name := ts.Name.Name
	if !ts.Name.IsExported() {
		return nil
	}
	switch t := ts.Type.(type) {
	case *ast.Ident:
		e := &enum{name: name, doc: doc}
		switch {
		case name == "JSON" || name == "FailureKind": // raw text; not on the wire
		case t.Name == "string":
			w.enums = append(w.enums, e)
		case name == "Kind" || name == "Errno":
			w.consts = append(w.consts, e)
		}
	case *ast.StructType:
		s := &structure{name: name, doc: doc}
		if err := s.readDirective(); err != nil {
			return fmt.Errorf("%s: %w", fset.Position(ts.Pos()), err)
		}
		for _, f := range t.Fields.List {
			got, err := readFields(f)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", fset.Position(f.Pos()), name, err)
			}
			s.fields = append(s.fields, got...)
		}
		untagged := slices.IndexFunc(s.fields, func(f field) bool { return f.key == "" })
		if untagged < 0 && (s.role != part || len(s.fields) > 0) {
			w.structs = append(w.structs, s)
			w.byName[name] = s
		} else if s.role != part || slices.ContainsFunc(s.fields, func(f field) bool { return f.key != "" }) {
			return fmt.Errorf("%s: %s.%s has no json tag", fset.Position(ts.Pos()), name, s.fields[untagged].name)
		}
	}
	return nil
}

// readDirective takes the line "wire:event NAME" or "wire:effect NAME" out of the doc.
func (s *structure) readDirective() error {
	if s.name == "Batch" || s.name == "Outcome" {
		s.role = envelope
	}
	var kept []string
	for line := range strings.Lines(s.doc) {
		rest, found := strings.CutPrefix(strings.TrimSpace(line), "wire:")
		if !found {
			kept = append(kept, line)
			continue
		}
		words := strings.Fields(rest)
		if len(words) != 2 || words[0] != "event" && words[0] != "effect" {
			return fmt.Errorf("%s: want wire:event NAME or wire:effect NAME, got wire:%s", s.name, rest)
		}
		s.role, s.wire = event, words[1]
		if words[0] == "effect" {
			s.role = effect
		}
	}
	s.doc = strings.TrimSpace(strings.Join(kept, ""))
	return nil
}

// docOf joins the comment above with the one behind.
func docOf(above, behind *ast.CommentGroup) string {
	return strings.TrimSpace(strings.TrimSpace(above.Text()) + "\n" + behind.Text())
}

// readFields gives one field for each name. A field without a json tag has no key and no kind.
func readFields(f *ast.Field) ([]field, error) {
	var out []field
	if len(f.Names) == 0 {
		return nil, fmt.Errorf("embedded field %s: the wire has none", types.ExprString(f.Type))
	}
	for _, id := range f.Names {
		g := field{name: id.Name, doc: docOf(f.Doc, f.Comment)}
		if f.Tag != nil {
			tag := reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json")
			key, options, _ := strings.Cut(tag, ",")
			g.key = key
			for option := range strings.SplitSeq(options, ",") {
				switch option {
				case "":
				case "omitempty":
					g.omitempty = true
				case "omitzero":
					g.omitzero = true
				default:
					return nil, fmt.Errorf("field %s: json option %q is not supported", g.name, option)
				}
			}
			if err := g.readType(f.Type); err != nil {
				return nil, err
			}
		}
		out = append(out, g)
	}
	return out, nil
}

func (f *field) readType(t ast.Expr) error {
	unmappable := fmt.Errorf("field %s: type %s cannot be mapped to the wire", f.name, types.ExprString(t))
	if list, ok := t.(*ast.ArrayType); ok {
		if list.Len != nil {
			return unmappable
		}
		f.list, t = true, list.Elt
	}
	id, ok := t.(*ast.Ident)
	if !ok {
		return unmappable
	}
	switch id.Name {
	case "string":
		f.kind = kindString
	case "bool":
		f.kind = kindBool
	case "int":
		f.kind = kindInt
	case "int64":
		f.kind = kindInt64
	case "JSON":
		f.kind = kindRaw
	case "Event":
		f.kind = kindEvent
	case "Effect":
		f.kind = kindEffect
	default:
		if !id.IsExported() {
			return unmappable
		}
		f.kind, f.ref = kindStruct, id.Name
	}
	return nil
}
