package evidence

import (
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Proof sums up the findings of a note.
type Proof string

// The proofs. False and Mixed have a contradicted or missing citation.
const (
	Proved   Proof = "proved"   // at least one citation verified or moved, none false
	Unproved Proof = "unproved" // no citation, or none that proves: unread, unknown
	Mixed    Proof = "mixed"    // one proves, another is false
	False    Proof = "false"    // one is false, none proves
)

// Drop is why a note is dropped here; empty when it is not.
type Drop string

// The drops.
const (
	DropRefuted      Drop = "refuted"
	DropContradicted Drop = "contradicted"
	DropMissing      Drop = "missing"
)

// Dropped stands in a Rule for a note that is not delivered.
const Dropped protocol.Severity = "dropped"

// Rule is one row of Table: what becomes of a note with this proof that
// claims this severity, and what when requireEvidence is false.
type Rule struct {
	Proof   Proof
	Claim   protocol.Severity
	Becomes protocol.Severity
	Loose   protocol.Severity
}

// Table is the whole of the consequences, for Judge and for the README.
// requireEvidence: false spares the unproved blocker, which is what the option
// is for, and nothing else: a false citation is not missing evidence.
var Table = [...]Rule{
	{Proved, protocol.Blocker, protocol.Blocker, protocol.Blocker},
	{Proved, protocol.Concern, protocol.Concern, protocol.Concern},
	{Proved, protocol.Nit, protocol.Nit, protocol.Nit},
	{Unproved, protocol.Blocker, protocol.Nit, protocol.Blocker},
	{Unproved, protocol.Concern, protocol.Nit, protocol.Nit},
	{Unproved, protocol.Nit, protocol.Nit, protocol.Nit},
	{Mixed, protocol.Blocker, protocol.Nit, protocol.Nit},
	{Mixed, protocol.Concern, protocol.Nit, protocol.Nit},
	{Mixed, protocol.Nit, protocol.Nit, protocol.Nit},
	{False, protocol.Blocker, Dropped, Dropped},
	{False, protocol.Concern, Dropped, Dropped},
	{False, protocol.Nit, Dropped, Dropped},
}

// Judge applies verdict and Table to a note. The verdict comes first: refuted
// is dropped, and all but confirmed is a nit at most. findings belong to the
// note's citations one by one; a citation without a finding proves nothing.
// The note comes back with the statuses set, with the false citations taken
// off, and, when it was lowered, with Claimed and Gates telling so.
func Judge(note protocol.Note, findings []Finding, requireEvidence bool) (protocol.Note, Drop) {
	if note.Severity.Rank() == 0 {
		note.Severity = protocol.Nit
	}
	verdict := protocol.Verdict(strings.ToLower(strings.TrimSpace(string(note.Verdict))))
	if verdict == protocol.Refuted {
		return note, DropRefuted
	}
	note, proof, drop := weigh(note, findings)
	for _, rule := range Table {
		if rule.Proof != proof || rule.Claim != note.Severity {
			continue
		}
		to := rule.Becomes
		if !requireEvidence {
			to = rule.Loose
		}
		if to == Dropped {
			return note, drop
		}
		note = Lower(note, to, "evidence: "+reasons[proof])
		break
	}
	if verdict != protocol.Confirmed {
		note = Lower(note, protocol.Nit, "verdict: uncertain")
	}
	return note, ""
}

var reasons = map[Proof]string{
	Unproved: "no citation proves it",
	Mixed:    "one of its citations is false",
}

// weigh sets the statuses, takes false citations off, and sums up.
func weigh(note protocol.Note, findings []Finding) (protocol.Note, Proof, Drop) {
	var (
		kept   []protocol.Citation
		proves bool
		drop   Drop
	)
	for i, c := range note.Citations {
		f := Finding{Status: protocol.CiteUnknown}
		if i < len(findings) {
			f = findings[i]
		}
		c.Status = f.Status
		switch f.Status {
		case protocol.CiteContradicted:
			drop = DropContradicted
			continue
		case protocol.CiteMissing:
			if drop == "" {
				drop = DropMissing
			}
			continue
		}
		proves = proves || f.Proves()
		kept = append(kept, c)
	}
	note.Citations = kept
	switch {
	case proves && drop != "":
		return note, Mixed, ""
	case proves:
		return note, Proved, ""
	case drop != "":
		return note, False, drop
	}
	return note, Unproved, ""
}

// Lower lowers a note to a severity and says why. A note that is there or
// below already stays as it is.
func Lower(note protocol.Note, to protocol.Severity, gate string) protocol.Note {
	if note.Severity.Rank() <= to.Rank() {
		return note
	}
	if note.Claimed == "" {
		note.Claimed = note.Severity
	}
	note.Severity = to
	note.Gates = append(note.Gates[:len(note.Gates):len(note.Gates)], gate)
	return note
}

// Markdown writes Table as the README shows it.
func Markdown() string {
	var out strings.Builder
	out.WriteString("| citations | claimed | becomes | with `requireEvidence: false` |\n| --- | --- | --- | --- |\n")
	for _, r := range Table {
		for _, cell := range [...]string{string(r.Proof), string(r.Claim), string(r.Becomes), string(r.Loose)} {
			out.WriteString("| " + cell + " ")
		}
		out.WriteString("|\n")
	}
	return out.String()
}

// Key names what a citation's outcome is counted under: "quote.verified".
func Key(c protocol.Citation) string {
	return string(c.Kind) + "." + string(c.Status)
}
