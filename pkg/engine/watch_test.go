package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

func TestASessionThatAnotherProcessReviews(t *testing.T) {
	r := newRig(t, options)
	r.observer = true
	r.send(step("s1", 1)...)
	r.send(&protocol.TurnEnd{Session: "s1", Outcome: "ok"})
	r.send(&protocol.Shutdown{})
	if len(r.host.sent) != 0 || len(r.states) != 0 {
		t.Errorf("%d requests and %d stored states, want none: the other one reviews and stores", len(r.host.sent), len(r.states))
	}
}

func TestBoundsOfASession(t *testing.T) {
	for _, own := range []string{`"reviewsPerSession":1`, `"maxTokensPerSession":1`} {
		t.Run(own, func(t *testing.T) {
			name, _, _ := strings.Cut(strings.Trim(own, `"`), `"`)
			r := newRig(t, with(own))
			r.send(step("s1", 1)...)
			r.send(&protocol.HTTP{ID: r.host.sent[0].ID, Status: 200, Body: `{"choices":[{"message":{"content":"silent"}}],"usage":{"prompt_tokens":5,"completion_tokens":1}}`})
			for n := 2; n < 5; n++ {
				r.send(step("s1", n)...)
			}
			r.restart(with(own)) // a bound that was told of stays told
			r.send(step("s1", 5)...)
			if len(r.host.sent) != 1 || notices(r, name) != 1 {
				t.Errorf("%d requests and %d notices, want one of each", len(r.host.sent), notices(r, name))
			}
			if got := r.engine.sessions["s1"].state.Counts["review.skipped."+name]; got != 4 {
				t.Errorf("%d reviews counted as skipped, want 4", got)
			}
		})
	}
}

func TestTheReviewerHearsWhatThePersonDecided(t *testing.T) {
	r := newRig(t, options)
	r.send(step("s1", 1)...)
	r.review(says("concern", "It greets."))
	for _, arg := range []string{"style", "src/old.ts"} {
		r.send(&protocol.Command{Session: "s1", Call: "c", Name: "advisor", Text: "mute " + arg})
	}
	r.send(step("s1", 2)...)
	body := r.host.sent[len(r.host.sent)-1].Body
	for _, want := range []string{"nothing of category style", "nothing about src/old.ts", "said already: It greets."} {
		if !strings.Contains(body, want) {
			t.Errorf("the request does not say %q", want)
		}
	}
}

func TestAnUnreadableStateSealsTheSession(t *testing.T) {
	r := newRig(t, options)
	r.broken = true
	typed := &protocol.User{Session: "s1", ID: "m1", Text: "go on", Typed: true, Created: 1000}
	r.send(&protocol.Session{Session: "s1"})
	r.send(&protocol.History{Session: "s1", Events: []protocol.Event{typed}})
	r.send(&protocol.Text{Session: "s1", Text: "working"}, &protocol.StepEnd{Session: "s1"})
	r.review(says("blocker", "Everything breaks."))
	if got := outcome(r); got != "blocker" {
		t.Errorf("delivered %q, want a blocker that does not wake", got)
	}
}

func TestAReviewThatWasDueIsStillDueAfterARestart(t *testing.T) {
	r := newRig(t, options)
	r.send(step("s1", 1)...)
	r.restart(options)
	r.send(&protocol.Session{Session: "s1", Complete: true})
	if len(r.host.sent) != 2 {
		t.Errorf("%d requests, want the lost one and another", len(r.host.sent))
	}
	r.reply("silent")
	r.restart(options)
	r.send(&protocol.Session{Session: "s1", Complete: true})
	if len(r.host.sent) != 2 {
		t.Errorf("%d requests, want no more: the review is done", len(r.host.sent))
	}
}

func TestOneTroubleOneNotice(t *testing.T) {
	r := newRig(t, options)
	for n := range 12 {
		r.now += 3_600_000 // past every pause
		r.send(step("s1", n+1)...)
		before := len(r.host.sent)
		for tries := 0; tries < 10; tries++ {
			r.send(&protocol.HTTP{ID: r.host.sent[len(r.host.sent)-1].ID, Status: 401, Body: `{"error":{"message":"bad key"}}`})
			if len(r.host.sent) == before {
				break
			}
			before = len(r.host.sent)
		}
	}
	if got := r.engine.sessions["s1"].state.Failing; got < 5 {
		t.Fatalf("%d reviews failed in a row, want 5 at least", got)
	}
	if got := count[*protocol.Notice](r); got != 1 {
		t.Errorf("%d notices, want 1", got)
	}
}

