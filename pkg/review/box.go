package review

import (
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/dialog"
	"github.com/Kayphoon/opencode-advisor/pkg/evidence"
	"github.com/Kayphoon/opencode-advisor/pkg/llm"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// maxCandidates bounds the notes of one review. The guard lets a handful through; a
// reviewer that goes on after this many has lost its mind.
const maxCandidates = 24

// box answers the reviewer's calls and collects its notes.
type box struct {
	in       Input
	tools    Tools
	resolver *evidence.Resolver
	ledger   Ledger

	shown     string // the delta as the reviewer sees it
	round     int    // requests so far
	notes     []candidate
	citations map[string]int
	trace     []string
	malformed int
	refuted   int
}

type candidate struct {
	note     protocol.Note
	findings []evidence.Finding
	proven   bool
	round    int // in which it was said
}

// Offer begins a round.
func (b *box) Offer(last bool) []llm.Tool {
	b.round++
	return b.tools.Offer(last)
}

// Done is never: the reviewer may have more to say after a note. It ends with its words,
// its steps or its time.
func (b *box) Done() bool { return len(b.notes) >= maxCandidates }

func (b *box) Call(c llm.ToolCall) dialog.Answer {
	if c.Malformed != "" {
		b.malformed++
		b.note(c.Name + " with arguments that are not JSON")
		return dialog.Malformed(c.Name)
	}
	if c.Name != "advise" {
		b.note(c.Name + " " + b.short(string(c.Args), 200))
		return dialog.FromWorkspace(b.tools.Run(c.Name, c.Args))
	}
	note, err := b.tools.Advise(c.Args)
	if err != nil {
		b.malformed++
		b.note("advise refused: " + err.Error())
		return dialog.Answer{Text: "advise: " + err.Error()}
	}
	return b.advise(note)
}

// advise resolves the citations at once, so that the reviewer hears what is wrong while it may still look again.
func (b *box) advise(note protocol.Note) dialog.Answer {
	note, findings := b.examine(note)
	wrong := explained{ledger: b.ledger}
	proven := false
	for i, f := range findings {
		b.citations[evidence.Key(note.Citations[i])]++
		if f.Proves() {
			proven = true
			continue
		}
		wrong.add(i, note.Citations[i], f, b.in.Nonce)
	}
	b.note("advise " + string(note.Severity) + " " + b.short(note.Text, 120))
	if note.Verdict == protocol.Refuted {
		b.refuted++
		b.keep(candidate{note, findings, proven, b.round})
		return dialog.Answer{Text: "Refuted, so nothing is said. Go on, or answer: silent"}
	}
	b.keep(candidate{note, findings, proven && wrong.text == "", b.round})
	switch {
	case wrong.text != "":
		return dialog.Answer{Shown: wrong.shown, Text: "Not taken as it stands. " + wrong.text +
			"Look again. If the matter holds, call advise again with citations that are right; if it does not, drop it."}
	case !proven && note.Severity.Rank() > protocol.Nit.Rank():
		return dialog.Answer{Text: "Taken as a nit only: a " + string(note.Severity) + " needs a citation. If you can prove it, call advise again with one."}
	}
	return dialog.Answer{Text: "Noted. Go on, or answer: silent"}
}

// examine resolves a note's citations. What stands in the delta was read as well: the reviewer
// quotes from there what it need not look up again.
func (b *box) examine(note protocol.Note) (protocol.Note, []evidence.Finding) {
	seen, findings := b.resolver.Examine(note)
	again := false
	for _, c := range seen.Citations {
		if c.Status == protocol.CiteUnread && b.inDelta(c.Path, c.Quote) {
			b.ledger.Add(c.Path, c.Line, max(c.Line, c.EndLine))
			again = true
		}
	}
	if again {
		return b.resolver.Examine(note)
	}
	return seen, findings
}

// keep adds a candidate. A note that is said again with the same text or, after
// its citations were refused, in its place, replaces the one before. Notes of one
// reply stand side by side: none of them can answer what was refused of another.
func (b *box) keep(c candidate) {
	for i := range b.notes {
		old := &b.notes[i]
		if !old.proven && old.round < c.round && old.note.Verdict != protocol.Refuted && sameMatter(old.note, c.note) {
			*old = c
			return
		}
	}
	b.notes = append(b.notes, c)
}

// sameMatter is narrow: the guard knows better, but sees only what is left at the end.
func sameMatter(a, b protocol.Note) bool {
	return a.Text == b.Text || a.Category == b.Category && len(a.Citations) > 0 && len(b.Citations) > 0 && a.Citations[0].Path == b.Citations[0].Path && a.Citations[0].Path != ""
}

// explained tells the reviewer what is wrong with citations, and shows what is there. What it was shown counts as read.
type explained struct {
	ledger   Ledger
	text     string // whole lines
	excerpts []excerpt
}

// excerpt is a run of lines of a file, behind at lines of the text.
type excerpt struct {
	path         string
	from, to, at int
}

func (x *explained) add(i int, c protocol.Citation, f evidence.Finding, nonce string) {
	x.text += "Citation " + strconv.Itoa(i+1) + " is " + string(c.Status) + ": " + f.Reason + "\n"
	if f.Excerpt == "" {
		return
	}
	if f.Path != "" && f.To >= f.From && f.From > 0 {
		const mark = 1 // line of the fence
		x.excerpts = append(x.excerpts, excerpt{f.Path, f.From, f.To, strings.Count(x.text, "\n") + mark})
	}
	x.text += dialog.Fence(nonce, f.Excerpt) + "\n"
}

func (x *explained) shown(lines int) {
	for _, e := range x.excerpts {
		x.ledger.Add(e.path, e.from, min(e.to, e.from+lines-e.at-1))
	}
}

func (b *box) note(line string) {
	const most = 40 // lines of a trace: what a review of many rounds makes, and a page for `why`
	if len(b.trace) < most {
		b.trace = append(b.trace, line)
	}
}

// short redacts before it clips: half a key is no longer known as one.
func (b *box) short(s string, n int) string {
	if b.in.Redact != nil {
		s = b.in.Redact(s)
	}
	return clip(s, n)
}

// clip folds blanks and cuts, never inside a rune.
func clip(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "..."
}
