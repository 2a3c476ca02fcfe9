package harness

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Harness is a guest and its outside. Its methods may be called by several
// goroutines; the guest runs one call at a time.
type Harness struct {
	config  Config
	imports *imports
	module  *module
	client  *client // nil when Config.HTTP takes its place, or nothing does

	mu    sync.Mutex
	guest *guest // nil when it is lost
	ready bool
}

// New compiles the module and starts an instance. The error says what of the module
// or the config does not fit.
func New(ctx context.Context, wasm []byte, c Config) (*Harness, error) {
	if c.Deadline <= 0 {
		c.Deadline = deadlineDefault
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	h := &Harness{config: c, imports: &imports{files: c.Files, http: c.HTTP, log: c.Log}}
	if c.Files == nil {
		files, err := openRoot(c.Root)
		if err != nil {
			return nil, err
		}
		h.imports.files = files
	}
	if c.HTTP == nil && c.Transport != nil {
		h.client = newClient(c.Transport)
		h.imports.http = h.client
	}
	var err error
	if h.module, err = compile(ctx, wasm, c, h.imports); err != nil {
		return nil, err
	}
	if err := h.Restart(ctx); err != nil {
		h.module.close(ctx)
		return nil, err
	}
	return h, nil
}

// Restart replaces the instance by a fresh one. Open requests are forgotten.
func (h *Harness) Restart(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.discard(ctx)
	g, err := h.start(ctx)
	if err != nil {
		return fmt.Errorf("start the guest: %w", firstLine(err))
	}
	h.guest = g
	return nil
}

// Close ends the guest and frees everything.
func (h *Harness) Close(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.discard(ctx)
	return h.module.close(ctx)
}

func (h *Harness) discard(ctx context.Context) {
	if h.guest != nil {
		// A guest that failed may be closed already, which is no failure of ours.
		_ = h.guest.module.Close(ctx)
	}
	h.guest = nil
	h.ready = false
	if h.client != nil {
		h.client.reset()
	}
}

// Call hands one encoded batch to the guest and gives its encoded outcome. Any error but
// that of a ctx that had ended before means that the instance is lost and that none of the effects are to be performed.
func (h *Harness) Call(ctx context.Context, batch []byte) ([]byte, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.call(ctx, batch)
}

func (h *Harness) call(ctx context.Context, batch []byte) ([]byte, error) {
	if h.guest == nil {
		return nil, fmt.Errorf("call the guest: %w", ErrLost)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("call the guest: %w", err)
	}
	ctx, cancel := h.bound(ctx, h.config.Deadline)
	defer cancel()
	out, err := h.guest.call(ctx, batch)
	if err != nil {
		if h.late(ctx, err) {
			err = fmt.Errorf("%w (%v)", ErrDeadline, h.config.Deadline)
		}
		h.discard(context.WithoutCancel(ctx))
		return nil, fmt.Errorf("call the guest: %w", firstLine(err))
	}
	return out, nil
}

// bound sets the end of what the guest is about to do.
func (h *Harness) bound(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	h.imports.until = time.Now().Add(d)
	return context.WithDeadline(ctx, h.imports.until)
}

// late tells whether err is the deadline's doing.
func (h *Harness) late(ctx context.Context, err error) bool {
	var exit *sys.ExitError
	return errors.Is(err, ErrDeadline) ||
		errors.Is(ctx.Err(), context.DeadlineExceeded) && errors.As(err, &exit) && exit.ExitCode() == sys.ExitCodeDeadlineExceeded
}

// Do hands events to the guest and gives the effects that it asks for, in
// their order. The first Ready effect fixes the origins that requests may go
// to. Parts of the answer that do not fit the wire are an error, but the instance lives on.
func (h *Harness) Do(ctx context.Context, events ...protocol.Event) ([]protocol.Effect, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	text, err := h.call(ctx, protocol.AppendBatch(nil, protocol.Batch{Now: h.config.Now().UnixMilli(), Events: events}))
	if err != nil {
		return nil, err
	}
	out, failures := protocol.DecodeOutcome(text)
	for _, e := range out.Effects {
		if r, ok := e.(*protocol.Ready); ok && !h.ready {
			h.ready = true
			if h.client != nil {
				h.client.allow(r.Origins)
			}
		}
	}
	if len(failures) > 0 {
		return out.Effects, fmt.Errorf("read the guest's answer: %w", failures[0])
	}
	return out.Effects, nil
}

// Next waits for the end of a request that Config.Transport makes, and gives
// the event to Do. It gives ctx's error when that ends first.
func (h *Harness) Next(ctx context.Context) (protocol.Event, error) {
	if h.client == nil {
		return nil, errors.New("wait for a request: the harness has no transport")
	}
	e, err := h.client.next(ctx)
	if err != nil {
		return nil, fmt.Errorf("wait for a request: %w", err)
	}
	return e, nil
}

// Waiting counts the requests whose end Next has not given yet.
func (h *Harness) Waiting() int {
	if h.client == nil {
		return 0
	}
	return h.client.waiting()
}

// MemorySize gives the size of the guest's memory in bytes, 0 when it is lost.
func (h *Harness) MemorySize() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.guest == nil {
		return 0
	}
	return int(h.guest.module.Memory().Size())
}

