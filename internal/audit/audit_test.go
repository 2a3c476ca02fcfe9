package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/internal/wasmfile"
)

// module builds a file out of imports and exports; every function has an empty body.
func module(imports, exports []allowed, memory string) []byte {
	var types, imported, functions, exported, code bytes.Buffer
	n := 0
	typeIndex := func(typ string) byte {
		params, results, _ := strings.Cut(typ, " -> ")
		types.WriteByte(0x60)
		for _, list := range []string{strings.Trim(params, "()"), results} {
			var vals []byte
			for _, v := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' }) {
				vals = append(vals, map[string]byte{"i32": 0x7f, "i64": 0x7e}[v])
			}
			types.WriteByte(byte(len(vals)))
			types.Write(vals)
		}
		n++
		return byte(n - 1)
	}
	name := func(b *bytes.Buffer, s string) { b.WriteByte(byte(len(s))); b.WriteString(s) }
	for _, i := range imports {
		name(&imported, i.module)
		name(&imported, i.name)
		imported.Write([]byte{0, typeIndex(i.typ)})
	}
	own := 0
	for _, e := range exports {
		name(&exported, e.name)
		if e.name == "memory" {
			exported.Write([]byte{2, 0})
			continue
		}
		exported.Write([]byte{0, byte(len(imports) + own)})
		functions.WriteByte(typeIndex(e.typ))
		code.Write([]byte{3, 0, 0, 0x0b})
		own++
	}
	out := []byte("\x00asm\x01\x00\x00\x00")
	section := func(id, count byte, body string) {
		out = append(out, id)
		for size := len(body) + 1; ; size >>= 7 {
			if size < 0x80 {
				out = append(out, byte(size))
				break
			}
			out = append(out, byte(size)|0x80)
		}
		out = append(append(out, count), body...)
	}
	section(1, byte(n), types.String())
	section(2, byte(len(imports)), imported.String())
	section(3, byte(own), functions.String())
	section(5, 1, memory)
	section(7, byte(len(exports)), exported.String())
	section(10, byte(own), code.String())
	return out
}

const bounded = "\x01\x26\x80\x20" // 38 pages, at most 4096

func TestAuditAcceptsTheWholeList(t *testing.T) {
	var out bytes.Buffer
	findings, err := Audit(&out, module(imports, exports, bounded))
	if err != nil || len(findings) > 0 {
		t.Fatalf("findings %q, error %v; want none", findings, err)
	}
	for _, a := range append(append([]allowed{}, imports...), exports...) {
		if !strings.Contains(out.String(), a.name+" ") || !strings.Contains(out.String(), a.gives) {
			t.Errorf("the table does not show %s", a.name)
		}
	}
	if want := "memory: 2.4 MB at the start, at most 256 MB\nsize:   0.00 MB of at most 6\n"; !strings.HasSuffix(out.String(), want) {
		t.Errorf("the table ends in %q, want %q", out.String()[len(out.String())-len(want):], want)
	}
}

func TestAuditFinds(t *testing.T) {
	with := func(list []allowed, more ...allowed) []allowed { return append(append([]allowed{}, list...), more...) }
	large := append(module(imports, exports, bounded), custom(MaxSize)...)
	for _, c := range []struct {
		name string
		file []byte
		want []string
	}{
		{"a way to open files", module(with(imports, allowed{wasiModule, "path_open", "() -> i32", ""}), exports, bounded),
			[]string{"import wasi_snapshot_preview1.path_open is not on the list: the module must not be able to ask for it; see internal/audit"}},
		{"a socket", module([]allowed{{wasiModule, "sock_accept", "(i32, i32, i32) -> i32", ""}}, exports, bounded),
			[]string{"import wasi_snapshot_preview1.sock_accept is not on the list: the module must not be able to ask for it; see internal/audit"}},
		{"our name from another module", module([]allowed{{"env", "fs_read", "()", ""}}, exports, bounded),
			[]string{"import env.fs_read is not on the list: the module must not be able to ask for it; see internal/audit"}},
		{"a name that writes over the terminal", module([]allowed{{"env", "\x1b[2K\r", "()", ""}}, exports, bounded),
			[]string{`import env.\x1b[2K\r is not on the list: the module must not be able to ask for it; see internal/audit`}},
		{"another type", module([]allowed{{"superadvisor", "emit", "(i32, i32) -> i32", ""}}, exports, bounded),
			[]string{"import superadvisor.emit is func (i32, i32) -> i32, want func (i32, i32)"}},
		{"one export too many", module(imports, with(exports, allowed{name: "debug", typ: "()"}), bounded),
			[]string{"export debug is not on the list"}},
		{"an export of another type", module(imports, with(exports[:4], allowed{name: "memory"}, allowed{name: "free", typ: "()"}), bounded),
			[]string{"export free is func (), want (i32)"}},
		{"an export missing", module(imports, exports[1:], bounded),
			[]string{"export _initialize is missing: the loader needs it"}},
		{"memory without a bound", module(imports, exports, "\x00\x26"),
			[]string{"the memory's maximum is 0 pages, want 4096 (256 MB): build with make build"}},
		{"too large", large, []string{fmt.Sprintf("the file has %d bytes, more than 6291456", len(large))}},
	} {
		t.Run(c.name, func(t *testing.T) {
			findings, err := Audit(&bytes.Buffer{}, c.file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, findings); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// custom is a custom section of the given size.
func custom(size int) []byte {
	head := []byte{0, byte(size)&0x7f | 0x80, byte(size>>7)&0x7f | 0x80, byte(size>>14)&0x7f | 0x80, byte(size >> 21)}
	return append(head, make([]byte, size)...)
}

func TestAuditRefusesWhatIsNoModule(t *testing.T) {
	if _, err := Audit(&bytes.Buffer{}, []byte("#!/bin/sh")); err == nil || err.Error() != "read module: not a WebAssembly module of version 1" {
		t.Errorf("error %v", err)
	}
}

func TestBounds(t *testing.T) {
	if MaxPages*wasmfile.PageSize != 256<<20 {
		t.Errorf("%d pages are not 256 MB", MaxPages)
	}
}
