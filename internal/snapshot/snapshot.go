// Package snapshot starts a module when it is built, so that it need not be started where it runs: the memory and the globals that
// the start leaves behind become the ones that the module begins with. See RATIONALE.md.
package snapshot

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/Kayphoon/opencode-advisor/internal/wasmfile"
)

// first is the function of a reactor that is called before all others.
const first = "_initialize"

// Take calls the module's _initialize and gives the module that starts where that ended. What it exports as resume is its _initialize.
// The start may look at the clock and take random bytes, which are the same in each build, so resume has to draw others. It sees no
// arguments and no environment; whatever else it asks for is an error, and so is one that fails.
func Take(file []byte, resume string) ([]byte, error) {
	out, err := take(file, resume)
	if err != nil {
		return nil, fmt.Errorf("start the module for its snapshot: %w", err)
	}
	return out, nil
}

func take(file []byte, resume string) ([]byte, error) {
	m, err := wasmfile.Parse(file)
	if err != nil {
		return nil, err
	}
	globals, err := m.Globals(file)
	if err != nil {
		return nil, err
	}
	exports, err := resumed(m.Exports, resume)
	if err != nil {
		return nil, err
	}
	if m.HasStart || len(m.Memories) != 1 {
		return nil, errors.New("it has a start function, or not one memory of its own")
	}
	// Only what is exported can be read.
	open := slices.Clone(m.Exports)
	for n := range globals {
		open = append(open, wasmfile.Export{Name: globalName(n), Kind: wasmfile.Global, Index: uint32(n)})
	}
	memory, err := start(m.Replace(file, map[byte][]byte{wasmfile.SecExport: wasmfile.AppendExports(nil, open)}), globals)
	if err != nil {
		return nil, err
	}
	pages := binary.AppendUvarint([]byte{1, 0}, uint64(len(memory)/wasmfile.PageSize))
	if most := m.Memories[0].Max; most != 0 {
		pages[1] = 1
		pages = binary.AppendUvarint(pages, uint64(most))
	}
	return m.Replace(file, map[byte][]byte{
		wasmfile.SecMemory: pages,
		wasmfile.SecGlobal: wasmfile.AppendGlobals(nil, globals),
		wasmfile.SecExport: wasmfile.AppendExports(nil, exports),
		wasmfile.SecData:   wasmfile.AppendData(nil, memory),
	}), nil
}

// resumed are the exports with resume in the place of first.
func resumed(all []wasmfile.Export, resume string) (out []wasmfile.Export, err error) {
	found := 0
	for _, e := range all {
		switch {
		case e.Kind == wasmfile.Func && e.Name == first:
			found |= 1
			continue
		case e.Kind == wasmfile.Func && e.Name == resume:
			found |= 2
			e.Name = first
		}
		out = append(out, e)
	}
	if found != 3 {
		return nil, fmt.Errorf("it must export the functions %s and %s", first, resume)
	}
	return out, nil
}

func globalName(n int) string { return fmt.Sprintf("global %d", n) }

// start gives the memory after the start, and writes what the globals are then.
func start(file []byte, globals []wasmfile.GlobalVar) ([]byte, error) {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer r.Close(ctx)
	compiled, err := r.CompileModule(ctx, file)
	if err != nil {
		return nil, err
	}
	if err := provide(ctx, r, compiled); err != nil {
		return nil, err
	}
	instance, err := r.InstantiateModule(ctx, compiled, wazero.NewModuleConfig().WithStartFunctions(first))
	if err != nil {
		return nil, err
	}
	for n := range globals {
		value := instance.ExportedGlobal(globalName(n)).Get()
		globals[n].Value = int64(value)
		if globals[n].Type == wasmfile.TypeI32 {
			globals[n].Value = int64(int32(value))
		}
	}
	memory := instance.Memory()
	all, ok := memory.Read(0, memory.Size())
	if !ok {
		return nil, errors.New("its memory cannot be read")
	}
	return slices.Clone(all), nil
}

// provide gives the module what it imports. The start gets answers of WASI that are the same in each build; all else ends it.
func provide(ctx context.Context, r wazero.Runtime, compiled wazero.CompiledModule) error {
	modules := map[string]wazero.HostModuleBuilder{}
	for _, f := range compiled.ImportedFunctions() {
		module, name, _ := f.Import()
		if modules[module] == nil {
			modules[module] = r.NewHostModuleBuilder(module)
		}
		answer := answers[name]
		if answer == nil || module != "wasi_snapshot_preview1" {
			answer = func(api.Memory, []uint64) bool { return false }
		}
		call := func(_ context.Context, m api.Module, stack []uint64) {
			if !answer(m.Memory(), stack) {
				panic(fmt.Errorf("it calls %s.%s, which a start may not", module, name))
			}
			stack[0] = 0 // success
		}
		modules[module].NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(call), f.ParamTypes(), f.ResultTypes()).Export(name)
	}
	for _, m := range modules {
		if _, err := m.Instantiate(ctx); err != nil {
			return err
		}
	}
	return nil
}

// answers are WASI's functions that a start may call, which tell whether they could write their answer.
var answers = map[string]func(memory api.Memory, args []uint64) bool{
	// A moment later than zero, which Go's runtime takes for none.
	"clock_time_get":    func(memory api.Memory, args []uint64) bool { return memory.WriteUint64Le(uint32(args[2]), 1) },
	"args_sizes_get":    nothing,
	"environ_sizes_get": nothing,
	"random_get": func(memory api.Memory, args []uint64) bool {
		if uint32(args[1]) > memory.Size() {
			return false
		}
		return memory.Write(uint32(args[0]), slices.Repeat([]byte{1}, int(uint32(args[1]))))
	},
}

// nothing says that there are no strings, and how long they are together.
func nothing(memory api.Memory, args []uint64) bool {
	return memory.WriteUint32Le(uint32(args[0]), 0) && memory.WriteUint32Le(uint32(args[1]), 0)
}
