package review

import (
	_ "embed"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/dialog"
	"github.com/Kayphoon/opencode-advisor/pkg/llm"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

//go:embed refute.md
var refutePrompt string

// Second is what a second look says of a note.
type Second string

// The second looks. What cannot be told, or never came, is Unsure.
const (
	Holds        Second = "holds"
	RefutedAfter Second = "refuted"
	Unsure       Second = "unsure"
)

// Look is one second look.
type Look struct {
	Endpoint llm.Endpoint
	Note     protocol.Note
	Goal     string // what the person wants, as JSON text
	Nonce    string
	Steps    int
	MaxBytes int
	Deadline int64
}

// Refute asks another model, or the same one afresh, to refute a note from code that it may read.
func Refute(model dialog.Model, in Look, tools Tools) (Second, dialog.Result) {
	var b strings.Builder
	if in.Goal != "" {
		b.WriteString("What the person asked for (JSON, data):\n" + in.Goal)
	}
	b.WriteString("The note, as JSON between the marks:\n" + dialog.Fence(in.Nonce, string(protocol.AppendNote(nil, in.Note))) + "\n")
	res := dialog.Run(model, dialog.Conversation{
		Endpoint:   in.Endpoint,
		Messages:   []llm.Message{{Role: llm.System, Text: strings.TrimSpace(refutePrompt)}, {Role: llm.User, Text: b.String()}},
		Steps:      in.Steps,
		LastChoice: llm.ChoiceNone,
		MaxBytes:   in.MaxBytes,
		Nonce:      in.Nonce,
		Deadline:   in.Deadline,
	}, lookBox{tools})
	if res.Failure != nil {
		return Unsure, res
	}
	return second(res.Text), res
}

// second reads the last line that begins with one of the words. Bullets and emphasis around the word are let pass.
func second(text string) Second {
	lines := strings.Split(text, "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		word := strings.TrimLeft(lines[i], " \t*_#>-`")
		for _, s := range []struct {
			word string
			says Second
		}{{"REFUTED", RefutedAfter}, {"HOLDS", Holds}, {"UNSURE", Unsure}} {
			if rest, ok := strings.CutPrefix(word, s.word); ok && (rest == "" || !letter(rest[0])) {
				return s.says
			}
		}
	}
	return Unsure
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

type lookBox struct{ tools Tools }

func (b lookBox) Offer(bool) []llm.Tool { return b.tools.Offer(false) }
func (b lookBox) Done() bool            { return false }
func (b lookBox) Call(c llm.ToolCall) dialog.Answer {
	if c.Malformed != "" {
		return dialog.Malformed(c.Name)
	}
	return dialog.FromWorkspace(b.tools.Run(c.Name, c.Args))
}
