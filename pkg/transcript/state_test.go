package transcript

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

func TestARestoredLogGoesOnAsIfNothingHadHappened(t *testing.T) {
	l := feed(t, person("u1", "the goal"))
	for n := 1; n <= 90; n++ { // far enough for the summary to be folded
		add(l, turn(n)...)
		l.Commit(l.Cut(20_000).Cursor)
	}
	l.Ours("msg_1")
	add(l, person("u2", "then \"this\"\n中"), &protocol.User{ID: "x", Text: "injected"}, &protocol.Shell{Command: "ls", Output: "a\xffb", HasExit: true, Exit: 1},
		&protocol.Tool{Call: "d1", Name: "edit", Input: `{"filePath":"a","n":3,"deep":{"x":[true]}}`, Failed: true, Cut: 9, Diagnostics: []protocol.Diagnostic{{Path: "a", Line: 3, Severity: "warning", Text: "t"}}},
		&protocol.Compacted{})
	add(l, turn(91)...)

	state := l.AppendState(nil)
	if !protocol.Valid(protocol.JSON(state)) {
		t.Fatalf("the state is not JSON: %s", state)
	}
	r, err := Restore(state, Options{Root: "/project"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(l.Cut(20_000).Render(nonce), r.Cut(20_000).Render(nonce)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(string(state), string(r.AppendState(nil))); diff != "" {
		t.Error(diff)
	}
	for _, ev := range append(turn(91), person("u2", "then"), &protocol.User{ID: "x", Text: "injected"}) {
		if r.Add(ev, typed) {
			t.Errorf("taken again after the restart: %+v", ev)
		}
	}
	r.Add(&protocol.User{ID: "msg_1", Text: "ours", Typed: true}, typed)
	add(l, turn(92)...)
	add(r, turn(92)...)
	if diff := cmp.Diff(l.Cut(20_000).Render(nonce), r.Cut(20_000).Render(nonce)); diff != "" {
		t.Error(diff)
	}
	if got := recount(r); got != [3]int{r.count, r.waiting, r.held} {
		t.Errorf("counted %v, kept %d %d %d", got, r.count, r.waiting, r.held)
	}
}

func TestABrokenStateGivesAnEmptyLog(t *testing.T) {
	for _, state := range []string{"", "x", "{", `{"summary":7}`, `{"known":"zz"}`, `{"summary":{"lines":[}}`, `[1]`} {
		l, err := Restore([]byte(state), Options{})
		if err == nil || !strings.HasPrefix(err.Error(), "restore transcript: ") {
			t.Errorf("%q: error %v", state, err)
		}
		if !l.AddHuman(person("u1", "goal")) || l.Cut(9_000).Goal != "\"goal\"\n" {
			t.Errorf("%q: the log is of no use", state)
		}
	}
	l, err := Restore([]byte(`{"later":"field","entries":[{"kind":99},{"kind":3,"text":"ours"},{"kind":4,"step":2,"text":"words","args":[{"n":"x","t":"}","r":1}]}]}`), Options{})
	if err != nil || l.count != 1 || !strings.Contains(l.Cut(9_000).Body, `"agent":"words"`) {
		t.Errorf("%v: %s", err, l.Cut(9_000).Body)
	}
}

func FuzzRestore(f *testing.F) {
	l := New(Options{})
	l.AddHuman(person("u1", "goal"))
	for n := 1; n < 3; n++ {
		for _, ev := range turn(n) {
			l.Add(ev, typed)
		}
		if n == 1 {
			l.Commit(l.Cut(9_000).Cursor)
		}
	}
	f.Add(l.AppendState(nil))
	f.Add([]byte(`{"entries":[{"kind":5,"args":[{"n":"a","t":"1e","r":1}],"exit":-1}],"summary":{"to":-5,"from":99999999999999999999}}`))
	f.Fuzz(func(t *testing.T, state []byte) {
		l, _ := Restore(state, Options{})
		d := l.Cut(9_000)
		for line := range strings.Lines(d.Body) {
			if line = strings.TrimSpace(line); !protocol.Valid(protocol.JSON(line)) && !strings.HasPrefix(line, "[advisor left out ") {
				t.Fatalf("not JSON: %q", line)
			}
		}
		l.Conversation(Shape{})
		l.Commit(d.Cursor)
		if again := l.AppendState(nil); !protocol.Valid(protocol.JSON(again)) {
			t.Fatalf("the state is not JSON: %s", again)
		}
	})
}
