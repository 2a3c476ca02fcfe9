package harness

import (
	"context"
	"errors"
	"strings"
	"testing"

	built "github.com/Kayphoon/opencode-advisor/internal/guest"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// real starts the module itself. Its log lines go to the slice that comes back with it.
func real(tb testing.TB) (*Harness, *[]protocol.Log) {
	tb.Helper()
	wasm, err := built.Wasm()
	if err != nil {
		tb.Fatal(err)
	}
	cache, err := built.CacheDir()
	if err != nil {
		tb.Fatal(err)
	}
	var logs []protocol.Log
	h, err := New(context.Background(), wasm, Config{
		Root: tb.TempDir(), CacheDir: cache, Log: func(l protocol.Log) { logs = append(logs, l) },
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := h.Close(context.Background()); err != nil {
			tb.Error(err)
		}
	})
	return h, &logs
}

// Whatever bytes a loader hands over, the module answers and says what it ignored.
func TestTheModuleSurvivesAnyBatch(t *testing.T) {
	h, logs := real(t)
	for _, c := range []struct{ name, batch, want string }{
		{"nothing", "", "decode message: unexpected end at byte 0"},
		{"text", "hello", "decode message: want a value at byte 0"},
		{"half a batch", `{"events":[{"type":"timer"`, "decode message: want a comma or } at byte 26"},
		{"an unknown event", `{"events":[{"type":"zap"}]}`, "decode event.zap: unknown type; it is ignored"},
		{"a wrong field", `{"events":[{"type":"tool","exit":"x"}]}`, "decode tool.exit: want a whole number, got a string"},
		{"a million brackets", strings.Repeat("[", 1_000_000), "decode message: unexpected end at byte 1000000"},
		{"deep arguments", `{"events":[{"type":"tool","input":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}]}`, "decode tool.input: nested too deep"},
	} {
		*logs = nil
		out, err := h.Call(context.Background(), []byte(c.batch))
		if err != nil || string(out) != `{"effects":[]}` {
			t.Errorf("%s: %.80s, %v; want no effects", c.name, out, err)
		}
		if len(*logs) != 1 || !strings.Contains((*logs)[0].Text, c.want) {
			t.Errorf("%s: log %v, want %s", c.name, *logs, c.want)
		}
	}
}

// Pointers that did not come from alloc, or more bytes than it gave, are no batch.
func TestTheModuleKnowsItsBuffers(t *testing.T) {
	h, logs := real(t)
	ctx := context.Background()
	ptr := alloc(t, h, 10)
	for _, c := range []struct {
		name      string
		ptr, size uint64
	}{{"null", 0, 10}, {"inside a buffer", ptr + 1, 5}, {"longer than the buffer", ptr, 11}, {"the end of memory", 0xffffffff, 0xffffffff}} {
		*logs = nil
		if _, err := h.guest.main.Call(ctx, c.ptr, c.size); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if len(*logs) != 1 || !strings.Contains((*logs)[0].Text, "unexpected end at byte 0") {
			t.Errorf("%s: log %v, want that of an empty batch", c.name, *logs)
		}
	}
	for _, p := range []uint64{ptr, ptr, 0, 0xffffffff} { // once, twice, and never allocated
		if _, err := h.guest.free.Call(ctx, p); err != nil {
			t.Errorf("free(%d): %v", p, err)
		}
	}
	// A buffer that was given back serves again, and once: it is as long as it was asked for, whatever it was before.
	long := alloc(t, h, 1000)
	if _, err := h.guest.free.Call(ctx, long); err != nil {
		t.Fatal(err)
	}
	first, second := alloc(t, h, 10), alloc(t, h, 10)
	if first == second {
		t.Error("two buffers share an address")
	}
	for _, p := range []uint64{first, second} {
		*logs = nil
		if _, err := h.guest.main.Call(ctx, p, 11); err != nil || len(*logs) != 1 || !strings.Contains((*logs)[0].Text, "unexpected end at byte 0") {
			t.Errorf("11 bytes of a buffer of 10: log %v, %v, want that of an empty batch", *logs, err)
		}
	}
	if got, err := h.guest.alloc.Call(ctx, 64<<20+1); err != nil || got[0] != 0 {
		t.Errorf("alloc of more than 64 MB = %v, %v; want 0", got, err)
	}
}

func alloc(t *testing.T, h *Harness, size uint64) uint64 {
	t.Helper()
	got, err := h.guest.alloc.Call(context.Background(), size)
	if err != nil || got[0] == 0 {
		t.Fatalf("alloc = %v, %v", got, err)
	}
	return got[0]
}

// A guest that has no memory left dies in a way that the loader sees; the next one lives.
func TestTheModuleDiesWithoutMemoryAndIsReplaced(t *testing.T) {
	h, logs := real(t)
	ctx := context.Background()
	for range 3 { // 192 of 256 MB, never freed
		alloc(t, h, 64<<20)
	}
	batch := `{"events":[{"type":"tool","output":"` + strings.Repeat("x", 40<<20) + `"}]}` // there, and once more decoded
	if _, err := h.Call(ctx, []byte(batch)); err == nil || !strings.HasPrefix(err.Error(), "call the guest: ") {
		t.Fatalf("error %v, want that of a lost instance", err)
	}
	said := ""
	for _, l := range *logs {
		said += l.Text + "\n"
	}
	if !strings.Contains(said, "runtime: fatal error: ") || !strings.Contains(said, "out of memory") {
		t.Errorf("log %q, want the runtime's last words", said)
	}
	if _, err := h.Call(ctx, nil); !errors.Is(err, ErrLost) {
		t.Errorf("the next call: %v, want %v", err, ErrLost)
	}
	if err := h.Restart(ctx); err != nil {
		t.Fatal(err)
	}
	if out, err := h.Call(ctx, []byte(`{"events":[]}`)); err != nil || string(out) != `{"effects":[]}` {
		t.Errorf("the next instance: %s, %v", out, err)
	}
}

func TestMemoryDoesNotGrowWithTheNumberOfCalls(t *testing.T) {
	h, _ := real(t)
	batch := []byte(`{"events":[{"type":"zap","text":"` + strings.Repeat("x", 100_000) + `"}]}`)
	call := func(n int) int {
		for range n {
			if _, err := h.Call(context.Background(), batch); err != nil {
				t.Fatal(err)
			}
		}
		return h.MemorySize()
	}
	// The heap finds its size within some hundred calls; 256 bytes a call that stay are too many from then on.
	early, late := call(1_000), call(4_000)
	if late > early+1<<20 {
		t.Errorf("%d bytes after 1,000 calls, %d after 5,000", early, late)
	}
	// 15 MB; with Go's own pace of collecting it is 20, and memory never shrinks.
	if late > 18<<20 {
		t.Errorf("%d bytes for batches of 100 KB that nobody keeps", late)
	}
}

func BenchmarkCall(b *testing.B) {
	tool := protocol.AppendTool(nil, &protocol.Tool{Session: "s", Call: "c", Name: "read", Output: strings.Repeat("a line of code\n", 300)})
	for _, c := range []struct {
		name  string
		batch string
	}{
		{"empty", `{"now":1,"events":[]}`},
		{"one-event-ignored", `{"now":1,"events":[{"type":"zap"}]}`},
		{"ten-tools-45KB", `{"now":1,"events":[` + strings.Repeat(string(tool)+",", 9) + string(tool) + `]}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			h, _ := real(b)
			b.SetBytes(int64(len(c.batch)))
			for b.Loop() {
				if _, err := h.Call(context.Background(), []byte(c.batch)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkRestart(b *testing.B) {
	h, _ := real(b)
	for b.Loop() {
		if err := h.Restart(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}
