package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// TestTheBoundIsTheSameInWebAssembly runs the probe under wazero, where no clock
// is there to help, and beside it natively.
func TestTheBoundIsTheSameInWebAssembly(t *testing.T) {
	var native bytes.Buffer
	if err := probe(&native); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(native.String()) {
		if !strings.Contains(line, "match false") {
			t.Errorf("no pattern may match the line: %s", line)
		}
	}
	if n := strings.Count(native.String(), "gave up true"); n != 2 {
		t.Errorf("%d patterns met the bound, want the 2 whose back references the automaton cannot rule out:\n%s", n, native.String())
	}

	file := filepath.Join(t.TempDir(), "probe.wasm")
	build := exec.Command("go", "build", "-o", file, ".")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the probe: %v\n%s", err, out)
	}
	module, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	runtime := wazero.NewRuntime(ctx)
	defer runtime.Close(ctx)
	wasi_snapshot_preview1.MustInstantiate(ctx, runtime)
	var guest bytes.Buffer
	if _, err := runtime.InstantiateWithConfig(ctx, module, wazero.NewModuleConfig().WithStdout(&guest).WithStderr(os.Stderr)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(native.String(), guest.String()); diff != "" {
		t.Errorf("(-native +wasm):\n%s", diff)
	}
	t.Logf("\n%s", guest.String())
}
