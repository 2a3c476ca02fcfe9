package wasmfile

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGlobalsComeBack(t *testing.T) {
	want := []GlobalVar{
		{TypeI32, true, 0}, {TypeI32, false, math.MinInt32}, {TypeI32, true, -1}, {TypeI32, true, 64}, {TypeI64, true, math.MaxInt64},
		{TypeI64, false, math.MinInt64}, {TypeI64, true, -65}, {TypeI64, true, 1 << 34}, {TypeI64, true, -1 << 62},
	}
	file := append([]byte(header), section(SecGlobal, AppendGlobals(nil, want)...)...)
	m, err := Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Globals(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, err := new(Module).Globals(nil); got != nil || err != nil {
		t.Errorf("a module without globals: %v, %v", got, err)
	}
}

func TestGlobalsRefuses(t *testing.T) {
	for _, c := range []struct {
		name    string
		content []byte
		want    string
	}{
		{"a float", []byte{1, 0x7c, 1, 0x44, 0, 0, 0, 0, 0, 0, 0, 0, opEnd}, "global 0 of type 0x7c starts with instruction 0x44"},
		{"a number of the other type", []byte{1, TypeI64, 1, opI32Const, 0, opEnd}, "global 0 of type 0x7e starts with instruction 0x41"},
		{"another global", []byte{1, TypeI32, 1, 0x23, 0, opEnd}, "global 0 of type 0x7f starts with instruction 0x23"},
		{"a sum", []byte{1, TypeI32, 1, opI32Const, 1, opI32Const, 1, 0x6a, opEnd}, "global 0 starts with more than a number"},
		{"a number without an end", []byte{1, TypeI64, 1, opI64Const, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0, opEnd}, "a number is too large"},
		{"half a global", []byte{1, TypeI32, 1}, "the file ends early"},
	} {
		file := append([]byte(header), section(SecGlobal, c.content...)...)
		m, err := Parse(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Globals(file); err == nil || !strings.Contains(err.Error(), "read globals: "+c.want) {
			t.Errorf("%s: error %v, want %s", c.name, err, c.want)
		}
	}
	file := append([]byte(header), section(secImport, append([]byte{1}, name("env")+name("sp")+"\x03\x7f\x01"...)...)...)
	m, err := Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Globals(file); err == nil || !strings.Contains(err.Error(), "env.sp is imported") {
		t.Errorf("an imported global: error %v", err)
	}
}

func TestExportsAndBodiesComeBack(t *testing.T) {
	file := small(1, 0, 3)
	m, err := Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	bodies, err := m.Bodies(file)
	if err != nil {
		t.Fatal(err)
	}
	again := m.Replace(file, map[byte][]byte{SecExport: AppendExports(nil, m.Exports), SecCode: AppendBodies(nil, bodies)})
	if !bytes.Equal(again, file) {
		t.Errorf("came back as\n%x, want\n%x", again, file)
	}
}
