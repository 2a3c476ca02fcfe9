package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/budget"
	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/session"
)

// Prices are the person's; a million tokens of a request cost a dollar here, so a token is a millionth.
const priced = `{"prices":{"fake/reviewer":{"input":1,"output":1}}`

// newSpender is a rig with an advisor.json and a folder of ledgers that other rigs may share.
func newSpender(t *testing.T, file string, ledgers map[string]string) *rig {
	t.Helper()
	r := &rig{t: t, states: map[string]protocol.JSON{}, now: 1_700_000_000_000, ledgers: ledgers}
	fresh := newRig(t, options)
	r.host, r.disk = fresh.host, fresh.disk
	r.provide = func(n *protocol.Need) *protocol.Provided {
		p := &protocol.Provided{ID: n.ID}
		for _, path := range n.Files {
			if strings.HasSuffix(path, "advisor.json") {
				p.Files = append(p.Files, protocol.File{Path: path, Text: file, Exists: true})
			}
		}
		return p
	}
	r.seed = fmt.Sprintf("%064x", len(ledgers[""])+1)
	ledgers[""] += "x" // so that each has another name
	r.restart(options)
	return r
}

// answer ends the oldest open request with so many tokens.
func (r *rig) answer(tokens int) {
	r.t.Helper()
	if len(r.host.sent) == r.answered {
		r.t.Fatal("no request is open")
	}
	id := r.host.sent[r.answered].ID
	r.answered++
	r.send(&protocol.HTTP{ID: id, Status: 200, Body: fmt.Sprintf(`{"choices":[{"message":{"content":"silent"}}],"usage":{"prompt_tokens":%d,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":%d}}}`, tokens-1, tokens/2)})
}

func TestTheDaysBoundHoldsForAllSessionsAndProcesses(t *testing.T) {
	ledgers := map[string]string{}
	file := priced + `,"maxCostPerDay":0.01}`
	one, two := newSpender(t, file, ledgers), newSpender(t, file, ledgers)
	for n := 1; n <= 3; n++ {
		one.send(step("s1", n)...)
		one.answer(1_000)
		two.send(step("s2", n)...)
		two.answer(2_000)
	}
	one.send(step("s3", 1)...)
	one.answer(1_000) // all of the bound is spent now, four parts by this process, six by the other
	for _, r := range []*rig{one, two} {
		sent := len(r.host.sent)
		for n := 10; n < 13; n++ {
			r.send(step("s1", n)...)
			r.send(step("s2", n)...)
		}
		if len(r.host.sent) != sent {
			t.Errorf("%d requests beyond the bound", len(r.host.sent)-sent)
		}
		if got := notices(r, "maxCostPerDay ($0.0100"); got != 1 {
			t.Errorf("%d notices, want one for all sessions", got)
		}
		if text := r.ask("status"); !strings.Contains(text, "$0.0100 today") || !strings.Contains(text, "budget: used up: maxCostPerDay") {
			t.Errorf("status does not tell: %s", text)
		}
	}
	if last[*protocol.Status](one).Text == "" {
		t.Error("the status line shows nothing")
	}

	// A restarted process knows, and so does one that the person starts later.
	late := newSpender(t, file, ledgers)
	late.send(step("s9", 1)...)
	if len(late.host.sent) != 0 || notices(late, "maxCostPerDay") != 1 {
		t.Errorf("%d requests of a later process, %d notices", len(late.host.sent), notices(late, "maxCostPerDay"))
	}

	// The next day begins with nothing spent.
	one.now += 24 * 60 * 60 * 1000
	one.send(step("s1", 20)...)
	one.answer(1_000)
	if last[*protocol.Status](one).Text != "" {
		t.Error("the status line still shows the bound")
	}

	// A lift holds for every process.
	if text := two.ask("on"); !strings.Contains(text, "begins anew") {
		t.Errorf("on: %s", text)
	}
	late.send(step("s9", 2)...)
	late.send(step("s9", 3)...)
	if len(late.host.sent) == 0 {
		t.Error("another process does not hear of the lift")
	}
}

// Where no bound hangs on it the day is read when the person asks, and once in a while between.
func TestTheDayIsReadWhenItIsAskedFor(t *testing.T) {
	ledgers := map[string]string{}
	one, two := newSpender(t, priced+"}", ledgers), newSpender(t, priced+"}", ledgers)
	asked := func() (n int) {
		for _, ef := range one.seen {
			if t, ok := ef.(*protocol.Tally); ok && t.ID != "" {
				n++
			}
		}
		return n
	}
	const most = 1_100 // more than a process remembers of what it wrote
	before := asked()
	for n := 1; n <= most; n++ {
		one.send(step("s1", n)...)
		one.answer(1_000)
	}
	if n := asked() - before; n > most/100 {
		t.Errorf("the ledger was read %d times in %d reviews", n, most)
	}
	two.send(step("s2", 1)...)
	two.answer(50_000)
	for _, r := range []*rig{one, two} {
		if text := r.ask("status"); !strings.Contains(text, "$1.15 today") {
			t.Errorf("status does not tell what both have spent: %s", text)
		}
	}
}

