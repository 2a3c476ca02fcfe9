package judge

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBreaker(t *testing.T) {
	run := func(steps string) *Session {
		s := &Session{}
		for _, c := range steps {
			switch c {
			case 'd':
				s.note(Deny)
			case 'a':
				s.note(Allow)
			case '?':
				s.note(Ask)
			case 'F':
				s.noteModel(true)
			case 'O':
				s.noteModel(false)
			case 'R':
				s.Resume()
			}
		}
		return s
	}
	for _, tt := range []struct{ steps, want string }{
		{"dd", ""}, {"ddd", "3 denials in a row"}, {"ddadd", ""}, {"dd?d", "3 denials in a row"},
		{"dadadadadadadadada", ""}, {"dadadadadadadadadad", "10 denials among the last 50 decisions"},
		{strings.Repeat("da", 9) + strings.Repeat("a", 33) + "d", ""},
		{strings.Repeat("da", 9) + strings.Repeat("a", 31) + "d", "10 denials among the last 50 decisions"},
		{"FF", ""}, {"FFF", "the judge's model failed 3 times in a row"}, {"FFOF", ""}, {"FFaF", "the judge's model failed 3 times in a row"},
		{"dddR", ""}, {"dddRdd", ""}, {"FFFRFF", ""},
	} {
		if got := run(tt.steps).Paused(); got != tt.want {
			t.Errorf("%s: paused %q, want %q", tt.steps, got, tt.want)
		}
	}
}

func TestBreakerOpensByDecisionsAndClosesByThePerson(t *testing.T) {
	j, s := judgeWith(t, `{"model": "a/b"}`), &Session{}
	bad := func() Outcome { return j.Decide(Request{Action: bash("rm -rf /")}, s, &fakePort{}) }
	for range 3 {
		if out := bad(); out.Effect != Deny {
			t.Fatalf("before: %+v", out)
		}
	}
	if out := bad(); out.Effect != Ask || !strings.Contains(out.Message, "3 denials in a row") || !strings.Contains(out.Message, "deletes outside") {
		t.Errorf("after three denials: %s %q", out.Effect, out.Message)
	}
	s.Resume()
	if out := bad(); out.Effect != Deny {
		t.Errorf("after the person spoke: %+v", out)
	}
	*s = Session{}
	for range 3 {
		j.Decide(Request{Action: bash("./x")}, s, &fakePort{err: AskError{Text: "down"}})
	}
	p := &fakePort{reply: "ALLOW"}
	if out := j.Decide(Request{Action: bash("./x")}, s, p); out.Effect != Ask || len(p.asked) != 0 || !strings.Contains(out.Message, "failed 3 times") {
		t.Errorf("after three failures: %s %q", out.Effect, out.Message)
	}
	*s = Session{}
	for range 3 {
		j.Decide(Request{Action: bash("./x")}, s, &fakePort{reply: "It depends."})
	}
	if !strings.Contains(s.Paused(), "failed 3 times") {
		t.Errorf("after three replies without a verdict: paused %q", s.Paused())
	}
	// Without a model nothing fails: the floor goes on.
	j, s = judgeWith(t, `{"timeout_ms": 5000}`), &Session{}
	for range 5 {
		j.Decide(Request{Action: bash("./x")}, s, &fakePort{})
	}
	if s.Paused() != "" {
		t.Errorf("a missing model paused the judge: %s", s.Paused())
	}
}

func TestWhatThePersonAllowedIsThatAndNothingElse(t *testing.T) {
	base := Action{Kind: "edit", Resources: []string{"b", "a"}, Path: "x", Content: "one"}
	s := &Session{}
	s.Approve(base)
	for _, tt := range []struct {
		name   string
		change func(*Action)
		want   bool
	}{
		{"itself", func(*Action) {}, true},
		{"resources in another order", func(a *Action) { a.Resources = []string{"a", "b"} }, true},
		{"another place", func(a *Action) { a.Place = corpusPlace }, true},
		{"another kind", func(a *Action) { a.Kind = "write" }, false},
		{"another resource", func(a *Action) { a.Resources = []string{"a", "c"} }, false},
		{"one resource less", func(a *Action) { a.Resources = []string{"a"} }, false},
		{"resources joined", func(a *Action) { a.Resources = []string{"ab"} }, false},
		{"another text", func(a *Action) { a.Content = "two" }, false},
		{"another path", func(a *Action) { a.Path = "y" }, false},
		{"another text in its place", func(a *Action) { a.Before = "old" }, false},
		{"another shell", func(a *Action) { a.Shell = "fish" }, false},
		{"another input", func(a *Action) { a.Input = `{"replaceAll":true}` }, false},
		{"other files that are searched", func(a *Action) { a.Include = "*.go" }, false},
		{"another folder", func(a *Action) { a.Place.Cwd = "/elsewhere" }, false},
		{"a command", func(a *Action) { a.Command = "x" }, false},
	} {
		a := base
		tt.change(&a)
		if got := s.Approved(a); got != tt.want {
			t.Errorf("%s: approved %v, want %v", tt.name, got, tt.want)
		}
	}
	for i := range maxApproved {
		s.Approve(bash(strings.Repeat("x", i+1)))
	}
	if s.Approved(base) || !s.Approved(bash("x")) {
		t.Error("the oldest approval stays, or a newer one went")
	}
}

