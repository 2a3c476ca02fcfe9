package harness

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/internal/wasmtest"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Opcodes of the hand-made guests.
const (
	opUnreachable = 0x00
	opLoop        = 0x03
	opEnd         = 0x0b
	opBranch      = 0x0c
	opCall        = 0x10
	opDrop        = 0x1a
	opGet         = 0x20
	opGrow        = 0x40
	opI32         = 0x41
	opI64         = 0x42
	opEqz         = 0x45
	opDivide      = 0x6d
	opWiden       = 0xad // i64.extend_i32_u
	opShift       = 0x86
	opOr          = 0x84
	void          = 0x40
)

// echo answers with the batch itself: ptr<<32 | len.
var echo = []byte{opGet, 0, opWiden, opI64, 32, opShift, opGet, 1, opWiden, opOr}

// shortAnswer makes the i32 on the stack the length of an answer at address 0.
var shortAnswer = []byte{opWiden}

// handmade is a guest whose call has the given body. Each of its imports has the number of its place.
func handmade(body []byte, imports ...string) wasmtest.Module {
	m := wasmtest.Module{
		Memory: []byte{0, 2}, // 2 pages, without a bound of its own
		Funcs: []wasmtest.Func{
			{Name: "abi_version", Type: "() -> i32", Body: []byte{opI32, protocol.ABIVersion}},
			{Name: "alloc", Type: "(i32) -> i32", Body: []byte{opI32, 0x80, 0x08}}, // 1024
			{Name: "free", Type: "(i32)"},
			{Name: "call", Type: "(i32, i32) -> i64", Body: body},
		},
	}
	for _, name := range imports {
		typ := map[string]string{
			protocol.ImportInterrupted: "() -> i32",
			protocol.ImportFSStat:      "(i32, i32, i32) -> i32",
			protocol.ImportFSRead:      "(i32, i32, i32, i64, i32, i32) -> i32",
			protocol.ImportFSList:      "(i32, i32, i32, i32, i32) -> i32",
			protocol.ImportFSReal:      "(i32, i32, i32, i32) -> i32",
			protocol.ImportHTTPSend:    "(i32, i32) -> i32",
			protocol.ImportHTTPCancel:  "(i32, i32)",
			protocol.ImportEmit:        "(i32, i32)",
		}[name]
		m.Imports = append(m.Imports, wasmtest.Import{Module: protocol.ImportModule, Name: name, Type: typ})
	}
	return m
}

func code(parts ...[]byte) (all []byte) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// noFiles is a workspace without anything in it.
type noFiles struct{}

func (noFiles) Stat(string) (protocol.Info, protocol.Errno) {
	return protocol.Info{}, protocol.ErrnoNotFound
}
func (noFiles) Real(string) (string, protocol.Errno) { return "", protocol.ErrnoNotFound }
func (noFiles) Read(string, protocol.Info, int64, []byte) (int, protocol.Errno) {
	return 0, protocol.ErrnoNotFound
}
func (noFiles) List(string, protocol.Info) ([]protocol.Entry, protocol.Errno) {
	return nil, protocol.ErrnoNotFound
}

