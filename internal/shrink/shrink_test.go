package shrink

import (
	"bytes"
	"context"
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

	"github.com/Kayphoon/opencode-advisor/internal/wasmfile"
)

// probe builds testdata/probe for wasm, as the guest is.
func probe(t *testing.T) []byte { return buildProbe(t, "-s -w") }

// namedProbe is the probe with the names of its functions.
func namedProbe(t *testing.T) []byte { return buildProbe(t, "-w") }

func buildProbe(t *testing.T, ldflags string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "probe.wasm")
	build := exec.Command("go", "build", "-trimpath", "-ldflags="+ldflags, "-o", out, "./testdata/probe")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the probe: %v\n%s", err, text)
	}
	file, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// everything may be slower, so that all passes do what they can.
func everything(string) bool { return true }

// compiled keeps what was compiled: the same module runs several times.
var compiled = wazero.NewCompilationCache()

// execute gives what a command prints, and the code with which it ends.
func execute(t *testing.T, file []byte, args ...string) (stdout, stderr string, code uint32) {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCompilationCache(compiled))
	defer r.Close(ctx)
	wasi_snapshot_preview1.MustInstantiate(ctx, r)
	var out, errs bytes.Buffer
	_, err := r.InstantiateWithConfig(ctx, file, wazero.NewModuleConfig().WithStdout(&out).WithStderr(&errs).
		WithArgs(append([]string{"probe"}, args...)...).WithSysNanotime().WithSysWalltime())
	var exit *sys.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%v\n%s%s", err, out.String(), errs.String())
	}
	if exit != nil {
		code = exit.ExitCode()
	}
	return out.String(), errs.String(), code
}

func TestTheProbeDoesTheSame(t *testing.T) {
	file := probe(t)
	small, err := Module(file, everything)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes became %d", len(file), len(small))
	if len(small) > len(file)*95/100 {
		t.Errorf("%d bytes became %d, want at least 5 %% less", len(file), len(small))
	}
	native, err := exec.Command("go", "run", "./testdata/probe").Output()
	if err != nil {
		t.Fatal(err)
	}
	if got, _, code := execute(t, small); code != 0 || got != string(native) {
		t.Errorf("ends with %d (-native +small):\n%s", code, cmp.Diff(string(native), got))
	}

	// A panic ends it with the same words, function names and lines as before.
	_, want, wantCode := execute(t, file, "die")
	_, got, gotCode := execute(t, small, "die")
	if gotCode != wantCode || gotCode == 0 {
		t.Errorf("dies with %d, want %d", gotCode, wantCode)
	}
	if diff := cmp.Diff(want, got); diff != "" || !strings.Contains(want, "main.main()") {
		t.Errorf("last words (-before +after):\n%s\n%s", diff, want)
	}
}

// Where nothing is cold, calls stay as fast as they are.
func TestColdCodeAloneIsSlower(t *testing.T) {
	file := probe(t)
	all, err := Module(file, everything)
	if err != nil {
		t.Fatal(err)
	}
	one, err := Module(file, func(name string) bool { return name == "main.callers" })
	if err != nil {
		t.Fatal(err)
	}
	none, err := Module(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !(len(all) < len(one) && len(one) < len(none)) {
		t.Errorf("%d bytes with all functions cold, %d with one, %d with none", len(all), len(one), len(none))
	}
}

func TestModuleIsDoneOnce(t *testing.T) {
	file := probe(t)
	small, err := Module(file, everything)
	if err != nil {
		t.Fatal(err)
	}
	// The outside stays as it was.
	before, err := wasmfile.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	after, err := wasmfile.Parse(small)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before.Imports, after.Imports) + cmp.Diff(before.Exports, after.Exports) + cmp.Diff(before.Memories, after.Memories); diff != "" {
		t.Errorf("the outside changed:\n%s", diff)
	}
	again, err := Module(small, everything)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(small, again) {
		t.Errorf("a second time changes it again: %d bytes, then %d", len(small), len(again))
	}
	other, err := Module(file, everything)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(small, other) {
		t.Error("two runs differ")
	}
}

func TestModuleRefusesWhatItCannotRead(t *testing.T) {
	for name, file := range map[string][]byte{
		"text":   []byte("text"),
		"vector": []byte("\x00asm\x01\x00\x00\x00\x0a\x05\x01\x03\x00\xfd\x00"), // a SIMD instruction
		"cut":    []byte("\x00asm\x01\x00\x00\x00\x0a\x03\x01\x09\x00"),
	} {
		if out, err := Module(file, everything); err == nil {
			t.Errorf("%s: gave %d bytes, want an error", name, len(out))
		}
	}
}
