package evidence

import (
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// MaxCitations is how many citations of a note are looked at; the rest is
// taken off the note.
const MaxCitations = 5

// MaxFile is the size in bytes up to which a cited file is read: generated
// files of 5 MB are in reach, and the normal form of one fits the guest's memory.
const MaxFile = 8 << 20

// Resolver finds out what citations are worth. It serves one review. Each
// call reads the files as they are then; the primary may be writing meanwhile.
type Resolver struct {
	Files    Files
	Ledger   Ledger // nil: everything counts as read
	Commands Commands
	// Rules tells that a file holds rules for the reviewer, whose author could as well have written a proof; nil: none does.
	Rules func(path string) bool

	// The file opened last, for the citations of one note.
	kept     string // its path
	keptText string
	keptForm *normal // of keptText; nil until it is needed
}

// Finding is what came of one citation.
type Finding struct {
	Status protocol.CitationStatus
	// Reason says in one sentence why it proves nothing; empty when it proves.
	// It holds no text of the repository but paths.
	Reason string
	// Excerpt is what the file says at the claimed place, or what the search
	// found: numbered lines, at most 2 KB. It is repository text, to be redacted
	// and fenced before a model sees it. Path, From and To say what lines were shown, so that
	// the ledger can count them as read.
	Excerpt  string
	Path     string
	From, To int
}

// Proves tells whether the citation carries a note.
func (f Finding) Proves() bool {
	return f.Status == protocol.CiteVerified || f.Status == protocol.CiteMoved
}

// Examine resolves every citation of a note, at most MaxCitations. The
// findings belong to the note's citations one by one.
func (r *Resolver) Examine(note protocol.Note) (protocol.Note, []Finding) {
	cites := note.Citations
	if len(cites) > MaxCitations {
		cites = cites[:MaxCitations]
	}
	note.Citations = make([]protocol.Citation, len(cites))
	findings := make([]Finding, len(cites))
	r.kept = ""
	for i, c := range cites {
		note.Citations[i], findings[i] = r.resolve(c)
		if c := &note.Citations[i]; r.Rules != nil && findings[i].Proves() && c.Path != "" && r.Rules(c.Path) {
			c.Status = protocol.CiteUnread
			findings[i] = Finding{Status: c.Status, Reason: c.Path + " holds rules, and rules prove nothing; cite what they are about"}
		}
	}
	return note, findings
}

// Resolve looks one citation up. The citation comes back with Status, and, when its text was
// found, with the true Path, Line, EndLine and Hash. What a caller put into those
// fields before counts as a claim.
func (r *Resolver) Resolve(c protocol.Citation) (protocol.Citation, Finding) {
	r.kept = ""
	return r.resolve(c)
}

func (r *Resolver) resolve(c protocol.Citation) (protocol.Citation, Finding) {
	c.Status, c.EndLine, c.Hash = "", 0, ""
	c.Kind = kindOf(c)
	var f Finding
	switch c.Kind {
	case protocol.CiteAbsence:
		c, f = r.absence(c)
	case protocol.CiteCommand:
		c, f = r.command(c)
	default:
		c, f = r.quote(c)
	}
	c.Status = f.Status
	return c, f
}

// kindOf trusts the fields over the stated kind where the kind is not known.
func kindOf(c protocol.Citation) protocol.CitationKind {
	switch c.Kind {
	case protocol.CiteQuote, protocol.CiteAbsence, protocol.CiteCommand:
		return c.Kind
	}
	switch {
	case c.Quote != "":
		return protocol.CiteQuote
	case c.Pattern != "":
		return protocol.CiteAbsence
	case c.Excerpt != "":
		return protocol.CiteCommand
	}
	return protocol.CiteLegacy
}

func unknown(reason string) Finding {
	return Finding{Status: protocol.CiteUnknown, Reason: reason}
}

// quote resolves quote and legacy citations.
func (r *Resolver) quote(c protocol.Citation) (protocol.Citation, Finding) {
	if strings.TrimSpace(c.Path) == "" {
		return c, unknown("the citation names no path")
	}
	path, line, err := r.open(c.Path)
	if err != nil {
		return c, unreadable(c.Path, err)
	}
	c.Path = path
	if c.Line <= 0 {
		c.Line = line
	}
	if c.Line < 0 {
		c.Line = 0
	}
	lines := strings.Count(r.keptText, "\n")
	if r.keptText != "" && !strings.HasSuffix(r.keptText, "\n") {
		lines++
	}
	if c.Kind == protocol.CiteLegacy {
		return r.legacy(c, lines)
	}
	if reason := weak(c.Quote); reason != "" {
		if f := r.outOfRange(c, lines); f.Status != "" {
			return c, f
		}
		return c, unknown(reason)
	}
	found := findIn(r.form(), c.Quote)
	switch {
	case len(found) > maxPlaces:
		return c, unknown("the quote stands in more than 20 places of " + path + "; quote more of the lines around it")
	case len(found) == 0:
		f := Finding{Status: protocol.CiteContradicted, Reason: "the quote is not in " + path}
		if c.Line > lines {
			f.Reason += ", which has " + strconv.Itoa(lines) + " lines"
		}
		return c, r.show(f, c.Line)
	}
	return r.settle(c, found)
}

// findIn gives the places of a quote in a text.
func findIn(form *normal, quote string) []span {
	forms := variants(quote)
	for _, variant := range forms {
		text := normalize(variant).text
		if substance(text) < minSubstance {
			continue
		}
		if found := form.places([]string{text}); len(found) > 0 {
			return found
		}
	}
	for _, variant := range forms {
		if parts := elide(variant); parts != nil {
			if found := form.places(parts); len(found) > 0 {
				return found
			}
		}
	}
	return nil
}

// settle takes the place nearest to the claim.
func (r *Resolver) settle(c protocol.Citation, found []span) (protocol.Citation, Finding) {
	claimed := c.Line
	c.Line, c.EndLine = r.form().nearest(found, claimed)
	c.Hash = hashLines(r.keptText, c.Line, c.EndLine)
	f := Finding{Status: protocol.CiteMoved}
	if claimed == 0 || claimed >= c.Line && claimed <= c.EndLine {
		f.Status = protocol.CiteVerified
	}
	if r.Ledger != nil && !r.Ledger.Covers(c.Path, c.Line, c.EndLine) {
		f.Status = protocol.CiteUnread
		f.Reason = "this review has not read " + place(c) + "; look at it before citing it"
		return c, r.show(f, c.Line)
	}
	return c, f
}

// outOfRange contradicts a claimed line that the file does not have.
func (r *Resolver) outOfRange(c protocol.Citation, lines int) Finding {
	if c.Line <= lines {
		return Finding{}
	}
	return r.show(Finding{
		Status: protocol.CiteContradicted,
		Reason: c.Path + " has " + strconv.Itoa(lines) + " lines, not " + strconv.Itoa(c.Line),
	}, c.Line)
}
