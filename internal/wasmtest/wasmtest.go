// Package wasmtest assembles small WebAssembly modules for tests: guests that
// misbehave in one way each, and modules that ask for what they must not have.
package wasmtest

import "strings"

// Module is a module in parts. Functions are numbered with the imports first.
type Module struct {
	Imports []Import
	Funcs   []Func
	// Memory holds the memory's limits as in the file: 0 and the least number of
	// pages, or 1, the least and the greatest. It is exported as "memory". Nil is one page without a bound.
	Memory []byte
	// Globals holds each global as in the file: its type, 1 when it can be set, and the code of its value with the closing end.
	Globals [][]byte
}

// Import is a function that the module asks for.
type Import struct {
	Module, Name string
	Type         string // such as "(i32, i64) -> i32"
}

// Func is a function of the module. Body is its code without locals and without the closing end.
type Func struct {
	Name string
	Type string
	Body []byte
}

const export = 0x00 // of a function

// Bytes assembles the module. It panics when a type is not made of i32 and i64.
func (m Module) Bytes() []byte {
	var types, imports, funcs, exports, code [][]byte
	typeOf := func(s string) byte {
		types = append(types, funcType(s))
		return byte(len(types) - 1)
	}
	for _, i := range m.Imports {
		imports = append(imports, append(append(name(i.Module), name(i.Name)...), 0, typeOf(i.Type)))
	}
	for n, f := range m.Funcs {
		funcs = append(funcs, []byte{typeOf(f.Type)})
		exports = append(exports, append(name(f.Name), export, byte(len(m.Imports)+n)))
		body := append(append([]byte{0}, f.Body...), 0x0b)
		code = append(code, append(Unsigned(len(body)), body...))
	}
	exports = append(exports, append(name("memory"), 2, 0))
	memory := m.Memory
	if memory == nil {
		memory = []byte{0, 1}
	}
	out := []byte("\x00asm\x01\x00\x00\x00")
	for _, s := range []struct {
		id    byte
		items [][]byte
	}{{1, types}, {2, imports}, {3, funcs}, {5, [][]byte{memory}}, {6, m.Globals}, {7, exports}, {10, code}} {
		if s.id == 6 && len(s.items) == 0 {
			continue
		}
		out = append(out, Section(s.id, s.items...)...)
	}
	return out
}

// Section encodes a section that is a vector of items.
func Section(id byte, items ...[]byte) []byte {
	body := Unsigned(len(items))
	for _, item := range items {
		body = append(body, item...)
	}
	return append(append([]byte{id}, Unsigned(len(body))...), body...)
}

// Unsigned encodes a number as LEB128.
func Unsigned(n int) (b []byte) {
	for ; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}

func name(s string) []byte { return append(Unsigned(len(s)), s...) }

func funcType(s string) []byte {
	params, results, _ := strings.Cut(s, " -> ")
	out := []byte{0x60}
	for _, list := range []string{strings.Trim(params, "()"), results} {
		words := strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
		out = append(out, byte(len(words)))
		for _, w := range words {
			code, ok := map[string]byte{"i32": 0x7f, "i64": 0x7e}[w]
			if !ok {
				panic("wasmtest: type " + s)
			}
			out = append(out, code)
		}
	}
	return out
}
