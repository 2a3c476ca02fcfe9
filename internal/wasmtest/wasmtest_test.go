package wasmtest

import (
	"context"
	"testing"

	"github.com/tetratelabs/wazero"
)

func TestBytesIsAModule(t *testing.T) {
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	defer r.Close(ctx)
	m, err := r.Instantiate(ctx, Module{
		Memory: []byte{1, 1, 3},
		Funcs:  []Func{{"second", "(i32, i64) -> i64", []byte{0x20, 1}}},
	}.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.ExportedFunction("second").Call(ctx, 1, 1<<40)
	if err != nil || got[0] != 1<<40 {
		t.Errorf("second = %v, %v; want %d", got, err, 1<<40)
	}
	if max, _ := m.Memory().Definition().Max(); max != 3 {
		t.Errorf("memory maximum %d, want 3", max)
	}
}
