package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"
)

// TestThePatchedRuntimeDoesTheSame runs the probe of internal/shrink, which collects garbage, panics,
// recovers, and switches goroutines and coroutines, on the patched runtime.
func TestThePatchedRuntimeDoesTheSame(t *testing.T) {
	const source = "../shrink/testdata/probe"
	wasm := patched(t, source, patches)
	native, err := exec.Command("go", "run", source).Output()
	if err != nil {
		t.Fatal(err)
	}
	out, _, code := execute(t, wasm)
	if diff := cmp.Diff(string(native), out); diff != "" || code != 0 {
		t.Errorf("ends with %d (-native +patched):\n%s", code, diff)
	}
	// It still says why it dies, whatever GODEBUG the host has.
	_, words, code := execute(t, wasm, "die")
	if !strings.HasPrefix(words, "panic: runtime error: invalid memory address or nil pointer dereference\n") || !strings.Contains(words, "main.main()") || code != 2 {
		t.Errorf("dies with %d:\n%s", code, words)
	}
}

// patched builds a command for wasm, with Go's runtime as the patches leave it.
func patched(t *testing.T, source string, patches []patch) []byte {
	t.Helper()
	dir := t.TempDir()
	goroot, err := goTool("", "env", "GOROOT")
	if err != nil {
		t.Fatal(err)
	}
	replace, err := writePatched(strings.TrimSpace(string(goroot)), dir, patches)
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	list, program := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "program.wasm")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := goTool("", "build", "-overlay", list, "-trimpath", "-ldflags=-checklinkname=0", "-o", program, source); err != nil {
		t.Fatal(err)
	}
	wasm, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}

// execute gives what a command prints with GODEBUG set, and the code with which it ends.
func execute(t *testing.T, file []byte, args ...string) (stdout, stderr string, code uint32) {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	defer r.Close(ctx)
	wasi_snapshot_preview1.MustInstantiate(ctx, r)
	var out, errs bytes.Buffer
	_, err := r.InstantiateWithConfig(ctx, file, wazero.NewModuleConfig().WithStdout(&out).WithStderr(&errs).
		WithArgs(append([]string{"probe"}, args...)...).WithEnv("GODEBUG", "gctrace=1,schedtrace=1,checkfinalizers=1,scavtrace=1").
		WithSysNanotime().WithSysWalltime())
	var exit *sys.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%v\n%s%s", err, out.String(), errs.String())
	}
	if exit != nil {
		code = exit.ExitCode()
	}
	return out.String(), errs.String(), code
}

func TestPatchesFailLoudly(t *testing.T) {
	goroot := t.TempDir()
	file := filepath.Join(goroot, "src", "runtime", "one.go")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("func a() {\n\tb()\n}\n\nfunc twice() {\n}\n\nfunc twice() {\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for function, want := range map[string]string{
		"func a() {":     "",
		"func c() {":     "one.go has 0 times \"func c() {\\n\", want once",
		"func twice() {": "one.go has 2 times ",
	} {
		dir := t.TempDir()
		replace, err := writePatched(goroot, dir, []patch{atStart("one.go", function, "return")})
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want %s", function, err, want)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(replace[file])
		if err != nil {
			t.Fatal(err)
		}
		if want := "func a() {\n\tif true {\n\t\treturn\n\t}\n\tb()\n}\n"; !strings.HasPrefix(string(got), want) {
			t.Errorf("%s: got %s", function, got)
		}
	}
	if _, err := writePatched(goroot, goroot, []patch{atStart("two.go", "func a() {", "return")}); err == nil {
		t.Error("a file that is not there: no error")
	}
}
