package guard

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/evidence"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// scripted is one case of testdata/reviewer-cases.json: what a reviewer says
// at each review, or at every one.
type scripted struct {
	ID      string   `json:"id"`
	Reviews []action `json:"reviews"`
	Every   *action  `json:"every"`
}

type action struct {
	Notes []struct {
		Severity protocol.Severity `json:"severity"`
		Text     string            `json:"text"`
		File     string            `json:"file"`
		Line     int               `json:"line"`
		Quote    string            `json:"quote"`
	} `json:"notes"`
}

// shop is the workspace that the cases speak of.
type shop map[string]string

func (s shop) Resolve(path string) (string, error) { return path, nil }

func (s shop) ReadFile(path string, _ int) (string, error) {
	if text, ok := s[path]; ok {
		return text, nil
	}
	return "", evidence.ErrMissing
}

func (s shop) Search(string, string, int) (evidence.Found, error) { return evidence.Found{}, nil }

var payShop = shop{
	"src/pay.js":  "let balance = 100\nexport function charge(amount) {\n  balance += amount\n}\nexport function refund(amount, key) {\n  balance -= amount\n  return balance\n}\n",
	"src/util.js": "export const one = 1\n",
}

// judged makes notes of an action as the pipeline before the guard does.
func judged(a action, review int) []protocol.Note {
	var notes []protocol.Note
	resolver := &evidence.Resolver{Files: payShop}
	for _, n := range a.Notes {
		note := protocol.Note{Severity: n.Severity, Verdict: protocol.Confirmed, Text: strings.ReplaceAll(n.Text, "{n}", strconv.Itoa(review))}
		if n.File != "" {
			note.Citations = []protocol.Citation{{Path: n.File, Line: n.Line, Quote: n.Quote}}
		}
		note, findings := resolver.Examine(note)
		note, drop := evidence.Judge(note, findings, true)
		if drop == "" {
			notes = append(notes, note)
		}
	}
	return notes
}

func loadCases(t *testing.T) map[string]scripted {
	t.Helper()
	data, err := os.ReadFile("testdata/reviewer-cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []scripted
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	cases := make(map[string]scripted)
	for _, c := range list {
		cases[c.ID] = c
	}
	return cases
}

// A person writes at the first review and again at the tenth, and so on. The
// delivered notes are what the whole case may say.
func TestReviewerCases(t *testing.T) {
	cases := loadCases(t)
	for _, test := range []struct {
		id        string
		delivered int
		digest    bool
		dropped   map[Reason]int
	}{
		{"e-storm-same", 1, false, map[Reason]int{Duplicate: 199}},
		{"f-storm-counter", 1, false, map[Reason]int{Duplicate: 199}},
		{"f-storm-counter-concern", 1, false, map[Reason]int{Duplicate: 199}},
		{"g-twelve-nit", 3, true, map[Reason]int{ReviewQuota: 9}},
		{"g-twelve-concern", 3, true, map[Reason]int{ReviewQuota: 9}},
		{"g-twelve-blocker", 3, true, map[Reason]int{ReviewQuota: 9}},
		{"h-contentfree-listed", 0, false, map[Reason]int{ContentFree: 5}},
		{"x-user-decided", 1, false, map[Reason]int{Duplicate: 59}},
	} {
		t.Run(test.id, func(t *testing.T) {
			c, ok := cases[test.id]
			if !ok {
				t.Fatal("no such case")
			}
			reviews := len(c.Reviews)
			if c.Every != nil {
				reviews = 200
			}
			var g Guard
			delivered, digests := 0, 0
			for i := range reviews {
				if i%10 == 0 {
					g.Human()
				}
				var a action
				if c.Every != nil {
					a = *c.Every
				} else {
					a = c.Reviews[i]
				}
				out := g.Review(judged(a, i+1), Context{Session: "s"})
				delivered += len(out.Notes)
				if out.Digest != "" {
					digests++
				}
			}
			if delivered != test.delivered || digests > 0 != test.digest {
				t.Errorf("%d delivered with %d digests, want %d and %t", delivered, digests, test.delivered, test.digest)
			}
			for _, reason := range Reasons {
				if got := g.Counts().Of(reason); got != test.dropped[reason] {
					t.Errorf("dropped as %s: %d, want %d", reason, got, test.dropped[reason])
				}
			}
		})
	}
}

// After "ignore the advisor" nothing is said; and when the mute is lifted, what
// was said before is still said once.
func TestThePersonDecided(t *testing.T) {
	c := loadCases(t)["x-user-decided"]
	var g Guard
	g.Human()
	first := g.Review(judged(c.Reviews[0], 1), Context{Session: "s"})
	if len(first.Notes) != 1 {
		t.Fatalf("%d notes at first", len(first.Notes))
	}
	for name, mutes := range map[string]Mutes{
		"all":      {All: true},
		"the note": {Notes: []string{first.Notes[0].ID}},
		"the file": {Paths: []string{"src/pay.js"}},
	} {
		g := g
		g.Human()
		for i, a := range c.Reviews[1:] {
			if out := g.Review(judged(a, i+2), Context{Session: "s", Mutes: mutes}); len(out.Notes) > 0 {
				t.Errorf("muted %s, and still: %q", name, out.Notes[0].Text)
			}
		}
	}
}
