package guard

import (
	"fmt"
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/google/go-cmp/cmp"
)

var ctx = Context{Session: "s1"}

// finding makes a note with a proved citation. Different lines hash differently.
func finding(severity protocol.Severity, path string, line int, text string) protocol.Note {
	return protocol.Note{
		Severity: severity, Category: "bug", Text: text,
		Citations: []protocol.Citation{{Kind: protocol.CiteQuote, Path: path, Line: line, EndLine: line, Hash: fmt.Sprintf("%032x", line), Status: protocol.CiteVerified}},
	}
}

// distinct gives n findings that have nothing to do with each other.
func distinct(severity protocol.Severity, n int) []protocol.Note {
	topics := []string{
		"parser drops trailing comma", "cache never expires entries", "socket leaks on timeout", "regex matches too much", "lock taken twice here",
		"query built from raw input", "retry ignores its deadline", "header compared by case", "loop skips final element", "counter overflows after midnight",
	}
	var notes []protocol.Note
	for i := range n {
		topic := topics[i%len(topics)]
		notes = append(notes, finding(severity, fmt.Sprintf("src/file%c%c.go", 'a'+i/26, 'a'+i%26), 10, topic))
	}
	return notes
}

func texts(notes []protocol.Note) []string {
	var all []string
	for _, n := range notes {
		all = append(all, string(n.Severity)+": "+n.Text)
	}
	return all
}

func TestTheSameMatter(t *testing.T) {
	first := finding("concern", "src/pay.js", 6, "refund() subtracts twice when it is retried; guard it with the idempotency key")
	change := func(edit func(*protocol.Note)) protocol.Note {
		n := finding("concern", "src/pay.js", 6, first.Text)
		edit(&n)
		return n
	}
	tests := []struct {
		name string
		next protocol.Note
		same bool
	}{
		{"word for word", first, true},
		{"a counter", change(func(n *protocol.Note) { n.Text = "Attempt 17: " + n.Text + " (round 17)" }), true},
		{"a counter in words", change(func(n *protocol.Note) { n.Text = "Third reminder: " + n.Text }), true},
		{"a commit", change(func(n *protocol.Note) { n.Text += " Seen in commit 3f9a2c1d." }), true},
		{"capitals and full width", change(func(n *protocol.Note) {
			n.Text = "ＲＥＦＵＮＤ() SUBTRACTS TWICE when it is retried; guard it with the idempotency key"
		}), true},
		{"other words about the same lines", change(func(n *protocol.Note) { n.Text = "A repeated call removes the money two times; protect it." }), true},
		{"the lines moved", change(func(n *protocol.Note) { n.Citations[0].Line, n.Citations[0].EndLine = 206, 206 }), true},
		{"the lines changed, the function is the same", change(func(n *protocol.Note) {
			n.Citations[0].Line, n.Citations[0].Hash = 80, "ff"
			n.Text = "A second refund() takes the amount off again."
		}), true},
		{"no quote any more, a line near by", change(func(n *protocol.Note) {
			n.Citations[0].Line, n.Citations[0].Hash = 9, ""
			n.Text = "Money is taken off again on retries."
		}), true},
		{"its citations in another order", change(func(n *protocol.Note) {
			n.Text = "A repeated call removes the money two times; protect it."
			n.Citations = append([]protocol.Citation{{Kind: protocol.CiteQuote, Path: "src/other.js", Line: 1, Hash: "aa"}}, n.Citations...)
		}), true},
		{"no category any more", change(func(n *protocol.Note) { n.Category, n.Text = "", "Money is taken off again on retries." }), true},
		{"the path spelled differently", change(func(n *protocol.Note) { n.Citations[0].Path = "./src/Pay.js" }), true},

		{"another file", change(func(n *protocol.Note) { n.Citations[0].Path = "src/order.js" }), false},
		{"another category and other words", change(func(n *protocol.Note) { n.Category, n.Text = "style", "Name the variable after its currency." }), false},
		{"another place and other words", change(func(n *protocol.Note) {
			n.Citations[0].Line, n.Citations[0].Hash = 60, "ff"
			n.Text = "The response status is ignored after the upload."
		}), false},
		{"a different quote near by and other words", change(func(n *protocol.Note) {
			n.Citations[0].Line, n.Citations[0].Hash = 9, "ff"
			n.Text = "The response status is ignored after the upload."
		}), false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var g Guard
			if out := g.Review([]protocol.Note{first}, ctx); len(out.Notes) != 1 {
				t.Fatal("the first one was not delivered")
			}
			out := g.Review([]protocol.Note{test.next}, ctx)
			if same := len(out.Notes) == 0; same != test.same {
				t.Errorf("same: %t, want %t", same, test.same)
			}
			if test.same && out.Dropped[0].Reason != Duplicate {
				t.Errorf("dropped as %s", out.Dropped[0].Reason)
			}
		})
	}
}