func open(t *testing.T, m wasmtest.Module, c Config) *Harness {
	t.Helper()
	if c.Files == nil {
		c.Files = noFiles{}
	}
	h, err := New(context.Background(), m.Bytes(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return h
}

func TestCallCarriesBytesThere(t *testing.T) {
	h := open(t, handmade(echo), Config{})
	for _, batch := range []string{"", "x", strings.Repeat("long ", 10_000)} {
		got, err := h.Call(context.Background(), []byte(batch))
		if err != nil || string(got) != batch {
			t.Errorf("echo of %d bytes gave %d bytes, %v", len(batch), len(got), err)
		}
	}
}

// What a guest can do wrong in a call costs the instance, is told in one line, and the
// next instance works.
func TestAFailedCallLosesTheInstance(t *testing.T) {
	spin := []byte{opLoop, void, opBranch, 0, opEnd, opUnreachable}
	polite := []byte{opLoop, void, opCall, 0, opDrop, opBranch, 0, opEnd, opUnreachable}
	for _, c := range []struct {
		name  string
		guest wasmtest.Module
		c     Config
		want  string
		is    error
	}{
		{"trap", handmade([]byte{opUnreachable}), Config{}, "call the guest: wasm error: unreachable", nil},
		{"division by zero", handmade([]byte{opI32, 1, opI32, 0, opDivide, opWiden}), Config{}, "call the guest: wasm error: integer divide by zero", nil},
		{"endless recursion", handmade([]byte{opGet, 0, opGet, 1, opCall, 3}), Config{}, "call the guest: stack overflow", nil},
		{"spinning, asking", handmade(polite, protocol.ImportInterrupted), Config{Deadline: 20 * time.Millisecond},
			"call the guest: the call ran past its deadline (20ms)", ErrDeadline},
		{"spinning, not asking", handmade(spin), Config{Deadline: 20 * time.Millisecond, StopSpinning: true},
			"call the guest: the call ran past its deadline (20ms)", ErrDeadline},
		{"answer outside of memory", handmade([]byte{opI64, 0x7f}), Config{},
			"call the guest: its answer lies at 4294967295 and has 4294967295 bytes, outside of its memory", nil},
		{"answer over the end of memory", handmade([]byte{opI64, 0x81, 0x80, 0x08}), Config{},
			"call the guest: its answer lies at 0 and has 131073 bytes, outside of its memory", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := open(t, c.guest, c.c)
			_, err := h.Call(context.Background(), []byte("batch"))
			if err == nil || err.Error() != c.want || c.is != nil && !errors.Is(err, c.is) {
				t.Fatalf("error %v, want %s", err, c.want)
			}
			if size := h.MemorySize(); size != 0 {
				t.Errorf("the lost instance has %d bytes of memory", size)
			}
			if _, err := h.Call(context.Background(), nil); !errors.Is(err, ErrLost) ||
				err.Error() != "call the guest: the instance was discarded after a failure; use Restart" {
				t.Errorf("the second call: %v, want %v", err, ErrLost)
			}
			if err := h.Restart(context.Background()); err != nil {
				t.Fatal(err)
			}
			if size := h.MemorySize(); size != 2*pageSize {
				t.Errorf("the new instance has %d bytes of memory, want %d", size, 2*pageSize)
			}
			if _, err := h.Call(context.Background(), nil); err == nil || errors.Is(err, ErrLost) {
				t.Errorf("the new instance does not do as the old: %v", err)
			}
		})
	}
}

func TestAllocThatGivesNothing(t *testing.T) {
	for name, address := range map[string][]byte{"null": {0}, "outside": {0x7f}} {
		m := handmade(echo)
		m.Funcs[1].Body = append([]byte{opI32}, address...)
		_, err := open(t, m, Config{}).Call(context.Background(), []byte("12345"))
		if err == nil || err.Error() != "call the guest: it gave no buffer of 5 bytes" {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestMemoryIsBoundedWhateverTheModuleSays(t *testing.T) {
	grow := func(pages ...byte) []byte { // -1 becomes an answer of length 0 through eqz
		return code([]byte{opI32}, pages, []byte{opGrow, 0, opI32, 1, 0x6a, opEqz}, shortAnswer)
	}
	allowed, refused := grow(0xfe, 0x1f), grow(0xff, 0x1f) // 4094 and 4095 more than the first 2
	if got, err := open(t, handmade(allowed), Config{}).Call(context.Background(), nil); err != nil || len(got) != 0 {
		t.Errorf("256 MB: answer of %d bytes, %v; want none", len(got), err)
	}
	if got, err := open(t, handmade(refused), Config{}).Call(context.Background(), nil); err != nil || len(got) != 1 {
		t.Errorf("one page more: answer of %d bytes, %v; want 1 for a growth that failed", len(got), err)
	}
}

// Whatever pointers a guest hands to its imports: an errno, and no trap.
func TestWildPointersAreInvalidArguments(t *testing.T) {
	wild := func(args int, wide int) (b []byte) {
		for i := range args {
			if i == wide {
				b = append(b, opI64, 0)
			} else {
				b = append(b, opI32, 0x7f) // -1: the last address, and 4 GB long
			}
		}
		return append(b, opCall, 0)
	}
	negate := []byte{opI32, 0x7f, 0x6c} // * -1
	for _, c := range []struct {
		name string
		body []byte
	}{
		{protocol.ImportFSStat, code(wild(3, -1), shortAnswer)},
		{protocol.ImportFSRead, code(wild(6, 3), negate, shortAnswer)},
		{protocol.ImportFSList, code(wild(5, -1), negate, shortAnswer)},
		{protocol.ImportFSReal, code(wild(4, -1), negate, shortAnswer)},
		{protocol.ImportHTTPSend, code(wild(2, -1), shortAnswer)},
		{protocol.ImportHTTPCancel, code(wild(2, -1), []byte{opI64, byte(protocol.ErrnoInvalid)})},
		{protocol.ImportEmit, code(wild(2, -1), []byte{opI64, byte(protocol.ErrnoInvalid)})},
	} {
		got, err := open(t, handmade(c.body, c.name), Config{}).Call(context.Background(), nil)
		if err != nil || protocol.Errno(len(got)) != protocol.ErrnoInvalid {
			t.Errorf("%s: errno %d, %v; want %d", c.name, len(got), err, protocol.ErrnoInvalid)
		}
	}
}

func TestNewRefusesWhatDoesNotFit(t *testing.T) {
	with := func(change func(*wasmtest.Module)) []byte {
		m := handmade(echo)
		change(&m)
		return m.Bytes()
	}
	for _, c := range []struct {
		name string
		wasm []byte
		want string
	}{
		{"no module", []byte("text"), "compile the guest: invalid magic number"},
		{"a memory that may outgrow the bound", with(func(m *wasmtest.Module) { m.Memory = []byte{1, 2, 0x80, 0x40} }),
			"compile the guest: section memory: max 8192 pages (512 Mi) over limit of 4096 pages (256 Mi)"},
		{"a foreign import", with(func(m *wasmtest.Module) { m.Imports = []wasmtest.Import{{Module: "env", Name: "exec", Type: "()"}} }),
			`load the guest: it imports "env"."exec", which the harness does not give`},
		{"an import that we do not have", with(func(m *wasmtest.Module) {
			m.Imports = []wasmtest.Import{{Module: "superadvisor", Name: "fs_write", Type: "()"}}
		}), `load the guest: it imports "superadvisor"."fs_write", which the harness does not give`},
		{"an import of another type", with(func(m *wasmtest.Module) {
			m.Imports = []wasmtest.Import{{Module: "superadvisor", Name: "emit", Type: "(i32)"}}
		}), "start the guest: import func[superadvisor.emit]: signature mismatch: i32_v != i32i32_v"},
		{"no call", with(func(m *wasmtest.Module) { m.Funcs = m.Funcs[:3] }), "load the guest: it has no export call"},
		{"a call of another type", with(func(m *wasmtest.Module) {
			m.Funcs[3] = wasmtest.Func{Name: "call", Type: "() -> i32", Body: []byte{opI32, 0}}
		}), "load the guest: its export call is () -> i32, want (i32, i32) -> i64"},
		{"another version", with(func(m *wasmtest.Module) { m.Funcs[0].Body = []byte{opI32, 9} }),
			"start the guest: it speaks version 9 of the wire, the harness version 1; build both from one source"},
		{"a start that traps", with(func(m *wasmtest.Module) {
			m.Funcs = append(m.Funcs, wasmtest.Func{Name: "_initialize", Type: "()", Body: []byte{opUnreachable}})
		}), "start the guest: module[] function[_initialize] failed: wasm error: unreachable"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := New(context.Background(), c.wasm, Config{Files: noFiles{}})
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
}

func TestNewNamesTheConfigFieldThatIsMissing(t *testing.T) {
	_, err := New(context.Background(), handmade(echo).Bytes(), Config{})
	if err == nil || !strings.HasPrefix(err.Error(), "open the workspace: ") || !strings.Contains(err.Error(), "Config.Files") {
		t.Errorf("error %v", err)
	}
}

func TestAnEndedContextDoesNotCostTheInstance(t *testing.T) {
	h := open(t, handmade(echo), Config{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := h.Call(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if got, err := h.Call(context.Background(), []byte("x")); err != nil || string(got) != "x" {
		t.Errorf("the next call: %q, %v", got, err)
	}
}

func TestRuntimeOutputBecomesLogLines(t *testing.T) {
	var got []protocol.Log
	l := &lines{log: func(line protocol.Log) { got = append(got, line) }}
	for _, s := range []string{"panic: ", "boom\n\ngorout", "ine 1\n", strings.Repeat("x", maxPrinted+10), "rest"} {
		if n, err := l.Write([]byte(s)); n != len(s) || err != nil {
			t.Fatalf("Write = %d, %v", n, err)
		}
	}
	want := []protocol.Log{
		{Level: "error", Text: "runtime: panic: boom"},
		{Level: "error", Text: "runtime: goroutine 1"},
		{Level: "error", Text: "runtime: " + strings.Repeat("x", maxPrinted)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
