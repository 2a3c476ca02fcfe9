package sessions

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	kept "github.com/Kayphoon/opencode-advisor/internal/bench"
	"github.com/Kayphoon/opencode-advisor/internal/guest"
	"github.com/Kayphoon/opencode-advisor/pkg/bench"
	"github.com/Kayphoon/opencode-advisor/pkg/harness"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

const (
	root3 = "../../../"
	dir   = root3 + Corpus
)

// Load holds every label against the files as they are after its turn.
func TestTheCorpusIsLargeMostlyCleanAndTrue(t *testing.T) {
	all, err := Load(dir + "/sessions")
	if err != nil {
		t.Fatal(err)
	}
	turns, clean, dismissed := 0, 0, 0
	kinds := map[string]int{}
	for _, s := range all {
		turns += len(s.Turns)
		clean += s.Clean()
		for _, turn := range s.Turns {
			dismissed += len(turn.Dismiss)
			for _, step := range turn.Steps {
				for _, a := range step.Acts {
					if a.Label != nil {
						kinds[a.Label.Kind]++
					}
				}
			}
		}
	}
	t.Logf("%d sessions, %d turns, %d clean, labels %v, %d dismissals", len(all), turns, clean, kinds, dismissed)
	if turns < 200 || clean*100 < turns*70 {
		t.Errorf("%d turns, %d of them clean; want 200 and most of them clean", turns, clean)
	}
	if kinds[bench.Defect] < 30 || kinds[bench.Tempt] < 10 || kinds[bench.Stale] < 5 || dismissed < 5 {
		t.Errorf("too little to tell anything: %v, %d dismissals", kinds, dismissed)
	}
}

// fresh is one run of all reviewers behind the native engine.
var fresh = sync.OnceValues(func() (out bench.Result, err error) {
	all, err := Load(dir + "/sessions")
	if err != nil {
		return out, err
	}
	return Measure(dir, all, Native)
})

func rowOf(t *testing.T, reviewer string, rules bool) bench.Row {
	t.Helper()
	got, err := fresh()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range got.Rows {
		if r.Reviewer == reviewer && r.Rules == rules {
			return r
		}
	}
	t.Fatalf("no row for %s", reviewer)
	return bench.Row{}
}

func TestTheKeptFiguresAreThoseOfThisSource(t *testing.T) {
	result, err := fresh()
	if err != nil {
		t.Fatal(err)
	}
	want, err := kept.Encode(result)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(root3 + "testdata/bench/sessions.json")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(got), string(want)); d != "" {
		t.Errorf("testdata/bench/sessions.json is stale; read the difference, then run: go run ./internal/bench/cmd sessions && go test ./internal/docs -update\n%s", d)
	}
}

// The bars of a product that people keep switched on.
func TestBars(t *testing.T) {
	honest, lying, noisy, stubborn := rowOf(t, "honest", true), rowOf(t, "hallucinating", true), rowOf(t, "noisy", true), rowOf(t, "stubborn", true)
	if honest.Delivered != honest.Planted || honest.FalseAlarms+honest.FalseNits+honest.Repeats+honest.Stale+honest.Dismissed > 0 {
		t.Errorf("an honest reviewer is heard in full and never wrong: %+v", honest)
	}
	if lying.FalseAlarms > 0 || lying.Wakes > 0 {
		t.Errorf("an invented proof interrupts: %+v", lying)
	}
	if noisy.Wakes > 0 || noisy.Stale > 0 {
		t.Errorf("concerns wake, or stale ones come: %+v", noisy)
	}
	if stubborn.Dismissed > 0 || stubborn.FalseAlarms > 0 {
		t.Errorf("what was dismissed comes back: %+v", stubborn)
	}
	if plain := rowOf(t, "stubborn", false); stubborn.Delivered < stubborn.Planted || stubborn.Repeats*20 > plain.Repeats {
		t.Errorf("repeats drown the defects: %+v, without rules %+v", stubborn, plain)
	}
	if looked := rowOf(t, "noisy, second look", true); looked.FalseAlarms*4 > noisy.FalseAlarms {
		t.Errorf("a second look spares too little: %+v, without it %+v", looked, noisy)
	}
	all, err := Load(dir + "/sessions")
	if err != nil {
		t.Fatal(err)
	}
	if broken := rowOf(t, "broken", true); broken.Notices == 0 || broken.Notices > len(all) {
		t.Errorf("%d notices about a model that comes and goes, in %d sessions of a few minutes", broken.Notices, len(all))
	}
	for _, name := range bench.Reviewers() {
		row := rowOf(t, name, true)
		if row.MostWakes > 1 {
			t.Errorf("%s: %d wakes between two messages", name, row.MostWakes)
		}
		if notes := row.Nits + row.Concerns + row.Blockers; (name == "silent" || name == "broken") && notes > 0 {
			t.Errorf("%s: %d notes", name, notes)
		}
	}
}

