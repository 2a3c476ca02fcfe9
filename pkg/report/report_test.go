package report

import (
	"encoding/xml"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/guard"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

const now = 1_800_000_000_000

// session is a small one in which everything happens.
func session(text string) []protocol.JournalLine {
	at := int64(now - 600_000)
	line := func(l protocol.JournalLine) protocol.JournalLine {
		at += 1_500
		l.At, l.Session = at, "ses_1"
		return l
	}
	return []protocol.JournalLine{
		line(protocol.JournalLine{Kind: "human"}),
		line(protocol.JournalLine{Kind: "review", Outcome: "silent", MS: 900, Model: "fake/m", Requests: 1, In: 4_000, Cached: 3_000, Out: 20, Cost: 1_200}),
		line(protocol.JournalLine{Kind: "review", Outcome: "notes", MS: 2_300, Model: "fake/m", Requests: 3, In: 20_000, Cached: 9_000, Out: 300, Cost: 4_000, Advisor: "security"}),
		line(protocol.JournalLine{Kind: "note", Outcome: delivered, Note: "n_1", Severity: protocol.Blocker, Where: "src/db.ts:6", Text: text, Wake: woke}),
		line(protocol.JournalLine{Kind: "note", Outcome: delivered, Note: "n_2", Severity: protocol.Blocker, Text: "again", Wake: "spent"}),
		line(protocol.JournalLine{Kind: "note", Outcome: delivered, Note: "n_3", Severity: protocol.Nit, Claimed: protocol.Concern, Text: "a small thing"}),
		line(protocol.JournalLine{Kind: "note", Outcome: "duplicate", Note: "n_4", Severity: protocol.Nit, Text: "a small thing"}),
		line(protocol.JournalLine{Kind: "note", Outcome: "contradicted", Note: "n_5", Severity: protocol.Blocker, Text: "made up"}),
		line(protocol.JournalLine{Kind: "turn", Turn: 1, Outcome: "ok"}),
		line(protocol.JournalLine{Kind: "human"}),
		line(protocol.JournalLine{Kind: "consult", Outcome: "answered", MS: 8_000, Model: "fake/large", Requests: 1, In: 9_000, Out: 900}),
		line(protocol.JournalLine{Kind: "review", Outcome: "timeout", MS: 25_000, Model: "fake/m", Requests: 1}),
		line(protocol.JournalLine{Kind: "note", Outcome: delivered, Note: "n_6", Severity: protocol.Nit, Text: "withdrawn note"}),
		line(protocol.JournalLine{Kind: "withdrawn", Outcome: "stale", Note: "n_6", Severity: protocol.Nit, Text: "withdrawn note"}),
		line(protocol.JournalLine{Kind: "judge", Outcome: "allow"}),
		line(protocol.JournalLine{Kind: "judge", Outcome: "allow"}),
		line(protocol.JournalLine{Kind: "judge", Outcome: "deny"}),
		line(protocol.JournalLine{Kind: "judge", Outcome: "ask"}),
		line(protocol.JournalLine{Kind: "answer", Outcome: "agreed"}),
		line(protocol.JournalLine{Kind: "answer", Outcome: "disagreed"}),
		line(protocol.JournalLine{Kind: "of a later version"}),
	}
}

// plain is what a page says, without its markup.
func plain(html string) string {
	_, body, _ := strings.Cut(html, "</style>")
	return strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(body, " ")), " ")
}

func TestWhatHappenedIsTold(t *testing.T) {
	html := string(HTML(Input{Version: "1.2.3", Now: now, Session: "ses_1", Directory: "/home/ada/shop", Host: "opencode-v1", Lines: session("user.name is read without a check")}))
	said := plain(html)
	for _, want := range []string{
		"Session ses_1 in /home/ada/shop , opencode-v1 2027-01-15 07:50:01 to 2027-01-15 07:50:31 In short",
		"Wakes 1 of 2 messages of yours",
		"Notes said 3 2 blockers, 0 concerns, 1 nit",
		"Kept back 3 notes",
		"Reviews 3 1 with notes, 1 silent, 1 without an answer",
		"Review time 2.3 s half of the reviews took less; 95 in 100 took 25.0 s or less",
		"Tokens 24k 24k in, of these 12k cached; 320 out",
		"Cost $0.0052 of all reviews",
		"blocker woke the agent src/db.ts:6 user.name is read without a check said; n_1",
		"did not wake: your last message had its wake already",
		"a small thing said; the reviewer called it a concern; n_3",
		"made up kept back: a citation was wrong: the file does not say that there; n_5",
		"Review by security: it had something to say",
		"Consultation: answered 8.0 s, 1 request, 9000 tokens in, 900 out, fake/large",
		"Turn 1 ended: ok",
		"fake/m review 3 5 24k 12k 320 $0.0052 2.3 s 25.0 s",
		"It judged 4 asks: 2 to be allowed, 1 to be denied, and 1 left to you. Where you decided as well, it would have done the same in 1 of 2 cases.",
		"withdrawn note the host had held it back, and it was not said: the cited lines had changed by the time it would have been said; n_6",
		"Permission judge: left to you", "You answered an ask: the judge agreed",
		"opencode-superadvisor 1.2.3 at 2027-01-15 08:00:00",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("the page does not say %q:\n%s", want, said)
		}
	}
	if n := strings.Count(html, "<li "); n != 20 {
		t.Errorf("%d entries, want 20: all but the one of a later version", n)
	}
}

