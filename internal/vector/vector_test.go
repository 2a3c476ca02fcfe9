package vector

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"

	"github.com/Kayphoon/opencode-advisor/internal/shrink"
	"github.com/Kayphoon/opencode-advisor/internal/wasmfile"
	"github.com/Kayphoon/opencode-advisor/internal/wasmtest"
)

// page is the whole memory of the module that the bodies are tested in; Go's stack pointer stands at the start of it.
const (
	page  = wasmfile.PageSize
	stack = 1024
)

// bench is a module of our functions alone: memchr, breaks and pair, by their numbers.
type bench struct {
	t      *testing.T
	ctx    context.Context
	m      api.Module
	memory api.Memory
	sp     api.MutableGlobal
}

// engines are those of wazero: its compiler and its interpreter.
func engines(t *testing.T, test func(b *bench)) {
	for name, config := range map[string]wazero.RuntimeConfig{"compiler": wazero.NewRuntimeConfig(), "interpreter": wazero.NewRuntimeConfigInterpreter()} {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			r := wazero.NewRuntimeWithConfig(ctx, config)
			t.Cleanup(func() { _ = r.Close(ctx) })
			m, err := r.Instantiate(ctx, alone(t))
			if err != nil {
				t.Fatal(err)
			}
			test(&bench{t, ctx, m, m.Memory(), m.ExportedGlobal("sp").(api.MutableGlobal)})
		})
	}
}

func alone(t *testing.T) []byte {
	t.Helper()
	var numbers, exports, code [][]byte
	for n, f := range functions {
		body, err := assemble(f.text)
		if err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		numbers = append(numbers, []byte{byte(min(n, 1))})
		exports = append(exports, []byte{1, byte('a' + n), 0, byte(n)})
		code = append(code, append(wasmtest.Unsigned(len(body)), body...))
	}
	exports = append(exports, []byte("\x06memory\x02\x00"), []byte("\x02sp\x03\x00"))
	return slices.Concat([]byte("\x00asm\x01\x00\x00\x00"),
		wasmtest.Section(1, []byte{0x60, 3, typeI32, typeI32, typeI32, 1, typeI32}, []byte{0x60, 1, typeI32, 1, typeI32}),
		wasmtest.Section(3, numbers...), wasmtest.Section(5, []byte{1, 1, 1}),
		wasmtest.Section(6, append(append([]byte{typeI32, 1, 0x41}, wasmfile.AppendSigned(nil, stack)...), endOp)),
		wasmtest.Section(7, exports...), wasmtest.Section(10, code...))
}

func (b *bench) call(function string, args ...uint64) uint64 {
	b.t.Helper()
	got, err := b.m.ExportedFunction(function).Call(b.ctx, args...)
	if err != nil {
		b.t.Fatalf("%s%v: %v", function, args, err)
	}
	return got[0]
}

// goCall is a call as Go's code makes it.
func (b *bench) goCall(function string, result uint32, args ...int) int {
	b.t.Helper()
	for n, arg := range args {
		b.memory.WriteUint64Le(stack+8+8*uint32(n), uint64(arg))
	}
	b.memory.WriteUint64Le(stack+result, 0x5555)
	b.sp.Set(stack)
	if b.call(function, 0) != 0 || b.sp.Get() != stack+8 {
		b.t.Fatalf("%s does not return as Go's functions do: SP is %d", function, b.sp.Get())
	}
	got, _ := b.memory.ReadUint64Le(stack + result)
	return int(got)
}

// each puts texts to even and odd places, and to the end of the memory, behind which nothing may be read. Around a
// text stands what would be found.
func (b *bench) each(text []byte, around byte, test func(at int)) {
	for _, at := range []int{2048, 2055, page - len(text)} {
		if at < page-len(text) {
			b.memory.Write(uint32(at-20), bytes.Repeat([]byte{around}, 20))
			b.memory.Write(uint32(at+len(text)), bytes.Repeat([]byte{around}, 20))
		}
		b.memory.Write(uint32(at), text)
		test(at)
	}
}

// texts gives texts of all lengths up to 100 and some beyond two turns of 64: with one byte that is another, at each place, and made of three bytes by chance.
func texts(each func(text []byte)) {
	chance := rand.New(rand.NewPCG(1, 2))
	for size := range 150 {
		if size > 100 && size < 126 || size > 130 && size < 146 {
			continue
		}
		for at := range size + 1 {
			text := bytes.Repeat([]byte{'x'}, size)
			if at < size {
				text[at] = '\n'
			}
			each(text)
		}
		for range 10 {
			text := make([]byte, size)
			for i := range text {
				text[i] = "x\n\x8a"[chance.IntN(3)]
			}
			each(text)
		}
	}
}

