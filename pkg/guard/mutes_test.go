package guard

import (
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

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

// A reviewer that brings a muted matter back under another name cites the same place.
func TestAMutedPlaceIsQuietUnderAnyName(t *testing.T) {
	for _, test := range []struct {
		name  string
		again protocol.Note
		want  Reason
	}{
		{"the same lines, all else different", at("a.go", 40, "1", "security", "anybody can read what comes back here"), MutedNote},
		{"a quote that begins a line later", at("a.go", 6, "2", "security", "anybody can read what comes back here"), MutedNote},
		{"a quote that begins a line earlier", at("a.go", 4, "2", "security", "anybody can read what comes back here"), MutedNote},
		{"the next place", at("a.go", 8, "2", "security", "anybody can read what comes back here"), ""},
		{"another file", at("b.go", 5, "1", "security", "anybody can read what comes back here"), ""},
		{"no place", at("", 0, "", "security", "anybody can read what comes back here"), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var g Guard
			id := g.Review([]protocol.Note{at("a.go", 5, "1", "bug", "the reply is sent before it is complete")}, ctx).Notes[0].ID
			c := Context{Session: "s", Mutes: Mutes{Notes: []string{id}}}
			test.again.Severity = protocol.Blocker
			g.BeginReview()
			if d := g.Admit(test.again, c); d.Reason != test.want {
				t.Errorf("reason %q, want %q", d.Reason, test.want)
			}
		})
	}
}
