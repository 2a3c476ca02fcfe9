package sessions

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/Kayphoon/opencode-advisor/internal/bench"
	"github.com/Kayphoon/opencode-advisor/internal/guest"
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
	if kinds[Defect] < 30 || kinds[Tempt] < 10 || kinds[Stale] < 5 || dismissed < 5 {
		t.Errorf("too little to tell anything: %v, %d dismissals", kinds, dismissed)
	}
}

func TestASessionThatDoesNotHoldIsRefused(t *testing.T) {
	const files = "What it is about.\n-- files/a.go --\none\ntwo\n-- script --\n"
	for _, test := range []struct{ name, text, want string }{
		{"no prose", strings.TrimPrefix(files, "What it is about.\n") + "> go\n: ok\n", "no prose"},
		{"another section", files + "> go\n: ok\n-- notes --\n", "unknown section notes"},
		{"an edit of lines that are not there", files + "> go\n~ a.go\n-three\n+four\n", "the old lines are there 0 times"},
		{"a read of no file", files + "> go\n? b.go\n", "there is no such file"},
		{"a label whose quote is elsewhere", files + "> go\n: ok\n! defect x concern bug a.go\n|three\n! why so it is\n", "does not have these lines"},
		{"a label without a reason", files + "> go\n: ok\n! defect x concern bug a.go\n|one\n", "nothing says why"},
		{"a label that is gone at the end of the turn", files + "> go\n: ok\n! defect x concern bug a.go\n|one\n! why so it is\n~ a.go\n-one\n+eins\n", "its quote is gone"},
		{"a mending that mends nothing", files + "> go\n: ok\n! stale x concern bug a.go\n|one\n! why so it is\n! mended x\n", "not mended"},
		{"a stale label that stays", files + "> go\n: ok\n! stale x concern bug a.go\n|one\n! why so it is\n", "never mended"},
		{"a temptation that nothing refutes", files + "> go\n: ok\n! tempt x concern bug a.go\n|one\n! why so it is\n", "what refutes it"},
		{"a dismissal of nothing", files + "> go\n: ok\n! dismiss x\n> on\n: ok\n", "no open defect"},
		{"a command that does not print it", files + "> go\n$ ls\n| a.go\n! defect x concern bug $\n|b.go\n! why so it is\n", "does not print that"},
		{"an idle agent", files + "> go\n> on\n", "the agent does nothing"},
		{"a mark that nobody knows", files + "> go\n: ok\n! wait 5\n", "unknown mark"},
		{"code after no edit", files + "> go\n: ok\n+one\n", "follows no edit"},
		{"words before the person's", files + ": ok\n", "nobody has spoken"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := Parse("x", []byte(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}

// fresh is one run of all reviewers behind the native engine.
var fresh = sync.OnceValues(func() ([]Row, error) {
	all, err := Load(dir + "/sessions")
	if err != nil {
		return nil, err
	}
	return Scripted(all, Native)
})

func rowOf(t *testing.T, reviewer string, rules bool) Row {
	t.Helper()
	rows, err := fresh()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r.Reviewer == reviewer && r.Rules == rules {
			return r
		}
	}
	t.Fatalf("no row for %s", reviewer)
	return Row{}
}

func TestTheKeptFiguresAreThoseOfThisSource(t *testing.T) {
	rows, err := fresh()
	if err != nil {
		t.Fatal(err)
	}
	judge, err := Judge(dir)
	if err != nil {
		t.Fatal(err)
	}
	want, err := bench.Encode(Result{rows, judge})
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
	for _, r := range reviewers {
		row := rowOf(t, r.name, true)
		if row.MostWakes > 1 {
			t.Errorf("%s: %d wakes between two messages", r.name, row.MostWakes)
		}
		if notes := row.Nits + row.Concerns + row.Blockers; (r.name == "silent" || r.name == "broken") && notes > 0 {
			t.Errorf("%s: %d notes", r.name, notes)
		}
	}
}

// A guest that is replaced after every turn says what it would have said: nothing is lost and nothing said twice.
func TestAReplacedGuestSaysTheSame(t *testing.T) {
	all, err := Load(dir + "/sessions")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range reviewers {
		if r.name == "broken" {
			continue // a fresh guest asks an endpoint again that the one before had left alone
		}
		got, err := Play(all, r.name, r.make(), Setup{Start: Native, Options: r.options, Replace: true})
		if err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		// A fresh guest has no answer in memory, and says so in no word.
		if d := cmp.Diff(rowOf(t, r.name, true), got, cmpopts.IgnoreUnexported(Row{}), cmpopts.IgnoreFields(Row{}, "TokensIn")); d != "" {
			t.Errorf("%s: a replaced guest differs (-kept +replaced):\n%s", r.name, d)
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
	var some []*Session
	for i := 0; i < len(all); i += 3 {
		some = append(some, all[i])
	}
	for _, r := range reviewers {
		want, err := Play(some, r.name, r.make(), Setup{Start: Native, Options: r.options})
		if err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		got, err := Play(some, r.name, r.make(), Setup{Options: r.options, Start: func(out Outside, _ *Scene, _ Reviewer) (Core, error) {
			m.Outside = out
			return m, m.Restart(context.Background())
		}})
		if err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Row{})); d != "" {
			t.Errorf("%s: the module differs (-native +module):\n%s", r.name, d)
		}
	}
}

// module is the built guest, one for all sessions, each with a fresh instance and a world of its own.
type module struct {
	*harness.Harness
	Outside
}

func (m *module) Call(batch []byte) ([]byte, error) {
	return m.Harness.Call(context.Background(), batch)
}

// A real endpoint gets the core's requests, with the key, and its answers count.
func TestAModelAtAnEndpoint(t *testing.T) {
	all, err := Load(dir + "/sessions")
	if err != nil {
		t.Fatal(err)
	}
	some := all[:1]
	model := func(answer http.HandlerFunc) (Row, error) {
		server := httptest.NewServer(answer)
		defer server.Close()
		m := &Model{URL: server.URL + "/v1", Name: "tiny", Key: "sk-of-the-test"}
		return m.Watch(some, io.Discard)
	}
	row, err := model(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer sk-of-the-test" {
			t.Errorf("a request to %s with %q", r.URL.Path, r.Header.Get("Authorization"))
		}
		io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"silent"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1000,"completion_tokens":50}}`)
	})
	if err != nil {
		t.Fatal(err)
	}
	if turns := len(some[0].Turns); row.Turns != turns || row.Requests < turns || row.TokensIn < 1000 || row.Planted == 0 || row.Delivered != 0 {
		t.Errorf("%+v", row)
	}
	_, err = model(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "wrong key", http.StatusUnauthorized) })
	if err == nil || !strings.Contains(err.Error(), "status 401") {
		t.Errorf("an endpoint that refuses everything gives %v", err)
	}
}