func TestWhatWasReviewedIsNotReviewedAgain(t *testing.T) {
	r := newRig(t, options)
	r.send(step("s1", 1)...)
	log := r.engine.sessions["s1"].state.Log
	if log.Pending() == 0 {
		t.Fatal("nothing is under review")
	}
	r.send(&protocol.HTTP{ID: r.host.sent[0].ID, Status: 400, Body: "no"})
	if log.Pending() == 0 {
		t.Error("what a failed review was to cover counts as reviewed")
	}
	r.now += 3_600_000 // past the pause
	r.send(step("s1", 2)...)
	r.reply("silent")
	if got := log.Pending(); got != 0 {
		t.Errorf("%d entries are still to be reviewed, want none", got)
	}
}

// A host with many sessions must not run into the loader's bound of open requests.
func TestReviewsUnderWayAreBoundedAndNoneIsLost(t *testing.T) {
	r := newRig(t, options)
	const n = 2*maxLive + 3
	for i := range n {
		r.send(step(fmt.Sprint("s", i), 1)...)
	}
	answered := 0
	for answered < len(r.host.sent) {
		if open := len(r.host.sent) - answered; open > maxReviews {
			t.Fatalf("%d requests are open, want at most %d", open, maxReviews)
		}
		id := r.host.sent[answered].ID
		answered++
		r.send(&protocol.HTTP{ID: id, Status: 200, Body: `{"choices":[{"message":{"content":"silent"}}]}`})
	}
	if answered != n || len(r.engine.queue) != 0 || r.engine.reviewing() != 0 {
		t.Errorf("%d reviews of %d; %d wait, %d run", answered, n, len(r.engine.queue), r.engine.reviewing())
	}
	r.send(step("late", 1)...)
	if got := len(r.engine.sessions); got > maxLive {
		t.Errorf("%d sessions in memory afterwards, want at most %d", got, maxLive)
	}
}

func TestAnObserverTakesOverWhenTheReviewerIsGone(t *testing.T) {
	r := newRig(t, options)
	r.observer = true
	r.send(step("s1", 1)...)
	r.observer = false // the other process dies
	r.send(step("s1", 2)...)
	if got := count[*protocol.Load](r); got != 1 {
		t.Errorf("the lease was asked for %d times within a moment, want 1", got)
	}
	r.now += takeover
	r.send(step("s1", 3)...)
	if got := count[*protocol.Resync](r); got != 1 || len(r.host.sent) != 0 {
		t.Fatalf("%d histories asked for and %d requests, want 1 and none yet", got, len(r.host.sent))
	}
	var said []protocol.Event
	for n := 1; n <= 3; n++ {
		said = append(said, step("s1", n)[0])
	}
	r.send(&protocol.History{Session: "s1", Events: said})
	r.send(&protocol.Text{Session: "s1", Text: "more"}, &protocol.StepEnd{Session: "s1"})
	r.review(says("blocker", "Everything breaks."))
	if got := outcome(r); got != "blocker!" {
		t.Errorf("delivered %q, want a blocker that wakes", got)
	}
	if s := r.engine.sessions["s1"].state; s.Breaker.Human != "s1-m3" || s.Humans != 3 {
		t.Errorf("%d human messages, the last %q; want 3 and s1-m3", s.Humans, s.Breaker.Human)
	}
}

func TestTheStateOfANewerVersionIsLeftAlone(t *testing.T) {
	r := newRig(t, options)
	newer := protocol.JSON(`{"version":99,"session":"s1"}`)
	r.states["s1"] = newer
	r.send(step("s1", 1)...)
	r.review(says("concern", "It greets."))
	r.send(&protocol.Shutdown{})
	if r.states["s1"] != newer {
		t.Errorf("it was written over with %.60s", r.states["s1"])
	}
	if got := outcome(r); got != "concern" {
		t.Errorf("delivered %q, want the concern all the same", got)
	}
}
