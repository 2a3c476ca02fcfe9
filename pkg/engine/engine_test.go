package engine

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/pkg/memfs"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/session"
)

// host is an outside that keeps what it is asked for.
type host struct {
	protocol.Files
	sent      []protocol.HTTPSend
	cancelled []string
	logs      []string
}

func (h *host) Send(r protocol.HTTPSend) protocol.Errno {
	h.sent = append(h.sent, r)
	return protocol.OK
}
func (h *host) Cancel(id string)    { h.cancelled = append(h.cancelled, id) }
func (h *host) Emit(l protocol.Log) { h.logs = append(h.logs, l.Level+": "+l.Text) }
func (h *host) Interrupted()        {}

// rig is an engine with a loader around it that stores and loads.
type rig struct {
	t      testing.TB
	host   *host
	engine *Engine
	states map[string]protocol.JSON
	now    int64
	seen   []protocol.Effect

	disk     *memfs.FS
	ledgers  map[string]string                       // by day; nil: no folder
	wishes   string                                  // left beside the host
	deaf     bool                                    // wishes are not told
	seed     string                                  // of the next guest
	answered int                                     // requests, see answer
	observer bool                                    // another process has the lease
	broken   bool                                    // stored states cannot be read
	claim    func(*protocol.Claim) *protocol.Claimed // nil grants; a nil answer is none
	provide  func(*protocol.Need) *protocol.Provided // nil has nothing
}

func newRig(t testing.TB, options string) *rig {
	disk := memfs.New("/work")
	disk.Write("a.txt", "hello\n")
	r := &rig{t: t, host: &host{Files: disk}, disk: disk, seed: strings.Repeat("ab", 32), states: map[string]protocol.JSON{}, now: 1_700_000_000_000}
	r.restart(options)
	return r
}

// restart replaces the guest; what was stored stays.
func (r *rig) restart(options string) {
	r.t.Helper()
	r.engine = New(r.host)
	r.send(&protocol.Init{ABI: protocol.ABIVersion, Host: "harness", Seed: r.seed, Directory: "/work", Root: "/work",
		Home: "/home", ConfigHome: "/home/.config", DataHome: "/home/.local/share", Options: protocol.JSON(options)})
}

const options = `{"watchdogModel":"fake/reviewer","provider":{"baseURL":"http://127.0.0.1:9/v1","apiKey":"sk-test-1234567890"},"debounceMs":0}`

// send hands events over and answers what a loader answers by itself.
func (r *rig) send(events ...protocol.Event) {
	r.t.Helper()
	for len(events) > 0 {
		out, failures := protocol.DecodeOutcome(r.engine.Call(protocol.AppendBatch(nil, protocol.Batch{Now: r.now, Events: events})))
		if len(failures) > 0 {
			r.t.Fatal(failures)
		}
		events = nil
		for _, ef := range out.Effects {
			r.seen = append(r.seen, ef)
			switch e := ef.(type) {
			case *protocol.Need:
				if r.provide != nil {
					events = append(events, r.provide(e))
					continue
				}
				events = append(events, &protocol.Provided{ID: e.ID})
			case *protocol.Load:
				loaded := &protocol.Loaded{Session: e.Session, State: r.states[e.Session], Reviewer: !r.observer}
				if loaded.State == "" && e.Origin != "" {
					loaded.Inherited = r.states[e.Origin]
				}
				if r.broken {
					loaded.State, loaded.Failure = "", "not JSON"
				}
				events = append(events, loaded)
			case *protocol.Save:
				r.states[e.Session] = e.State
			case *protocol.SignalsWanted:
				events = append(events, &protocol.Signals{Session: e.Session, ID: e.ID})
			case *protocol.Tally:
				if r.ledgers == nil {
					if e.ID != "" {
						events = append(events, &protocol.Tallied{ID: e.ID, Failure: "no folder"})
					}
					continue
				}
				if e.Line != "" {
					r.ledgers[e.Name] += e.Line + "\n"
				}
				if e.ID == "" {
					continue
				}
				text := r.ledgers[e.Name]
				events = append(events, &protocol.Tallied{ID: e.ID, Text: text[min(int(e.From), len(text)):], Next: int64(len(text))})
			case *protocol.Heed:
				if r.deaf {
					continue
				}
				if e.Session != "s1" {
					events = append(events, &protocol.Heard{ID: e.ID}) // nobody wishes for another
					continue
				}
				if e.Line != "" {
					r.wishes += e.Line + "\n"
				}
				whole, from := r.wishes[:strings.LastIndexByte(r.wishes, '\n')+1], int(e.From)
				if from > len(whole) {
					from = 0
				}
				events = append(events, &protocol.Heard{ID: e.ID, Text: whole[from:], Next: int64(len(whole))})
			case *protocol.Claim:
				answer := &protocol.Claimed{ID: e.ID, Granted: true}
				if r.claim != nil {
					answer = r.claim(e)
				}
				if answer != nil {
					events = append(events, answer)
				}
			}
		}
	}
}

