package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/guard"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// reply answers the last request with tool calls, each a name and its arguments, or else with text.
func (r *rig) reply(text string, calls ...map[string]any) {
	r.t.Helper()
	r.replyTo(&r.host.sent[len(r.host.sent)-1], text, calls...)
}

// replyTo answers a request likewise.
func (r *rig) replyTo(request *protocol.HTTPSend, text string, calls ...map[string]any) {
	r.t.Helper()
	message := map[string]any{"role": "assistant", "content": text}
	var list []any
	for i, c := range calls {
		args, err := json.Marshal(c)
		if err != nil {
			r.t.Fatal(err)
		}
		name := "advise"
		if c["note"] == nil {
			name = "read"
		}
		list = append(list, map[string]any{"id": fmt.Sprint("call_", i), "type": "function", "function": map[string]any{"name": name, "arguments": string(args)}})
	}
	if list != nil {
		message["tool_calls"] = list
	}
	body, err := json.Marshal(map[string]any{"choices": []any{map[string]any{"message": message, "finish_reason": "stop"}}})
	if err != nil {
		r.t.Fatal(err)
	}
	r.send(&protocol.HTTP{ID: request.ID, Status: 200, Body: string(body)})
}

func says(severity, text string) map[string]any {
	return map[string]any{"note": text, "severity": severity, "verdict": "confirmed", "category": "bug",
		"citations": []any{map[string]any{"kind": "quote", "path": "a.txt", "line": 1, "quote": "hello", "fact": "it says so"}}}
}

var readIt = map[string]any{"path": "a.txt"}

// review lets the running review say these notes and end.
func (r *rig) review(notes ...map[string]any) {
	r.t.Helper()
	r.reply("", append([]map[string]any{readIt}, notes...)...)
	r.reply("silent")
}

func delivered(r *rig) (all []*protocol.Deliver) {
	for _, ef := range r.seen {
		if d, ok := ef.(*protocol.Deliver); ok {
			all = append(all, d)
		}
	}
	return all
}

// outcome is what was delivered, as severity and whether it woke.
func outcome(r *rig) string {
	var all []string
	for _, d := range delivered(r) {
		word := d.Severity
		if d.Wake {
			word += "!"
		}
		all = append(all, word)
	}
	return strings.Join(all, " ")
}

func notices(r *rig, with string) (n int) {
	for _, ef := range r.seen {
		if e, ok := ef.(*protocol.Notice); ok && strings.Contains(e.Text, with) {
			n++
		}
	}
	return n
}

func with(own string) string { return strings.TrimSuffix(options, "}") + "," + own + "}" }

func TestAPersonWhoSpeaksWhileTheClaimIsOnItsWay(t *testing.T) {
	r := newRig(t, options)
	var held *protocol.Claim
	r.claim = func(c *protocol.Claim) *protocol.Claimed { held = c; return nil }
	r.send(step("s1", 1)...)
	r.review(says("blocker", "Everything breaks."))
	if held == nil {
		t.Fatal("no claim was asked for")
	}
	r.send(&protocol.User{Session: "s1", ID: "s1-m2", Text: "stop", Typed: true, Created: 2000}, &protocol.Claimed{ID: held.ID, Granted: true})
	if got := outcome(r); got != "" {
		t.Errorf("delivered %q, want nothing", got)
	}
	s := r.engine.sessions["s1"].state
	if s.Counts["note.woken"] != 0 || len(s.Breaker.Wakes) != 0 {
		t.Errorf("counted %d wakes, %v of the hour; want none", s.Counts["note.woken"], s.Breaker.Wakes)
	}
}

func TestNoAnswerToTheClaimIsNoGrant(t *testing.T) {
	r := newRig(t, options)
	r.claim = func(*protocol.Claim) *protocol.Claimed { return nil }
	r.send(step("s1", 1)...)
	r.review(says("blocker", "Everything breaks."))
	for _, ef := range r.seen {
		if e, ok := ef.(*protocol.SetTimer); ok && strings.HasPrefix(e.ID, "bound_c_") && e.MS == claimMS {
			r.now += claimMS
			r.send(&protocol.Timer{ID: e.ID})
		}
	}
	if got := outcome(r); got != "blocker" {
		t.Errorf("delivered %q, want a silent blocker", got)
	}
}

