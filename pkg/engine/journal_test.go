package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// journal is what a session has written down.
func (r *rig) journal() (lines []protocol.JournalLine) {
	r.t.Helper()
	for _, ef := range r.seen {
		if a, ok := ef.(*protocol.Append); ok && a.Log == "journal" {
			line, err := protocol.DecodeJournalLine([]byte(a.Line))
			if err != nil {
				r.t.Fatal(err)
			}
			lines = append(lines, line)
		}
	}
	return lines
}

func TestTheJournalHasEveryStep(t *testing.T) {
	r := newRig(t, options)
	r.send(step("s1", 1)...)
	r.now += 1_500
	r.review(says("blocker", "the greeting is wrong with ghp_0123456789abcdefghijklmnopqrstuvwxyzAB"), map[string]any{"note": "made up", "severity": "blocker", "verdict": "confirmed", "category": "bug",
		"citations": []any{map[string]any{"kind": "quote", "path": "a.txt", "line": 1, "quote": "not there"}}})
	r.send(&protocol.TurnEnd{Session: "s1", Outcome: "ok"})
	r.send(&protocol.Text{Session: "s1", Message: "a9", Text: "More."}, &protocol.StepEnd{Session: "s1", Message: "a9"})
	r.send(&protocol.User{Session: "s1", ID: "m2", Text: "another thing", Typed: true})
	got := r.journal()
	want := []protocol.JournalLine{
		{Kind: "human"},
		{Kind: "review", Outcome: "notes", Model: "fake/reviewer", MS: 1_500, Requests: 2},
		{Kind: "note", Outcome: "contradicted", Severity: protocol.Blocker, Category: "bug", Text: "made up"},
		{Kind: "note", Outcome: "delivered", Severity: protocol.Blocker, Claimed: "", Category: "bug", Where: "a.txt:1", Text: "the greeting is wrong with [redacted:github-token]", Wake: "allowed"},
		{Kind: "turn", Turn: 1, Outcome: "ok"},
		{Kind: "human", Turn: 1},
		{Kind: "review", Turn: 1, Outcome: "superseded", Model: "fake/reviewer", Requests: 1},
	}
	for i := range got {
		// The reply counts no tokens and no price is known, so that both are estimates.
		if l := got[i]; l.Kind == "review" && (l.In == 0 || l.Cost == 0 || !l.Guessed) {
			t.Errorf("line %d: %+v", i, l)
		}
		if l := got[i]; l.Session != "s1" || l.At < r.now-1_500 || l.Kind == "note" && l.Note == "" {
			t.Errorf("line %d: %+v", i, l)
		}
	}
	if d := cmp.Diff(want, got, cmpopts.IgnoreFields(protocol.JournalLine{}, "At", "Session", "Note", "In", "Out", "Cost", "Guessed")); d != "" {
		t.Error(d)
	}
}

// Two processes on one session would write everything twice.
func TestAnObserverWritesNoJournal(t *testing.T) {
	r := newRig(t, options)
	r.observer = true
	r.send(&protocol.Session{Session: "s1", Complete: true}, &protocol.User{Session: "s1", ID: "m1", Text: "go", Typed: true}, &protocol.TurnEnd{Session: "s1", Outcome: "ok"})
	if got := r.journal(); len(got) > 0 {
		t.Errorf("%+v", got)
	}
}

func TestTheJournalHasWhatTheJudgeDecided(t *testing.T) {
	p := newPerson(t, "opencode-v1", `{"watchdogModel": "fake/reviewer", "provider": {"baseURL": "http://127.0.0.1:9/v1"}, "judge": {"mode": "shadow"}}`)
	p.send(&protocol.User{Session: "s1", ID: "m1", Text: "go", Typed: true})
	p.seen = nil
	ask := func(call, command string) {
		p.send(&protocol.Permission{Session: "s1", Call: call, Action: "bash", Resources: []string{command}, Metadata: protocol.JSON(`{"command":"` + command + `"}`)})
	}
	ask("p1", "ls")
	p.send(&protocol.Decided{Session: "s1", Call: "p1", Allowed: true})
	ask("p2", "rm -rf ..")
	p.send(&protocol.Decided{Session: "s1", Call: "p2", Allowed: true})
	ask("p3", "./deploy.sh")
	p.send(&protocol.Decided{Session: "s1", Call: "p3", Allowed: true})
	want := []protocol.JournalLine{
		{Kind: "judge", Outcome: "allow"},
		{Kind: "answer", Outcome: "agreed"},
		{Kind: "judge", Outcome: "deny"},
		{Kind: "answer", Outcome: "disagreed"},
		{Kind: "judge", Outcome: "ask"},
	}
	if d := cmp.Diff(want, p.journal(), cmpopts.IgnoreFields(protocol.JournalLine{}, "At", "Session")); d != "" {
		t.Error(d)
	}
}
