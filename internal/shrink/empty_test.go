package shrink

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/internal/wasmfile"
	"github.com/Kayphoon/opencode-advisor/internal/wasmtest"
)

func TestEmpty(t *testing.T) {
	file := wasmtest.Module{
		Imports: []wasmtest.Import{{Module: "env", Name: "ask", Type: "()"}},
		Funcs:   []wasmtest.Func{{Name: "a", Type: "()", Body: []byte{opCall, 0}}, {Name: "b", Type: "() -> i32", Body: []byte{opI32Const, 5}}},
	}.Bytes()
	for _, c := range []struct {
		name  string
		which []uint32
		want  [][]byte // nil when it is refused
	}{
		{"none", nil, [][]byte{{0, opCall, 0, opEnd}, {0, opI32Const, 5, opEnd}}},
		{"the last", []uint32{2}, [][]byte{{0, opCall, 0, opEnd}, {0, opUnreachable, opEnd}}},
		{"all", []uint32{2, 1}, [][]byte{{0, opUnreachable, opEnd}, {0, opUnreachable, opEnd}}},
		{"one that is imported", []uint32{0}, nil},
		{"one too many", []uint32{3}, nil},
	} {
		out, err := Empty(file, c.which)
		if (err == nil) != (c.want != nil) {
			t.Errorf("%s: error %v", c.name, err)
		}
		if err != nil {
			continue
		}
		m, err := wasmfile.Parse(out)
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.Bodies(out)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	if _, err := Empty([]byte("text"), nil); err == nil {
		t.Error("no module: no error")
	}
}