func TestAnAnswerToTheClaimThatComesLate(t *testing.T) {
	for _, late := range []bool{false, true} {
		r := newRig(t, options)
		var held *protocol.Claim
		r.claim = func(c *protocol.Claim) *protocol.Claimed { held = c; return nil }
		r.send(step("s1", 1)...)
		r.review(says("blocker", "Everything breaks."))
		r.now += claimMS
		if late {
			r.now++ // the timer was due, and the answer is heard first
		}
		r.send(&protocol.Claimed{ID: held.ID, Granted: true})
		if got, want := outcome(r), map[bool]string{false: "blocker!", true: "blocker"}[late]; got != want {
			t.Errorf("late %v: delivered %q, want %q", late, got, want)
		}
	}
}

func TestTheWakeIsStoredBeforeTheClaimIsAnswered(t *testing.T) {
	// The second look waits in the middle of the delivery, so that everything before it was stored.
	r := newRig(t, with(`"verify":"refute"`))
	stored := false
	r.claim = func(*protocol.Claim) *protocol.Claimed { return nil }
	r.send(step("s1", 1)...)
	r.review(says("blocker", "Everything breaks."))
	r.reply("HOLDS")
	for _, ef := range r.seen {
		if e, ok := ef.(*protocol.Save); ok {
			st, err := protocol.DecodeStoredSession([]byte(e.State))
			if err != nil {
				t.Fatal(err)
			}
			stored = stored || st.Spent
		}
	}
	if count[*protocol.Claim](r) != 1 || !stored {
		t.Errorf("%d claims; the wake was stored as spent: %v", count[*protocol.Claim](r), stored)
	}
}

func TestAReviewIsStoredWithWhatItSays(t *testing.T) {
	r := newRig(t, options)
	r.send(step("s1", 1)...)
	before := count[*protocol.Save](r)
	r.review(says("concern", "Everything breaks."))
	if n := count[*protocol.Save](r) - before; n != 1 {
		t.Errorf("stored %d times, want once, in front of the note", n)
	}
	st, err := protocol.DecodeStoredSession([]byte(r.states["s1"]))
	if err != nil || st.Owed {
		t.Errorf("the review is still owed: %v, %v", st.Owed, err)
	}
	if !slices.ContainsFunc(st.Counts, func(c protocol.Count) bool { return c.Name == "requests" && c.N > 0 }) {
		t.Error("what the review used is not stored with it")
	}
}

func TestWhatIsSaidIsStoredBeforeItIsSaid(t *testing.T) {
	r := newRig(t, options)
	r.send(step("s1", 1)...)
	r.review(says("blocker", "Everything breaks."))
	known := false
	for _, ef := range r.seen {
		switch e := ef.(type) {
		case *protocol.Save:
			known = strings.Contains(string(e.State), `"id":"msg_`) && strings.Contains(string(e.State), "Everything breaks.")
		case *protocol.Deliver:
			if !known {
				t.Error("a crash right after the delivery would forget it")
			}
		}
	}
	if got := outcome(r); got != "blocker!" {
		t.Errorf("delivered %q, want a blocker that wakes", got)
	}
}

func TestLinesThatChangeBeforeTheDelivery(t *testing.T) {
	change := func(r *rig) { r.disk.Write("a.txt", "bye\n") }
	t.Run("while the claim is on its way", func(t *testing.T) {
		r := newRig(t, options)
		r.claim = func(c *protocol.Claim) *protocol.Claimed {
			change(r)
			return &protocol.Claimed{ID: c.ID, Granted: true}
		}
		r.send(step("s1", 1)...)
		r.review(says("blocker", "Everything breaks."))
		if got := outcome(r); got != "" {
			t.Errorf("delivered %q, want nothing", got)
		}
	})
	t.Run("and change back", func(t *testing.T) {
		r := newRig(t, options)
		r.send(step("s1", 1)...)
		r.reply("", readIt, says("concern", "It greets."))
		change(r)
		r.reply("silent")
		if got := outcome(r); got != "" {
			t.Errorf("delivered %q, want nothing", got)
		}
		r.disk.Write("a.txt", "hello\n")
		r.send(step("s1", 2)...)
		r.review(says("concern", "It greets."))
		if got := outcome(r); got != "concern" {
			t.Errorf("delivered %q, want the concern that was not said before", got)
		}
	})
}

