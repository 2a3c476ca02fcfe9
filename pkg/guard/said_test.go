package guard

import (
	"fmt"
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

func TestARiseInSeverityPassesOnce(t *testing.T) {
	var g Guard
	var got []string
	for _, severity := range strings.Fields("nit nit concern nit concern blocker concern nit blocker") {
		out := g.Review([]protocol.Note{finding(protocol.Severity(severity), "a.go", 3, "the lock is taken twice in flush()")}, ctx)
		got = append(got, fmt.Sprint(len(out.Notes)))
	}
	if want := "1 0 1 0 0 1 0 0 0"; strings.Join(got, " ") != want {
		t.Errorf("delivered %s, want %s", strings.Join(got, " "), want)
	}
}

// A matter keeps its id through rises and other wording, so that a mute holds.
func TestIDs(t *testing.T) {
	var g Guard
	a := g.Review([]protocol.Note{finding("nit", "a.go", 3, "the lock is taken twice in flush()")}, ctx).Notes[0]
	b := g.Review([]protocol.Note{finding("blocker", "a.go", 3, "flush() deadlocks")}, ctx).Notes[0]
	if a.ID != b.ID || len(a.ID) != 14 || !strings.HasPrefix(a.ID, "n_") {
		t.Errorf("ids %q and %q", a.ID, b.ID)
	}
	var other Guard
	c := other.Review([]protocol.Note{finding("nit", "a.go", 3, "the lock is taken twice in flush()")}, Context{Session: "s2"}).Notes[0]
	if c.ID == a.ID {
		t.Error("the same id in another session")
	}
}

func TestTheRingForgetsTheOldest(t *testing.T) {
	var g Guard
	c := Context{Session: "s", Limits: Limits{Ring: 3, PerSession: 1000}}
	notes := distinct("nit", 4)
	for _, n := range notes {
		g.Human()
		g.Review([]protocol.Note{n}, c)
	}
	for i, want := range map[int]int{3: 0, 0: 1} {
		fork := g
		if out := fork.Review(notes[i:i+1], c); len(out.Notes) != want {
			t.Errorf("note %d again: %d delivered, want %d", i, len(out.Notes), want)
		}
	}
}

func TestRetract(t *testing.T) {
	var g Guard
	g.Human()
	n := finding("blocker", "a.go", 3, "the lock is taken twice in flush()")
	said := g.Review([]protocol.Note{n}, ctx).Notes[0]
	g.Retract(said.ID)
	g.Retract(said.ID) // twice is once
	if g.inReview != 0 || g.inMessage != 0 || g.blockers != 0 || g.inSession != 0 || g.Counts().Delivered != 0 {
		t.Errorf("still counted: %+v", g)
	}
	if out := g.Review([]protocol.Note{n}, ctx); len(out.Notes) != 1 {
		t.Error("it may not be said again")
	}
	// What was said before the last human message is not taken off its count.
	var k Guard
	k.Human()
	notes := distinct("blocker", 2)
	old := k.Review(notes[:1], ctx).Notes[0]
	k.Human()
	k.Review(notes[1:], ctx)
	if k.Retract(old.ID); k.inMessage != 1 || k.blockers != 1 || k.inReview != 1 || k.inSession != 1 {
		t.Errorf("%d and %d since the message, %d in the review, %d in all; want 1 of each", k.inMessage, k.blockers, k.inReview, k.inSession)
	}
	// A rise that was taken back leaves what was said before.
	var h Guard
	n.Severity = protocol.Nit
	h.Review([]protocol.Note{n}, ctx)
	n.Severity = protocol.Blocker
	h.Retract(h.Review([]protocol.Note{n}, ctx).Notes[0].ID)
	n.Severity = protocol.Nit
	if out := h.Review([]protocol.Note{n}, ctx); len(out.Notes) != 0 {
		t.Error("the nit is said twice")
	}
	n.Severity = protocol.Blocker
	if out := h.Review([]protocol.Note{n}, ctx); len(out.Notes) != 1 {
		t.Error("the blocker may not be said again")
	}
}

// A copy of the state is a fork: what one says, the other has not said.
func TestAForkGoesItsOwnWay(t *testing.T) {
	var g Guard
	notes := distinct("nit", 9)
	for i := range 5 {
		g.Human()
		g.Review(notes[i:i+1], ctx)
	}
	fork := g
	for _, h := range []*Guard{&g, &fork} {
		h.Human()
	}
	if out := g.Review(notes[5:6], ctx); len(out.Notes) != 1 {
		t.Fatal("not delivered")
	}
	if out := fork.Review(notes[6:7], ctx); len(out.Notes) != 1 {
		t.Error("the fork says nothing")
	}
	if out := g.Review(notes[5:6], ctx); len(out.Notes) != 0 {
		t.Error("what the fork said took the place of what was said here")
	}
	if out := fork.Review(notes[:1], ctx); len(out.Notes) != 0 {
		t.Error("the fork forgot what was said before it")
	}
	notes[0].Severity = protocol.Blocker
	fork = g
	raised := g.Review(notes[:1], ctx)
	if out := fork.Review(notes[:1], ctx); len(raised.Notes) != 1 || len(out.Notes) != 1 {
		t.Error("a rise in one is a rise in the other")
	}
	fork = g
	g.Retract(raised.Notes[0].ID)
	if out := fork.Review(notes[:1], ctx); len(out.Notes) != 0 {
		t.Error("a retraction in one is one in the other")
	}
}
