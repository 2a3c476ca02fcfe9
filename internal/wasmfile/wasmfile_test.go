package wasmfile

import (
	"bytes"
	"context"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tetratelabs/wazero"
)

// section wraps a body with its id and length.
func section(id byte, body ...byte) []byte {
	return append(binary.AppendUvarint([]byte{id}, uint64(len(body))), body...)
}

func name(s string) string { return string(rune(len(s))) + s }

// small is a module with one import, one function and one memory.
func small(memory ...byte) []byte {
	return bytes.Join([][]byte{
		[]byte(header),
		section(SecType, 2, 0x60, 2, 0x7f, 0x7e, 1, 0x7f, 0x60, 0, 0),
		section(secImport, append([]byte{1}, name("env")+name("ask")+"\x00\x00"...)...),
		section(SecFunction, 1, 1),
		section(SecMemory, memory...),
		section(SecExport, append([]byte{2}, name("memory")+"\x02\x00"+name("go")+"\x00\x01"...)...),
		section(10, 1, 2, 0, 0x0b),
		section(secCustom, []byte(name("note")+"hello")...),
	}, nil)
}

func TestParse(t *testing.T) {
	m, err := Parse(small(1, 0, 3))
	if err != nil {
		t.Fatal(err)
	}
	m.Sections, m.Funcs = nil, nil
	want := &Module{
		Imports:  []Import{{Module: "env", Name: "ask", Kind: Func, Type: "(i32, i64) -> i32"}},
		Exports:  []Export{{Name: "memory", Kind: Mem}, {Name: "go", Kind: Func, Type: "()", Index: 1}},
		Memories: []Memory{{Min: 3}},
		Types:    []string{"(i32, i64) -> i32", "()"},
	}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestParseRefuses(t *testing.T) {
	whole := small(1, 0, 3)
	for _, c := range []struct {
		name string
		in   []byte
		want string
	}{
		{"nothing", nil, "read module: not a WebAssembly module of version 1"},
		{"text", []byte("\x7fELF and so on"), "read module: not a WebAssembly module of version 1"},
		{"a component", []byte("\x00asm\x0d\x00\x01\x00"), "read module: not a WebAssembly module of version 1"},
		{"a cut file", whole[:len(whole)-3], "read module: the file ends early"},
		{"an endless number", append([]byte(header), 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01), "read module: a number is too large"},
		{"a count beyond the section", append([]byte(header), section(SecFunction, 100)...), "read module: section 3 at byte 10: the file ends early"},
		{"left over bytes", append([]byte(header), section(SecFunction, 0, 0)...), "read module: section 3 at byte 10: 1 bytes are left over"},
		{"a shared memory", small(1, 3, 1, 2), "limits with flags 3 (shared or 64 bits) are not supported"},
		{"an export of nothing", append([]byte(header), section(SecExport, []byte("\x01\x01f\x00\x07")...)...), "read module: export f names function 7 of 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Parse(c.in); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
}

func TestSetMemoryMax(t *testing.T) {
	ctx := context.Background()
	runtime := wazero.NewRuntime(ctx)
	defer runtime.Close(ctx)
	for _, memory := range [][]byte{{1, 0, 3}, {1, 1, 3, 200, 1}} {
		got, err := SetMemoryMax(small(memory...), 4096)
		if err != nil {
			t.Fatal(err)
		}
		if want := small(1, 1, 3, 0x80, 0x20); !bytes.Equal(got, want) {
			t.Errorf("memory %v: got %x, want %x", memory, got, want)
		}
		compiled, err := runtime.CompileModule(ctx, got)
		if err != nil {
			t.Fatalf("a real engine refuses the result: %v", err)
		}
		if max, ok := compiled.ExportedMemories()["memory"].Max(); !ok || max != 4096 {
			t.Errorf("a real engine sees a maximum of %d (%v), want 4096", max, ok)
		}
	}
}

func TestSetMemoryMaxRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []byte
		want string
	}{
		{"no memory", []byte(header), "set memory maximum: the module has 0 memories of its own, want 1"},
		{"two memories", small(2, 0, 1, 0, 1), "set memory maximum: the module has 2 memories of its own, want 1"},
		{"too large from the start", small(1, 0, 9), "set memory maximum: the module starts with 9 pages, more than 8"},
	} {
		if _, err := SetMemoryMax(c.in, 8); err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v, want %s", c.name, err, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(small(1, 0, 3))
	f.Add(small(1, 1, 3, 4))
	f.Fuzz(func(t *testing.T, file []byte) {
		m, err := Parse(file)
		if err != nil {
			return
		}
		out, err := SetMemoryMax(file, 1<<16)
		if err != nil {
			return
		}
		again, err := Parse(out)
		if err != nil {
			t.Fatalf("the result cannot be read: %v", err)
		}
		if diff := cmp.Diff(m.Imports, again.Imports); diff != "" {
			t.Errorf("imports changed:\n%s", diff)
		}
		if diff := cmp.Diff([]Memory{{Min: m.Memories[0].Min, Max: 1 << 16}}, again.Memories); diff != "" {
			t.Errorf("memory:\n%s", diff)
		}
	})
}
