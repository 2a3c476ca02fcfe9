package evidence

import (
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

func TestLegacy(t *testing.T) {
	for _, test := range []struct {
		name string
		line int
		fact string
		want protocol.CitationStatus
	}{
		{"the fact has the whole line", 6, "it runs balance -= amount on every retry", protocol.CiteVerified},
		{"the fact quotes a part", 5, "`refund(amount, key)` ignores its key", protocol.CiteVerified},
		{"the fact quotes another line", 3, "`balance -= amount` is not guarded", protocol.CiteUnknown},
		{"the fact tells the line in other words", 6, "the balance is lowered by the amount", protocol.CiteUnknown},
		{"one word is in many lines", 7, "ends in `return`", protocol.CiteUnknown},
		{"three letters are too few", 5, "`key` is ignored", protocol.CiteUnknown},
		{"a lone brace", 4, "the function ends with }", protocol.CiteUnknown},
		{"no fact", 6, "", protocol.CiteUnknown},
		{"no line", 0, "`balance -= amount` is not guarded", protocol.CiteUnknown},
		{"no such line", 412, "`balance -= amount` is not guarded", protocol.CiteContradicted},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := &Resolver{Files: workspace}
			c, _ := r.Resolve(protocol.Citation{Kind: protocol.CiteLegacy, Path: "src/pay.js", Line: test.line, Fact: test.fact})
			if c.Status != test.want {
				t.Errorf("%s, want %s", c.Status, test.want)
			}
			if c.Status == protocol.CiteVerified && (c.Line != test.line || c.EndLine != test.line) {
				t.Errorf("lines %d-%d, want %d", c.Line, c.EndLine, test.line)
			}
		})
	}
	few, _ := (&Resolver{Files: workspace}).Resolve(protocol.Citation{Kind: protocol.CiteLegacy, Path: "src/small.py", Line: 1, Fact: "`x == 1` is never true"})
	if few.Status != protocol.CiteUnknown {
		t.Errorf("two letters of a line: %s", few.Status)
	}
	files := tree{"x.py": "total\nreturn total\n" + strings.Repeat("pass this on\n", 21)}
	for line, want := range map[int]protocol.CitationStatus{2: protocol.CiteVerified, 9: protocol.CiteUnknown} {
		c, _ := (&Resolver{Files: files}).Resolve(protocol.Citation{Kind: protocol.CiteLegacy, Path: "x.py", Line: line, Fact: "return total, then pass this on"})
		if c.Status != want || c.Line != line {
			t.Errorf("line %d: %s at %d, want %s", line, c.Status, c.Line, want)
		}
	}
	c, _ := (&Resolver{Files: workspace}).Resolve(protocol.Citation{Kind: protocol.CiteLegacy, Path: "gone.js", Line: 1, Fact: "x"})
	if c.Status != protocol.CiteMissing {
		t.Errorf("a legacy citation of no file: %s", c.Status)
	}
}

func TestAbsence(t *testing.T) {
	for _, test := range []struct {
		name, pattern, glob string
		want                protocol.CitationStatus
	}{
		{"nothing found", `idempotencyKey`, "src/*.js", protocol.CiteVerified},
		{"something found", `balance -= `, "src/*.js", protocol.CiteContradicted},
		{"no file looked at", `idempotencyKey`, "scr/*.js", protocol.CiteUnknown},
		{"a bad pattern", `idempotency(`, "", protocol.CiteUnknown},
		{"a pattern of signs", `\{\}`, "", protocol.CiteUnknown},
		{"no pattern", ``, "", protocol.CiteUnknown},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, f := (&Resolver{Files: workspace}).Resolve(protocol.Citation{Kind: protocol.CiteAbsence, Pattern: test.pattern, Glob: test.glob})
			if c.Status != test.want {
				t.Errorf("%s (%s), want %s", c.Status, f.Reason, test.want)
			}
			if want := "src/pay.js:6:   balance -= amount\n"; c.Status == protocol.CiteContradicted && f.Excerpt != want {
				t.Errorf("shown %q, want %q", f.Excerpt, want)
			}
		})
	}
}

// loud finds what it is asked for, in files with long names.
type loud struct{ tree }

func (loud) Search(string, string, int) (Found, error) {
	hit := Hit{Path: strings.Repeat("d/", 400), Line: 1, Text: strings.Repeat("x", 4000)}
	return Found{Hits: []Hit{hit, hit, hit, hit, hit, hit, hit}, Files: 1, Complete: true}, nil
}

func TestWhatASearchFoundIsShownInPart(t *testing.T) {
	_, f := (&Resolver{Files: loud{}}).Resolve(protocol.Citation{Kind: protocol.CiteAbsence, Pattern: "idempotencyKey"})
	if len(f.Excerpt) > showBytes || strings.Count(f.Excerpt, "\n") != 1 {
		t.Errorf("%d bytes, %d hits shown", len(f.Excerpt), strings.Count(f.Excerpt, "\n"))
	}
}

// halfSearch stops before it has seen every file.
type halfSearch struct{ tree }

func (halfSearch) Search(string, string, int) (Found, error) { return Found{Files: 900}, nil }

func TestAnUnfinishedSearchProvesNoAbsence(t *testing.T) {
	c, _ := (&Resolver{Files: halfSearch{}}).Resolve(protocol.Citation{Kind: protocol.CiteAbsence, Pattern: "idempotencyKey"})
	if c.Status != protocol.CiteUnknown {
		t.Errorf("status %s, want unknown", c.Status)
	}
}

func TestCommand(t *testing.T) {
	commands := Commands{
		"call_1": "=== RUN TestRefund\n\x1b[31m--- FAIL: TestRefund (0.01s)\x1b[0m\n    pay_test.go:12: got 80, want 90\nFAIL\n",
		"call_2": "ok  \texample/pay\t0.3s\nshared words here\n",
		"call_3": "shared words here\n\x1b]0;title\x07done building\n",
	}
	for _, test := range []struct {
		name, call, excerpt string
		want                protocol.CitationStatus
		wantCall            string
	}{
		{"in the output", "call_1", "pay_test.go:12: got 80, want 90", protocol.CiteVerified, "call_1"},
		{"through terminal colours", "call_1", "--- FAIL: TestRefund (0.01s)\n    pay_test.go:12: got 80, want 90", protocol.CiteVerified, "call_1"},
		{"the wrong id, one output alone", "call_2", "got 80, want 90", protocol.CiteMoved, "call_1"},
		{"an unknown id, one output alone", "toolu_9", "got 80, want 90", protocol.CiteMoved, "call_1"},
		{"no id", "", "done building", protocol.CiteMoved, "call_3"},
		{"an unknown id, two outputs", "toolu_9", "shared words here", protocol.CiteUnknown, "toolu_9"},
		{"not in any output", "call_1", "got 80, want 100", protocol.CiteContradicted, "call_1"},
		{"an invented call", "toolu_9", "panic: nil map", protocol.CiteMissing, "toolu_9"},
		{"an empty excerpt", "call_1", " ", protocol.CiteUnknown, "call_1"},
		{"signs alone", "call_1", "===", protocol.CiteUnknown, "call_1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := &Resolver{Files: workspace, Commands: commands}
			c, _ := r.Resolve(protocol.Citation{Kind: protocol.CiteCommand, Call: test.call, Excerpt: test.excerpt})
			if c.Status != test.want || c.Call != test.wantCall {
				t.Errorf("%s in %q, want %s in %q", c.Status, c.Call, test.want, test.wantCall)
			}
		})
	}
}
