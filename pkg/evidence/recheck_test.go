package evidence

import (
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

func TestRecheck(t *testing.T) {
	const before = "package pay\n\nfunc Refund(n int) int {\n\tbalance -= n\n\treturn balance\n}\n"
	tests := []struct {
		name  string
		after string // empty: the file is gone
		want  Freshness
		line  int
	}{
		{"nothing changed", before, Same, 4},
		{"another line changed", strings.Replace(before, "return balance", "return 0", 1), Same, 4},
		{"line ends and trailing blanks changed", strings.ReplaceAll(before, "\n", "  \r\n"), Same, 4},
		{"the line changed", strings.Replace(before, "balance -= n", "balance -= max(n, 0)", 1), Stale, 4},
		{"the line got a guard", strings.Replace(before, "balance -= n", "if n > 0 { balance -= n }", 1), Stale, 4},
		{"the line went into a block", strings.Replace(before, "\tbalance -= n", "\tif n > 0 {\n\t\tbalance -= n\n\t}", 1), Stale, 4},
		{"lines were added above", "// Package pay pays.\n// It does.\n" + before, Moved, 6},
		{"lines were removed above", strings.TrimPrefix(before, "package pay\n\n"), Moved, 2},
		{"the file is gone", "", Stale, 4},
		{"the file is empty", "\n", Stale, 4},
		{"the line stands everywhere", strings.Repeat("\tbalance -= n // twice\n", 30), Stale, 4},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			files := tree{"pay.go": before}
			r := &Resolver{Files: files}
			for _, cited := range []protocol.Citation{
				quoteOf("pay.go", 4, "balance -= n"),
				{Kind: protocol.CiteLegacy, Path: "pay.go", Line: 4, Fact: "`balance -= n` has no guard"},
			} {
				files["pay.go"] = before
				c, _ := r.Resolve(cited)
				if c.Status != protocol.CiteVerified {
					t.Fatalf("%s before: %s", c.Kind, c.Status)
				}
				if files["pay.go"] = test.after; test.after == "" {
					delete(files, "pay.go")
				}
				c, got := r.Recheck(c)
				if got != test.want || c.Line != test.line {
					t.Errorf("%s: %s at line %d, want %s at line %d", c.Kind, got, c.Line, test.want, test.line)
				}
			}
		})
	}
}

// The case of a concern that came after the agent had mended the line.
func TestRecheckAfterTheAgentMendedTheLine(t *testing.T) {
	files := tree{"src/calc.js": "export function div(a,b){ return a/b }\n"}
	r := &Resolver{Files: files}
	note := protocol.Note{Citations: []protocol.Citation{quoteOf("src/calc.js", 1, "{ return a/b }")}}
	note, found := r.Examine(note)
	if !found[0].Proves() {
		t.Fatal(found[0])
	}
	files["src/calc.js"] = "export function div(a,b){ if(b===0) throw new RangeError(\"zero\"); return a/b }\n"
	if _, got := r.RecheckNote(note); got != Stale {
		t.Errorf("%s, want stale", got)
	}
	// The words are still there when a guard is put behind them, and the line is another.
	files["src/calc.js"] = "export function div(a,b){ return a/b } // checked by the caller\n"
	if _, got := r.RecheckNote(note); got != Stale {
		t.Errorf("%s, want stale", got)
	}
}

// The primary writes while the reviewer thinks: what the reviewer read last counts.
func TestTheFileAsItIsNow(t *testing.T) {
	files := tree{"a.go": "old line here\n"}
	r := &Resolver{Files: files}
	if c, _ := r.Resolve(quoteOf("a.go", 1, "old line here")); c.Status != protocol.CiteVerified {
		t.Fatal(c.Status)
	}
	files["a.go"] = "new line here\n"
	if c, _ := r.Resolve(quoteOf("a.go", 1, "new line here")); c.Status != protocol.CiteVerified {
		t.Errorf("the new line is %s", c.Status)
	}
	files["a.go"] = "newest line here\n"
	if _, f := r.Examine(protocol.Note{Citations: []protocol.Citation{quoteOf("a.go", 1, "newest line here")}}); f[0].Status != protocol.CiteVerified {
		t.Errorf("the newest line is %s", f[0].Status)
	}
}

// A line that has come to stand everywhere is nowhere for certain.
func TestRecheckAfterCopying(t *testing.T) {
	files := tree{"a.go": "\tbalance -= n\n"}
	r := &Resolver{Files: files}
	c, _ := r.Resolve(quoteOf("a.go", 1, "balance -= n"))
	files["a.go"] = "\n" + strings.Repeat("\tbalance -= n\n", 20)
	if _, got := r.Recheck(c); got != Moved {
		t.Errorf("20 places: %s, want moved", got)
	}
	files["a.go"] = "\n" + strings.Repeat("\tbalance -= n\n", 21)
	if _, got := r.Recheck(c); got != Stale {
		t.Errorf("21 places: %s, want stale", got)
	}
}

func TestRecheckNote(t *testing.T) {
	files := tree{"a.go": "one line\ntwo lines\n", "b.go": "other words\n"}
	r := &Resolver{Files: files, Commands: Commands{"c": "FAIL TestX"}}
	note, _ := r.Examine(protocol.Note{Citations: []protocol.Citation{
		quoteOf("a.go", 2, "two lines"),
		quoteOf("b.go", 1, "other words"),
		{Kind: protocol.CiteAbsence, Pattern: "missing_word"},
		{Kind: protocol.CiteCommand, Call: "c", Excerpt: "FAIL TestX"},
		quoteOf("b.go", 1, "}"),
	}})
	if _, got := r.RecheckNote(note); got != Same {
		t.Errorf("untouched: %s", got)
	}
	files["a.go"] = "zero\none line\ntwo lines\n"
	moved, got := r.RecheckNote(note)
	if got != Moved || moved.Citations[0].Line != 3 || note.Citations[0].Line != 2 {
		t.Errorf("%s, line %d (the note before: %d), want moved to 3", got, moved.Citations[0].Line, note.Citations[0].Line)
	}
	files["c.go"] = "the missing_word is here\n"
	if _, got := r.RecheckNote(note); got != Stale {
		t.Errorf("an absence that is none any more: %s", got)
	}
	delete(files, "c.go")
	delete(files, "b.go")
	if _, got := r.RecheckNote(note); got != Stale {
		t.Errorf("one of two files gone: %s", got)
	}
}

// A note that cites a line without proving it is as stale when its file goes.
func TestRecheckUnproved(t *testing.T) {
	files := tree{"a.go": "one line\n"}
	r := &Resolver{Files: files}
	c, _ := r.Resolve(protocol.Citation{Kind: protocol.CiteLegacy, Path: "a.go", Line: 1, Fact: "not nice"})
	if _, got := r.Recheck(c); c.Status != protocol.CiteUnknown || got != Same {
		t.Errorf("%s, %s", c.Status, got)
	}
	delete(files, "a.go")
	if _, got := r.Recheck(c); got != Stale {
		t.Errorf("%s, want stale", got)
	}
}