func TestABoundIsPassedByOneRequestAtMost(t *testing.T) {
	r := newSpender(t, priced+`,"maxTokensPerSession":9000}`, map[string]string{})
	r.disk.Write("b.txt", strings.Repeat("line\n", 50))
	r.send(step("s1", 1)...)
	read := `{"choices":[{"message":{"tool_calls":[{"id":"c","type":"function","function":{"name":"read","arguments":"{\"path\":\"b.txt\"}"}}]}}],"usage":{"prompt_tokens":4999,"completion_tokens":1}}`
	for range 2 {
		r.send(&protocol.HTTP{ID: r.host.sent[len(r.host.sent)-1].ID, Status: 200, Body: read})
	}
	if len(r.host.sent) != 2 {
		t.Errorf("%d requests of 5,000 tokens under a bound of 9,000, want 2: the bound is asked before each, not before each review", len(r.host.sent))
	}
	s := r.engine.sessions["s1"].state
	if s.Counts["review.budget"] != 1 || s.Failing != 0 || s.Counts["budget.maxTokensPerSession"] != 1 {
		t.Errorf("counts %v, failing %d: a review that ran out of budget says nothing of the reviewer", s.Counts, s.Failing)
	}
	r.send(&protocol.Consult{Session: "s1", Call: "q", Question: "what now?"})
	if a := last[*protocol.Answer](r); !a.Failed || !strings.Contains(a.Text, "maxTokensPerSession (9000)") || !strings.Contains(a.Text, "/advisor on") {
		t.Errorf("a consultation without budget is answered: %q", a.Text)
	}
	if text := r.ask("on"); !strings.Contains(text, "begins anew") {
		t.Errorf("on: %s", text)
	}
	r.send(step("s1", 2)...)
	if len(r.host.sent) != 3 || !strings.Contains(r.host.sent[2].Body, "s1-t1") && !strings.Contains(r.host.sent[2].Body, "working") {
		t.Error("after a lift the next review does not see what was skipped")
	}
}

// What is under way is held, so that sessions side by side do not all pass the bound at once; who finds no room waits.
func TestWhatIsUnderWayIsHeld(t *testing.T) {
	r := newSpender(t, priced+`,"maxCostPerDay":0.002}`, map[string]string{})
	for i := range 4 {
		r.send(step(fmt.Sprint("s", i), 1)...)
	}
	open := len(r.host.sent)
	if open == 4 {
		t.Fatal("four requests side by side under a bound for one")
	}
	r.answer(100)
	if len(r.host.sent) == open {
		t.Error("nobody goes on when a request has ended")
	}
}

func TestTheShareOfTheAgentsOwnSpending(t *testing.T) {
	r := newSpender(t, priced+`,"pauseAtShare":50}`, map[string]string{})
	turn := func(n int, cost int64) {
		events := step("s1", n)
		events[2].(*protocol.StepEnd).Tokens = protocol.Tokens{Input: 100, CacheRead: 900, Output: 10, Cost: cost}
		r.send(events...)
	}
	turn(1, 3_000)
	r.answer(1_400)
	turn(2, 0)
	r.answer(200) // 1,600 of 3,000: past a half
	turn(3, 0)
	if len(r.host.sent) != 2 || notices(r, "pauseAtShare (50 %") != 1 {
		t.Errorf("%d requests, want 2; %d notices", len(r.host.sent), notices(r, "pauseAtShare"))
	}
	if text := r.ask("status"); !strings.Contains(text, "share: 53 % of the agent's own cost") || !strings.Contains(text, "(800 cached, 50 %)") {
		t.Errorf("status: %s", text)
	}
	turn(4, 5_000) // the agent has gone ahead again
	if len(r.host.sent) != 3 {
		t.Error("the pause does not end by itself")
	}
}

func TestAReviewsOwnBound(t *testing.T) {
	r := newSpender(t, priced+`,"maxTokensPerReview":1000}`, map[string]string{})
	r.send(step("s1", 1)...)
	r.send(&protocol.HTTP{ID: r.host.sent[0].ID, Status: 200, Body: `{"choices":[{"message":{"tool_calls":[{"id":"c","type":"function","function":{"name":"read","arguments":"{\"path\":\"a.txt\"}"}}]}}],"usage":{"prompt_tokens":600,"completion_tokens":1}}`})
	if len(r.host.sent) != 2 || strings.Contains(r.host.sent[1].Body, `"name":"grep"`) {
		t.Error("past half of its bound a review is not asked for its last words")
	}
}

