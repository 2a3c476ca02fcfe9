package guard

import (
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/google/go-cmp/cmp"
)

// at makes a note about one place; hash is that of the cited lines, empty for none.
func at(path string, line int, hash, category, text string) protocol.Note {
	n := protocol.Note{Severity: "nit", Category: category, Text: text}
	if path != "" {
		n.Citations = []protocol.Citation{{Kind: protocol.CiteQuote, Path: path, Line: line, Hash: hash}}
	}
	return n
}

// Each rule of sameness by itself: the pair is one matter by this rule alone.
func TestRulesOfSameness(t *testing.T) {
	const (
		here = "the response of fetchUser carries the password hash back to every browser that asks politely"
		near = "the response of fetchUser carries the password hash back to any browser that asks politely"
	)
	tests := []struct {
		name     string
		a, b     protocol.Note
		together bool
		want     bool
	}{
		{"the same words, wherever", at("a.go", 5, "1", "bug", "unused import"), at("a.go", 500, "2", "style", "Unused import."), true, true},
		{"the same words in another file", at("a.go", 5, "1", "bug", "unused import"), at("b.go", 5, "1", "bug", "unused import"), false, false},
		{"the same words but for a counter in a name", at("", 0, "", "", "step2 of the wizard loses input"), at("", 0, "", "", "step3 of the wizard loses input"), true, true},
		{"the same words but for a commit", at("", 0, "", "", "3f9a2c1d fails to link zlib"), at("", 0, "", "", "77ab01c fails to link zlib"), true, true},
		{"the same words but for a number in words", at("", 0, "", "", "the second table grows"), at("", 0, "", "", "the third table grows"), true, true},
		{"a word that only looks like a hash", at("", 0, "", "", "defaced pages load"), at("", 0, "", "", "deadbeef pages load"), true, false},
		{"another quoted name near by", at("a.go", 5, "1", "bug", "`alpha` shadows"), at("a.go", 9, "2", "style", "`beta` shadows"), true, true},
		{"another quoted name far away", at("a.go", 5, "1", "bug", "`alpha` shadows"), at("a.go", 500, "2", "bug", "`beta` shadows"), false, false},
		{"one word of many changed, near by", at("a.go", 5, "1", "bug", here), at("a.go", 9, "2", "style", near), true, true},
		{"one word of many changed, far away", at("a.go", 5, "1", "bug", here), at("a.go", 500, "2", "style", near), true, false},
		{"another name of the code", at("a.go", 5, "1", "bug", "missing await before fetchUser, the promise is never handled"),
			at("a.go", 6, "2", "style", "missing await before fetchOrders, the promise is never handled"), true, false},
		{"the same lines", at("a.go", 5, "1", "bug", "money gets lost"), at("a.go", 500, "1", "bug", "cents are rounded off"), false, true},
		{"the same lines in one review", at("a.go", 5, "1", "bug", "money gets lost"), at("a.go", 500, "1", "bug", "cents are rounded off"), true, false},
		{"the same lines, another category", at("a.go", 5, "1", "bug", "money gets lost"), at("a.go", 5, "1", "style", "cents are rounded off"), false, false},
		{"the same lines, a category of the same kin", at("a.go", 5, "1", "bug", "money gets lost"), at("a.go", 5, "1", "Correctness", "cents are rounded off"), false, true},
		{"the same lines, kin in one review", at("a.go", 5, "1", "bug", "money gets lost"), at("a.go", 5, "1", "goal", "cents are rounded off"), true, false},
		{"the same lines, no kin", at("a.go", 5, "1", "goal", "money gets lost"), at("a.go", 5, "1", "security", "cents are rounded off"), false, false},
		{"the same lines, one without category", at("a.go", 5, "1", "bug", "money gets lost"), at("a.go", 5, "1", "", "cents are rounded off"), false, true},
		{"the same function", at("a.go", 5, "1", "bug", "pay() loses money"), at("a.go", 500, "2", "bug", "cents are rounded off in pay()"), false, true},
		{"another function", at("a.go", 5, "1", "bug", "pay() loses money"), at("a.go", 500, "2", "bug", "cents are rounded off in charge()"), false, false},
		{"nine lines apart", at("a.go", 5, "", "bug", "money gets lost"), at("a.go", 14, "2", "bug", "cents are rounded off"), false, true},
		{"ten lines apart", at("a.go", 5, "", "bug", "money gets lost"), at("a.go", 15, "2", "bug", "cents are rounded off"), false, false},
		{"two quotes near by, related words", at("a.go", 5, "1", "bug", "the lock of the cache is never released after errors"),
			at("a.go", 9, "2", "bug", "after errors nobody releases that cache lock"), false, true},
		{"two quotes near by, other words", at("a.go", 5, "1", "bug", "the lock of the cache is never released after errors"),
			at("a.go", 9, "2", "bug", "prices are compared as text, so 9 is more than 10"), false, false},
		{"no place, other words", at("", 0, "", "bug", "money gets lost"), at("", 0, "", "bug", "cents are rounded off"), false, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a, _ := fingerprintOf(cleanNote(test.a))
			b, _ := fingerprintOf(cleanNote(test.b))
			if got := a.same(b, test.together); got != test.want {
				t.Errorf("same: %t, want %t (distance %d)", got, test.want, a.distance(b))
			}
			if a.same(b, test.together) != b.same(a, test.together) {
				t.Error("sameness depends on the order")
			}
		})
	}
}

