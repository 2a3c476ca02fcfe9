package judge

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/pkg/redact"
)

// fakePort is an outside of which every answer is written down.
type fakePort struct {
	now     int64
	reply   string
	err     error
	takes   int64 // ms of an ask
	replies []string
	errs    []error
	facts   Facts
	reads   int64 // ms of the pre-reads
	read    int   // how often the facts were read
	trees   []string
	asked   []string
	until   []int64
}

func (p *fakePort) Now() int64    { return p.now }
func (p *fakePort) Nonce() string { return "n0nce4242" }

func (p *fakePort) Worktrees(int64) ([]string, bool) { return p.trees, true }

func (p *fakePort) Facts(int64) Facts {
	p.read++
	p.now += p.reads
	return p.facts
}

func (p *fakePort) Ask(prompt string, deadline int64, _ int) (string, int, error) {
	p.asked, p.until = append(p.asked, prompt), append(p.until, deadline)
	p.now += p.takes
	reply, err := p.reply, p.err
	if n := len(p.asked) - 1; n < len(p.replies) {
		reply = p.replies[n]
	}
	if n := len(p.asked) - 1; n < len(p.errs) {
		err = p.errs[n]
	}
	return reply, 1, err
}

func bash(command string) Action {
	return Action{Kind: "bash", Resources: []string{command}, Command: command, Place: corpusPlace}
}

func judgeWith(t *testing.T, settings string) *Judge {
	t.Helper()
	o, problems := Load([]byte(settings), nil, false)
	if len(problems) != 0 {
		t.Fatalf("settings %s: %v", settings, problems)
	}
	return &Judge{Options: o, Switch: NewSwitch(o)}
}

