package guard

import (
	"fmt"
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

func TestAnUnknownSeverityIsANit(t *testing.T) {
	n := finding("catastrophe", "a.go", 3, "the lock is taken twice in flush()")
	if got := new(Guard).Review([]protocol.Note{n}, ctx).Notes[0].Severity; got != protocol.Nit {
		t.Errorf("severity %s", got)
	}
}
