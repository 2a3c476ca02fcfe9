// Package review is the watchdog's conversation with its model: it shows what is
// new, answers the reviewer's tool calls, resolves each citation as it comes,
// and gives back the notes that the citations bear out. What may be said of
// them is decided elsewhere (pkg/guard, pkg/breaker).
package review

import (
	_ "embed"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/dialog"
	"github.com/Kayphoon/opencode-advisor/pkg/evidence"
	"github.com/Kayphoon/opencode-advisor/pkg/llm"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

//go:embed system.md
var systemPrompt string

//go:embed rules.md
var fixedRules string

//go:embed authority.md
var authority string

// Tools runs the read-only tools that were granted; pkg/tools has them.
type Tools interface {
	// Offer gives the definitions of the granted tools, and of advise alone when last.
	Offer(last bool) []llm.Tool
	// Run answers a call of a tool other than advise, with text for the model. Shown is to hear how many of the
	// text's lines, from its first, the model got whole.
	Run(name string, args []byte) (text string, shown func(lines int))
	// Advise reads the arguments of advise. The error is for the model.
	Advise(args []byte) (protocol.Note, error)
}

// Ledger counts what an answer showed as read.
type Ledger interface {
	Add(path string, from, to int)
}

// Delta is what is under review; transcript.Delta has it.
type Delta interface {
	// Prefix is the part that seldom changes, Suffix the rest with its data fenced by the nonce.
	Prefix() string
	Suffix(nonce string) string
}

// Input is one review.
type Input struct {
	Endpoint llm.Endpoint
	// System replaces the built-in instructions; the fixed rules follow it all the same.
	System string
	// Role is the part of this advisor where there are several; empty for the only one.
	Role string
	// Rules are the project's and the person's, already bounded, one JSON object a line; empty for none. RulesNonce
	// fences them.
	Rules, RulesNonce string
	// Decisions are what the person decided, one line each; empty for none.
	Decisions string
	// Redact takes secrets out of what the reviewer says, for the trace; nil shows all.
	Redact func(string) string
	// Roots are the workspace's absolute paths, with slashes, as the delta may have them.
	Roots []string
	Delta Delta
	// Half gives the same delta in half the room, for a model that found it too long.
	Half  func() Delta
	Nonce string

	Steps           int // rounds of tool calls
	MaxBytes        int // of a request
	Deadline        int64
	RequireEvidence bool
	// Enough tells from what was used that the next request is to be the last; it may be nil.
	Enough func(llm.Usage) bool
}

// Kind is how a review ended, for the health counters.
type Kind string

// The kinds. Notes, Silent and Prose are usable answers.
const (
	Notes    Kind = "notes"    // advise was called
	Silent   Kind = "silent"   // the reviewer had nothing to say, and said so
	Prose    Kind = "prose"    // it wrote prose instead of calling advise; nothing is made of it
	Empty    Kind = "empty"    // it said nothing at all
	Unparsed Kind = "unparsed" // its reply was no chat completion, or its calls were malformed
	Timeout  Kind = "timeout"
	Rate     Kind = "rate_limited"
	Refused  Kind = "refused" // the key, the model, the quota, the request
	Failed   Kind = "failed"  // server or network
	Cancel   Kind = "cancelled"
	Budget   Kind = "budget" // no more may be spent
)

// Usable tells whether the reviewer did its work.
func (k Kind) Usable() bool { return k == Notes || k == Silent || k == Prose }

// Outcome is what came of a review.
type Outcome struct {
	Kind Kind
	// Notes passed the evidence table, at the severity that it leaves them.
	Notes []protocol.Note
	// Dropped did not, with the reason.
	Dropped []Dropped
	// Citations counts citations by kind and status, such as "quote.verified".
	Citations map[string]int
	// Trace says what the reviewer looked at, one line a call.
	Trace    []string
	Usage    llm.Usage
	Requests int
	Failure  error
}

// Dropped is a note that its citations contradict, or that the reviewer refuted itself.
type Dropped struct {
	Note   protocol.Note
	Reason string
}

// Run holds the review.
func Run(model dialog.Model, in Input, tools Tools, resolver *evidence.Resolver, ledger Ledger) Outcome {
	b := &box{in: in, tools: tools, resolver: resolver, ledger: ledger, shown: in.Delta.Suffix(in.Nonce), citations: map[string]int{}}
	res := dialog.Run(model, dialog.Conversation{
		Endpoint: in.Endpoint,
		Messages: in.messages(in.Delta),
		Steps:    in.Steps,
		Enough:   in.Enough,
		MaxBytes: in.MaxBytes,
		Nonce:    in.Nonce,
		Deadline: in.Deadline,
		Shrink: func([]llm.Message) []llm.Message {
			half := in.Half()
			b.shown = half.Suffix(in.Nonce)
			return in.messages(half)
		},
	}, b)
	out := Outcome{Citations: b.citations, Trace: b.trace, Usage: res.Usage, Requests: res.Requests, Failure: res.Failure}
	for _, c := range b.notes {
		note, drop := evidence.Judge(c.note, c.findings, in.RequireEvidence)
		if drop != "" {
			out.Dropped = append(out.Dropped, Dropped{note, string(drop)})
			continue
		}
		out.Notes = append(out.Notes, note)
	}
	out.Kind = kind(b, res)
	return out
}

// messages puts what seldom changes first, so that a provider's cache holds it from one review to the next.
func (in Input) messages(d Delta) []llm.Message {
	system := strings.TrimSpace(in.System)
	if system == "" {
		system = strings.TrimSpace(systemPrompt)
	}
	system += "\n\n" + strings.TrimSpace(fixedRules)
	if in.Role != "" {
		system += "\n\n" + in.Role
	}
	if in.Rules != "" {
		system += "\n\n" + strings.TrimSpace(authority) + "\n" + dialog.Fence(in.RulesNonce, strings.TrimSuffix(in.Rules, "\n"))
	}
	var rest strings.Builder
	rest.WriteString(d.Prefix())
	if in.Decisions != "" {
		rest.WriteString("What the person has decided. These matters are closed; do not raise them again in any words:\n" + in.Decisions)
	}
	rest.WriteString(d.Suffix(in.Nonce))
	rest.WriteString("Review this now. If nothing is worth an interruption, answer: silent\n")
	return []llm.Message{{Role: llm.System, Text: system}, {Role: llm.User, Text: rest.String()}}
}

func kind(b *box, res dialog.Result) Kind {
	if f, ok := llm.AsFailure(res.Failure); ok {
		if len(b.notes) > 0 {
			return Notes // what was taken before the failure stands
		}
		return kindOf(f.Kind)
	}
	text := strings.ToLower(strings.TrimSpace(res.Text))
	switch {
	case len(b.notes) > 0 || b.refuted > 0:
		return Notes
	case text == "" && b.malformed > 0:
		return Unparsed
	case text == "" && b.trace == nil:
		return Empty
	case strings.Trim(text, " .!\"'`*") == "silent" || text == "":
		return Silent
	}
	return Prose
}

func kindOf(k llm.Kind) Kind {
	switch k {
	case llm.KindTimeout:
		return Timeout
	case llm.KindRate:
		return Rate
	case llm.KindEmpty, llm.KindThinking:
		return Empty
	case llm.KindUnparsed, llm.KindTooLarge:
		return Unparsed
	case llm.KindCancelled:
		return Cancel
	case llm.KindServer, llm.KindNetwork:
		return Failed
	case llm.KindBudget:
		return Budget
	}
	return Refused
}