func TestOrderOfDecision(t *testing.T) {
	const model = `"model": "a/b"`
	approved := func(s *Session) {
		s.Approve(bash("./deploy.sh"))
		s.Approve(bash("cat .env"))
		s.Approve(bash("rm -rf /"))
	}
	paused := func(s *Session) { s.open = "3 denials in a row" }
	for _, tt := range []struct {
		name, settings, command, reply string
		effect                         string // the host's
		before                         func(*Session)
		askAll                         bool
		want                           Decision
		row, message                   string
		asked                          int
	}{
		{name: "switched off", settings: `{"enabled": false, ` + model + `}`, command: "rm -rf /", want: None},
		{name: "not set up", settings: ``, command: "rm -rf /", want: None},
		{name: "the host allows it", settings: `{` + model + `}`, command: "rm -rf /", effect: "allow", want: None},
		{name: "the host denies it", settings: `{` + model + `}`, command: "ls", effect: "deny", want: None},
		{name: "excluded", settings: `{` + model + `, "exclude": ["rm *"]}`, command: "rm -rf /", want: None},
		{name: "paused, dangerous", settings: `{` + model + `}`, command: "rm -rf /", before: paused, want: Ask, row: "delete-outside", message: "it would deny this"},
		{name: "paused, safe", settings: `{` + model + `}`, command: "ls", before: paused, want: Ask, row: "safe-list", message: "paused (3 denials in a row)"},
		{name: "floor denies", settings: `{` + model + `}`, command: "rm -rf /", reply: "ALLOW", want: Deny, row: "delete-outside", message: "Denied by rule delete-outside"},
		{name: "floor denies what was approved", settings: `{` + model + `}`, command: "rm -rf /", before: approved, want: Deny, row: "delete-outside"},
		{name: "floor denies out of scope", settings: `{` + model + `, "rules": [{"action": "edit", "resource": "*"}]}`, command: "rm -rf /", want: Deny, row: "delete-outside"},
		{name: "configured deny", settings: `{` + model + `, "deny": [{"action": "bash", "resource": "ls*"}]}`, command: "ls", want: Deny, row: "configured-deny"},
		{name: "configured deny of what was approved", settings: `{` + model + `, "deny": [{"action": "bash", "resource": "./deploy*"}]}`, command: "./deploy.sh", before: approved, want: Deny, row: "configured-deny"},
		{name: "approved before", settings: `{` + model + `}`, command: "./deploy.sh", reply: "DENY", before: approved, want: Allow, row: "approved-before", message: "you allowed exactly this"},
		{name: "approved before, floor asks", settings: `{` + model + `}`, command: "cat .env", before: approved, want: Allow, row: "approved-before"},
		{name: "approved something else", settings: `{` + model + `}`, command: "./deploy.sh prod", reply: "DENY no", before: approved, want: Deny, asked: 1},
		{name: "floor asks", settings: `{` + model + `}`, command: "cat .env", reply: "ALLOW", want: Ask, row: "secret-read", message: "Please look (rule secret-read)"},
		{name: "configured ask", settings: `{` + model + `, "ask": [{"action": "bash", "resource": "ls*"}]}`, command: "ls", want: Ask, row: "configured-ask"},
		{name: "floor allows", settings: `{` + model + `}`, command: "ls", reply: "DENY", want: Allow, row: "safe-list", message: "Allowed by rule safe-list"},
		{name: "out of scope", settings: `{` + model + `, "rules": [{"action": "bash", "resource": "git *"}]}`, command: "./deploy.sh", reply: "ALLOW", want: None},
		{name: "in scope", settings: `{` + model + `, "rules": [{"action": "bash", "resource": "./dep*"}]}`, command: "./deploy.sh", reply: "ALLOW", want: Allow, asked: 1},
		{name: "model allows", settings: `{` + model + `}`, command: "./deploy.sh", reply: "ALLOW\nstaging only", want: Allow, message: "Allowed by the judge: staging only", asked: 1},
		{name: "model denies", settings: `{` + model + `}`, command: "./deploy.sh", reply: "DENY: production", want: Deny, message: "Denied by the judge: production", asked: 1},
		{name: "model is not sure", settings: `{` + model + `}`, command: "./deploy.sh", reply: "UNSURE what it deploys", want: Ask, message: "The judge is not sure: what it deploys", asked: 1},
		{name: "own words", settings: `{` + model + `, "format": ["yes", "stop"]}`, command: "./deploy.sh", reply: "YES fine", want: Allow, asked: 1},
		{name: "no clear verdict", settings: `{` + model + `}`, command: "./deploy.sh", reply: "It depends.", want: Ask, message: "does not begin with a clear verdict", asked: 1},
		{name: "no model", settings: `{"timeout_ms": 5000}`, command: "./deploy.sh", want: Ask, message: "set judge.model"},
		{name: "no model, floor works", settings: `{"timeout_ms": 5000}`, command: "ls", want: Allow, row: "safe-list"},
		{name: "the project leaves all to the person, safe", settings: `{` + model + `}`, askAll: true, command: "ls", want: Ask, row: "configured-ask", message: "leaves this to you"},
		{name: "the project leaves all to the person, dangerous", settings: `{` + model + `}`, askAll: true, command: "rm -rf /", want: Deny, row: "delete-outside"},
		{name: "the project leaves all to the person, approved", settings: `{` + model + `}`, askAll: true, command: "./deploy.sh", before: approved, want: Allow, row: "approved-before"},
	} {
		j, s, p := judgeWith(t, tt.settings), &Session{}, &fakePort{reply: tt.reply}
		j.Options.AskAll = tt.askAll
		if tt.before != nil {
			tt.before(s)
		}
		out := j.Decide(Request{Action: bash(tt.command), Effect: tt.effect}, s, p)
		row := ""
		if out.Entry != nil {
			row = out.Entry.Row
		}
		if out.Effect != tt.want || row != tt.row || !strings.Contains(out.Message, tt.message) || len(p.asked) != tt.asked {
			t.Errorf("%s: %s, row %q, %q, %d asked; want %s, row %q, %q, %d asked", tt.name, out.Effect, row, out.Message, len(p.asked), tt.want, tt.row, tt.message, tt.asked)
		}
		if (out.Entry != nil) != (tt.want != None) {
			t.Errorf("%s: logged %v for %s", tt.name, out.Entry != nil, tt.want)
		}
	}
}