func TestAWakeCalmsWhatFollows(t *testing.T) {
	r := newRig(t, options)
	r.disk.Write("a.txt", "hello\n"+strings.Repeat("\n", 30)+"world\n")
	r.send(step("s1", 1)...)
	r.review(says("blocker", "Everything breaks."))
	r.send(&protocol.Text{Session: "s1", Text: "more"}, &protocol.StepEnd{Session: "s1"})
	other := says("concern", "The world ends.")
	other["citations"] = []any{map[string]any{"kind": "quote", "path": "a.txt", "line": 32, "quote": "world", "fact": "it ends here"}}
	r.review(other)
	if got := outcome(r); got != "blocker! nit" {
		t.Errorf("delivered %q, want the concern as a nit", got)
	}
}

func TestASeverityThatIsSwitchedOff(t *testing.T) {
	r := newRig(t, with(`"delivery":{"nit":"off"}`))
	r.send(step("s1", 1)...)
	r.review(says("nit", "It greets."), says("concern", "It greets nobody in particular and for no reason."))
	if got := outcome(r); got != "concern" {
		t.Errorf("delivered %q, want the concern alone", got)
	}
}

func TestSecretsDoNotReachTheSession(t *testing.T) {
	r := newRig(t, options)
	r.send(step("s1", 1)...)
	n := says("concern", "The key sk-test-1234567890 is in the code.")
	n["citations"].([]any)[0].(map[string]any)["fact"] = "sk-test-1234567890 again"
	n["citations"] = append(n["citations"].([]any), map[string]any{"kind": "absence", "pattern": "sk-test-1234567890", "fact": "nothing reads it"})
	r.review(n)
	if got := outcome(r); got != "concern" {
		t.Fatalf("delivered %q, want the concern", got)
	}
	for _, ef := range r.seen {
		if text := string(protocol.AppendOutcome(nil, protocol.Outcome{Effects: []protocol.Effect{ef}})); strings.Contains(text, "sk-test-1234567890") {
			t.Errorf("the key leaves in %s", ef.EffectType())
		}
	}
}

// What a reviewer says is cut in many places, and the key lies across each of them once.
func TestNoHalfOfASecretLeaves(t *testing.T) {
	const key, half = "sk-test-1234567890", "sk-test-"
	for _, most := range []int{120, 200, 300, guard.MaxText} {
		for at := most - len(key) - 30; at < most; at++ {
			r := newRig(t, options)
			r.send(step("s1", 1)...)
			words := strings.Repeat("xxxx ", 500)[:at] + key
			n := says("concern", words)
			n["citations"].([]any)[0].(map[string]any)["fact"] = words
			r.reply("", readIt, map[string]any{"path": words}, n)
			r.reply("silent")
			if got := outcome(r); got != "concern" {
				t.Fatalf("delivered %q, want the concern", got)
			}
			for _, ef := range r.seen {
				if text := string(protocol.AppendOutcome(nil, protocol.Outcome{Effects: []protocol.Effect{ef}})); strings.Contains(text, half) {
					t.Fatalf("behind %d bytes, half of the key leaves in %s: ...%s", at, ef.EffectType(), text[strings.Index(text, half)-20:][:60])
				}
			}
		}
	}
}

func TestAReviewThatIsGivenUpSaysNothing(t *testing.T) {
	r := newRig(t, options)
	r.send(step("s1", 1)...)
	r.reply("", readIt, says("concern", "It greets."))
	r.send(&protocol.User{Session: "s1", ID: "s1-m2", Text: "stop", Typed: true, Created: 2000})
	if got := outcome(r); got != "" {
		t.Errorf("delivered %q of a review that the person outranked", got)
	}
	r.send(&protocol.Text{Session: "s1", Text: "stopped"}, &protocol.StepEnd{Session: "s1"})
	r.review(says("concern", "It greets."))
	if got := outcome(r); got != "concern" {
		t.Errorf("delivered %q, want what was not said before", got)
	}
}