// Whatever a repository, a model or a host put into a text, the page's own elements are all that it has.
func TestNoTextBecomesMarkup(t *testing.T) {
	for _, evil := range []string{`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='x`, `</style><script>`, "&lt;b&gt;", "a\x00b\x1b[2J", "-->", "]]>", "\xff\xfe", "\u202egnp.exe\u2066", "\U000e0041\u200b\u0085"} {
		lines := session(evil)
		for i := range lines {
			l := &lines[i]
			l.Outcome, l.Model, l.Advisor, l.Where, l.Note, l.Wake = l.Outcome+evil, evil, evil, evil, evil, l.Wake+evil
			l.Session, l.Severity, l.Claimed = evil, l.Severity+protocol.Severity(evil), protocol.Severity(evil)
		}
		html := HTML(Input{Version: evil, Now: now, Session: evil, Directory: evil, Host: evil, Lines: lines})
		d := xml.NewDecoder(strings.NewReader(strings.ToValidUTF8(strings.TrimPrefix(string(html), "<!doctype html>"), "?")))
		d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
		if at := strings.IndexFunc(string(html), func(r rune) bool { return r != '\n' && guard.Hidden(r) }); at >= 0 {
			t.Errorf("%q: the page has %q", evil, string(html)[at:at+8])
		}
		elements := map[string]bool{}
		for {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%q: %v", evil, err)
			}
			start, ok := token.(xml.StartElement)
			if !ok {
				continue
			}
			elements[start.Name.Local] = true
			for _, a := range start.Attr {
				switch name, value := a.Name.Local, a.Value; {
				case strings.HasPrefix(name, "on"), name == "src", name == "href" && !strings.HasPrefix(value, "#"):
					t.Errorf("%q became the attribute %s=%q of %s", evil, name, value, start.Name.Local)
				}
			}
		}
		for _, bad := range []string{"script", "img", "iframe", "link", "b"} {
			if elements[bad] {
				t.Errorf("%q became an element %s", evil, bad)
			}
		}
	}
}

func TestEveryReasonIsExplained(t *testing.T) {
	for file, words := range map[string]map[string]string{"../guard/reason.go": fates, "../evidence/table.go": fates, "../engine/deliver.go": fates, "../breaker/breaker.go": wakes, "../review/review.go": reviews} {
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, m := range regexp.MustCompile(`(?m)^\t\w+ +(?:Reason|Drop|Kind|) *= "(\w+)"`).FindAllStringSubmatch(string(code), -1) {
			if found++; m[1] != delivered && m[1] != woke && words[m[1]] == "" {
				t.Errorf("%s has %q, and a reader of the report is not told what it means", file, m[1])
			}
		}
		if found < 3 {
			t.Errorf("%s: only %d names found", file, found)
		}
	}
}

func TestALongHistoryIsBounded(t *testing.T) {
	lines := make([]protocol.JournalLine, maxShown+25)
	for i := range lines {
		lines[i] = protocol.JournalLine{At: now, Kind: "turn", Turn: i + 1, Outcome: "ok"}
	}
	html := string(HTML(Input{Now: now, Lines: lines}))
	if n := strings.Count(html, "<li "); n != maxShown || !strings.Contains(html, "The 25 oldest entries") || !strings.Contains(plain(html), "Turns "+num(len(lines))) {
		t.Errorf("%d entries", n)
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{ms(0), "0 ms"}, {ms(999), "999 ms"}, {ms(1_000), "1.0 s"}, {ms(61_999), "61.9 s"},
		{short(9_999), "9999"}, {short(10_000), "10k"}, {short(9_999_999), "9999k"}, {short(10_000_000), "10M"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
	s := &spending{}
	if s.at(95) != 0 {
		t.Error("a time without a review")
	}
	for i := int64(100); i > 0; i-- {
		s.took = append(s.took, i)
	}
	if s.at(50) != 51 || s.at(95) != 96 || s.at(100) != 100 {
		t.Errorf("%d, %d, %d", s.at(50), s.at(95), s.at(100))
	}
}