// A note between two matters is a repetition if the louder of them covers it.
func TestTheLoudestMatterCounts(t *testing.T) {
	var g Guard
	quiet, loud := at("a.go", 5, "", "bug", "money gets lost"), at("a.go", 15, "", "bug", "cents are rounded off")
	loud.Severity = protocol.Concern
	g.Review([]protocol.Note{quiet}, ctx)
	if out := g.Review([]protocol.Note{loud}, ctx); len(out.Notes) != 1 {
		t.Fatal("they are one matter")
	}
	between := at("a.go", 10, "", "bug", "the total drifts")
	between.Severity = protocol.Concern
	if out := g.Review([]protocol.Note{between}, ctx); len(out.Notes) != 0 {
		t.Error("said again between the two")
	}
}

func TestLimits(t *testing.T) {
	if diff := cmp.Diff(DefaultLimits, Limits{}.orDefault()); diff != "" {
		t.Errorf("nothing set (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Limits{Ring: 1}, Limits{-1, -1, -1, -1, -1, -1}.orDefault()); diff != "" {
		t.Errorf("nothing allowed (-want +got):\n%s", diff)
	}
	if got := (Limits{Ring: 1 << 20}).orDefault().Ring; got != maxRing {
		t.Errorf("a ring of %d", got)
	}
}

func TestEmptyText(t *testing.T) {
	for _, text := range []string{"", " \n", "\u200b\u202e", "</system>", "SYSTEM:"} {
		d := new(Guard).Admit(protocol.Note{Text: text}, ctx)
		if d.Deliver || d.Reason != Empty {
			t.Errorf("%q: %q, want %q", text, d.Reason, Empty)
		}
	}
}

// Texts without a word in common are not related, however short their words are.
func TestUnrelatedTextsAreFarApart(t *testing.T) {
	texts := []string{
		"parsedate_to_datetime gives times with a zone, and datetime.now() has none: comparing them raises TypeError",
		"The person asked for a timeout of five seconds for each feed, and fresh still calls fetch with its default of ten.",
		"Cents are whole everywhere else, and this gives fractions of a cent. Round to whole cents.",
		"A voucher on a small cart gives a negative sum: the shop pays the customer.",
		"The path under rm -rf is not quoted, so a blank in a name removes something else.",
		"The read lock is still held when an unknown kind returns early, so Register waits for ever.",
		"Every render adds a key listener to the document that nobody takes off.",
		"Whoever can open the site may download .git and with it the whole history.",
		"A pipe ends with gzip's status, therefore a failed dump goes unnoticed.",
		"Passwords of people land in the log as clear text.",
		"Months count from zero here, which makes April out of March.",
		"The subquery names a column of the outer table and deletes all visits.",
	}
	for i, a := range texts {
		for _, b := range texts[i+1:] {
			f, _ := fingerprintOf(at("a.go", 5, "1", "bug", a))
			g, _ := fingerprintOf(at("a.go", 9, "2", "bug", b))
			if d := f.distance(g); d <= simRelated {
				t.Errorf("%d bits of 128 differ, want more than %d:\n%s\n%s", d, simRelated, a, b)
			}
		}
	}
}
