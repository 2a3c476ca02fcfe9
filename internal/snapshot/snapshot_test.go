package snapshot

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tetratelabs/wazero"

	"github.com/Kayphoon/opencode-advisor/internal/wasmfile"
	"github.com/Kayphoon/opencode-advisor/internal/wasmtest"
)

const (
	unreachable, end, call, drop = 0x00, 0x0b, 0x10, 0x1a
	globalGet, globalSet         = 0x23, 0x24
	i32Load, i64Load, i32Store   = 0x28, 0x29, 0x36
	memoryGrow                   = 0x40
	i32Const, i64Const           = 0x41, 0x42
	i32Add                       = 0x6a
	wasi                         = "wasi_snapshot_preview1"
)

// counter is a module that asks for a moment and random bytes at its start, grows, and keeps a number in memory and one in each global,
// to the first of which resume adds one.
func counter() wasmtest.Module {
	return wasmtest.Module{
		Memory: []byte{1, 1, 5},
		Globals: [][]byte{
			{wasmfile.TypeI32, 1, i32Const, 3, end},
			{wasmfile.TypeI64, 1, i64Const, 0x7f, end},
		},
		Imports: []wasmtest.Import{
			{Module: wasi, Name: "clock_time_get", Type: "(i32, i64, i32) -> i32"},
			{Module: wasi, Name: "random_get", Type: "(i32, i32) -> i32"},
			{Module: "superadvisor", Name: "emit", Type: "(i32, i32) -> i32"},
		},
		Funcs: []wasmtest.Func{
			{Name: first, Type: "()", Body: bytes.Join([][]byte{
				{i32Const, 1, memoryGrow, 0, drop},
				{i32Const, 0, i64Const, 0, i32Const, 8, call, 0, drop},
				{i32Const, 16, i32Const, 4, call, 1, drop},
				{i32Const, 0, i32Const, 42, i32Store, 2, 0x80, 0x80, 0x04}, // in the second page
				{i32Const, 0x7e, globalSet, 0, i64Const, 0x7d, globalSet, 1},
			}, nil)},
			{Name: "resume", Type: "()", Body: []byte{globalGet, 0, i32Const, 1, i32Add, globalSet, 0}},
			{Name: "number", Type: "() -> i32", Body: []byte{i32Const, 0, i32Load, 2, 0x80, 0x80, 0x04}},
			{Name: "small", Type: "() -> i32", Body: []byte{globalGet, 0}},
			{Name: "large", Type: "() -> i64", Body: []byte{globalGet, 1}},
			{Name: "moment", Type: "() -> i64", Body: []byte{i32Const, 8, i64Load, 3, 0}},
			{Name: "random", Type: "() -> i32", Body: []byte{i32Const, 16, i32Load, 2, 0}},
		},
	}
}

// withData has an empty section of data, as each module of Go has a full one.
func withData(m wasmtest.Module) []byte {
	return append(m.Bytes(), wasmtest.Section(wasmfile.SecData)...)
}

func TestTheModuleGoesOnWhereItsStartEnded(t *testing.T) {
	file, err := Take(withData(counter()), "resume")
	if err != nil {
		t.Fatal(err)
	}
	m, err := wasmfile.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]wasmfile.Memory{{Min: 2, Max: 5}}, m.Memories); diff != "" {
		t.Errorf("memory (-want +got):\n%s", diff)
	}
	var names []string
	for _, e := range m.Exports {
		names = append(names, e.Name)
	}
	if diff := cmp.Diff([]string{first, "number", "small", "large", "moment", "random", "memory"}, names); diff != "" {
		t.Errorf("exports (-want +got):\n%s", diff)
	}
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	defer r.Close(ctx)
	compiled, err := r.CompileModule(ctx, file)
	if err != nil {
		t.Fatal(err)
	}
	if err := provide(ctx, r, compiled); err != nil {
		t.Fatal(err)
	}
	for range 2 { // one instance knows nothing of another
		instance, err := r.InstantiateModule(ctx, compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions(first))
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]int64{"number": 42, "small": -1, "large": -3, "moment": 1, "random": 0x01010101} {
			got, err := instance.ExportedFunction(name).Call(ctx)
			if err != nil {
				t.Fatal(err)
			}
			value := int64(got[0])
			if name == "small" {
				value = int64(int32(value))
			}
			if value != want {
				t.Errorf("%s is %d, want %d", name, value, want)
			}
		}
	}
}

func TestTakeIsTheSameEachTime(t *testing.T) {
	one, err := Take(withData(counter()), "resume")
	if err != nil {
		t.Fatal(err)
	}
	two, err := Take(withData(counter()), "resume")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one, two) {
		t.Error("two snapshots of one module differ")
	}
}

func TestTakeRefuses(t *testing.T) {
	const start = 8 // the section's id
	edited := func(edit func(m *wasmtest.Module)) []byte {
		m := counter()
		edit(&m)
		return withData(m)
	}
	body := func(code ...byte) []byte {
		return edited(func(m *wasmtest.Module) { m.Funcs[0].Body = code })
	}
	whole := withData(counter())
	m, err := wasmfile.Parse(whole)
	if err != nil {
		t.Fatal(err)
	}
	size := len(m.Content(whole, wasmfile.SecCode))
	at := bytes.Index(whole, append([]byte{wasmfile.SecCode}, wasmtest.Unsigned(size)...)) // where the section of code begins
	for _, c := range []struct {
		name, want string
		file       []byte
	}{
		{"no module", "not a WebAssembly module", []byte("text")},
		{"a start that reaches out", "it calls superadvisor.emit, which a start may not", body(i32Const, 0, i32Const, 0, call, 2, drop)},
		{"a start that dies", "unreachable", body(unreachable)},
		{"an answer behind the memory", "it calls wasi_snapshot_preview1.random_get, which a start may not", body(i32Const, 0x7f, i32Const, 8, call, 1, drop)},
		{"more random bytes than there is memory", "random_get, which a start may not", body(i32Const, 0, i32Const, 0x7f, call, 1, drop)},
		{"nothing to resume with", "it must export the functions _initialize and resume", edited(func(m *wasmtest.Module) { m.Funcs[1].Name = "go" })},
		{"nothing to start", "it must export the functions _initialize and resume", edited(func(m *wasmtest.Module) { m.Funcs[0].Name = "_start" })},
		{"a global that is a float", "global 0 of type 0x7d", edited(func(m *wasmtest.Module) { m.Globals[0] = []byte{0x7d, 1, 0x43, 0, 0, 0, 0, end} })},
		{"a function that the engine starts", "it has a start function", append(append(bytes.Clone(whole[:at]), start, 1, 3), whole[at:]...)},
	} {
		_, err := Take(c.file, "resume")
		if err == nil || !strings.HasPrefix(err.Error(), "start the module for its snapshot: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", c.name, err, c.want)
		}
	}
}