func TestOneDeadlineForEverything(t *testing.T) {
	const settings = `{"model": "a/b", "timeout_ms": 10000}`
	retry := AskError{Retry: true, Text: "call a/b: the server failed (503)"}
	final := AskError{Text: "call a/b: the key was refused (401)"}
	late := AskError{Timeout: true, Text: "timed out"}
	for _, tt := range []struct {
		name     string
		port     fakePort
		started  int64 // before now
		want     Decision
		message  string
		attempts int
		late     bool
	}{
		{"in time", fakePort{takes: 9_000, reply: "ALLOW"}, 0, Allow, "", 1, false},
		{"late: ignored", fakePort{takes: 10_001, reply: "ALLOW"}, 0, Ask, "timed out after 10000 ms", 1, true},
		{"late by its pre-reads", fakePort{reads: 6_000, takes: 4_500, reply: "ALLOW"}, 0, Ask, "timed out after 10000 ms", 1, true},
		{"no time after the pre-reads", fakePort{reads: 9_900, reply: "ALLOW"}, 0, Ask, "no time was left of timeout_ms", 0, false},
		{"the ask itself is old", fakePort{takes: 3_000, reply: "ALLOW"}, 8_000, Ask, "timed out after 10000 ms", 1, true},
		{"hangs", fakePort{takes: 10_000, err: late}, 0, Ask, "timed out after 10000 ms", 1, false},
		{"a second attempt", fakePort{takes: 1_000, errs: []error{retry}, replies: []string{"", "ALLOW"}}, 0, Allow, "", 2, false},
		{"a second attempt after an empty reply", fakePort{takes: 1_000, replies: []string{"  ", "DENY"}}, 0, Deny, "", 2, false},
		{"no third", fakePort{takes: 1_000, err: retry}, 0, Ask, "unavailable: call a/b: the server failed (503)", 2, false},
		{"empty twice", fakePort{takes: 1_000}, 0, Ask, "the model's reply is empty", 2, false},
		{"no time for a second", fakePort{takes: 9_900, err: retry}, 0, Ask, "unavailable", 1, false},
		{"nothing that a second would mend", fakePort{takes: 10, err: final}, 0, Ask, "unavailable: call a/b: the key was refused (401)", 1, false},
		{"another error", fakePort{takes: 10, errs: []error{errors.New("boom\nline"), nil}, replies: []string{"", "ALLOW"}}, 0, Allow, "", 2, false},
	} {
		p := tt.port
		p.now = 1_000_000
		j := judgeWith(t, settings)
		out := j.Decide(Request{Action: bash("./deploy.sh"), Started: p.now - tt.started}, &Session{}, &p)
		if out.Effect != tt.want || !strings.Contains(out.Message, tt.message) || out.Entry.Attempts != tt.attempts || out.Entry.Late != tt.late {
			t.Errorf("%s: %s %q, %d attempts, late %v; want %s %q, %d, %v", tt.name, out.Effect, out.Message, out.Entry.Attempts, out.Entry.Late, tt.want, tt.message, tt.attempts, tt.late)
		}
		for _, until := range p.until {
			if until != 1_000_000-tt.started+10_000 {
				t.Errorf("%s: the model was given until %d", tt.name, until)
			}
		}
		if tt.late && out.Entry.Reply != "ALLOW" {
			t.Errorf("%s: the late reply is not in the log: %q", tt.name, out.Entry.Reply)
		}
	}
}

func TestARequestThatDoesNotFitIsNeverAllowed(t *testing.T) {
	j := judgeWith(t, `{"model": "a/b"}`)
	long := "./tool " + strings.Repeat("x", 9_000)
	p := &fakePort{reply: "ALLOW"}
	if out := j.Decide(Request{Action: bash(long)}, &Session{}, p); out.Effect != Ask || !strings.Contains(out.Message, "max_context_chars") || len(p.asked) != 0 {
		t.Errorf("a long command: %s %q, asked %d", out.Effect, out.Message, len(p.asked))
	}
	a := Action{Kind: "edit", Path: "src/a.go", Content: strings.Repeat("x", 5_000), Place: corpusPlace}
	if out := j.Decide(Request{Action: a}, &Session{}, p); out.Effect != Ask || len(p.asked) != 0 {
		t.Errorf("a long edit: %s %q, asked %d", out.Effect, out.Message, len(p.asked))
	}
	for _, kind := range []string{"tracker_query", "edit"} {
		input := `{"note":"` + strings.Repeat("x", 3_000) + `","sql":"drop table users","more":"` + strings.Repeat("x", 3_000) + `"}`
		tool := ReadAction(kind, []string{"src/a"}, []byte(input), corpusPlace)
		if out := j.Decide(Request{Action: tool, Metadata: input}, &Session{}, p); out.Effect != Ask || len(p.asked) != 0 {
			t.Errorf("the long input of %s: %s %q, asked %d", kind, out.Effect, out.Message, len(p.asked))
		}
	}
	a.Content = strings.Repeat("x", 1_000)
	if out := j.Decide(Request{Action: a}, &Session{}, p); out.Effect != Allow || !strings.Contains(p.asked[0], a.Content) {
		t.Errorf("a short edit: %s %q", out.Effect, out.Message)
	}
}

