package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// addConstants sorts the exported constants of a file to the types that they have.
func (w *wire) addConstants(f *ast.File, info *types.Info) {
	for _, decl := range f.Decls {
		gd, ok := decl.(*ast.GenDecl)
		if !ok || gd.Tok != token.CONST {
			continue
		}
		for i, spec := range gd.Specs {
			vs := spec.(*ast.ValueSpec)
			doc := docOf(vs.Doc, vs.Comment)
			if doc == "" && i == 0 {
				doc = strings.TrimSpace(gd.Doc.Text())
			}
			for _, id := range vs.Names {
				c, ok := info.Defs[id].(*types.Const)
				if !ok || !id.IsExported() {
					continue
				}
				w.addConstant(c, value{name: id.Name, doc: doc, text: literal(c.Val())})
			}
		}
	}
}

func literal(v constant.Value) string {
	if v.Kind() == constant.String {
		return fmt.Sprintf("%q", constant.StringVal(v))
	}
	return v.ExactString()
}

func (w *wire) addConstant(c *types.Const, v value) {
	named, ok := c.Type().(*types.Named)
	if !ok {
		w.abi = append(w.abi, v)
		return
	}
	for _, e := range slices.Concat(w.enums, w.consts) {
		if e.name == named.Obj().Name() {
			e.values = append(e.values, v)
		}
	}
}
