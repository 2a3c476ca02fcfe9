package mutants

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// chosen names the variable of a package that says which of its mutants is in force; 0 is none.
const chosen = "mutant__"

// weave puts many mutants of a file into one text. Each function that mutants change is there once as
// it was and once for each of them, and the function of that name calls the one that is chosen. So
// tests are built once for hundreds of mutants. It returns also those that change more than bodies of
// functions: they cannot be woven.
func weave(src string, mutants map[int]string) (woven string, left []int, err error) {
	was, err := parse(src)
	if err != nil {
		return "", nil, err
	}
	copies := make([][]variant, len(was.funcs))
	for _, n := range sortedKeys(mutants) {
		is, err := parse(mutants[n])
		if err != nil || !was.sameButForBodies(is) {
			left = append(left, n)
			continue
		}
		for i, f := range is.funcs {
			if is.text(f) != was.text(was.funcs[i]) {
				copies[i] = append(copies[i], variant{n, is.renamed(f, n)})
			}
		}
	}
	var b strings.Builder
	at := 0
	for i, f := range was.funcs {
		if len(copies[i]) == 0 {
			continue
		}
		from, to := was.span(f)
		b.WriteString(src[at:from])
		b.WriteString(was.switchOf(f, copies[i]))
		at = to
		b.WriteString("\n\n" + was.renamed(f, 0))
		for _, c := range copies[i] {
			b.WriteString("\n\n" + c.text)
		}
	}
	b.WriteString(src[at:])
	return b.String(), left, nil
}

// variant is a function as a mutant has it.
type variant struct {
	mutant int
	text   string
}

// file is a file of Go and its functions that can be woven.
type file struct {
	src   string
	name  string
	funcs []*ast.FuncDecl
	base  token.Pos
}

func parse(src string) (*file, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, "", src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	f := &file{src: src, name: tree.Name.Name, base: tree.FileStart}
	for _, d := range tree.Decls {
		// A function init is one of many, and one with type parameters needs them at its call.
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && fn.Name.Name != "init" && fn.Type.TypeParams == nil {
			f.funcs = append(f.funcs, fn)
		}
	}
	return f, nil
}

func (f *file) between(from, to token.Pos) string { return f.src[from-f.base : to-f.base] }

// span is where a function is, from the word func to its end.
func (f *file) span(fn *ast.FuncDecl) (from, to int) {
	return int(fn.Type.Func - f.base), int(fn.End() - f.base)
}

func (f *file) text(fn *ast.FuncDecl) string { return f.between(fn.Type.Func, fn.End()) }

// renamed is a function under a mutant's name.
func (f *file) renamed(fn *ast.FuncDecl, mutant int) string {
	return f.between(fn.Type.Func, fn.Name.Pos()) + nameOf(fn, mutant) + f.between(fn.Name.End(), fn.End())
}

func nameOf(fn *ast.FuncDecl, mutant int) string { return fmt.Sprintf("%s__%d", fn.Name.Name, mutant) }

// sameButForBodies tells whether two files differ in nothing but the bodies of functions.
func (f *file) sameButForBodies(g *file) bool {
	return slices.Equal(f.withoutBodies(), g.withoutBodies())
}

func (f *file) withoutBodies() (parts []string) {
	at := f.base
	for _, fn := range f.funcs {
		parts = append(parts, f.between(at, fn.Body.Lbrace))
		at = fn.Body.Rbrace
	}
	return append(parts, f.src[at-f.base:])
}

// switchOf is the function that calls the chosen one of its variants. Its parameters get names of its own.
func (f *file) switchOf(fn *ast.FuncDecl, variants []variant) string {
	params, args := f.fields(fn.Type.Params, "p")
	receiver, on := "", ""
	if fn.Recv != nil {
		list, names := f.fields(fn.Recv, "r")
		receiver, on = "("+list+") ", names+"."
	}
	results, end := "", "\n\t\treturn"
	call := "\n\t\t%s%s(%s)"
	if fn.Type.Results != nil {
		results, end = f.between(fn.Type.Results.Pos(), fn.Type.Results.End())+" ", ""
		call = "\n\t\treturn %s%s(%s)"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "func %s%s(%s) %s{\n\tswitch %s {", receiver, fn.Name.Name, params, results, chosen)
	for _, v := range variants {
		fmt.Fprintf(&b, "\n\tcase %d:"+call+end, v.mutant, on, nameOf(fn, v.mutant), args)
	}
	fmt.Fprintf(&b, "\n\tdefault:"+call+end+"\n\t}\n}", on, nameOf(fn, 0), args)
	return b.String()
}

// fields gives parameters under names of their own, and how they are handed on.
func (f *file) fields(list *ast.FieldList, prefix string) (params, args string) {
	var declared, passed []string
	for _, field := range list.List {
		for range max(1, len(field.Names)) {
			name := fmt.Sprintf("%s%d__", prefix, len(declared))
			declared = append(declared, name+" "+f.between(field.Type.Pos(), field.Type.End()))
			if _, rest := field.Type.(*ast.Ellipsis); rest {
				name += "..."
			}
			passed = append(passed, name)
		}
	}
	return strings.Join(declared, ", "), strings.Join(passed, ", ")
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
