package shrink

import (
	"bytes"
	"os/exec"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/internal/wasmfile"
)

// opened reads a module's code and what its tables say.
func opened(t *testing.T, file []byte) (*program, *tables) {
	t.Helper()
	m, err := wasmfile.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	p := &program{imports: len(m.Imports)}
	if err := p.read(m, file); err != nil {
		t.Fatal(err)
	}
	image, err := wasmfile.Image(file)
	if err != nil {
		t.Fatal(err)
	}
	table, err := findTables(image)
	if err != nil {
		t.Fatal(err)
	}
	if p.entries, err = table.read(); err == nil {
		err = table.dropInlined(p.entries)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p, table
}

// At each call of the program the tables say of the new return address what they said of the old one, and who comes back
// by it goes on at the same place.
func TestRenumberedPlacesAreTheSame(t *testing.T) {
	for name, file := range map[string][]byte{"as the linker wrote it": probe(t), "shrunk": smallProbe(t)} {
		old, table := opened(t, file)
		p, _ := opened(t, file)
		if err := p.renumber(table); err != nil {
			t.Fatal(err)
		}
		old.markReturns()
		calls, functions := 0, 0
		for n := range p.entries {
			e, before := &p.entries[n], &old.entries[n]
			if !e.renumbered {
				continue
			}
			functions++
			pointersBefore, sizesBefore := valuesOf(t, table, before, pcdataStackMap), read(t, table, before.field(atSP))
			pointers := decode(t, e.pointers)
			sizes := decode(t, e.sizes)
			same := func(what string, from, to int32) {
				if from != to {
					t.Fatalf("%s: function %d: %s: %d became %d", name, e.number(p.imports), what, from, to)
				}
			}
			same("largest frame", sizesBefore.most(), sizes.most())
			same("frame at the begin", sizesBefore.at(0), sizes.at(0))
			f, g := old.funcs[e.number(p.imports)-uint32(p.imports)], p.funcs[e.number(p.imports)-uint32(p.imports)]
			d, now := f.dispatcher(), g.dispatcher()
			label := func(d *dispatcher, place uint64) int32 {
				if d == nil {
					return -1
				}
				return int32(d.table[min(place, uint64(len(d.table)-1))])
			}
			same("label of the begin", label(d, 0), label(now, 0))
			if deferred := uint64(before.field(atDeferReturn)); deferred != 0 {
				same("label of deferred calls", label(d, deferred), label(now, uint64(e.field(atDeferReturn))))
				same("pointers at deferred calls", pointersBefore.at(deferred), pointers.at(uint64(e.field(atDeferReturn))))
			}
			for x := range f.code {
				from, to := &f.code[x], &g.code[x]
				if from.op == opLocalSet && from.a == pcB {
					same("label of a jump", label(d, f.code[x-1].a), label(now, g.code[x-1].a))
				}
				place, number := from.a&(1<<counterBits-1), to.a&(1<<counterBits-1)
				if !from.back || place == 0 {
					continue
				}
				calls++
				same("function", int32(from.a>>counterBits), int32(to.a>>counterBits))
				same("frame", sizesBefore.at(place), sizes.at(number))
				same("pointers", pointersBefore.at(place-1), pointers.at(number-1))
				if !from.cold {
					same("label of a call", label(d, place), label(now, number))
				}
			}
		}
		if t.Logf("%s: %d calls in %d of %d functions", name, calls, functions, len(p.entries)); calls < 10_000 || functions < len(p.entries)/2 {
			t.Errorf("%s: only %d calls in %d of %d functions", name, calls, functions, len(p.entries))
		}
	}
}

func smallProbe(t *testing.T) []byte {
	t.Helper()
	small, err := Module(probe(t), everything)
	if err != nil {
		t.Fatal(err)
	}
	return small
}

func valuesOf(t *testing.T, table *tables, e *entry, kind int) values {
	if len(e.pcdata) <= kind {
		return nil
	}
	return read(t, table, e.pcdata[kind])
}

func read(t *testing.T, table *tables, at uint32) values {
	t.Helper()
	v, err := table.values(at)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// decode reads an encoded table that stands nowhere yet.
func decode(t *testing.T, encoded []byte) values {
	t.Helper()
	if len(encoded) == 0 {
		return nil
	}
	return read(t, &tables{counters: append([]byte{0}, encoded...)}, 1)
}

func TestValuesAreReadAsTheyAreWritten(t *testing.T) {
	for _, list := range [][]int32{{0}, {-1, -1, 3}, {5, 5, 5, 0, -1, 1 << 30}, {0, 1232, 1232, 1232}} {
		got := decode(t, appendValues(nil, list))
		for place, want := range list {
			if v := got.at(uint64(place)); v != want {
				t.Errorf("%v: %d at %d", list, v, place)
			}
		}
		if last := got.at(lastPlace); last != list[len(list)-1] {
			t.Errorf("%v: %d behind the end", list, last)
		}
	}
	if short, long := appendValues(nil, []int32{0, 8}), appendValues(nil, []int32{0, 8, 8, 8}); !bytes.Equal(short, long) {
		t.Errorf("%x and %x say the same", short, long)
	}
}

// A place that a constant of somebody else may mean keeps its number.
func TestPlacesThatAreTalkedAboutStay(t *testing.T) {
	pc := func(function, place int64) []byte {
		return wasmfile.AppendSigned([]byte{opI64Const}, (firstFunc+function)<<counterBits+place)
	}
	p := &program{}
	for _, code := range [][]byte{
		join(pc(1, 3), []byte{opDrop}, pc(2, 0), []byte{opDrop}, []byte{opI32Const, 4, opCall, 3, opDrop, opI32Const, 0, opCall, 4, opDrop}),
		{opNop}, {opNop}, {opNop}, {opNop},
	} {
		f, err := readFunction(body(code...))
		if err != nil {
			t.Fatal(err)
		}
		p.funcs = append(p.funcs, f)
	}
	p.markReturns()
	if diff := cmp.Diff(map[uint32]bool{1: true, 3: true}, p.fixedPlaces()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// All passes together, as the guest gets them.
func TestTheWholeProbeDoesTheSame(t *testing.T) {
	thin, err := wasmfile.ThinFuncTable(probe(t))
	if err != nil {
		t.Fatal(err)
	}
	small, err := Module(thin, everything)
	if err != nil {
		t.Fatal(err)
	}
	all, err := Tables(small, nil)
	if err != nil {
		t.Fatal(err)
	}
	native, err := exec.Command("go", "run", "./testdata/probe").Output()
	if err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`callers .*`).ReplaceAllString(string(native), "callers ")
	if got, _, code := execute(t, all); code != 0 || got != want {
		t.Errorf("ends with %d (-native +all):\n%s", code, cmp.Diff(want, got))
	}
	t.Logf("%d bytes became %d", len(thin), len(all))
}
