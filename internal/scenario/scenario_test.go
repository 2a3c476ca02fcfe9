package scenario

import (
	"flag"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/internal/diskfs"
	"github.com/Kayphoon/opencode-advisor/pkg/engine"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

var update = flag.Bool("update", false, "write what the native engine does as what is wanted")

const corpus = "../../testdata/scenarios"

// native is the engine itself, with the world as its host.
type native struct{ engine *engine.Engine }

func (n native) Call(batch []byte) ([]byte, error) { return n.engine.Call(batch), nil }
func (n native) Close() error                      { return nil }

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
	return native{engine.New(host{w, files})}, nil
}

func TestNative(t *testing.T) {
	run(t, startNative, false)
}

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
			if *update && !replace {
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