// A host that cannot take a silent note before the turn ends gets it again then, if it still holds.
func TestANoteThatTheHostHoldsBack(t *testing.T) {
	for _, tt := range []struct {
		name string
		then func(*rig)
		want string // what is sent again
		fate string
	}{
		{"still true", func(*rig) {}, "nit", "delivered"},
		{"its lines have moved", func(r *rig) { r.disk.Write("a.txt", "new\nhello\n") }, "nit", "delivered"},
		{"its lines have changed", func(r *rig) { r.disk.Write("a.txt", "bye\n") }, "", "stale"},
		{"muted meanwhile", func(r *rig) { r.send(&protocol.Command{Session: "s1", Call: "k1", Name: "advisor", Text: "mute bug"}) }, "", "muted_category"},
		{"muted beside the host meanwhile", func(r *rig) { r.leave(`{"do":"mute","about":"a.txt"}`) }, "", "muted_path"},
		{"after a restart", func(r *rig) { r.restart(options); r.send(&protocol.Session{Session: "s1", Complete: true}) }, "nit", "delivered"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, options)
			r.send(append(step("s1", 1), &protocol.TurnStart{Session: "s1"})...)
			r.review(says("nit", "A greeting is missing."))
			first := delivered(r)
			if len(first) != 1 {
				t.Fatalf("%d delivered, want the nit", len(first))
			}
			held := &protocol.Receipt{Session: "s1", ID: first[0].ID, State: "held"}
			r.send(held)
			tt.then(r)
			r.seen = nil
			r.send(&protocol.TurnEnd{Session: "s1", Outcome: "ok", Resumes: true})
			if got := outcome(r); got != "" {
				t.Errorf("sent %q though the turn goes on", got)
			}
			r.send(&protocol.TurnEnd{Session: "s1", Outcome: "ok"})
			if got := outcome(r); got != tt.want {
				t.Fatalf("sent again: %q, want %q", got, tt.want)
			}
			s := r.engine.sessions["s1"].state
			want := map[string]int64{"note.delivered": 1}
			if tt.want == "" {
				want = map[string]int64{"note.delivered": 0, "dropped." + tt.fate: 1}
			} else if again := delivered(r)[0]; again.ID != first[0].ID || again.Wake {
				t.Errorf("sent again as %s, wake %v; want %s, silent", again.ID, again.Wake, first[0].ID)
			}
			for name, n := range want {
				if s.Counts[name] != n {
					t.Errorf("%s = %d, want %d", name, s.Counts[name], n)
				}
			}
			withdrawn := 0
			for _, line := range r.journal() {
				if line.Kind == "withdrawn" && line.Outcome == tt.fate && line.Note == s.Notes[0].Note.ID {
					withdrawn++
				}
			}
			if withdrawn != int(s.Counts["dropped."+tt.fate]) {
				t.Errorf("the journal withdraws it %d times", withdrawn)
			}
			if s.Notes[0].Fate != tt.fate {
				t.Errorf("fate %q, want %q", s.Notes[0].Fate, tt.fate)
			}
			// A host that holds it back again is asked once more when the next turn ends, and not before.
			r.send(held)
			if got := outcome(r); got != tt.want {
				t.Errorf("sent %q at once, want it once", got)
			}
		})
	}
}

func TestANoteThatIsHeldBackWhenItsTurnHasJustEnded(t *testing.T) {
	r := newRig(t, options)
	r.send(append(step("s1", 1), &protocol.TurnStart{Session: "s1"})...)
	r.review(says("nit", "A greeting is missing."))
	id := delivered(r)[0].ID
	r.send(&protocol.TurnEnd{Session: "s1", Outcome: "ok"}, &protocol.Receipt{Session: "s1", ID: id, State: "held"})
	if got := outcome(r); got != "nit nit" {
		t.Errorf("sent %q, want it again at once", got)
	}
}

