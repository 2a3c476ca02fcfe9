package delivery

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

var blocker = protocol.Note{
	ID: "n_0123456789ab", Severity: protocol.Blocker, Text: "getUserProfile crashes for an unknown id.",
	Citations: []protocol.Citation{
		{Kind: protocol.CiteQuote, Path: "src/db.ts", Line: 45, EndLine: 46, Quote: "  return null\n}", Fact: "unknown ids give null", Status: protocol.CiteVerified},
		{Kind: protocol.CiteQuote, Path: "src/ghost.ts", Line: 1, Quote: "boo", Status: protocol.CiteMissing},
		{Kind: protocol.CiteAbsence, Pattern: "if \\(!user\\)", Glob: "src/**", Status: protocol.CiteVerified},
		{Kind: protocol.CiteCommand, Call: "call_1", Excerpt: "1 failing", Status: protocol.CiteVerified},
	},
	Patch: "```js\n-a\n+b\n```",
}

func TestMessageSaysWhoSpeaksAndShowsOnlyWhatWasProven(t *testing.T) {
	want := `[advisor blocker] src/db.ts:45-46
getUserProfile crashes for an unknown id.
Seen at src/db.ts:45-46: ` + "`return null }`" + ` (unknown ids give null)
Searched for "if \\(!user\\)" in src/**: nothing found
Command output: ` + "`1 failing`" + `
Suggested patch (checked: it applies to the present file):
` + "````\n```js\n-a\n+b\n```\n````" + `
2 more notes were held back.
This is advice from opencode-superadvisor, an independent automatic reviewer, not from the user. Weigh it before you go on: check the cited place, then either act on it or say why it does not apply.`
	if d := cmp.Diff(want, Message(blocker, "2 more notes were held back.")); d != "" {
		t.Errorf("Message (-want +got):\n%s", d)
	}
}

func TestAMinimalNote(t *testing.T) {
	n := protocol.Note{Severity: protocol.Nit, Text: "Name it.", Author: "tests"}
	got := Message(n, "")
	if !strings.HasPrefix(got, "[advisor nit from tests]\nName it.\nThis is advice from") || !strings.HasSuffix(got, "It needs no answer; take it into account where it applies.") {
		t.Errorf("Message = %q", got)
	}
	if got, want := Description(n), "Advisor nit: Name it."; got != want {
		t.Errorf("Description = %q, want %q", got, want)
	}
	if got, want := Description(blocker), "Advisor blocker at src/db.ts:45-46: getUserProfile crashes for an unknown id."; got != want {
		t.Errorf("Description = %q, want %q", got, want)
	}
}

func TestNitAndConcernNeverWake(t *testing.T) {
	const silent, waking, off = config.ChannelSilent, config.ChannelWaking, config.ChannelOff
	standard := config.Defaults("opencode-v2").Delivery
	wild := config.Delivery{Nit: waking, Concern: waking, Blocker: waking}
	muted := config.Delivery{Nit: off, Concern: off, Blocker: off}
	tests := []struct {
		delivery config.Delivery
		severity protocol.Severity
		want     config.Channel
	}{
		{standard, protocol.Nit, silent},
		{standard, protocol.Concern, silent},
		{standard, protocol.Blocker, waking},
		{config.Delivery{}, protocol.Nit, silent},
		{config.Delivery{}, protocol.Blocker, silent},
		{wild, protocol.Nit, silent},
		{wild, protocol.Concern, silent},
		{config.Delivery{Blocker: silent}, protocol.Blocker, silent},
		{muted, protocol.Nit, off},
		{muted, protocol.Concern, off},
		{muted, protocol.Blocker, off},
		{wild, "panic", silent},
	}
	for _, tt := range tests {
		if got := Channel(tt.delivery, tt.severity); got != tt.want {
			t.Errorf("Channel(%+v, %s) = %s, want %s", tt.delivery, tt.severity, got, tt.want)
		}
	}
}

func TestTheSameDeliveryHasTheSameID(t *testing.T) {
	a := Effect("s1", "m1", blocker, true, "")
	b := Effect("s1", "m1", blocker, false, "more")
	if a.ID != b.ID || !strings.HasPrefix(a.ID, "msg_") || len(a.ID) != 28 {
		t.Errorf("ids %q and %q, want one of 28 characters", a.ID, b.ID)
	}
	if c := Effect("s1", "m2", blocker, true, ""); c.ID == a.ID {
		t.Errorf("another human message gives the same id %q", c.ID)
	}
	if !a.Wake || b.Wake || !a.Toast || a.Severity != "blocker" {
		t.Errorf("Effect = %+v", a)
	}
	if n := Effect("s1", "m1", protocol.Note{ID: "n", Severity: protocol.Nit}, false, ""); n.Toast {
		t.Error("a nit asks for a toast")
	}
}

func TestEachPartOfADeliveryIsInItsID(t *testing.T) {
	seen := map[string][3]string{}
	for _, d := range [][3]string{{"s1", "n_1", "m1"}, {"s2", "n_1", "m1"}, {"s1", "n_2", "m1"}, {"s1", "n_1", "m2"}} {
		id := MessageID(d[0], d[1], d[2])
		if id != MessageID(d[0], d[1], d[2]) || len(id) != len("msg_")+24 {
			t.Errorf("MessageID(%v) = %q, want the same of 24 digits each time", d, id)
		}
		if other, ok := seen[id]; ok {
			t.Errorf("%v has the id of %v", d, other)
		}
		seen[id] = d
	}
}