// Notes of one review stand side by side: the place alone makes no duplicate.
func TestNotesOfOneReview(t *testing.T) {
	var g Guard
	out := g.Review([]protocol.Note{
		finding("concern", "src/pay.js", 6, "refund() subtracts twice when it is retried"),
		finding("concern", "src/pay.js", 6, "money is kept in floating point, cents get lost"),
		finding("concern", "src/pay.js", 6, "refund() subtracts twice when retried"),
	}, ctx)
	want := []string{"concern: refund() subtracts twice when it is retried", "concern: money is kept in floating point, cents get lost"}
	if diff := cmp.Diff(want, texts(out.Notes)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Without any citation, the first path in the text is the place.
func TestPlaceFromTheText(t *testing.T) {
	var g Guard
	for _, test := range []struct {
		text string
		want int
	}{
		{"The import in src/a.ts line 3 is unused.", 1},
		{"The import in src/a.ts line 4 is unused.", 0},
		{"The import in src/b.ts line 3 is unused.", 1},
		{"Unused import: src/b.ts:3", 0},
	} {
		if out := g.Review([]protocol.Note{{Severity: "nit", Text: test.text}}, ctx); len(out.Notes) != test.want {
			t.Errorf("%q: %d delivered, want %d", test.text, len(out.Notes), test.want)
		}
	}
}

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

func TestTheLoudestComeFirst(t *testing.T) {
	notes := append(distinct("nit", 4), distinct("blocker", 6)[4:]...)
	notes = append(notes, distinct("concern", 7)[6])
	var g Guard
	out := g.Review(notes, ctx)
	want := []string{"blocker: lock taken twice here", "blocker: query built from raw input", "concern: retry ignores its deadline"}
	if diff := cmp.Diff(want, texts(out.Notes)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wantDigest := "Held back, 4 more: nit: parser drops trailing comma; nit: cache never expires entries; nit: socket leaks on timeout; nit: regex matches too much."
	if out.Digest != wantDigest {
		t.Errorf("digest %q\nwant   %q", out.Digest, wantDigest)
	}
}

func TestADigestMentionsOnceAndTheNoteMayFollow(t *testing.T) {
	var g Guard
	g.Human()
	notes := distinct("nit", 5)
	g.Review(notes, ctx)
	out := g.Review(notes[3:], ctx)
	if diff := cmp.Diff([]string{"nit: regex matches too much", "nit: lock taken twice here"}, texts(out.Notes)); diff != "" {
		t.Errorf("what was only mentioned (-want +got):\n%s", diff)
	}
	g.Human()
	many := distinct("nit", 20)[10:]
	first, second := g.Review(many, ctx), g.Review(many, ctx)
	if first.Digest == "" || second.Digest != "" {
		t.Errorf("digests %q and then %q", first.Digest, second.Digest)
	}
	if third := g.Review(distinct("nit", 40)[20:], ctx); third.Digest != "" || len(third.Notes) > 0 {
		t.Errorf("a digest without a note: %q", third.Digest)
	}
}

func TestADigestIsBounded(t *testing.T) {
	var notes []protocol.Note
	for i, n := range distinct("nit", 50) {
		n.Text += strings.Repeat(" wort", i) + "\nand a second line"
		notes = append(notes, n)
	}
	out := new(Guard).Review(notes, ctx)
	if !strings.HasPrefix(out.Digest, "Held back, 47 more: ") || !strings.HasSuffix(out.Digest, "; and 38 others.") || len(out.Digest) > 900 || strings.Contains(out.Digest, "\n") {
		t.Errorf("%d bytes: %s", len(out.Digest), out.Digest)
	}
}

func TestBounds(t *testing.T) {
	tests := []struct {
		name      string
		limits    Limits
		review    func(i int) []protocol.Note // of five reviews between two human messages
		human     bool                        // a message before every review
		delivered int
		reason    Reason
		dropped   int
		told      int
	}{
		{"a review", Limits{}, func(i int) []protocol.Note { return distinct("nit", 26*5)[26*i : 26*i+5] }, true, 15, ReviewQuota, 10, 0},
		{"a human message", Limits{}, func(i int) []protocol.Note { return distinct("nit", 26*5)[26*i : 26*i+2] }, false, 6, MessageQuota, 4, 1},
		{"blockers", Limits{}, func(i int) []protocol.Note { return distinct("blocker", 26*5)[26*i : 26*i+1] }, false, 2, BlockerQuota, 3, 1},
		{"a session", Limits{PerSession: 7}, func(i int) []protocol.Note { return distinct("nit", 26*5)[26*i : 26*i+3] }, true, 7, SessionQuota, 8, 1},
		{"none at all", Limits{PerReview: -1}, func(i int) []protocol.Note { return distinct("blocker", 26*5)[26*i : 26*i+1] }, true, 0, ReviewQuota, 5, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var g Guard
			delivered, told := 0, 0
			for i := range 5 {
				if test.human {
					g.Human()
				}
				out := g.Review(test.review(i), Context{Session: "s", Limits: test.limits})
				delivered += len(out.Notes)
				told += len(out.Tell)
				for _, reason := range out.Tell {
					if Bound(reason, test.limits) == "" {
						t.Errorf("no sentence for %s", reason)
					}
				}
			}
			if delivered != test.delivered || g.Counts().Of(test.reason) != test.dropped || told != test.told {
				t.Errorf("%d delivered, %d dropped, told %d times; want %d, %d, %d",
					delivered, g.Counts().Of(test.reason), told, test.delivered, test.dropped, test.told)
			}
			if g.Counts().Delivered != delivered {
				t.Errorf("counted %d", g.Counts().Delivered)
			}
		})
	}
}

func TestAHumanMessageBeginsAnew(t *testing.T) {
	var g Guard
	notes := distinct("blocker", 6)
	for i, want := range []int{1, 1, 0} {
		if out := g.Review(notes[i:i+1], ctx); len(out.Notes) != want {
			t.Errorf("blocker %d: %d delivered, want %d", i+1, len(out.Notes), want)
		}
	}
	g.Human()
	if out := g.Review(notes[2:3], ctx); len(out.Notes) != 1 {
		t.Error("still held back after a human message")
	}
}

func TestCooldown(t *testing.T) {
	var g Guard
	notes := distinct("concern", 8)
	say := func(i int, severity protocol.Severity) protocol.Severity {
		n := notes[i]
		n.Severity = severity
		out := g.Review([]protocol.Note{n}, ctx)
		if len(out.Notes) != 1 {
			t.Fatalf("note %d dropped: %+v", i, out.Dropped)
		}
		return out.Notes[0].Severity
	}
	g.Human()
	if got := say(0, "concern"); got != "concern" {
		t.Errorf("before a wake: %s", got)
	}
	g.Woke(Limits{})
	if got := say(1, "concern"); got != "nit" {
		t.Errorf("after a wake: %s", got)
	}
	if got := say(2, "blocker"); got != "blocker" {
		t.Errorf("a blocker after a wake: %s", got)
	}
	g.Human()
	g.Human()
	if got := say(3, "concern"); got != "nit" {
		t.Errorf("two messages after a wake: %s", got)
	}
	g.Human()
	if got := say(4, "concern"); got != "concern" {
		t.Errorf("three messages after a wake: %s", got)
	}
	if g.Counts().Lowered != 2 {
		t.Errorf("%d counted as lowered, want 2", g.Counts().Lowered)
	}
	g.Woke(Limits{ImmuneTurns: -1})
	if got := say(5, "concern"); got != "concern" {
		t.Errorf("with immuneTurns of none: %s", got)
	}
}

func TestALoweredNoteSaysSo(t *testing.T) {
	var g Guard
	g.Woke(Limits{})
	n := finding("concern", "a.go", 3, "the lock is taken twice in flush()")
	n.Gates = []string{"review: reworded"}
	got := g.Review([]protocol.Note{n}, ctx).Notes[0]
	if got.Claimed != protocol.Concern || len(got.Gates) != 2 || got.Gates[1] != "cooldown: the session was woken a short time ago" {
		t.Errorf("claimed %q, gates %q", got.Claimed, got.Gates)
	}
	// Once the calm is over, the concern itself passes as a rise.
	g.Human()
	g.Human()
	g.Human()
	if out := g.Review([]protocol.Note{n}, ctx); len(out.Notes) != 1 || out.Notes[0].Severity != protocol.Concern {
		t.Errorf("after the calm: %+v", out)
	}
}

func TestMutes(t *testing.T) {
	n := finding("blocker", "src/legacy/pay.js", 6, "refund() subtracts twice when retried")
	n.Citations = append(n.Citations, protocol.Citation{Kind: protocol.CiteQuote, Path: "src/main.js", Line: 1})
	for _, test := range []struct {
		name  string
		mutes Mutes
		want  Reason
	}{
		{"nothing", Mutes{}, ""},
		{"everything", Mutes{All: true}, MutedAll},
		{"the file", Mutes{Paths: []string{"src/legacy/pay.js"}}, MutedPath},
		{"the file, spelled differently", Mutes{Paths: []string{`.\src\Legacy\pay.js`}}, MutedPath},
		{"its folder", Mutes{Paths: []string{"src/legacy"}}, MutedPath},
		{"its folder with a slash", Mutes{Paths: []string{"src/legacy/"}}, MutedPath},
		{"its folder with stars", Mutes{Paths: []string{"src/legacy/**"}}, MutedPath},
		{"by ending", Mutes{Paths: []string{"*.js"}}, MutedPath},
		{"the second file cited", Mutes{Paths: []string{"src/main.js"}}, MutedPath},
		{"all files", Mutes{Paths: []string{"."}}, MutedPath},
		{"a folder of like name", Mutes{Paths: []string{"src/leg"}}, ""},
		{"another file", Mutes{Paths: []string{"src/pay.js"}}, ""},
		{"an empty path", Mutes{Paths: []string{"", " "}}, ""},
		{"a bad pattern", Mutes{Paths: []string{"src/["}}, ""},
		{"the category", Mutes{Categories: []string{" Bug"}}, MutedCategory},
		{"another category", Mutes{Categories: []string{"style", ""}}, ""},
		{"another note", Mutes{Notes: []string{"n_000000000000"}}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var g Guard
			g.BeginReview()
			d := g.Admit(n, Context{Mutes: test.mutes})
			if d.Reason != test.want || d.Deliver != (test.want == "") {
				t.Errorf("deliver %t, reason %q; want %q", d.Deliver, d.Reason, test.want)
			}
		})
	}
}

// A muted matter outlives the ring.
func TestAMutedNoteIsNotForgotten(t *testing.T) {
	var g Guard
	muted := finding("nit", "src/pay.js", 6, "refund() subtracts twice when retried")
	id := g.Review([]protocol.Note{muted}, ctx).Notes[0].ID
	c := Context{Session: "s", Limits: Limits{Ring: 4, PerSession: 1000}, Mutes: Mutes{Notes: []string{id}}}
	for _, n := range distinct("nit", 20) {
		g.Human()
		g.Review([]protocol.Note{n}, c)
	}
	muted.Severity = protocol.Blocker
	if out := g.Review([]protocol.Note{muted}, c); len(out.Notes) != 0 || out.Dropped[0].Reason != MutedNote {
		t.Errorf("%+v", out)
	}
	if len(g.ring) != 4 {
		t.Errorf("%d matters in a ring of 4", len(g.ring))
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

func TestAnUnknownSeverityIsANit(t *testing.T) {
	n := finding("catastrophe", "a.go", 3, "the lock is taken twice in flush()")
	if got := new(Guard).Review([]protocol.Note{n}, ctx).Notes[0].Severity; got != protocol.Nit {
		t.Errorf("severity %s", got)
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