// A guest that is replaced after every turn says what it would have said: nothing is lost and nothing said twice.
func TestAReplacedGuestSaysTheSame(t *testing.T) {
	all, err := Load(dir + "/sessions")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range bench.Reviewers() {
		if name == "broken" {
			continue // a fresh guest asks an endpoint again that the one before had left alone
		}
		got, err := bench.Entry{Reviewer: name, Rules: true}.Play(all, bench.Setup{Start: Native, Replace: true})
		if err != nil {
			t.Fatal(err)
		}
		// A fresh guest has no answer in memory, and says so in no word.
		if d := cmp.Diff(rowOf(t, name, true), got, cmpopts.IgnoreUnexported(bench.Row{}), cmpopts.IgnoreFields(bench.Row{}, "TokensIn")); d != "" {
			t.Errorf("%s: a replaced guest differs (-kept +replaced):\n%s", name, d)
		}
	}
}

// TestTheModuleGivesTheSame plays all reviewers again under wazero, over every third session.
func TestTheModuleGivesTheSame(t *testing.T) {
	wasm, err := guest.Wasm()
	if err != nil {
		t.Fatal(err)
	}
	cache, err := guest.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	m := &module{}
	m.Harness, err = harness.New(context.Background(), wasm, harness.Config{
		Files: m, HTTP: m, Log: func(l protocol.Log) { m.Emit(l) }, Deadline: time.Minute, CacheDir: cache,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Harness.Close(context.Background())
	all, err := Load(dir + "/sessions")
	if err != nil {
		t.Fatal(err)
	}
	var some []*bench.Session
	for i := 0; i < len(all); i += 3 {
		some = append(some, all[i])
	}
	for _, name := range bench.Reviewers() {
		e := bench.Entry{Reviewer: name, Rules: true}
		want, err := e.Play(some, bench.Setup{Start: Native})
		if err != nil {
			t.Fatal(err)
		}
		got, err := e.Play(some, bench.Setup{Start: func(out bench.Outside, _ *bench.Scene, _ bench.Reviewer) (bench.Core, error) {
			m.Outside = out
			return m, m.Restart(context.Background())
		}})
		if err != nil || m.failed != nil {
			t.Fatal(err, m.failed)
		}
		if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(bench.Row{})); d != "" {
			t.Errorf("%s: the module differs (-native +module):\n%s", name, d)
		}
	}
}

// module is the built guest, one for all sessions, each with a fresh instance and a world of its own.
type module struct {
	*harness.Harness
	bench.Outside
	failed error
}

func (m *module) Take(now int64, events []protocol.Event) []protocol.Effect {
	reply, err := m.Call(context.Background(), protocol.AppendBatch(nil, protocol.Batch{Now: now, Events: events}))
	out, odd := protocol.DecodeOutcome(reply)
	if m.failed = errors.Join(m.failed, err); len(odd) > 0 {
		m.failed = errors.Join(m.failed, odd[0])
	}
	return out.Effects
}