func TestRedactedCommands(t *testing.T) {
	for _, tt := range []struct {
		name, command string
		want          Decision
		row           string
		shows, hides  string
	}{
		{"a key", "API_KEY=sk-abcdefghijklmnopqrstuvwxyz123456 ./deploy.sh", Allow, "", "./deploy.sh", "sk-abcdef"},
		{"a substitution in the secret", `PASSWORD="hunter2hunter2$(date)" ./deploy.sh`, Ask, "hidden-command", "", ""},
		{"backquotes in the secret", "PASSWORD=\"hunter2hunter2`date`\" ./deploy.sh", Ask, "hidden-command", "", ""},
		{"an operator in the secret", `SECRET_KEY="abcdefgh;def|ghi$(id)" ./run.sh`, Ask, "hidden-command", "", ""},
		{"a substitution alone is no secret", `PASSWORD="$(date)" ./deploy.sh`, Allow, "", "", ""},
		{"what the floor denies in it", `PASSWORD="hunter2hunter2$(rm -rf /)" ./deploy.sh`, Deny, "delete-outside", "", ""},
	} {
		j, p := judgeWith(t, `{"model": "a/b"}`), &fakePort{reply: "ALLOW"}
		out := j.Decide(Request{Action: bash(tt.command), Metadata: `{"command":` + string(appendString(nil, tt.command)) + `}`}, &Session{}, p)
		if out.Effect != tt.want || out.Entry.Row != tt.row {
			t.Errorf("%s: %s, row %s; want %s, %s", tt.name, out.Effect, out.Entry.Row, tt.want, tt.row)
		}
		line := string(out.Entry.AppendLine(nil))
		if tt.hides != "" && (strings.Contains(line, tt.hides) || strings.Contains(p.asked[0], tt.hides)) {
			t.Errorf("%s: the secret left: %s", tt.name, line)
		}
		if tt.shows != "" && (!strings.Contains(p.asked[0], tt.shows) || !strings.Contains(p.asked[0], "HIDDEN: secrets were taken out")) {
			t.Errorf("%s: the model was not told what was hidden:\n%s", tt.name, p.asked[0])
		}
	}
	j, p := judgeWith(t, `{"model": "a/b", "redact": false}`), &fakePort{reply: "ALLOW"}
	j.Decide(Request{Action: bash("API_KEY=sk-abcdefghijklmnopqrstuvwxyz123456 ./deploy.sh")}, &Session{}, p)
	if !strings.Contains(p.asked[0], "sk-abcdefghijklmnopqrstuvwxyz123456") {
		t.Error("redact: false redacts")
	}
}

// The model's reason is cut, and the key lies across that border wherever it stands.
func TestRedactedReasonsHoldNoHalfOfAKey(t *testing.T) {
	const key = "k3y-Z9x8W7v6U5t4S3r2Q1"
	for pad := range 320 {
		j := judgeWith(t, `{"model": "a/b"}`)
		j.Secrets = redact.New(key)
		out := j.Decide(Request{ID: "r", Action: bash("./deploy.sh")}, &Session{}, &fakePort{reply: "DENY: no " + strings.Repeat("x", pad) + " " + key})
		if log := string(out.Entry.AppendLine(nil)); out.Effect != Deny || strings.Contains(out.Message+log, key[:4]) {
			t.Fatalf("behind %d bytes: %s %q, log %s", pad, out.Effect, out.Message, log)
		}
	}
}

