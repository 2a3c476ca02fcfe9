package wasmfile

import (
	"bytes"
	"context"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

func TestDataIsReadAsItIsWritten(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for n := range 200 {
		image := make([]byte, n)
		for i := range image {
			if random.Intn(8) == 0 {
				image[i] = byte(random.Intn(3))
			}
		}
		want := bytes.TrimRight(image, "\x00")
		got, err := readData(AppendData(nil, image))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("%v: got %v", want, got)
		}
	}
}

func TestReadData(t *testing.T) {
	for _, c := range []struct {
		name, in  string
		want, err string
	}{
		{"none", "\x00", "", ""},
		{"a gap", "\x02\x00\x41\x01\x0b\x01a\x00\x41\x03\x0b\x02bc", "\x00a\x00bc", ""},
		{"out of order", "\x02\x00\x41\x03\x0b\x02bc\x00\x41\x01\x0b\x01a", "\x00a\x00bc", ""},
		{"the later one wins", "\x02\x00\x41\x00\x0b\x03abc\x00\x41\x01\x0b\x01x", "axc", ""},
		{"a passive one", "\x01\x01\x01a", "", "a data segment of kind 1 is not supported"},
		{"a place that is a global", "\x01\x00\x23\x00\x0b\x01a", "", "a data segment's place is no constant"},
		{"a place that is a sum", "\x01\x00\x41\x00\x41\x00\x6a\x0b\x01a", "", "a data segment's place is no constant"},
		{"a place before the start", "\x01\x00\x41\x7f\x0b\x01a", "", "a place in memory is negative or too large"},
		{"a place far away", "\x01\x00\x41\x80\x80\x80\x80\x04\x0b\x01a", "", "a data segment ends beyond 67108864 bytes"},
		{"a cut segment", "\x01\x00\x41\x00\x0b\x09a", "", "the file ends early"},
		{"left over bytes", "\x00\x00", "", "1 bytes are left over"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := readData([]byte(c.in))
			if c.err != "" {
				if err == nil || err.Error() != c.err {
					t.Errorf("error %v, want %s", err, c.err)
				}
			} else if err != nil || string(got) != c.want {
				t.Errorf("got %q and error %v, want %q", got, err, c.want)
			}
		})
	}
}

// withData is a module whose memory starts with this.
func withData(image []byte) []byte {
	return append(small(1, 0, 3), section(SecData, AppendData(nil, image)...)...)
}

func TestThinFuncTable(t *testing.T) {
	const funcs = leastFuncs + 7
	before, after := []byte("before the table\x00\x00\x00\x00"), []byte("\x00\x00and behind it")
	whole, thin := bytes.Clone(before), bytes.Clone(before)
	for n := range funcs * bucketsPerFunc {
		whole, thin = append(whole, bucket(n)...), append(thin, make([]byte, bucketSize)...)
	}
	whole, thin = append(whole, after...), append(thin, after...)

	got, err := ThinFuncTable(withData(whole))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(withData(thin), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, c := range []struct {
		name string
		in   []byte
		want string
	}{
		{"no table", withData([]byte("hello")), "thin the table of functions: the module has none; is it linked by Go?"},
		{"a table too short to be one", withData(whole[:leastFuncs*bucketsPerFunc*bucketSize/2]), "thin the table of functions: the module has none; is it linked by Go?"},
		{"done already", got, "thin the table of functions: the module has none; is it linked by Go?"},
		{"no data", small(1, 0, 3), "thin the table of functions: the module has no data"},
		{"a count of segments", append(small(1, 0, 3), section(secDataCount, 0)...), "thin the table of functions: a module with a data count is not supported"},
		{"no module", []byte("hello"), "thin the table of functions: read module: not a WebAssembly module of version 1"},
	} {
		if _, err := ThinFuncTable(c.in); err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v, want %s", c.name, err, c.want)
		}
	}
}

// TestThinProgramFindsItsFunctions runs a real program with and without the table: it walks its stack, grows it, collects garbage and recovers a fault.
func TestThinProgramFindsItsFunctions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "stacks.wasm")
	build := exec.Command("go", "build", "-o", file, "./testdata/stacks")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the program: %v\n%s", err, out)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	thin, err := ThinFuncTable(whole)
	if err != nil {
		t.Fatal(err)
	}
	if saved := len(whole) - len(thin); saved < 100_000 {
		t.Errorf("%d bytes saved, want 100,000 or more", saved)
	}
	want := output(t, whole)
	for _, line := range []string{"0 main.outer", "5000\n", "1 main.main.func1.1", "runtime.panicmem", "runtime.main"} {
		if !strings.Contains(want, line) {
			t.Errorf("the program does not print %q:\n%s", line, want)
		}
	}
	if diff := cmp.Diff(want, output(t, thin)); diff != "" {
		t.Errorf("whole and thin differ (-whole +thin):\n%s", diff)
	}
}

// output runs a program to its end.
func output(t *testing.T, program []byte) string {
	t.Helper()
	ctx := context.Background()
	runtime := wazero.NewRuntime(ctx)
	defer runtime.Close(ctx)
	wasi_snapshot_preview1.MustInstantiate(ctx, runtime)
	var out bytes.Buffer
	if _, err := runtime.InstantiateWithConfig(ctx, program, wazero.NewModuleConfig().WithStderr(&out)); err != nil {
		t.Fatalf("run the program: %v\n%s", err, out.Bytes())
	}
	return out.String()
}