// ask runs /advisor and gives its answer.
func (r *rig) ask(text string) string {
	r.send(&protocol.Command{Session: "s1", Call: "k", Name: "advisor", Text: text})
	return last[*protocol.Answer](r).Text
}

func count[T protocol.Effect](r *rig) (n int) {
	for _, ef := range r.seen {
		if _, ok := ef.(T); ok {
			n++
		}
	}
	return n
}

func step(id string, n int) []protocol.Event {
	return []protocol.Event{
		&protocol.User{Session: id, ID: fmt.Sprintf("%s-m%d", id, n), Text: "go on", Typed: true, Created: int64(1000 * n)},
		&protocol.Text{Session: id, Message: fmt.Sprintf("%s-t%d", id, n), Text: "working"},
		&protocol.StepEnd{Session: id, Message: fmt.Sprintf("%s-t%d", id, n)},
	}
}

func TestEventsBeforeTheConfigAreKept(t *testing.T) {
	h := &host{Files: memfs.New("/work")}
	e := New(h)
	out, _ := protocol.DecodeOutcome(e.Call(protocol.AppendBatch(nil, protocol.Batch{Now: 1, Events: append(step("s1", 1), &protocol.Init{
		ABI: protocol.ABIVersion, Seed: strings.Repeat("ab", 32), Directory: "/work", Root: "/work", Options: options})})))
	for len(out.Effects) > 0 {
		var answers []protocol.Event
		for _, ef := range out.Effects {
			switch ef := ef.(type) {
			case *protocol.Need:
				answers = append(answers, &protocol.Provided{ID: ef.ID})
			case *protocol.Load:
				answers = append(answers, &protocol.Loaded{Session: ef.Session, Reviewer: true})
			case *protocol.Heed:
				answers = append(answers, &protocol.Heard{ID: ef.ID})
			case *protocol.SignalsWanted:
				answers = append(answers, &protocol.Signals{Session: ef.Session, ID: ef.ID})
			}
		}
		if answers == nil {
			break
		}
		out, _ = protocol.DecodeOutcome(e.Call(protocol.AppendBatch(nil, protocol.Batch{Now: 1, Events: answers})))
	}
	if len(h.sent) != 1 || !strings.Contains(h.sent[0].Body, "go on") {
		t.Errorf("%d requests, want one that knows the goal", len(h.sent))
	}
}

// overflow is more events than an engine keeps, of a session whose first message came before them.
func overflow(id string) (events []protocol.Event) {
	events = append(events, &protocol.Session{Session: id, Complete: true}, &protocol.User{Session: id, ID: "m1", Text: "go on", Typed: true, Created: 1})
	for range maxEarly {
		events = append(events, &protocol.Text{Session: id, Text: "x"})
	}
	return append(events, &protocol.User{Session: id, ID: "m2", Text: "again", Typed: true, Created: 2}, &protocol.Session{Session: "child", Parent: id}, &protocol.Text{Session: "child", Text: "x"})
}

