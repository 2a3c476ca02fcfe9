package evidence

import (
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/google/go-cmp/cmp"
)

func findings(statuses ...protocol.CitationStatus) []Finding {
	var all []Finding
	for _, s := range statuses {
		all = append(all, Finding{Status: s})
	}
	return all
}

func TestJudge(t *testing.T) {
	const (
		verified, moved       = protocol.CiteVerified, protocol.CiteMoved
		contradicted, missing = protocol.CiteContradicted, protocol.CiteMissing
		unread, unknown       = protocol.CiteUnread, protocol.CiteUnknown
	)
	type outcome struct {
		Strict, Loose protocol.Severity // empty: dropped
		Drop          Drop
		Kept          int // citations
	}
	tests := []struct {
		name    string
		claim   protocol.Severity
		verdict protocol.Verdict
		found   []protocol.CitationStatus
		want    outcome
	}{
		{"a proved blocker", "blocker", "confirmed", []protocol.CitationStatus{verified}, outcome{"blocker", "blocker", "", 1}},
		{"a proved concern", "concern", "confirmed", []protocol.CitationStatus{verified}, outcome{"concern", "concern", "", 1}},
		{"a proved nit", "nit", "confirmed", []protocol.CitationStatus{verified}, outcome{"nit", "nit", "", 1}},
		{"moved proves", "blocker", "confirmed", []protocol.CitationStatus{moved}, outcome{"blocker", "blocker", "", 1}},
		{"one proof among unread ones", "blocker", "confirmed", []protocol.CitationStatus{unread, verified, unknown}, outcome{"blocker", "blocker", "", 3}},
		{"no citation", "blocker", "confirmed", nil, outcome{"nit", "blocker", "", 0}},
		{"no citation for a concern", "concern", "confirmed", nil, outcome{"nit", "nit", "", 0}},
		{"no citation for a nit", "nit", "confirmed", nil, outcome{"nit", "nit", "", 0}},
		{"unread", "blocker", "confirmed", []protocol.CitationStatus{unread}, outcome{"nit", "blocker", "", 1}},
		{"unknown", "concern", "confirmed", []protocol.CitationStatus{unknown}, outcome{"nit", "nit", "", 1}},
		{"contradicted", "blocker", "confirmed", []protocol.CitationStatus{contradicted}, outcome{"", "", DropContradicted, 0}},
		{"contradicted nit", "nit", "confirmed", []protocol.CitationStatus{contradicted}, outcome{"", "", DropContradicted, 0}},
		{"missing", "concern", "confirmed", []protocol.CitationStatus{missing}, outcome{"", "", DropMissing, 0}},
		{"missing nit", "nit", "confirmed", []protocol.CitationStatus{missing}, outcome{"", "", DropMissing, 0}},
		{"missing and contradicted", "blocker", "confirmed", []protocol.CitationStatus{missing, contradicted}, outcome{"", "", DropContradicted, 0}},
		{"missing beside unread", "blocker", "confirmed", []protocol.CitationStatus{unread, missing}, outcome{"", "", DropMissing, 0}},
		{"an invention beside a proof", "blocker", "confirmed", []protocol.CitationStatus{verified, contradicted}, outcome{"nit", "nit", "", 1}},
		{"a ghost beside a proof", "concern", "confirmed", []protocol.CitationStatus{missing, moved}, outcome{"nit", "nit", "", 1}},
		{"refuted", "blocker", "refuted", []protocol.CitationStatus{verified}, outcome{"", "", DropRefuted, 0}},
		{"refuted in capitals", "nit", " Refuted", nil, outcome{"", "", DropRefuted, 0}},
		{"uncertain", "blocker", "uncertain", []protocol.CitationStatus{verified}, outcome{"nit", "nit", "", 1}},
		{"no verdict", "concern", "", []protocol.CitationStatus{verified}, outcome{"nit", "nit", "", 1}},
		{"an invented verdict", "blocker", "absolutely", nil, outcome{"nit", "nit", "", 0}},
		{"uncertain and contradicted", "blocker", "uncertain", []protocol.CitationStatus{contradicted}, outcome{"", "", DropContradicted, 0}},
		{"an invented severity", "critical", "confirmed", []protocol.CitationStatus{verified}, outcome{"nit", "nit", "", 1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			note := protocol.Note{Severity: test.claim, Verdict: test.verdict, Text: "x"}
			for range test.found {
				note.Citations = append(note.Citations, protocol.Citation{Kind: protocol.CiteQuote})
			}
			var got outcome
			strict, drop := Judge(note, findings(test.found...), true)
			got.Drop = drop
			if drop == "" {
				got.Strict, got.Kept = strict.Severity, len(strict.Citations)
			}
			loose, looseDrop := Judge(note, findings(test.found...), false)
			if looseDrop == "" {
				got.Loose = loose.Severity
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if drop != looseDrop {
				t.Errorf("dropped as %q, and as %q when evidence is not required", drop, looseDrop)
			}
			for _, c := range strict.Citations {
				if c.Status == protocol.CiteContradicted || c.Status == protocol.CiteMissing {
					t.Errorf("a false citation stays on the note: %+v", c)
				}
			}
		})
	}
}

// Whatever the findings are, the table has one row for it.
func TestTableIsWhole(t *testing.T) {
	seen := make(map[[2]string]int)
	for _, r := range Table {
		seen[[2]string{string(r.Proof), string(r.Claim)}]++
		if r.Becomes.Rank() > r.Claim.Rank() || r.Loose.Rank() > r.Claim.Rank() {
			t.Errorf("%+v raises a note", r)
		}
		if r.Becomes != r.Loose && (r.Proof != Unproved || r.Claim != protocol.Blocker) {
			t.Errorf("%+v: requireEvidence loosens more than the unproved blocker", r)
		}
	}
	for _, p := range []Proof{Proved, Unproved, Mixed, False} {
		for _, s := range []protocol.Severity{protocol.Nit, protocol.Concern, protocol.Blocker} {
			if n := seen[[2]string{string(p), string(s)}]; n != 1 {
				t.Errorf("%d rows for a %s %s", n, p, s)
			}
		}
	}
}

func TestJudgeTellsWhatItDid(t *testing.T) {
	note := protocol.Note{Severity: protocol.Blocker, Verdict: protocol.Uncertain, Gates: []string{"review: reworded"}}
	got, _ := Judge(note, nil, true)
	want := protocol.Note{
		Severity: protocol.Nit, Claimed: protocol.Blocker, Verdict: protocol.Uncertain,
		Gates: []string{"review: reworded", "evidence: no citation proves it"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, _ = Judge(note, nil, false); got.Gates[1] != "verdict: uncertain" {
		t.Errorf("gates %q", got.Gates)
	}
}

// A citation that nobody resolved proves nothing, whatever it says of itself.
func TestJudgeNeedsFindings(t *testing.T) {
	note := protocol.Note{Severity: protocol.Blocker, Verdict: protocol.Confirmed, Citations: []protocol.Citation{{Status: protocol.CiteVerified}}}
	got, drop := Judge(note, nil, true)
	if got.Severity != protocol.Nit || got.Citations[0].Status != protocol.CiteUnknown || drop != "" {
		t.Errorf("%+v, %q", got, drop)
	}
}

func TestMarkdown(t *testing.T) {
	want := `| citations | claimed | becomes | with ` + "`requireEvidence: false`" + ` |
| --- | --- | --- | --- |
| proved | blocker | blocker | blocker |
| proved | concern | concern | concern |
| proved | nit | nit | nit |
| unproved | blocker | nit | blocker |
| unproved | concern | nit | nit |
| unproved | nit | nit | nit |
| mixed | blocker | nit | nit |
| mixed | concern | nit | nit |
| mixed | nit | nit | nit |
| false | blocker | dropped | dropped |
| false | concern | dropped | dropped |
| false | nit | dropped | dropped |
`
	if diff := cmp.Diff(want, Markdown()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
