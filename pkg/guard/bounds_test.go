package guard

import (
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/google/go-cmp/cmp"
)

func TestTheLoudestComeFirst(t *testing.T) {
	notes := append(distinct("nit", 4), distinct("blocker", 6)[4:]...)
	notes = append(notes, distinct("concern", 7)[6])
	var g Guard
	out := g.Review(notes, ctx)
	want := []string{"blocker: lock taken twice here", "blocker: query built from raw input", "concern: retry ignores its deadline"}
	if diff := cmp.Diff(want, texts(out.Notes)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wantDigest := "Held back, 4 more: nit: parser drops trailing comma; nit: cache never expires entries; nit: socket leaks on timeout; nit: regex matches too much."
	if out.Digest != wantDigest {
		t.Errorf("digest %q\nwant   %q", out.Digest, wantDigest)
	}
}

func TestADigestMentionsOnceAndTheNoteMayFollow(t *testing.T) {
	var g Guard
	g.Human()
	notes := distinct("nit", 5)
	g.Review(notes, ctx)
	out := g.Review(notes[3:], ctx)
	if diff := cmp.Diff([]string{"nit: regex matches too much", "nit: lock taken twice here"}, texts(out.Notes)); diff != "" {
		t.Errorf("what was only mentioned (-want +got):\n%s", diff)
	}
	g.Human()
	many := distinct("nit", 20)[10:]
	first, second := g.Review(many, ctx), g.Review(many, ctx)
	if first.Digest == "" || second.Digest != "" {
		t.Errorf("digests %q and then %q", first.Digest, second.Digest)
	}
	if third := g.Review(distinct("nit", 40)[20:], ctx); third.Digest != "" || len(third.Notes) > 0 {
		t.Errorf("a digest without a note: %q", third.Digest)
	}
}

func TestADigestIsBounded(t *testing.T) {
	var notes []protocol.Note
	for i, n := range distinct("nit", 50) {
		n.Text += strings.Repeat(" wort", i) + "\nand a second line"
		notes = append(notes, n)
	}
	out := new(Guard).Review(notes, ctx)
	if !strings.HasPrefix(out.Digest, "Held back, 47 more: ") || !strings.HasSuffix(out.Digest, "; and 38 others.") || len(out.Digest) > 900 || strings.Contains(out.Digest, "\n") {
		t.Errorf("%d bytes: %s", len(out.Digest), out.Digest)
	}
}

func TestBounds(t *testing.T) {
	tests := []struct {
		name      string
		limits    Limits
		review    func(i int) []protocol.Note // of five reviews between two human messages
		human     bool                        // a message before every review
		delivered int
		reason    Reason
		dropped   int
		told      int
	}{
		{"a review", Limits{}, func(i int) []protocol.Note { return distinct("nit", 26*5)[26*i : 26*i+5] }, true, 15, ReviewQuota, 10, 0},
		{"a human message", Limits{}, func(i int) []protocol.Note { return distinct("nit", 26*5)[26*i : 26*i+2] }, false, 6, MessageQuota, 4, 1},
		{"blockers", Limits{}, func(i int) []protocol.Note { return distinct("blocker", 26*5)[26*i : 26*i+1] }, false, 2, BlockerQuota, 3, 1},
		{"a session", Limits{PerSession: 7}, func(i int) []protocol.Note { return distinct("nit", 26*5)[26*i : 26*i+3] }, true, 7, SessionQuota, 8, 1},
		{"none at all", Limits{PerReview: -1}, func(i int) []protocol.Note { return distinct("blocker", 26*5)[26*i : 26*i+1] }, true, 0, ReviewQuota, 5, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var g Guard
			delivered, told := 0, 0
			for i := range 5 {
				if test.human {
					g.Human()
				}
				out := g.Review(test.review(i), Context{Session: "s", Limits: test.limits})
				delivered += len(out.Notes)
				told += len(out.Tell)
				for _, reason := range out.Tell {
					if Bound(reason, test.limits) == "" {
						t.Errorf("no sentence for %s", reason)
					}
				}
			}
			if delivered != test.delivered || g.Counts().Of(test.reason) != test.dropped || told != test.told {
				t.Errorf("%d delivered, %d dropped, told %d times; want %d, %d, %d",
					delivered, g.Counts().Of(test.reason), told, test.delivered, test.dropped, test.told)
			}
			if g.Counts().Delivered != delivered {
				t.Errorf("counted %d", g.Counts().Delivered)
			}
		})
	}
}

func TestAHumanMessageBeginsAnew(t *testing.T) {
	var g Guard
	notes := distinct("blocker", 6)
	for i, want := range []int{1, 1, 0} {
		if out := g.Review(notes[i:i+1], ctx); len(out.Notes) != want {
			t.Errorf("blocker %d: %d delivered, want %d", i+1, len(out.Notes), want)
		}
	}
	g.Human()
	if out := g.Review(notes[2:3], ctx); len(out.Notes) != 1 {
		t.Error("still held back after a human message")
	}
}
