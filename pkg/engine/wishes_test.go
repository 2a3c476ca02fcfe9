package engine

import (
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/session"
)

// leave puts wishes where the program superadvisor leaves them.
func (r *rig) leave(lines ...string) { r.wishes += strings.Join(lines, "\n") + "\n" }

func (r *rig) s1() *session.State { return r.engine.sessions["s1"].state }

// stored is s1 as a restart would find it.
func (r *rig) stored() protocol.StoredSession {
	st, err := protocol.DecodeStoredSession([]byte(r.states["s1"]))
	if err != nil {
		r.t.Fatal(err)
	}
	return st
}

const (
	muteAll   = `{"do":"mute"}`
	muteBug   = `{"do":"mute","about":"bug"}`
	unmuteAll = `{"do":"unmute"}`
)

func TestAMuteThatIsLeftBesideTheHostHoldsFromTheNextReviewOn(t *testing.T) {
	r := newRig(t, options)
	r.leave(muteAll)
	r.send(step("s1", 1)...)
	if len(r.host.sent) != 0 || r.s1().Counts["review.skipped.muted"] != 1 || r.s1().Counts[session.CountStarted] != 0 {
		t.Errorf("%d requests, counts %v; want a review that was skipped", len(r.host.sent), r.s1().Counts)
	}
	if st := r.stored(); !st.Muted || st.Heard != int64(len(r.wishes)) || st.Owed {
		t.Errorf("stored: muted %v, heard %d, owed %v", st.Muted, st.Heard, st.Owed)
	}
	if n := notices(r, "superadvisor was told about this session: The advisor is quiet"); n != 1 {
		t.Errorf("the person in the host hears of it %d times", n)
	}
	// What is lifted there is lifted for this very update.
	r.leave(unmuteAll)
	r.send(step("s1", 2)...)
	if len(r.host.sent) != 1 || r.s1().Counts["review.skipped.muted"] != 1 {
		t.Errorf("%d requests after the mute was lifted, counts %v", len(r.host.sent), r.s1().Counts)
	}
	r.review(says("nit", "It greets."))
	if got := outcome(r); got != "nit" {
		t.Errorf("delivered %q", got)
	}
}

func TestAMuteThatIsLeftDuringAReviewHoldsForItsNotes(t *testing.T) {
	for _, tt := range []struct {
		name, options string
		leave         func(r *rig) // and end the review
		fate          string
	}{
		{"while the reviewer thinks", options, func(r *rig) { r.leave(muteBug); r.review(says("concern", "It breaks.")) }, "muted_category"},
		{"everything", options, func(r *rig) { r.leave(muteAll); r.review(says("concern", "It breaks.")) }, "muted_all"},
		{"while the second look goes on", with(`"verify":"refute"`), func(r *rig) {
			r.review(says("concern", "It breaks."))
			r.leave(muteBug)
			r.reply("HOLDS")
		}, "muted_category"},
		{"in the host, while the second look goes on", with(`"verify":"refute"`), func(r *rig) {
			r.review(says("concern", "It breaks."))
			r.ask("mute bug")
			r.reply("HOLDS")
		}, "muted_category"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, tt.options)
			r.send(step("s1", 1)...)
			tt.leave(r)
			if got := outcome(r); got != "" {
				t.Errorf("delivered %q", got)
			}
			s := r.s1()
			if len(s.Notes) != 1 || s.Notes[0].Fate != tt.fate || s.Counts["dropped."+tt.fate] != 1 {
				t.Fatalf("notes %+v, counts %v; want it dropped as %s", s.Notes, s.Counts, tt.fate)
			}
			if s.Log.Pending() != 0 || r.engine.sessions["s1"].review != nil {
				t.Errorf("%d entries are pending: the review did not end", s.Log.Pending())
			}
			// It left no trace in the guard: lifted, the same note is said.
			r.ask("unmute bug")
			r.ask("unmute")
			r.send(step("s1", 2)...)
			r.review(says("concern", "It breaks."))
			if tt.options != options {
				r.reply("HOLDS")
			}
			if got := outcome(r); got != "concern" {
				t.Errorf("delivered %q once it was lifted", got)
			}
		})
	}
}