func TestShadowModeChangesNothing(t *testing.T) {
	j, s := judgeWith(t, `{"model": "a/b", "mode": "shadow"}`), &Session{}
	for _, tt := range []struct {
		command, reply string
		would          Decision
	}{
		{"rm -rf /", "", Deny}, {"ls", "", Allow}, {"./deploy.sh", "DENY", Deny}, {"./deploy.sh", "ALLOW", Allow}, {"./deploy.sh", "hm", Ask}, {"rm -rf ..", "", Deny}, {"rm -rf ~", "", Deny}, {"rm -rf /", "", Deny},
	} {
		out := j.Decide(Request{Action: bash(tt.command)}, s, &fakePort{reply: tt.reply})
		if out.Effect != None || out.Message != "" || out.Entry == nil || out.Entry.Decision != tt.would || !out.Entry.Shadow {
			t.Errorf("%s: %+v, want nothing done and %s logged", tt.command, out, tt.would)
		}
	}
	if s.Paused() != "" {
		t.Errorf("shadow mode opened the breaker: %s", s.Paused())
	}
	s.open = "3 denials in a row"
	if out := j.Decide(Request{Action: bash("ls")}, s, &fakePort{}); out.Entry == nil || out.Entry.Decision != Allow {
		t.Errorf("an open breaker is something to shadow mode: %+v", out.Entry)
	}
}

// guessable is an outside without much randomness.
type guessable struct{ *fakePort }

func (guessable) Nonce() string { return "n0nce42" }

func TestAGuessableFenceIsNoVerdict(t *testing.T) {
	j, p := judgeWith(t, `{"model": "a/b"}`), &fakePort{reply: "ALLOW"}
	if out := j.Decide(Request{Action: bash("./deploy.sh")}, &Session{}, guessable{p}); out.Effect != Ask || len(p.asked) != 0 || !strings.Contains(out.Message, "no randomness") {
		t.Errorf("%s %q, asked %d", out.Effect, out.Message, len(p.asked))
	}
}

func TestWorktreesComeFromTheHost(t *testing.T) {
	j := judgeWith(t, `{"model": "a/b"}`)
	a := bash("touch /home/dev/wt/x")
	a.Place = Place{Roots: []string{"/home/dev/app"}}
	p := &fakePort{reply: "ALLOW", trees: []string{"/home/dev/wt"}}
	if out := j.Decide(Request{Action: a}, &Session{}, p); out.Effect != Allow {
		t.Errorf("a write into a listed worktree: %s %s", out.Effect, out.Message)
	}
	if !strings.Contains(p.asked[0], "/home/dev/wt") || !strings.Contains(p.asked[0], "/home/dev/app") {
		t.Error("the model is not told of the worktrees and the folder")
	}
	p.trees = nil
	if out := j.Decide(Request{Action: a}, &Session{}, p); out.Effect != Deny {
		t.Errorf("a write outside: %s %s", out.Effect, out.Message)
	}
	if out := j.Decide(Request{Action: a}, &Session{}, unlisted{p}); out.Effect != Ask || out.Entry.Row != "worktrees-unknown" {
		t.Errorf("a write outside, the list being unknown: %s %s", out.Effect, out.Message)
	}
}

// unlisted is a host whose worktree list fails.
type unlisted struct{ *fakePort }

func (p unlisted) Worktrees(int64) ([]string, bool) { return nil, false }

func TestWhatTheFloorDecidesReadsNothing(t *testing.T) {
	j, p := judgeWith(t, `{"model": "a/b"}`), &fakePort{reply: "ALLOW"}
	for _, command := range []string{"ls", "rm -rf /", "cat .env"} {
		j.Decide(Request{Action: bash(command)}, &Session{}, p)
	}
	if p.read != 0 || len(p.asked) != 0 {
		t.Errorf("%d reads and %d model requests, want none", p.read, len(p.asked))
	}
}

// gonePort is one whose ask ends because the person was faster.
type gonePort struct{ *fakePort }

func (p gonePort) Ask(string, int64, int) (string, int, error) { return "", 1, AskError{Gone: true} }

func TestThePersonBeingFasterIsNoFailure(t *testing.T) {
	j, s := judgeWith(t, `{"model": "a/b"}`), &Session{}
	for range 2 * failuresInRow {
		out := j.Decide(Request{Action: bash("./deploy.sh")}, s, gonePort{&fakePort{}})
		if out.Effect != Ask || out.Entry.Reason != gone || out.Entry.Attempts != 1 {
			t.Fatalf("%s %q, %d attempts; want an ask, %q, 1", out.Effect, out.Entry.Reason, out.Entry.Attempts, gone)
		}
	}
	if s.Paused() != "" {
		t.Errorf("the breaker opened: %s", s.Paused())
	}
}

// countingPort takes as many requests for an ask as it may.
type countingPort struct{ *fakePort }

