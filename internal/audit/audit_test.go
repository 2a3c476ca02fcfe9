package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/internal/wasmfile"
	"github.com/Kayphoon/opencode-advisor/internal/wasmtest"
)

// module assembles a file out of imports and exports; its functions do nothing but trap.
func module(imports, exports []allowed, memory string) []byte {
	m := wasmtest.Module{Memory: []byte(memory)}
	for _, i := range imports {
		m.Imports = append(m.Imports, wasmtest.Import{Module: i.module, Name: i.name, Type: i.typ})
	}
	for _, e := range exports {
		if e.name != "memory" { // is always there
			m.Funcs = append(m.Funcs, wasmtest.Func{Name: e.name, Type: e.typ, Body: []byte{0}})
		}
	}
	return m.Bytes()
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
	want := regexp.MustCompile(`\nmemory: 2\.4 MB at the start, at most 256 MB\nsize:   \d{3} bytes of at most 6000000; gzip \d{3}, brotli \d{3}\n$`)
	if !want.MatchString(out.String()) {
		t.Errorf("the table does not end in %s:\n%s", want, out.String())
	}
}

// README.md shows what make audit prints, but for the sizes.
func TestREADMEShowsTheLists(t *testing.T) {
	var out bytes.Buffer
	if _, err := Audit(&out, module(imports, exports, bounded)); err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	lists, _, _ := strings.Cut(out.String(), "\nmemory: ")
	if !strings.Contains(string(readme), "\n"+lists) {
		t.Errorf("README.md does not show\n%s", lists)
	}
}

func TestAuditFinds(t *testing.T) {
	with := func(list []allowed, more ...allowed) []allowed { return append(append([]allowed{}, list...), more...) }
	other := func(name string, i allowed) []allowed { // in the place of that one
		list := with(imports)
		at := slices.IndexFunc(list, func(a allowed) bool { return a.name == name })
		list[at] = i
		return list
	}
	large := append(module(imports, exports, bounded), custom(MaxSize)...)
	for _, c := range []struct {
		name string
		file []byte
		want []string
	}{
		{"a way to open files", module(with(imports, allowed{wasiModule, "path_open", "() -> i32", ""}), exports, bounded),
			[]string{"import wasi_snapshot_preview1.path_open is not on the list: the module must not be able to ask for it; see internal/audit"}},
		{"a socket", module(with(imports, allowed{wasiModule, "sock_accept", "(i32, i32, i32) -> i32", ""}), exports, bounded),
			[]string{"import wasi_snapshot_preview1.sock_accept is not on the list: the module must not be able to ask for it; see internal/audit"}},
		{"our name from another module", module(with(imports, allowed{"env", "fs_read", "()", ""}), exports, bounded),
			[]string{"import env.fs_read is not on the list: the module must not be able to ask for it; see internal/audit"}},
		{"a name that writes over the terminal", module(with(imports, allowed{"env", "\x1b[2K\r", "()", ""}), exports, bounded),
			[]string{`import env.\x1b[2K\r is not on the list: the module must not be able to ask for it; see internal/audit`}},
		{"another type", module(other("emit", allowed{"superadvisor", "emit", "(i32, i32) -> i32", ""}), exports, bounded),
			[]string{"import superadvisor.emit is func (i32, i32) -> i32, want func (i32, i32)"}},
		{"an import that is allowed for nothing", module(imports[1:], exports, bounded),
			[]string{"import superadvisor.http_send is on the list, and the module does not ask for it: take it off the list"}},
		{"one export too many", module(imports, with(exports, allowed{name: "debug", typ: "()"}), bounded),
			[]string{"export debug is not on the list"}},
		{"an export of another type", module(imports, with(exports[:4], allowed{name: "free", typ: "()"}), bounded),
			[]string{"export free is func (), want (i32)"}},
		{"an export missing", module(imports, exports[1:], bounded),
			[]string{"export _initialize is missing: the loader needs it"}},
		{"memory without a bound", module(imports, exports, "\x00\x26"),
			[]string{"the memory's maximum is 0 pages, want 4096 (256 MB): build with make build"}},
		{"too large", large, []string{fmt.Sprintf("the file has %d bytes, more than 6000000; `go list -deps ./wasm` shows what is linked", len(large))}},
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
	return append(append([]byte{0}, wasmtest.Unsigned(size)...), make([]byte, size)...)
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

func TestREADMEShowsTheList(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := Audit(&out, module(imports, exports, bounded)); err != nil {
		t.Fatal(err)
	}
	table, _, _ := strings.Cut(out.String(), "\nmemory:")
	if !strings.Contains(string(readme), "```\n"+strings.TrimSpace(table)+"\n```") {
		t.Errorf("README.md does not show the list as make audit prints it; put this in:\n%s", table)
	}
}
