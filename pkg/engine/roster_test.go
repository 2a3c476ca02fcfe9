package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// three is a person's roster, whose models are named after its advisors.
const three = `{"advisors":[{"name":"security","model":"fake/security"},{"name":"architecture","model":"fake/architecture"},{"name":"tests","model":"fake/tests"}]}`

// newTeam is a rig with an advisor.json.
func newTeam(t *testing.T, file string) *rig {
	r := newRig(t, options)
	r.provide = func(n *protocol.Need) *protocol.Provided {
		p := &protocol.Provided{ID: n.ID}
		for _, name := range n.Files {
			if name == "/home/.config/opencode/advisor.json" {
				p.Files = append(p.Files, protocol.File{Path: name, Exists: true, Text: file})
			}
		}
		return p
	}
	r.restart(options)
	return r
}

// last gives the latest request to a model.
func (r *rig) last(model string) *protocol.HTTPSend {
	for i := len(r.host.sent) - 1; i >= 0; i-- {
		if strings.Contains(r.host.sent[i].Body, `"model":"`+model+`"`) {
			return &r.host.sent[i]
		}
	}
	r.t.Fatalf("%s was not asked", model)
	return nil
}

// tells lets one advisor say something.
func (r *rig) tells(model, text string, calls ...map[string]any) {
	r.t.Helper()
	r.replyTo(r.last(model), text, calls...)
}

// finds lets one advisor read, say its notes and end.
func (r *rig) finds(model string, notes ...map[string]any) {
	r.t.Helper()
	r.tells(model, "", append([]map[string]any{readIt}, notes...)...)
	r.tells(model, "silent")
}

// pass lets the wait for the others be over.
func (r *rig) pass(ms int64) {
	r.now += ms
	for i := len(r.seen) - 1; i >= 0; i-- {
		if timer, ok := r.seen[i].(*protocol.SetTimer); ok && strings.HasPrefix(timer.ID, "bound_r_") {
			r.send(&protocol.Timer{ID: timer.ID})
			return
		}
	}
	r.t.Fatal("no round waits")
}

func TestOneAdvisorHoldsUpNone(t *testing.T) {
	for _, c := range []struct {
		name string
		fail func(r *rig)
	}{
		{"it never answers", func(*rig) {}},
		{"its server refuses", func(r *rig) { r.send(&protocol.HTTP{ID: r.last("security").ID, Status: 401, Body: `{}`}) }},
		{"it answers nonsense", func(r *rig) { r.send(&protocol.HTTP{ID: r.last("security").ID, Status: 200, Body: `<html>`}) }},
		{"it says nothing", func(r *rig) { r.tells("security", "") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newTeam(t, three)
			r.send(step("s1", 1)...)
			c.fail(r)
			r.tells("architecture", "silent")
			r.finds("tests", says("concern", "It greets nobody."))
			r.pass(mergeMS)
			if got := outcome(r); got != "concern" {
				t.Errorf("delivered %q, want the note of the one that works", got)
			}
		})
	}
}

// panicky breaks when one advisor sends its nth request.
type panicky struct {
	*host
	model string
	nth   int
}

func (p *panicky) Send(s protocol.HTTPSend) protocol.Errno {
	if strings.Contains(s.Body, `"model":"`+p.model+`"`) {
		if p.nth--; p.nth == 0 {
			panic("broken")
		}
	}
	return p.host.Send(s)
}

func TestAnAdvisorThatPanicsTakesNobodyAlong(t *testing.T) {
	for nth := 1; nth <= 2; nth++ {
		r := newTeam(t, three)
		r.engine.host = &panicky{r.host, "security", nth}
		r.send(step("s1", 1)...)
		if nth == 2 {
			r.tells("security", "", readIt)
		}
		r.tells("architecture", "silent")
		r.finds("tests", says("concern", "It greets nobody."))
		if got := outcome(r); got != "concern" {
			t.Errorf("request %d: delivered %q, want the note of another", nth, got)
		}
		l := r.engine.sessions["s1"]
		if l.review != nil || l.state.Log.Pending() != 0 || l.state.Counts["review.notes"] != 1 {
			t.Errorf("request %d: under review %v, %d pending, counts %v; want the round ended", nth, l.review != nil, l.state.Log.Pending(), l.state.Counts)
		}
		if len(r.host.logs) == 0 || !strings.Contains(strings.Join(r.host.logs, "\n"), "broken") {
			t.Error("the log does not tell of it")
		}
	}
}

func TestAPersonsMessageEndsAllAdvisors(t *testing.T) {
	r := newTeam(t, three)
	r.send(step("s1", 1)...)
	r.finds("security", says("blocker", "It breaks everything."))
	r.send(&protocol.User{Session: "s1", ID: "s1-m2", Text: "stop", Typed: true, Created: 2000})
	if len(r.host.cancelled) != 2 {
		t.Errorf("%d requests taken back, want the two that were open", len(r.host.cancelled))
	}
	if l := r.engine.sessions["s1"]; l.review != nil || l.state.Log.Pending() == 0 || r.engine.open != 0 {
		t.Errorf("under review %v, %d pending, %d tasks; want nothing under way and all of it still to be reviewed", l.review != nil, l.state.Log.Pending(), r.engine.open)
	}
	if got := outcome(r); got != "" {
		t.Errorf("delivered %q, want nothing", got)
	}
}