func TestMemchr(t *testing.T) {
	engines(t, func(b *bench) {
		texts(func(text []byte) {
			for _, c := range []byte{'\n', 0x8a} {
				b.each(text, c, func(at int) {
					want := 0
					if i := bytes.IndexByte(text, c); i >= 0 {
						want = at + i
					}
					if got := b.call("a", uint64(at), uint64(c), uint64(len(text))); got != uint64(want) {
						t.Fatalf("%q at %d: %q is at %d, want %d", text, at, c, got, want)
					}
				})
			}
		})
		if got := b.call("a", 0, 0, 0); got != 0 {
			t.Errorf("no text: %d", got)
		}
	})
}

func TestBreaks(t *testing.T) {
	engines(t, func(b *bench) {
		texts(func(text []byte) {
			b.each(text, '\n', func(at int) {
				if got, want := b.goCall("b", 32, at, len(text), len(text)), bytes.Count(text, []byte{'\n'}); got != want {
					t.Fatalf("%q at %d: %d line breaks, want %d", text, at, got, want)
				}
			})
		})
		if got := b.goCall("b", 32, 0, 0, 0); got != 0 {
			t.Errorf("no text: %d", got)
		}
	})
}

// findPair is the obvious way.
func findPair(text []byte, gap int, first, bits1, second, bits2 byte) int {
	for i := 0; i+gap < len(text); i++ {
		if text[i]|bits1 == first && text[i+gap]|bits2 == second {
			return i
		}
	}
	return -1
}

func TestPair(t *testing.T) {
	engines(t, func(b *bench) {
		chance := rand.New(rand.NewPCG(3, 4))
		one := func(text []byte, gap int, first, bits1, second, bits2 byte) {
			want := findPair(text, gap, first, bits1, second, bits2)
			pair := int(first) | int(bits1)<<8 | int(second)<<16 | int(bits2)<<24
			b.each(text, first, func(at int) {
				if got := b.goCall("c", 48, at, len(text), len(text), gap, pair); got != want {
					t.Fatalf("%q at %d: %q and %q with %d between are at %d, want %d", text, at, first, second, gap, got, want)
				}
			})
		}
		for size := range 75 {
			for _, gap := range []int{1, 2, 5, 15, 16, 31} {
				for at := range size {
					text := bytes.Repeat([]byte{'x'}, size)
					text[at] = 'A'
					if at+gap < size {
						text[at+gap] = 0xff
					}
					one(text, gap, 'A', 0, 0xff, 0)
					one(text, gap, 'a', 0x20, 0xff, 0)
				}
			}
			for range 30 {
				text := make([]byte, size)
				for i := range text {
					text[i] = "ab\x00AB"[chance.IntN(5)]
				}
				one(text, 1+chance.IntN(31), 'a', 0x20*byte(chance.IntN(2)), "bB\x00"[chance.IntN(3)], 0)
				one(text, 1+chance.IntN(31), 'a', 0, 'b', 0x20)
			}
		}
		if got := b.goCall("c", 48, 0, 0, 0, 5, 'a'); got != -1 {
			t.Errorf("no text: %d", got)
		}
	})
}

// guest is the tests of pkg/pattern, built and changed as the guest is.
func guest(t *testing.T) (whole []byte) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "test.wasm")
	build := exec.Command("go", "test", "-c", "-o", out, "../../pkg/pattern")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the tests: %v\n%s", err, text)
	}
	file, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if file, err = shrink.Module(file, nil); err != nil {
		t.Fatal(err)
	}
	found, err := Find(file)
	if err != nil || len(found.Missing) > 0 {
		t.Fatalf("missing %q, error %v", found.Missing, err)
	}
	if file, err = found.Put(file); err != nil {
		t.Fatal(err)
	}
	return file
}

// plain puts the compiler's bodies back, as host/module.ts does.
func plain(file []byte) []byte {
	out := bytes.Clone(file)
	number := func(at int) int { return int(binary.LittleEndian.Uint32(out[at:])) }
	end := len(out) - 4
	for at := end - number(end); at < end; {
		size := number(at + 4)
		copy(out[number(at):], out[at+8:at+8+size])
		at += 8 + size
	}
	return out
}