// What was said last holds, wherever it was said.
func TestTheLastWordAboutAMute(t *testing.T) {
	said := func(r *rig, n int, text string) {
		r.send(&protocol.User{Session: "s1", ID: "w" + itoa(n), Text: text, Typed: true, Created: int64(100_000 + n)})
	}
	for _, tt := range []struct {
		name string
		play func(r *rig)
		want string // of stored mutes
	}{
		{"left, then lifted in the host", func(r *rig) { r.leave(muteBug); r.ask("unmute bug") }, ""},
		{"in the host, then lifted beside it", func(r *rig) { r.ask("mute bug"); r.leave(`{"do":"unmute","about":"bug"}`); r.ask("status") }, ""},
		{"left, then typed", func(r *rig) { r.leave(muteAll); said(r, 1, "listen to the advisor") }, ""},
		{"lifted beside the host, then typed", func(r *rig) { said(r, 1, "ignore the advisor"); r.leave(unmuteAll); said(r, 2, "ignore the advisor") }, "all"},
		{"typed, then lifted beside the host", func(r *rig) { said(r, 1, "ignore the advisor"); r.leave(unmuteAll); r.ask("status") }, ""},
		{"left twice", func(r *rig) { r.leave(muteBug, muteBug); r.ask("status") }, "bug"},
		{"left, lifted and left", func(r *rig) { r.leave(muteBug, `{"do":"unmute","about":"bug"}`, muteBug); r.ask("status") }, "bug"},
		{"heeded, lifted in the host, and a restart", func(r *rig) {
			r.leave(muteBug)
			r.ask("status")
			r.ask("unmute bug")
			r.restart(options)
			r.ask("status")
		}, ""},
		{"heeded, and a restart that finds nothing stored", func(r *rig) {
			r.leave(muteBug)
			r.ask("status")
			delete(r.states, "s1")
			r.restart(options)
			r.ask("status")
		}, "bug"},
		{"heeded, and the file is made anew", func(r *rig) {
			r.leave(muteBug, unmuteAll)
			r.ask("status")
			r.wishes = ""
			r.ask("unmute bug")
			r.leave(`{"do":"mute","about":"style"}`, muteBug)
			r.ask("status")
		}, "style bug"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, with(`"reviewMode":"idle"`))
			r.send(step("s1", 1)...)
			tt.play(r)
			st := r.stored()
			got := strings.Join(st.MutedCategories, " ")
			if st.Muted {
				got = strings.TrimSpace("all " + got)
			}
			if got != tt.want {
				t.Errorf("muted %q, want %q", got, tt.want)
			}
		})
	}
}

func TestLinesThatAreNoWishes(t *testing.T) {
	r := newRig(t, options)
	r.leave("", `{"do":"mu`, "{}", "mute bug", `{"do":"shout"}`, `{"do":"mute","about":"a\nb"}`, `{"do":"mute","about":"`+strings.Repeat("x", 400)+`"}`, `[1]`, muteBug, `{"do":"unmute","about":"style"}`)
	r.wishes += `{"do":"mute","about":"cut of`
	r.send(step("s1", 1)...)
	if s := r.s1(); len(s.Mutes.Categories) != 1 || s.Mutes.Categories[0] != "bug" || s.Mutes.All || len(s.Mutes.Paths)+len(s.Mutes.Notes) != 0 {
		t.Errorf("mutes %+v, want the one that is a wish", s.Mutes)
	}
	found := 0
	for _, l := range r.host.logs {
		if strings.Contains(l, "7 lines of its wishes are none") {
			found++
		}
	}
	if found != 1 {
		t.Errorf("logs %q", r.host.logs)
	}
	if len(r.host.sent) != 1 {
		t.Errorf("%d requests, want the review to go on", len(r.host.sent))
	}
}

