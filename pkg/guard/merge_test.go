package guard

import (
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// by makes a finding of an advisor.
func by(author string, severity protocol.Severity, path string, line int, text string) protocol.Note {
	n := finding(severity, path, line, text)
	n.Author = author
	n.Category = author
	return n
}

func TestNotesOfOnePlaceAreMerged(t *testing.T) {
	const hole, untested = "the query is built from raw input", "no test sends a quote character"
	for _, c := range []struct {
		name  string
		notes []protocol.Note
		want  []string // author: text
	}{
		{"one place, two matters", []protocol.Note{by("security", "concern", "a.go", 5, hole), by("tests", "nit", "a.go", 5, untested)},
			[]string{"security, tests: concern: " + hole + "\ntests: " + untested}},
		{"the louder is the note", []protocol.Note{by("tests", "nit", "a.go", 5, untested), by("security", "blocker", "a.go", 5, hole)},
			[]string{"tests, security: blocker: " + hole + "\ntests: " + untested}},
		{"one matter in the same words", []protocol.Note{by("security", "concern", "a.go", 5, hole), by("tests", "nit", "a.go", 9, hole)},
			[]string{"security, tests: concern: " + hole}},
		{"another line", []protocol.Note{by("security", "concern", "a.go", 5, hole), by("tests", "nit", "a.go", 6, untested)},
			[]string{"security: concern: " + hole, "tests: nit: " + untested}},
		{"another file", []protocol.Note{by("security", "concern", "a.go", 5, hole), by("tests", "nit", "b.go", 5, untested)},
			[]string{"security: concern: " + hole, "tests: nit: " + untested}},
		{"one advisor's own stay apart", []protocol.Note{by("security", "concern", "a.go", 5, hole), by("security", "nit", "a.go", 5, untested), by("tests", "nit", "x.go", 1, "unrelated helper is dead")},
			[]string{"security: concern: " + hole, "security: nit: " + untested, "tests: nit: unrelated helper is dead"}},
		{"three of one place", []protocol.Note{by("a", "nit", "a.go", 5, hole), by("b", "nit", "a.go", 5, untested), by("c", "nit", "a.go", 5, "the name says the opposite")},
			[]string{"a, b, c: nit: " + hole + "\nb: " + untested + "\nc: the name says the opposite"}},
	} {
		var g Guard
		var got []string
		for _, n := range g.Review(c.notes, ctx).Notes {
			got = append(got, n.Author+": "+string(n.Severity)+": "+n.Text)
		}
		if strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestAMergedNoteIsOneOfTheBounds(t *testing.T) {
	var g Guard
	var notes []protocol.Note
	for i, n := range distinct("concern", 5) {
		n.Author = "security"
		other := n
		other.Author, other.Text = "tests", distinct("nit", 10)[9-i].Text
		notes = append(notes, n, other)
	}
	out := g.Review(notes, ctx)
	if len(out.Notes) != DefaultLimits.PerReview || len(out.Dropped) != 5-DefaultLimits.PerReview || g.inSession != DefaultLimits.PerReview {
		t.Errorf("%d said, %d dropped, %d counted; want the bound of one review over all advisors", len(out.Notes), len(out.Dropped), g.inSession)
	}
}

func TestBoundsHoldOverAllThatAnswerLater(t *testing.T) {
	var g Guard
	g.BeginReview()
	said := 0
	for i, n := range distinct("concern", 9) {
		n.Author = string(rune('a' + i))
		said += len(g.Also([]protocol.Note{n}, ctx).Notes)
	}
	if said != DefaultLimits.PerReview {
		t.Errorf("%d notes of one review, want %d", said, DefaultLimits.PerReview)
	}
}

func TestWhatAnotherAdvisorSaidBeforeIsNotSaidAgain(t *testing.T) {
	var g Guard
	g.BeginReview()
	first := by("security", "concern", "a.go", 5, "the query is built from raw input")
	later := by("tests", "concern", "a.go", 5, "whoever types a quote gets at every table")
	first.Category, later.Category = "bug", "bug"
	if out := g.Also([]protocol.Note{first}, ctx); len(out.Notes) != 1 {
		t.Fatal("the first is not said")
	}
	if out := g.Also([]protocol.Note{later}, ctx); len(out.Notes) != 0 || out.Dropped[0].Reason != Duplicate {
		t.Errorf("said %q, want it dropped as a duplicate", texts(out.Notes))
	}
}

func TestAMutedMatterDoesNotComeInWithAnother(t *testing.T) {
	var g Guard
	out := g.Review([]protocol.Note{by("security", "concern", "a.go", 5, "the query is built from raw input"), by("tests", "nit", "a.go", 5, "no test sends a quote character")},
		Context{Session: "s1", Mutes: Mutes{Categories: []string{"tests"}}})
	if len(out.Notes) != 1 || out.Notes[0].Author != "security" || strings.Contains(out.Notes[0].Text, "no test") || out.Dropped[0].Reason != MutedCategory {
		t.Errorf("said %+v, dropped %+v; want the other one alone", out.Notes, out.Dropped)
	}
}

func TestWhatWentIntoANoteIsNotSaidAgainAlone(t *testing.T) {
	var g Guard
	both := []protocol.Note{by("security", "concern", "a.go", 5, "the query is built from raw input"), by("tests", "nit", "a.go", 5, "no test sends a quote character")}
	said := g.Review(both, ctx).Notes
	for _, n := range both {
		if out := g.Review([]protocol.Note{n}, ctx); len(out.Notes) != 0 {
			t.Errorf("said again: %q", texts(out.Notes))
		}
	}
	g.Retract(said[0].ID)
	if out := g.Review(both[1:], ctx); len(out.Notes) != 1 {
		t.Errorf("dropped %+v, want it said: the note that it was part of was taken back", out.Dropped)
	}
}

func TestAMergedNoteIsBounded(t *testing.T) {
	var notes []protocol.Note
	for i := range 8 {
		n := by(string(rune('a'+i)), "nit", "a.go", 5, distinct("nit", 8)[i].Text+strings.Repeat(" long", 300))
		for line := range 4 {
			n.Citations = append(n.Citations, protocol.Citation{Kind: protocol.CiteQuote, Path: "b.go", Line: 10*i + line, Status: protocol.CiteVerified})
		}
		notes = append(notes, n)
	}
	var g Guard
	out := g.Review(notes, ctx)
	if len(out.Notes) != 1 || len(out.Notes[0].Citations) > maxCites || len([]rune(out.Notes[0].Text)) > MaxText || out.Notes[0].Author != "a, b, c, d, e, f, g, h" {
		t.Errorf("%d notes, %d citations, %d characters, by %s", len(out.Notes), len(out.Notes[0].Citations), len([]rune(out.Notes[0].Text)), out.Notes[0].Author)
	}
}
