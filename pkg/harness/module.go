package harness

import (
	"context"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// module is a compiled guest and what its instances share.
type module struct {
	runtime  wazero.Runtime
	cache    wazero.CompilationCache // nil without a folder
	compiled wazero.CompiledModule
}

func compile(ctx context.Context, wasm []byte, c Config, imports *imports) (_ *module, err error) {
	m := &module{}
	defer func() {
		if err != nil {
			m.close(ctx)
		}
	}()
	rc := wazero.NewRuntimeConfig().
		WithMemoryLimitPages(maxPages).
		WithMemoryCapacityFromMax(true).
		WithCloseOnContextDone(c.StopSpinning)
	if c.CacheDir != "" {
		if m.cache, err = wazero.NewCompilationCacheWithDir(c.CacheDir); err != nil {
			return nil, fmt.Errorf("open the cache of compiled modules: %w", err)
		}
		rc = rc.WithCompilationCache(m.cache)
	}
	m.runtime = wazero.NewRuntimeWithConfig(ctx, rc)
	if m.compiled, err = m.runtime.CompileModule(ctx, wasm); err != nil {
		return nil, fmt.Errorf("compile the guest: %w", firstLine(err))
	}
	if err = m.check(); err != nil {
		return nil, err
	}
	if _, err = wasi_snapshot_preview1.Instantiate(ctx, m.runtime); err != nil {
		return nil, fmt.Errorf("prepare the guest's imports: %w", err)
	}
	if err = imports.instantiate(ctx, m.runtime); err != nil {
		return nil, fmt.Errorf("prepare the guest's imports: %w", err)
	}
	return m, nil
}

// exports is what a guest must have, with its parameters and results.
var exports = map[string]string{
	"abi_version": "() -> i32",
	"alloc":       "(i32) -> i32",
	"free":        "(i32)",
	"call":        "(i32, i32) -> i64",
}

// check refuses a module that does not fit, before anything of it runs.
func (m *module) check() error {
	for _, f := range m.compiled.ImportedFunctions() {
		from, name, _ := f.Import()
		_, ours := importTypes[name]
		if from != wasi_snapshot_preview1.ModuleName && (from != protocol.ImportModule || !ours) {
			return fmt.Errorf("load the guest: it imports %q.%q, which the harness does not give", from, name)
		}
	}
	if len(m.compiled.ImportedMemories()) > 0 {
		return fmt.Errorf("load the guest: it imports a memory, which the harness does not give")
	}
	for name, want := range exports {
		f := m.compiled.ExportedFunctions()[name]
		if f == nil {
			return fmt.Errorf("load the guest: it has no export %s", name)
		}
		if got := signature(f); got != want {
			return fmt.Errorf("load the guest: its export %s is %s, want %s", name, got, want)
		}
	}
	if m.compiled.ExportedMemories()["memory"] == nil {
		return fmt.Errorf("load the guest: it has no export memory")
	}
	return nil
}

func signature(f api.FunctionDefinition) string {
	list := func(types []api.ValueType) string {
		var names []string
		for _, t := range types {
			names = append(names, api.ValueTypeName(t))
		}
		return strings.Join(names, ", ")
	}
	s := "(" + list(f.ParamTypes()) + ")"
	if r := list(f.ResultTypes()); r != "" {
		s += " -> " + r
	}
	return s
}

func (m *module) close(ctx context.Context) error {
	var err error
	if m.runtime != nil {
		err = m.runtime.Close(ctx)
	}
	if m.cache != nil {
		if e := m.cache.Close(ctx); err == nil {
			err = e
		}
	}
	return err
}

// brief is an error of wazero without the stack trace behind its first line.
type brief struct{ error }

func (b brief) Error() string {
	line, _, _ := strings.Cut(b.error.Error(), "\n")
	return strings.TrimSuffix(line, " (recovered by wazero)")
}

// Unwrap gives the whole error, with the trace.
func (b brief) Unwrap() error { return b.error }

func firstLine(err error) error { return brief{err} }
