package opencode

import (
	"crypto/sha256"
	"encoding/hex"
	"go/token"
	"strings"
)

// TrustedGap is the one input of an authoring run: a gap in detection, described by structure alone. It
// carries no sample text on purpose. Its fields come from signals that the builder of the gap trusts, so that
// a scanned artifact cannot write an instruction into the prompt.
type TrustedGap struct {
	// DetectorID is the stable name of the detector to author, for example "authored-deploy-burst". Its
	// package is named after it, and its findings carry it as their type.
	DetectorID string
	// EventType is the type of the events that the detector looks at.
	EventType string
	// TargetFamily is an optional family tag. It goes into the fingerprint and, as metadata, into the
	// prompt; it is never a label that a scenario expects. Empty means DetectorID.
	TargetFamily string
	// Severity of the finding that exemplifies the gap: low, medium, high or critical.
	Severity string
	// Actor and Source are the structural fields of that finding.
	Actor  string
	Source string
}

// family is TargetFamily with its fallback.
func (g TrustedGap) family() string {
	if strings.TrimSpace(g.TargetFamily) == "" {
		return g.DetectorID
	}
	return g.TargetFamily
}

// Fingerprint is the key by which a gap that was rejected once is not paid for twice: SHA-256, as 64 hex
// digits, over detector, event type and family, each without surrounding or repeated blanks and in lower
// case.
func (g TrustedGap) Fingerprint() string {
	parts := []string{g.DetectorID, g.EventType, g.family()}
	for i, p := range parts {
		parts[i] = strings.ToLower(strings.Join(strings.Fields(p), " "))
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:])
}

// fallbackPackage names a package whose detector id has no usable letter.
const fallbackPackage = "detector"

// PackageName is the folder and package name of the detector: the detector id without its "authored-"
// prefix, in lower case, letters and digits only. "authored-Deploy Burst" gives "deployburst". The result is
// always a valid Go package name that a tool does not treat specially.
func (g TrustedGap) PackageName() string {
	id := strings.ToLower(strings.TrimSpace(g.DetectorID))
	id = strings.TrimPrefix(id, "authored-")
	name := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, id)
	switch {
	case name == "":
		return fallbackPackage
	case name[0] <= '9', token.IsKeyword(name), name == "main", name == "internal", name == "vendor", name == "testdata":
		return fallbackPackage + name
	}
	return name
}
