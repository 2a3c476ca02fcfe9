package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/internal/wasmtest"
)

func TestCodeByPackage(t *testing.T) {
	m := wasmtest.Module{
		Imports: []wasmtest.Import{{Module: "env", Name: "ask", Type: "()"}},
		Funcs: []wasmtest.Func{
			{Name: "a", Type: "()", Body: []byte{0}},
			{Name: "b", Type: "()", Body: []byte{0, 0, 0}},
			{Name: "c", Type: "()", Body: []byte{0, 0}},
			{Name: "d", Type: "()"},
		},
	}.Bytes()
	name := func(number byte, s string) []byte { return append([]byte{number, byte(len(s))}, s...) }
	names := wasmtest.Section(1, name(1, "github.com_x_my_lib.Run"), name(2, "github.com_x_my_lib_part.(*T).Do"),
		name(3, "github.com_x_my_lib.init"), name(4, "type_.eq.github.com_x_my_lib.T"))
	custom := append([]byte("\x04name"), names...)
	m = append(append(m, 0, byte(len(custom))), custom...)

	got, total, err := codeByPackage(m, []string{"github.com/x/my-lib", "github.com/x/my-lib/part"})
	if err != nil {
		t.Fatal(err)
	}
	want := []cost{{"github.com/x/my-lib", 2, 7}, {"github.com/x/my-lib/part", 1, 5}, {"(comparing types)", 1, 2}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if total.Functions != 4 || total.Bytes != 14 {
		t.Errorf("total %+v, want 4 functions of 14 bytes", total)
	}
	if _, _, err := codeByPackage(wasmtest.Module{}.Bytes(), nil); err == nil || err.Error() != "the module has no names" {
		t.Errorf("without names: %v", err)
	}
}