func TestWishesWithoutEnd(t *testing.T) {
	r := newRig(t, options)
	for i := range 1_000 {
		r.leave(`{"do":"mute","about":"c` + itoa(i) + `"}`)
	}
	r.send(step("s1", 1)...)
	if n := len(r.s1().Mutes.Categories); n != 100 {
		t.Errorf("%d categories are muted, want a bound of 100", n)
	}
	n := last[*protocol.Notice](r)
	if !strings.Contains(n.Text, "And 96 more") || len(n.Text) > 600 {
		t.Errorf("the notice has %d bytes: %s", len(n.Text), n.Text)
	}
	if got := r.ask("mute one-more"); !strings.HasPrefix(got, "100 of these are muted already.") {
		t.Errorf("one more: %s", got)
	}
}

// A loader that does not answer costs a moment, and no wish.
func TestWishesThatAreNotTold(t *testing.T) {
	r := newRig(t, options)
	r.leave(muteBug)
	r.deaf = true
	expire := func() {
		for _, ef := range r.seen {
			if e, ok := ef.(*protocol.SetTimer); ok && strings.HasPrefix(e.ID, "bound_w_") && e.MS == heedMS && r.engine.timers[e.ID] != nil {
				r.now += heedMS
				r.send(&protocol.Timer{ID: e.ID})
			}
		}
	}
	r.send(step("s1", 1)...)
	expire()
	if len(r.host.sent) != 1 {
		t.Fatalf("%d requests, want the review", len(r.host.sent))
	}
	r.deaf = false
	r.review(says("concern", "It breaks."))
	if got := outcome(r); got != "" || r.s1().Notes[0].Fate != "muted_category" {
		t.Errorf("delivered %q, fate %s", got, r.s1().Notes[0].Fate)
	}
}

// Two that look at once find the same wishes; they are taken up once, and none that comes between is lost.
func TestTwoLooksAtOnce(t *testing.T) {
	r := newRig(t, options)
	r.deaf = true
	r.send(append(step("s1", 1), &protocol.Command{Session: "s1", Call: "k1", Name: "advisor", Text: "status"})...)
	var asked []*protocol.Heed
	for _, ef := range r.seen {
		if h, ok := ef.(*protocol.Heed); ok {
			asked = append(asked, h)
		}
	}
	if len(asked) != 2 {
		t.Fatalf("%d looks under way, want the review's and the command's", len(asked))
	}
	r.deaf = false
	r.leave(muteBug)
	early := r.wishes
	r.leave(`{"do":"mute","about":"style"}`)
	r.send(&protocol.Heard{ID: asked[1].ID, Text: early, Next: int64(len(early))}, &protocol.Heard{ID: asked[0].ID, Text: r.wishes, Next: int64(len(r.wishes))})
	if got := r.s1().Mutes.Categories; len(got) != 2 || got[0] != "bug" || got[1] != "style" {
		t.Errorf("muted %v", got)
	}
	if a, b := notices(r, "Muted: bug."), notices(r, "Muted: style."); a != 1 || b != 1 {
		t.Errorf("told %d and %d times", a, b)
	}
}

// A process that does not review the session leaves what is said in it for the one that does.
func TestAMuteInAProcessThatOnlyLooksOn(t *testing.T) {
	r := newRig(t, options)
	r.observer = true
	r.send(step("s1", 1)...)
	if got := r.ask("mute bug"); got != "Muted: bug. /advisor unmute bug lifts it." || r.wishes != muteBug+"\n" {
		t.Errorf("said %q, left %q", got, r.wishes)
	}
	if n := notices(r, "was told"); n != 0 {
		t.Error("the person is told of their own words")
	}
	if _, stored := r.states["s1"]; stored {
		t.Error("the state of another process's session was written")
	}
	other := newRig(t, options)
	other.wishes = r.wishes
	other.send(step("s1", 1)...)
	other.review(says("concern", "It breaks."))
	if got := outcome(other); got != "" {
		t.Errorf("the reviewing process delivered %q", got)
	}
}
