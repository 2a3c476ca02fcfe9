// Package redact takes secrets out of text before it leaves: for a model, a log, a note, a
// state file or a transcript. Redact first and cut afterwards: half a secret has fewer
// marks to know it by. (What was cut by others is still caught where its beginning shows.)
//
// A secret is known by its exact value, by its shape (sk-, ghp_, AKIA, a JWT, a private
// key block ...), or by the name it is assigned to. Each is replaced by a mask that says
// what kind it hid: [redacted:github-token]. Line breaks inside what is hidden are kept, so that lines keep their numbers. Masks are left alone, so redacting twice is redacting
// once. Nothing backtracks: the time is linear in the text.
package redact

import (
	"slices"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Report says what was hidden from one text.
type Report struct {
	Count int
	Kinds []string // sorted, each once: "password", "github-token" ...
	// Command is set when a hidden span held what a shell would run: a substitution or,
	// outside quotes, an operator. A judge of commands has then not seen the whole command.
	Command bool
}

func (r *Report) add(kind string, hidden string, bare bool) {
	r.Count++
	if at, found := slices.BinarySearch(r.Kinds, kind); !found {
		r.Kinds = slices.Insert(r.Kinds, at, kind)
	}
	if strings.Contains(hidden, "$(") || strings.Contains(hidden, "`") || strings.Contains(hidden, "<(") || strings.Contains(hidden, ">(") ||
		bare && strings.ContainsAny(hidden, ";|&") {
		r.Command = true
	}
}

// merge adds what another report says.
func (r *Report) merge(o Report) {
	r.Count += o.Count
	r.Command = r.Command || o.Command
	for _, k := range o.Kinds {
		if at, found := slices.BinarySearch(r.Kinds, k); !found {
			r.Kinds = slices.Insert(r.Kinds, at, k)
		}
	}
}

// Redactor hides secrets. It holds no state between texts; a nil Redactor knows shapes and names only.
type Redactor struct {
	exact exactValues
}

// New returns a Redactor that also hides these values wherever they stand, in plain, base64, URL or JSON
// form. Values of fewer than 8 characters and well-known stand-ins for a key ("lm-studio") are not
// hidden this way: they would make holes in ordinary text.
func New(exact ...string) *Redactor {
	r := &Redactor{}
	for _, v := range exact {
		if hasMask(v) { // of a recording, in which the keys are hidden already
			continue
		}
		r.exact.add(v)
	}
	return r
}

// Text gives s without secrets.
func (r *Redactor) Text(s string) string {
	s, _ = r.Hide(s)
	return s
}

// Bytes gives b without secrets; it returns b itself when there are none, and has then taken no memory.
func (r *Redactor) Bytes(b []byte) []byte {
	out, report := r.Hide(protocol.TextOf(b))
	if report.Count == 0 {
		return b
	}
	return []byte(out)
}

// Hide gives s without secrets, and says what was hidden. A mask can be what a neighbour needed to show itself, so
// passes go on until one finds nothing: two, nearly always.
func (r *Redactor) Hide(s string) (string, Report) {
	var report Report
	for range maxPasses {
		before := report.Count
		if r != nil {
			s = r.exact.hide(s, &report)
		}
		if s = hide(s, &report); report.Count == before {
			break
		}
	}
	return s, report
}

// maxPasses keeps the time linear. Random texts made of nothing but marks of secrets need three at most.
const maxPasses = 6

// Masks. A mask holds lower-case letters, digits and dashes only.
const (
	maskOpen  = "[redacted:"
	maskClose = "]"
	maxKind   = 32 // characters of the longest kind that is taken for a mask of ours
)

func mask(kind string) string { return maskOpen + kind + maskClose }

// appendMask appends the mask of a hidden span, and the line breaks that were in it: the numbers of the lines below stay true.
func appendMask(b []byte, kind, hidden string) []byte {
	b = append(b, mask(kind)...)
	for range strings.Count(hidden, "\n") {
		b = append(b, '\n')
	}
	return b
}

// maskEnd gives the index behind the mask that begins at s[i], or -1.
func maskEnd(s string, i int) int {
	if !strings.HasPrefix(s[i:], maskOpen) {
		return -1
	}
	start := i + len(maskOpen)
	for j := start; j < len(s) && j <= start+maxKind; j++ {
		switch c := s[j]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-':
		case c == ']' && j > start:
			return j + 1
		default:
			return -1
		}
	}
	return -1
}

// hasMask reports whether a mask begins in s.
func hasMask(s string) bool { return strings.Contains(s, maskOpen) }
