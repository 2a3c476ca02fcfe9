package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/Kayphoon/opencode-advisor/internal/guest"
)

func TestEachInstanceDrawsItsOwnNumbers(t *testing.T) {
	file, err := guest.Wasm()
	if err != nil {
		t.Fatal(err)
	}
	one, asked := resumed(t, file, 1)
	if asked != "random_get" {
		t.Errorf("it resumes with calls of %s, want random_get alone", asked)
	}
	if again, _ := resumed(t, file, 1); !bytes.Equal(one, again) {
		t.Error("the same numbers leave another memory")
	}
	other, _ := resumed(t, file, 2)
	differ := 0
	for at := range min(len(one), len(other)) {
		if one[at] != other[at] {
			differ++
		}
	}
	// The generator's state alone is some 300 bytes, in which each differs but by chance.
	if differ < 250 {
		t.Errorf("after other numbers %d bytes of memory differ, want 250", differ)
	}
}

// resumed gives the memory once the first function has run, with one random byte over and over, and the imports that it called.
func resumed(t *testing.T, file []byte, random byte) (memory []byte, asked string) {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer r.Close(ctx)
	compiled, err := r.CompileModule(ctx, file)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	modules := map[string]wazero.HostModuleBuilder{}
	for _, f := range compiled.ImportedFunctions() {
		module, name, _ := f.Import()
		if modules[module] == nil {
			modules[module] = r.NewHostModuleBuilder(module)
		}
		call := func(_ context.Context, m api.Module, stack []uint64) {
			names = append(names, name)
			if name == "random_get" {
				m.Memory().Write(uint32(stack[0]), bytes.Repeat([]byte{random}, int(stack[1])))
			}
			stack[0] = 0
		}
		modules[module].NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(call), f.ParamTypes(), f.ResultTypes()).Export(name)
	}
	for _, m := range modules {
		if _, err := m.Instantiate(ctx); err != nil {
			t.Fatal(err)
		}
	}
	instance, err := r.InstantiateModule(ctx, compiled, wazero.NewModuleConfig().WithStartFunctions("_initialize"))
	if err != nil {
		t.Fatal(err)
	}
	all, _ := instance.Memory().Read(0, instance.Memory().Size())
	return bytes.Clone(all), strings.Join(names, " ")
}

// The key of all hashes is the same in each instance, so a map's own number must be all of a hash's secret.
func TestAHashTakesAllOfItsSeed(t *testing.T) {
	if got := hashes(t, nil); !strings.Contains(got, "string 20\n") || !strings.Contains(got, "uint32\nuint64\n") {
		t.Errorf("without the patch it takes all of it too, or the probe does not see it; it prints:\n%s", got)
	}
	if got := hashes(t, patches); got != "" {
		t.Errorf("these hashes take half of their seed:\n%s", got)
	}
}

func hashes(t *testing.T, patches []patch) string {
	t.Helper()
	wasm := patched(t, "./testdata/hash", patches)
	out, errs, code := execute(t, wasm)
	if code != 0 {
		t.Fatalf("it ends with %d:\n%s", code, errs)
	}
	return out
}

func TestInitializersAreKnownByTheirNames(t *testing.T) {
	const ours = "github.com/Kayphoon/opencode-advisor/pkg/"
	for name, want := range map[string]bool{
		"main.init": true, "runtime.init.5": true, "regexp/syntax.map.init.1": true, ours + "judge.init.0": true, ours + "judge.init": true,
		"main.init.func1": false, ours + "judge.init.func2": false, ours + "judge.init.0.func1": false, // they may be kept in a variable
		"runtime.(*mheap).init": false, "runtime.gcBitsArena.init": false, "internal/chacha8rand.(*State).Init": false,
		ours + "judge.initial": false, "runtime.mallocinit": false, "init": false, "": false,
	} {
		if got := len(initializers(map[string][]uint32{name: {7}})) == 1; got != want {
			t.Errorf("%q: %t, want %t", name, got, want)
		}
	}
}