func TestEventsThatThereIsNoRoomForBeforeTheConfig(t *testing.T) {
	r := newRig(t, options)
	r.engine = New(r.host)
	r.send(overflow("s1")...)
	r.send(&protocol.Init{ABI: protocol.ABIVersion, Seed: strings.Repeat("ab", 32), Directory: "/work", Root: "/work", Options: options})
	s := r.engine.sessions["s1"].state
	// Two of the session's texts and its last message had no room beside what is never dropped.
	if s.Counts["event.lost"] != 3 || notices(r, "missed 3 events") != 1 || !s.Behind || count[*protocol.Resync](r) == 0 {
		t.Errorf("%d lost, %d notices, behind %v, %d resyncs", s.Counts["event.lost"], notices(r, "missed 3 events"), s.Behind, count[*protocol.Resync](r))
	}
	if _, watched := r.engine.sessions["child"]; watched || count[*protocol.Ignore](r) != 1 {
		t.Error("what is known of a child session was dropped")
	}
}

func TestEventsThatThereIsNoRoomForWhileTheStateIsLoaded(t *testing.T) {
	r := newRig(t, options)
	call := func(events ...protocol.Event) {
		out, _ := protocol.DecodeOutcome(r.engine.Call(protocol.AppendBatch(nil, protocol.Batch{Now: r.now, Events: events})))
		r.seen = append(r.seen, out.Effects...)
	}
	call(overflow("s1")...)
	call(&protocol.Command{Session: "s1", Call: "k1", Name: "advisor", Text: "notes"})
	call(&protocol.Loaded{Session: "s1", Reviewer: true})
	s := r.engine.sessions["s1"].state
	if s.Counts["event.lost"] != 3 || notices(r, "missed 3 events") != 1 || !s.Behind || count[*protocol.Answer](r) != 1 {
		t.Errorf("%d lost, %d notices, behind %v, %d answers", s.Counts["event.lost"], notices(r, "missed 3 events"), s.Behind, count[*protocol.Answer](r))
	}
}

func TestNonsenseIsReportedAndChangesNothing(t *testing.T) {
	r := newRig(t, options)
	for _, batch := range []string{"", "{", `{"events":3}`, `{"now":1,"events":[{"type":"dance"},{"type":"tool","session":"s1","exit":"x"},{"type":"http","id":"h_1"},{"type":"claimed","id":"c_9","granted":true},{"type":"timer","id":"?"},{"type":"text","text":"no session"}]}`} {
		out, failures := protocol.DecodeOutcome(r.engine.Call([]byte(batch)))
		if len(failures) > 0 || len(out.Effects) > 0 {
			t.Errorf("Call(%.40q) = %v, %v; want no effects", batch, out.Effects, failures)
		}
	}
	if len(r.host.logs) < 4 {
		t.Errorf("logs = %q, want each misfit reported", r.host.logs)
	}
	r.send(step("s1", 1)...)
	if len(r.host.sent) != 1 {
		t.Errorf("%d requests after the nonsense, want 1", len(r.host.sent))
	}
}

func TestARecoveredPanicIsToldOnceAndLogged(t *testing.T) {
	r := newRig(t, options)
	r.send(step("s1", 1)...)
	for range 3 {
		r.engine.out = nil
		r.engine.safely("event test", func() {
			r.engine.start("test", "s1", func(*task) { panic("boom") })
		})
		r.seen = append(r.seen, r.engine.out...)
	}
	if got := count[*protocol.Notice](r); got != 1 {
		t.Errorf("%d notices, want 1", got)
	}
	found := 0
	for _, l := range r.host.logs {
		if strings.HasPrefix(l, "error: event test: boom") && strings.Contains(l, "goroutine") {
			found++
		}
	}
	if found != 3 {
		t.Errorf("%d log lines of the panic with its stack, want 3", found)
	}
	r.send(&protocol.TurnEnd{Session: "s1", Outcome: "ok"})
	if r.engine.sessions["s1"] == nil {
		t.Error("the session is gone")
	}
}