func TestWhatAProviderDoesNotTellIsEstimated(t *testing.T) {
	r := newRig(t, options)
	r.send(step("s1", 1)...)
	r.send(&protocol.HTTP{ID: r.host.sent[0].ID, Status: 200, Body: `{"choices":[{"message":{"content":"silent"}}]}`})
	s := r.engine.sessions["s1"].state.Counts.Own()
	if about := int64(len(r.host.sent[0].Body)) / 4; s.In < about/2 || s.In > about*2 || s.Estimated != s.Cost || s.Cost == 0 {
		t.Errorf("counted %+v for a request of %d bytes", s, len(r.host.sent[0].Body))
	}
	if text := r.ask("status"); !strings.Contains(text, "in part estimated") {
		t.Errorf("status: %s", text)
	}
	// A refused request costs nothing; one that the person interrupts may have been worked on.
	r.send(step("s1", 2)...)
	r.send(&protocol.HTTP{ID: r.host.sent[1].ID, Status: 401, Body: `{"error":{"message":"no"}}`})
	if now := r.engine.sessions["s1"].state.Counts.Own(); now.Tokens() != s.Tokens() || now.Requests != 2 {
		t.Errorf("after a refused request: %+v", now)
	}
}

// Every request is counted once: in its session, in the day, and nothing stays held.
func TestCountsAreConserved(t *testing.T) {
	ledgers := map[string]string{}
	r := newSpender(t, priced+`}`, ledgers)
	for n := range 20 {
		id := fmt.Sprint("s", n%3)
		r.send(step(id, n+1)...)
		if n%4 == 3 { // the person speaks again while the review runs
			r.send(&protocol.User{Session: id, ID: fmt.Sprint("x", n), Text: "stop", Typed: true, Created: int64(1000*n + 1500)})
			r.answered = len(r.host.sent)
			continue
		}
		r.answer(100 + n)
	}
	r.send(&protocol.Consult{Session: "s0", Call: "q", Question: "well?"})
	r.answer(700)
	var all budget.Use
	for _, id := range []string{"s0", "s1", "s2"} {
		l := r.engine.sessions[id]
		all = all.Plus(l.state.Counts.Own())
		if l.held != 0 {
			t.Errorf("%s: %d tokens are still held", id, l.held)
		}
	}
	day := r.engine.today()
	if day.Total != all || r.engine.purse.cost != 0 || all.Requests != int64(len(r.host.sent)) {
		t.Errorf("the sessions used %+v, the day %+v, %d requests, %d held", all, day.Total, len(r.host.sent), r.engine.purse.cost)
	}
	if lines := strings.Count(ledgers[day.Name], "\n"); lines != len(r.host.sent) {
		t.Errorf("%d lines in the ledger, %d requests", lines, len(r.host.sent))
	}
}

func TestTheGateSkipsAQuietTurnAndKeepsIt(t *testing.T) {
	r := newRig(t, with(`"reviewGate":"auto"`))
	look := func(n int, text string) []protocol.Event {
		return []protocol.Event{
			&protocol.User{Session: "s1", ID: fmt.Sprint("m", n), Text: "look around", Typed: true, Created: int64(1000 * n)},
			&protocol.Text{Session: "s1", Message: fmt.Sprint("t", n), Text: text},
			&protocol.Tool{Session: "s1", Message: fmt.Sprint("t", n), Call: fmt.Sprint("c", n), Name: "read", Input: `{"path":"a.txt"}`, Output: "hello"},
			&protocol.StepEnd{Session: "s1", Message: fmt.Sprint("t", n)},
		}
	}
	r.send(look(1, "Let me look at the marmalade first.")...)
	if len(r.host.sent) != 0 || r.engine.sessions["s1"].state.Counts["review.skipped.quiet"] != 1 {
		t.Errorf("%d requests for a turn in which nothing happened", len(r.host.sent))
	}
	r.send(look(2, "All tests pass.")...)
	if len(r.host.sent) != 1 || !strings.Contains(r.host.sent[0].Body, "marmalade") {
		t.Error("a claim is not reviewed, or what was skipped is not part of its review")
	}
	if text := r.ask("status"); !strings.Contains(text, "skipped: 1 updates") {
		t.Errorf("status: %s", text)
	}
}

func TestTheJudgesTokensCount(t *testing.T) {
	r := newRig(t, with(`"maxTokensPerSession":10`))
	r.send(step("s1", 1)...)
	l := r.engine.sessions["s1"]
	m := port{r.engine, &task{}}.meter(l, session.RoleJudge, config.Endpoint{})
	if why := m.Admit(10, 10); why != "" && !strings.Contains(why, "under way") {
		t.Fatalf("refused: %s", why)
	}
	l.state.Counts.Spend(session.RoleJudge, budget.Use{In: 10})
	if why := m.Admit(10, 10); !strings.Contains(why, "maxTokensPerSession") {
		t.Errorf("a judgement beyond the bound is not refused: %q", why)
	}
}