// Two calls that a host describes alike but for their input are two calls.
func TestAnApprovalIsForOneInput(t *testing.T) {
	read := func(kind, input string) Action { return ReadAction(kind, []string{"x"}, []byte(input), corpusPlace) }
	for _, tt := range []struct {
		kind, allowed, other string
		want                 bool
	}{
		{"edit", `{"filePath":"x","oldString":"// todo","newString":""}`, `{"filePath":"x","oldString":"checkAuth()","newString":""}`, false},
		{"edit", `{"filePath":"x","oldString":"a","newString":"b"}`, `{"filePath":"x","oldString":"a","newString":"b","replaceAll":true}`, false},
		{"multiedit", `{"filePath":"x","edits":[{"oldString":"a","newString":""}]}`, `{"filePath":"x","edits":[{"oldString":"b","newString":""}]}`, false},
		{"tracker_delete", `{"id":1}`, `{"id":2}`, false},
		{"tracker_delete", `{"id":1}`, `{"id":1}`, true},
		{"doom_loop", `{"tool":"bash","input":{"command":"a"}}`, `{"tool":"bash","input":{"command":"b"}}`, false},
		{"bash", `{"command":"git push","description":"Push"}`, `{"command":"git push","description":"Push the branch"}`, true},
		{"bash", `{"command":"git push"}`, `{"command":"git push -f"}`, false},
		{"read", `{"filePath":"/etc/hosts"}`, `{"filePath":"/etc/hosts","offset":100}`, true},
	} {
		s := &Session{}
		s.Approve(read(tt.kind, tt.allowed))
		if got := s.Approved(read(tt.kind, tt.other)); got != tt.want {
			t.Errorf("%s %s after %s: approved %v, want %v", tt.kind, tt.other, tt.allowed, got, tt.want)
		}
	}
}

func TestSessionSurvivesARestart(t *testing.T) {
	s := &Session{}
	s.note(Deny)
	s.note(Allow)
	s.note(Deny)
	s.noteModel(true)
	s.Approve(bash("./x"))
	s.open = `why "so"`
	if diff := cmp.Diff(s, ParseSession(s.AppendJSON(nil)), cmp.AllowUnexported(Session{})); diff != "" {
		t.Errorf("session (-want +got):\n%s", diff)
	}
	for _, broken := range []string{"", "{", `{"denials":"x","last":5,"approved":{}}`, `{"denials":99999999999999999999}`, "[]"} {
		if got := ParseSession([]byte(broken)); got.Paused() != "" || len(got.approved) != 0 {
			t.Errorf("%s: %+v", broken, got)
		}
	}
}

func TestWorktreeListsAreKeptForAMinute(t *testing.T) {
	var w Worktrees
	if _, ok := w.Get("p", 0); ok {
		t.Error("there is a list before any was read")
	}
	list := []string{"/a"}
	w.Put("p", list, 1_000)
	list[0] = "/changed"
	for _, tt := range []struct {
		now  int64
		want bool
	}{{1_000, true}, {60_999, true}, {61_000, false}, {999, false}} {
		got, ok := w.Get("p", tt.now)
		if ok != tt.want || ok && got[0] != "/a" {
			t.Errorf("at %d: %v %v, want %v", tt.now, got, ok, tt.want)
		}
	}
	if _, ok := w.Get("other", 1_000); ok {
		t.Error("another project has the list")
	}
}

func TestAIApprovalCommand(t *testing.T) {
	j, s := judgeWith(t, `{"model": "a/b"}`), &Session{}
	for _, tt := range []struct {
		args, want string
		on         bool
	}{
		{"status", "AI approval is on (a/b).", true},
		{"", "AI approval is off: permission asks come to you, and nothing is judged or logged.", false},
		{"Status", "AI approval is off: permission asks come to you, and nothing is judged or logged.", false},
		{"  ", "AI approval is on (a/b).", true},
		{"OFF", "AI approval is off: permission asks come to you, and nothing is judged or logged.", false},
		{"off", "AI approval is off: permission asks come to you, and nothing is judged or logged.", false},
		{"On", "AI approval is on (a/b).", true},
		{"maybe", `/ai-approval takes nothing (toggle), on, off or status; got "maybe". AI approval is on (a/b).`, true},
	} {
		if got := j.Run(tt.args, s); got != tt.want || j.Switch.On() != tt.on {
			t.Errorf("/ai-approval %s: %q, on %v; want %q, %v", tt.args, got, j.Switch.On(), tt.want, tt.on)
		}
	}
	s.open = "3 denials in a row"
	if got := j.Run("status", s); got != "AI approval is on (a/b). It is paused in this session: 3 denials in a row. Your next message, or /ai-approval on, resumes it." || s.Paused() == "" {
		t.Errorf("paused: %q", got)
	}
	if got := j.Run("on", s); got != "AI approval is on (a/b)." || s.Paused() != "" {
		t.Errorf("resumed: %q", got)
	}
	for settings, want := range map[string]string{
		``:                                     "AI approval is not set up: configure judge (judge.model at least) in the advisor's configuration.",
		`{"redact": true}`:                     "AI approval is on; no model is set, so only the fixed rules decide.",
		`{"model": "a/b", "mode": "shadow"}`:   "AI approval is on in shadow mode: it judges and logs, and you decide (a/b).",
		`{"model": "a/b", "enabled": "false"}`: "AI approval is off: permission asks come to you, and nothing is judged or logged.",
	} {
		if got := judgeWith(t, settings).Status(&Session{}); got != want {
			t.Errorf("%s: %q, want %q", settings, got, want)
		}
	}
}