func (p countingPort) Ask(_ string, _ int64, most int) (string, int, error) {
	p.asked = append(p.asked, "")
	return "", most, AskError{Retry: true, Text: "empty"}
}

func TestRequestsOfAllAttemptsCount(t *testing.T) {
	j, p := judgeWith(t, `{"model": "a/b"}`), &fakePort{}
	out := j.Decide(Request{Action: bash("./deploy.sh")}, &Session{}, countingPort{p})
	if out.Entry.Attempts != maxAttempts {
		t.Errorf("%d requests, want %d", out.Entry.Attempts, maxAttempts)
	}
}

func TestTheAnswersWayIsPartOfTheDeadline(t *testing.T) {
	j, p := judgeWith(t, `{"model": "a/b", "timeout_ms": 10000}`), &fakePort{now: 50_000, reply: "ALLOW"}
	j.Decide(Request{Action: bash("./deploy.sh"), Started: 45_000, ReserveMS: 200}, &Session{}, p)
	if p.until[0] != 54_800 {
		t.Errorf("the model has until %d, want 54800", p.until[0])
	}
}

func TestAChildsConversationIsCalledOne(t *testing.T) {
	j := judgeWith(t, `{"model": "a/b"}`)
	for _, child := range []bool{true, false} {
		p := &fakePort{reply: "ALLOW", facts: Facts{Tail: "USER\nlook around", Child: child}}
		j.Decide(Request{Action: bash("./deploy.sh")}, &Session{}, p)
		if strings.Contains(p.asked[0], "a subagent's session") != child {
			t.Errorf("child %v: the prompt says so: %v", child, !child)
		}
	}
}

func TestLogLineHoldsTheWholeDecision(t *testing.T) {
	j := judgeWith(t, `{"model": "a/b"}`)
	p := &fakePort{now: 1_800_000_000_123, takes: 1_841, reply: "ALLOW\nsafe push to a feature branch\n"}
	out := j.Decide(Request{ID: "per_1", Session: "ses_1", Agent: "build", Action: bash("git push"),
		Metadata: "{\"command\":\"git push\",\n\"API_TOKEN\":\"x8f0s9d8f7s6d5f4\"}", Source: `{"type":"tool","id":"t1"}`}, &Session{}, p)
	line := string(out.Entry.AppendLine(nil))
	if strings.Count(line, "\n") != 1 || !strings.HasSuffix(line, "}\n") {
		t.Fatalf("not one line: %q", line)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(line), &got); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	if !strings.Contains(got["prompt"].(string), "git push") || strings.Contains(line, "x8f0s9d8f7s6d5f4") {
		t.Errorf("prompt or redaction: %s", line)
	}
	delete(got, "prompt")
	delete(got["metadata"].(map[string]any), "API_TOKEN")
	want := map[string]any{
		"ts": "2027-01-15T08:00:01.964Z", "sessionID": "ses_1", "agent": "build", "action": "bash", "resources": []any{"git push"}, "decision": "allow",
		"reason": "safe push to a feature branch", "metadata": map[string]any{"command": "git push"}, "model": "a/b", "latency_ms": 1841.0,
		"source": map[string]any{"type": "tool", "id": "t1"}, "reply": "ALLOW\nsafe push to a feature branch", "row": "", "attempts": 1.0, "late": false, "shadow": false,
		"id": "per_1", "agreed": nil, "plugin": "superadvisor", "v": 1.0,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("line (-want +got):\n%s", diff)
	}
	for _, tt := range []struct {
		decision Decision
		allowed  bool
		want     string
	}{{Allow, true, "true"}, {Allow, false, "false"}, {Deny, false, "true"}, {Deny, true, "false"}, {Ask, true, "null"}} {
		e := *out.Entry
		e.Decision = tt.decision
		if later := string(e.AppendAgreed(nil, 1_800_000_009_000, tt.allowed)); !strings.Contains(later, `"answer":"per_1"`) || !strings.Contains(later, `"agreed":`+tt.want) || !json.Valid([]byte(later)) {
			t.Errorf("%s, allowed %v: %s", tt.decision, tt.allowed, later)
		}
	}
	if ask := string((&Entry{Decision: Ask, Metadata: "{broken", Source: "x y"}).AppendLine(nil)); !json.Valid([]byte(ask)) || !strings.Contains(ask, `"decision":"fallback-ask"`) {
		t.Errorf("a bare entry: %s", ask)
	}
}
