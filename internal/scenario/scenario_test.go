package scenario

import (
	"context"
	"flag"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/internal/diskfs"
	"github.com/Kayphoon/opencode-advisor/internal/guest"
	"github.com/Kayphoon/opencode-advisor/pkg/engine"
	"github.com/Kayphoon/opencode-advisor/pkg/harness"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

var update = flag.Bool("update", false, "write what the native engine does as what is wanted")

const corpus = "../../testdata/scenarios"

// native is the engine itself, with the world as its host.
type native struct {
	host   engine.Host
	engine *engine.Engine
}

func (n *native) Call(batch []byte) ([]byte, error) { return n.engine.Call(batch), nil }
func (n *native) Restart() error                    { n.engine = engine.New(n.host); return nil }

// host is the world and the workspace as the engine's imports see them.
type host struct {
	*World
	protocol.Files
}

func startNative(w *World) (Guest, error) {
	files, err := diskfs.New(w.Root)
	if err != nil {
		return nil, err
	}
	h := host{w, files}
	return &native{h, engine.New(h)}, nil
}

func TestNative(t *testing.T) {
	run(t, startNative, false)
}

// module is the built guest under wazero. One serves all scenarios, each with a fresh instance
// and a world of its own: loading the compiled module is the dear part.
type module struct {
	harness *harness.Harness
	host
}

func (m *module) Call(batch []byte) ([]byte, error) {
	return m.harness.Call(context.Background(), batch)
}
func (m *module) Restart() error { return m.harness.Restart(context.Background()) }

func startModule(t *testing.T) Start {
	wasm, err := guest.Wasm()
	if err != nil {
		t.Fatal(err)
	}
	cache, err := guest.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	m := &module{}
	m.harness, err = harness.New(context.Background(), wasm, harness.Config{
		Files: m, HTTP: m, Log: func(l protocol.Log) {
			if m.World != nil {
				m.Emit(l)
			}
		}, Deadline: time.Minute, CacheDir: cache,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.harness.Close(context.Background()) })
	return func(w *World) (Guest, error) {
		files, err := diskfs.New(w.Root)
		if err != nil {
			return nil, err
		}
		m.host = host{w, files}
		return m, m.Restart()
	}
}

func TestModule(t *testing.T) { run(t, startModule(t), false) }

func TestModuleReplaced(t *testing.T) { run(t, startModule(t), true) }

// TestNativeReplaced replaces the guest whenever no request is open: a crash
// between two steps must not change what is seen from outside.
func TestNativeReplaced(t *testing.T) {
	run(t, startNative, true)
}

func run(t *testing.T, start Start, replace bool) {
	t.Helper()
	all, err := Load(corpus)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		t.Run(s.Name, func(t *testing.T) {
			got, err := Run(s, t.TempDir(), start, replace)
			if replace && s.KeepGuest != "" {
				if err == nil && got == s.Want {
					t.Errorf("keep-guest.txt is stale: the second pass gives what is wanted (%s)", s.KeepGuest)
				}
				return
			}
			if err != nil {
				t.Fatalf("%v\nseen until then:\n%s", err, got)
			}
			if *update && t.Name() == "TestNative/"+s.Name {
				if err := s.Update(got); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(s.Want, got); d != "" {
				t.Errorf("%s\n\n%s\n\nseen (-want +got):\n%s", s.Name, s.Prose, d)
			}
		})
	}
}