func TestSessionsInMemoryAreBoundedAndComeBack(t *testing.T) {
	r := newRig(t, `{"watchdogModel":"fake/reviewer","provider":{"baseURL":"http://127.0.0.1:9/v1"},"reviewMode":"idle"}`)
	const n = 3 * maxLive
	for i := range n {
		r.send(step(fmt.Sprintf("s%d", i), 1)...)
	}
	if got := len(r.engine.sessions); got > maxLive {
		t.Errorf("%d sessions in memory, want at most %d", got, maxLive)
	}
	if got := len(r.states); got != n {
		t.Errorf("%d sessions stored, want %d", got, n)
	}
	// The first comes back with all that it knew.
	r.send(step("s0", 2)...)
	s := r.engine.sessions["s0"].state
	if s.Humans != 2 || s.Steps != 2 || s.Breaker.Human != "s0-m2" {
		t.Errorf("s0 came back with humans %d, steps %d, human %q", s.Humans, s.Steps, s.Breaker.Human)
	}
}

func TestAHumanMessageTakesTheRequestBack(t *testing.T) {
	r := newRig(t, options)
	r.send(step("s1", 1)...)
	first := r.host.sent[0].ID
	r.send(&protocol.User{Session: "s1", ID: "s1-m2", Text: "stop", Typed: true, Created: 5000})
	if d := cmp.Diff([]string{first}, r.host.cancelled); d != "" {
		t.Errorf("cancelled (-want +got):\n%s", d)
	}
	// A late answer is nobody's.
	r.send(&protocol.HTTP{ID: first, Status: 200, Body: `{"choices":[{"message":{"content":"silent"}}]}`})
	if s := r.engine.sessions["s1"]; s.review != nil || s.state.Log.Pending() == 0 {
		t.Error("the delta of the superseded review is gone")
	}
	for name, n := range r.engine.sessions["s1"].state.Counts {
		if strings.HasPrefix(name, "review.") && name != session.CountStarted && name != session.CountSuperseded {
			t.Errorf("%s = %d: it counts as more than superseded", name, n)
		}
	}
	if r.engine.open != 0 || len(r.engine.waiting) != 0 {
		t.Errorf("%d tasks open, %d waits: something was left", r.engine.open, len(r.engine.waiting))
	}
}

func TestShutdownStoresAndFallsSilent(t *testing.T) {
	r := newRig(t, options)
	r.send(step("s1", 1)...)
	r.send(&protocol.Shutdown{})
	if len(r.engine.sessions) != 0 || len(r.engine.waiting) != 0 || r.engine.open != 0 {
		t.Errorf("left: %d sessions, %d waits, %d tasks", len(r.engine.sessions), len(r.engine.waiting), r.engine.open)
	}
	stored, err := protocol.DecodeStoredSession([]byte(r.states["s1"]))
	if err != nil || !stored.Owed || stored.Human != "s1-m1" {
		t.Errorf("stored = %+v, %v; want the review owed", stored, err)
	}
}

func TestADamagedStateIsSetAsideBeforeTheNextSave(t *testing.T) {
	r := newRig(t, options)
	r.states["s1"] = `{"version":1,"session":"s1","guard":"not an object"}`
	r.send(step("s1", 1)...)
	aside, saved := -1, -1
	for i, ef := range r.seen {
		switch e := ef.(type) {
		case *protocol.Forget:
			if e.Session == "s1" && e.Keep {
				aside = i
			}
		case *protocol.Save:
			if saved < 0 {
				saved = i
			}
		}
	}
	if aside < 0 || saved < aside {
		t.Errorf("set aside at effect %d, first save at %d: the damaged state is overwritten", aside, saved)
	}
}

// fragile breaks the guest when it sends.
type fragile struct{ *host }

func (fragile) Send(protocol.HTTPSend) protocol.Errno { panic("broken") }