// The tests of what uses the functions pass in the guest with vectors, and on an engine that has none.
func TestInTheGuest(t *testing.T) {
	whole := guest(t)
	const without = api.CoreFeaturesV2 &^ api.CoreFeatureSIMD
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCoreFeatures(without))
	defer r.Close(ctx)
	if _, err := r.CompileModule(ctx, whole); err == nil {
		t.Error("an engine without vectors takes the module")
	}
	if _, err := shrink.Module(plain(whole), nil); err != nil { // which knows no vectors
		t.Errorf("with the compiler's bodies put back: %v", err)
	}
	for name, c := range map[string]struct {
		file     []byte
		features api.CoreFeatures
	}{"with vectors": {whole, api.CoreFeaturesV2}, "without": {plain(whole), without}} {
		t.Run(name, func(t *testing.T) {
			r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCoreFeatures(c.features))
			defer r.Close(ctx)
			wasi_snapshot_preview1.MustInstantiate(ctx, r)
			var out bytes.Buffer
			_, err := r.InstantiateWithConfig(ctx, c.file, wazero.NewModuleConfig().WithStdout(&out).WithStderr(&out).WithSysNanotime().WithSysWalltime().
				WithFSConfig(wazero.NewFSConfig().WithReadOnlyDirMount("../../pkg/pattern", "/")). // the corpus of the fuzzers
				WithArgs("test", "-test.v", "-test.run=TestBreaks|TestFindPair|TestLiteralSearchSkips|FuzzLiteral"))
			if exit, ok := err.(*sys.ExitError); err != nil && (!ok || exit.ExitCode() != 0) {
				t.Fatalf("%v\n%s", err, out.String())
			}
			if n := strings.Count(out.String(), "--- PASS: Test"); n < 3 || !strings.HasSuffix(out.String(), "PASS\n") {
				t.Errorf("%d tests passed:\n%s", n, out.String())
			}
		})
	}
}

func TestFind(t *testing.T) {
	m := &wasmfile.Module{Types: []string{functions[0].typ, goFunc}, Funcs: []uint32{1, 0, 1, 1}}
	whole := func(name string, numbers ...uint32) map[string][]uint32 {
		all := map[string][]uint32{"memchr": {1}, ours + "Breaks": {2}, ours + "findPair": {3}}
		all[name] = numbers
		return all
	}
	for _, c := range []struct {
		names         map[string][]uint32
		missing, want string
	}{
		{whole("other", 1, 2), "", ""},
		{whole(ours + "Breaks"), ours + "Breaks", ""},
		{whole("memchr", 1, 2), "", "find functions for vectors: 2 are named memchr"},
		{whole("memchr", 2), "", "find functions for vectors: memchr is not of type (i32, i32, i32) -> i32; look what this Go made of it"},
		{whole("memchr", 4), "", "find functions for vectors: memchr is not of type (i32, i32, i32) -> i32; look what this Go made of it"},
	} {
		found, err := match(m, c.names)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if missing := strings.Join(found.Missing, " "); missing != c.missing || got != c.want {
			t.Errorf("%v: missing %q, error %q; want %q, %q", c.names, missing, got, c.missing, c.want)
		}
	}
	for name, file := range map[string][]byte{"text": []byte("text"), "of another linker": wasmtest.Module{}.Bytes()} {
		if _, err := Find(file); err == nil {
			t.Errorf("a module that is %s: no error", name)
		}
	}
}

func TestAssemble(t *testing.T) {
	for text, want := range map[string]string{
		"param a b\nlocal c v128 ;; note\nlocal.get b local.tee c": "\x01\x01\x7b\x20\x01\x22\x02\x0b",
		"block out loop in br out br_if in end end":                "\x00\x02\x40\x03\x40\x0c\x01\x0d\x00\x0b\x0b\x0b",
		"block\nif\nelse\nend end\ni64.const -1 i32.const 300":     "\x00\x02\x40\x04\x40\x05\x0b\x0b\x42\x7f\x41\xac\x02\x0b",
		"global.get sp v128.load 16 i8x16.splat":                   "\x00\x23\x00\xfd\x00\x00\x10\xfd\x0f\x0b",
	} {
		got, err := assemble(text)
		if err != nil || string(got) != want {
			t.Errorf("%q: %x, error %v; want %x", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"i32.mul":                  `line 1: there is no "i32.mul"`,
		"param a\nlocal.get b":     `line 2: there is no "b" here`,
		"block out end br out":     `line 1: there is no "out" here`,
		"local a f32":              `line 1: a local is of type "f32"`,
		"i32.const":                "line 1: something is missing at its end",
		"i32.const one":            `line 1: strconv.ParseInt: parsing "one": invalid syntax`,
		"loop":                     "1 blocks have no end",
		"end":                      "line 1: an end too many",
		"global.get g":             `line 1: there is no "g" here`,
		"block a block b end br b": `line 1: there is no "b" here`,
	} {
		if _, err := assemble(text); err == nil || err.Error() != want {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}