func TestAnAdvisorIsAskedAgainAfterItsDeadline(t *testing.T) {
	r := newTeam(t, three)
	r.send(step("s1", 1)...)
	r.tells("architecture", "silent")
	r.tells("tests", "silent")
	r.pass(mergeMS)
	if r.engine.sessions["s1"].review == nil {
		t.Fatal("the round ended though an advisor has time left")
	}
	r.now += 25_000
	r.send(&protocol.Timer{ID: "bound_" + r.last("security").ID})
	if l := r.engine.sessions["s1"]; l.review != nil || l.state.Counts["advisor.security.timeout"] != 1 || l.state.Log.Pending() != 0 {
		t.Errorf("under review %v, counts %v", l.review != nil, l.state.Counts)
	}
	r.send(step("s1", 2)...)
	if n := len(r.host.sent); n != 6 {
		t.Errorf("%d requests, want all three asked twice", n)
	}
}

func TestARefusedAdvisorIsLeftAloneAndTheOthersAreNot(t *testing.T) {
	r := newTeam(t, three)
	for n := range 3 {
		r.send(step("s1", n+1)...)
		if n == 0 {
			r.send(&protocol.HTTP{ID: r.last("security").ID, Status: 401, Body: `{}`})
		}
		r.tells("architecture", "silent")
		r.tells("tests", "silent")
	}
	if n := len(r.host.sent); n != 7 {
		t.Errorf("%d requests, want one to the refused and three to each other", n)
	}
	if notices(r, "The advisor pauses") != 1 {
		t.Errorf("%d notices of a pause, want 1", notices(r, "The advisor pauses"))
	}
	if got := r.engine.sessions["s1"].state.Counts["advisor.security.skipped"]; got != 2 {
		t.Errorf("%d reviews counted as skipped by it, want 2", got)
	}
}

func TestAnAdvisorThatDoesNotWorkIsToldOfOnce(t *testing.T) {
	r := newTeam(t, three)
	for n := range 8 {
		r.send(step("s1", n+1)...)
		for range 2 { // the whole, then half of it: nothing that a pause would mend
			r.send(&protocol.HTTP{ID: r.last("security").ID, Status: 400, Body: `{"error":{"message":"maximum context length exceeded","code":"context_length_exceeded"}}`})
		}
		r.tells("architecture", "silent")
		r.tells("tests", "silent")
	}
	if notices(r, "The advisor security is not working") != 1 || notices(r, "The advisor is not working") != 0 {
		t.Errorf("%d notices of it and %d of all, want 1 and none", notices(r, "The advisor security is not working"), notices(r, "The advisor is not working"))
	}
}

func TestRequestsOfSeveralAdvisorsAreBounded(t *testing.T) {
	r := newTeam(t, three)
	for n := range 6 {
		r.send(step(fmt.Sprint("s", n), 1)...)
	}
	if n := len(r.host.sent); n != maxReviews {
		t.Fatalf("%d requests under way, want %d", n, maxReviews)
	}
	for _, sent := range append([]protocol.HTTPSend{}, r.host.sent[:3]...) {
		r.send(&protocol.HTTP{ID: sent.ID, Status: 200, Body: `{"choices":[{"message":{"content":"silent"}}]}`})
	}
	if n := len(r.host.sent); n != maxReviews+3 {
		t.Errorf("%d requests, want those of the next session too", n)
	}
}

func TestBoundsOfAReviewHoldOverAnswersThatComeLater(t *testing.T) {
	r := newTeam(t, three)
	r.disk.Write("many.txt", "alpha\nbravo\ncharlie\ndelta\necho\nfoxtrot\n")
	r.send(step("s1", 1)...)
	texts := []string{"The parser drops a comma.", "The cache never forgets.", "A socket is left open.", "The lock is taken twice.", "The header counts its letters.", "The loop ends too early."}
	for i, model := range []string{"security", "architecture", "tests"} {
		var notes []map[string]any
		for n := 2 * i; n < 2*i+2; n++ {
			note := says("nit", texts[n])
			note["category"] = fmt.Sprint("c", n)
			note["citations"] = []any{map[string]any{"kind": "quote", "path": "many.txt", "line": n + 1, "quote": strings.Split("alpha bravo charlie delta echo foxtrot", " ")[n], "fact": "it"}}
			notes = append(notes, note)
		}
		r.tells(model, "", append([]map[string]any{{"path": "many.txt"}}, notes...)...)
		r.tells(model, "silent")
		if i < 2 {
			r.pass(mergeMS)
		}
	}
	if got := outcome(r); got != "nit nit nit" {
		t.Errorf("delivered %q, want what one review may say", got)
	}
}

func TestALaterNoteIsCheckedAgainToo(t *testing.T) {
	r := newTeam(t, three)
	r.send(step("s1", 1)...)
	r.finds("tests", says("concern", "It greets nobody."))
	r.pass(mergeMS)
	r.tells("security", "", readIt)
	r.tells("security", "", says("blocker", "It is open to everybody."))
	r.disk.Write("a.txt", "changed\n")
	r.tells("security", "silent")
	r.tells("architecture", "silent")
	if got := outcome(r); got != "concern" {
		t.Errorf("delivered %q, want the first alone: the cited line changed", got)
	}
}

func TestAdvisorsDoNotShareWhatTheyHaveRead(t *testing.T) {
	r := newTeam(t, three)
	r.send(step("s1", 1)...)
	for _, model := range []string{"security", "tests"} {
		r.tells(model, "", readIt)
		if body := r.last(model).Body; !strings.Contains(body, "hello") || strings.Contains(body, "earlier call in this review") {
			t.Errorf("%s is told that it has read what another one has", model)
		}
	}
}

func TestOneAdvisorSendsWhatItSentBefore(t *testing.T) {
	alone, listed := newRig(t, options), newTeam(t, `{"advisors":[]}`)
	alone.send(step("s1", 1)...)
	listed.send(step("s1", 1)...)
	if alone.host.sent[0].Body != listed.host.sent[0].Body || strings.Contains(alone.host.sent[0].Body, "several reviewers") {
		t.Error("an empty roster is something else than none")
	}
}