func TestADeliveryThatIsNeverSeenIsToldOnce(t *testing.T) {
	r := newRig(t, options)
	for n := range 2 {
		r.send(step("s1", n+1)...)
		r.review(says([]string{"nit", "concern"}[n], "It greets."))
		for range 4 {
			r.send(&protocol.TurnEnd{Session: "s1", Outcome: "ok"})
		}
	}
	if got := r.engine.sessions["s1"].state.Counts["note.unconfirmed"]; got != 2 {
		t.Errorf("%d unconfirmed, want 2", got)
	}
	if got := notices(r, "never showed up"); got != 1 {
		t.Errorf("%d notices, want 1", got)
	}
}

// The wake marks the state by itself: whatever was saved before it, the spent breaker goes with the claim.
func TestAClaimGoesWithASave(t *testing.T) {
	r := newRig(t, options)
	r.send(&protocol.Session{Session: "s1", Complete: true}, &protocol.User{Session: "s1", ID: "m1", Text: "go", Typed: true, Created: 1000})
	e := r.engine
	l := e.sessions["s1"]
	e.out, l.dirty = nil, false
	e.start("test", "s1", func(t *task) { e.wake(port{e, t}, l, "m1") })
	if len(e.out) == 0 || e.out[0].EffectType() != "claim" {
		t.Fatalf("asked for %v, want a claim", e.out)
	}
	if !l.dirty {
		t.Error("the claim goes out, and the spent breaker is not saved with it")
	}
}

// A second look takes seconds. What was checked before it is not what is there when it ends.
func TestWhatHappensDuringTheLastSecondLook(t *testing.T) {
	about := func(severity, text, category string) map[string]any {
		n := says(severity, text)
		n["category"] = category
		return n
	}
	for _, tt := range []struct {
		name string
		then func(r *rig)
		want string
	}{
		{"nothing", func(*rig) {}, "concern blocker!"},
		{"the lines change", func(r *rig) { r.disk.Write("a.txt", "good morning\n") }, ""},
		{"the person mutes a kind", func(r *rig) { r.ask("mute security") }, "concern"},
	} {
		r := newRig(t, with(`"verify":"refute"`))
		r.send(step("s1", 1)...)
		r.review(about("blocker", "Everybody who may write this file can take the whole machine over.", "security"), about("concern", "It greets in the wrong language.", "style"))
		r.reply("HOLDS")
		if n := count[*protocol.Claim](r); n != 0 {
			t.Errorf("%s: a wake is claimed, and a second look keeps it waiting", tt.name)
		}
		tt.then(r)
		r.reply("HOLDS")
		if got := outcome(r); got != tt.want {
			t.Errorf("%s: delivered %q, want %q", tt.name, got, tt.want)
		}
	}
}

// The person outranks a review, and what it had to say is not lost by that.
func TestWhatThePersonOutranIsSaidByTheNextReview(t *testing.T) {
	for _, settings := range []string{options, with(`"verify":"refute"`)} {
		r := newRig(t, settings)
		var held *protocol.Claim
		r.claim = func(c *protocol.Claim) *protocol.Claimed { held = c; return nil }
		r.send(step("s1", 1)...)
		r.review(says("blocker", "Everything breaks."))
		r.send(&protocol.User{Session: "s1", ID: "s1-m2", Text: "go on", Typed: true, Created: 2000})
		if held != nil {
			r.send(&protocol.Claimed{ID: held.ID, Granted: true})
		}
		s := r.engine.sessions["s1"].state
		if got := outcome(r); got != "" || s.Log.Pending() == 0 || s.Counts["dropped.superseded"] != 1 || s.Guard.Counts().Delivered != 0 {
			t.Errorf("delivered %q, %d pending, %d superseded, %d counted as said", got, s.Log.Pending(), s.Counts["dropped.superseded"], s.Guard.Counts().Delivered)
		}
		r.claim = nil
		r.send(&protocol.Text{Session: "s1", Text: "so be it"}, &protocol.StepEnd{Session: "s1"})
		r.review(says("blocker", "Everything breaks."))
		if settings != options {
			r.reply("HOLDS")
		}
		if got := outcome(r); got != "blocker!" {
			t.Errorf("the next review delivered %q, want a blocker that wakes", got)
		}
	}
}