func TestAReviewThatPanicsIsOver(t *testing.T) {
	r := newRig(t, options)
	r.engine.host = fragile{r.host}
	r.send(step("s1", 1)...)
	if l := r.engine.sessions["s1"]; l.review != nil || l.state.Owed || r.engine.reviewing() != 0 || l.state.Counts["review.failed"] != 1 {
		t.Errorf("under review %v, owed %v, counts %v; want it over and counted", l.review != nil, l.state.Owed, l.state.Counts)
	}
	r.engine.host = r.host
	r.send(&protocol.Text{Session: "s1", Text: "more"}, &protocol.StepEnd{Session: "s1"})
	r.review(says("concern", "It greets."))
	if got := outcome(r); got != "concern" {
		t.Errorf("the next review delivered %q, want a concern", got)
	}
}

func TestAConsultationThatPanicsIsAnswered(t *testing.T) {
	r := newRig(t, options)
	r.send(step("s1", 1)...)
	r.engine.host = fragile{r.host}
	r.send(&protocol.Consult{Session: "s1", Call: "c1", Question: "What now?"})
	for _, ef := range r.seen {
		if a, ok := ef.(*protocol.Answer); ok && a.Call == "c1" {
			if !a.Failed || !strings.Contains(a.Text, "internal error") || len(r.engine.calls) != 0 {
				t.Errorf("answered %q, failed %v, %d calls open", a.Text, a.Failed, len(r.engine.calls))
			}
			return
		}
	}
	t.Error("the primary waits for an answer that never comes")
}

// What is set aside for a request is free again when sending it panics, and so is the status line.
func TestNothingIsHeldOverAPanic(t *testing.T) {
	r := newRig(t, `{"watchdogModel":"fake/reviewer","provider":{"baseURL":"http://127.0.0.1:9/v1"},"debounceMs":0,"budget":{"maxTokensPerSession":1000000}}`)
	r.engine.host = fragile{r.host}
	r.send(step("s1", 1)...)
	r.send(&protocol.Consult{Session: "s1", Call: "c1", Question: "What now?"})
	l := r.engine.sessions["s1"]
	if l.held != 0 || r.engine.purse.cost != 0 {
		t.Errorf("%d tokens and a cost of %d are held for requests that nobody waits for", l.held, r.engine.purse.cost)
	}
	if used := l.state.Counts.Own(); used.Requests != 2 || used.Tokens() == 0 {
		t.Errorf("counted %+v, want both requests at what they may have cost", used)
	}
	if s := last[*protocol.Status](r); s.Text != "" {
		t.Errorf("the status line still says %q", s.Text)
	}
}

// TestReadyComesBeforeTheLedger: the loader does effects in order, and the host waits for Ready, not for a file.
func TestReadyComesBeforeTheLedger(t *testing.T) {
	ready, tally := -1, -1
	for i, ef := range newRig(t, options).seen {
		switch ef.(type) {
		case *protocol.Ready:
			ready = i
		case *protocol.Tally:
			tally = i
		}
	}
	if ready < 0 || tally < ready {
		t.Errorf("ready is effect %d, the ledger is asked for with effect %d", ready, tally)
	}
}

// All states of a call stand in one piece of memory, the later behind the earlier: each session's is its own.
func TestSessionsThatAreStoredInOneCallAreStoredApart(t *testing.T) {
	r := newRig(t, options)
	for n := range 20 {
		id := fmt.Sprintf("s%02d", n)
		r.send(&protocol.User{Session: id, ID: "m" + id, Text: strings.Repeat("Do "+id+". ", 1+n*20), Typed: true, Created: r.now})
	}
	alone := maps.Clone(r.states)
	r.send(&protocol.Shutdown{})
	for id, state := range r.states {
		if st, err := protocol.DecodeStoredSession([]byte(state)); err != nil || st.Session != id || st.Human != "m"+id {
			t.Errorf("%s is stored as %.200s (%v)", id, state, err)
		}
		if state != alone[id] {
			t.Errorf("%s was stored as\n%s\nand with others as\n%s", id, alone[id], state)
		}
	}
	if len(r.states) != 20 {
		t.Errorf("%d sessions are stored, want 20", len(r.states))
	}
}