// guest is one instance.
type guest struct {
	module            api.Module
	alloc, free, main api.Function
}

func (h *Harness) start(ctx context.Context) (*guest, error) {
	ctx, cancel := h.bound(ctx, startDeadline)
	defer cancel()
	words := &lines{log: h.config.Log}
	// The instance has no name, so that its successor may start while it is being closed.
	mc := wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize").
		WithStdout(words).WithStderr(words).
		WithRandSource(rand.Reader).WithSysWalltime().WithSysNanotime().WithSysNanosleep()
	m, err := h.module.runtime.InstantiateModule(withMemory(ctx), h.module.compiled, mc)
	if err != nil {
		return nil, err
	}
	g := &guest{module: m, alloc: m.ExportedFunction("alloc"), free: m.ExportedFunction("free"), main: m.ExportedFunction("call")}
	version, err := m.ExportedFunction("abi_version").Call(ctx)
	if err == nil && api.DecodeI32(version[0]) != protocol.ABIVersion {
		err = fmt.Errorf("it speaks version %d of the wire, the harness version %d; build both from one source", api.DecodeI32(version[0]), protocol.ABIVersion)
	}
	if err != nil {
		_ = m.Close(ctx)
		return nil, err
	}
	return g, nil
}

func (g *guest) call(ctx context.Context, batch []byte) ([]byte, error) {
	got, err := g.alloc.Call(ctx, uint64(len(batch)))
	if err != nil {
		return nil, err
	}
	ptr := api.DecodeU32(got[0])
	if ptr == 0 || !g.module.Memory().Write(ptr, batch) {
		return nil, fmt.Errorf("it gave no buffer of %d bytes", len(batch))
	}
	if got, err = g.main.Call(ctx, uint64(ptr), uint64(len(batch))); err != nil {
		return nil, err
	}
	at, size := uint32(got[0]>>32), uint32(got[0])
	view, ok := g.module.Memory().Read(at, size)
	if !ok {
		return nil, fmt.Errorf("its answer lies at %d and has %d bytes, outside of its memory", at, size)
	}
	out := bytes.Clone(view)
	_, err = g.free.Call(ctx, uint64(ptr))
	return out, err
}

// lines turns what the runtime prints into log lines.
type lines struct {
	log  func(protocol.Log)
	rest []byte
}

// maxPrinted bounds one line.
const maxPrinted = 4 << 10

func (l *lines) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for {
		i := bytes.IndexByte(l.rest, '\n')
		if i < 0 && len(l.rest) < maxPrinted {
			return len(p), nil
		}
		line := l.rest
		if i >= 0 {
			line, l.rest = l.rest[:i], l.rest[i+1:]
		} else {
			l.rest = nil
		}
		if len(bytes.TrimSpace(line)) > 0 && l.log != nil {
			l.log(protocol.Log{Level: "error", Text: "runtime: " + string(line[:min(len(line), maxPrinted)])})
		}
	}
}
