// Package dialog is a bounded conversation with a model that may call tools: the loop
// that the watchdog's review and the consultation share. It sends, hands tool
// calls to the caller's Toolbox, and stops; what the words mean is the caller's.
package dialog

import (
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/llm"
)

// Toolbox answers the model's tool calls.
type Toolbox interface {
	// Offer gives the tools of the next request. In the last one only what
	// ends the conversation is offered.
	Offer(last bool) []llm.Tool
	Call(c llm.ToolCall) Answer
	// Done tells, after a round, that no further request is wanted.
	Done() bool
}

// Answer is what goes back to the model for a call.
type Answer struct {
	Text string
	Data bool // it comes from the workspace, and is fenced
	// Shown hears how many lines of the text, from its first, the model gets whole: what was cut off to keep
	// the request small was not seen. It may be nil.
	Shown func(lines int)
}

// Conversation is what is to be held.
type Conversation struct {
	Endpoint llm.Endpoint
	Messages []llm.Message
	// Steps is how many rounds of tool calls are answered before the last request.
	Steps int
	// Enough tells from what was used that the next request is to be the last; it may be nil.
	Enough func(llm.Usage) bool
	// LastChoice is the tool choice of the last request; empty leaves it to the model.
	LastChoice string
	// MaxTokens bounds each reply; 0 leaves it to the vendor.
	MaxTokens int
	// MaxBytes bounds the text of a request; 0 is no bound. The first messages are
	// the caller's to bound, and answers to tool calls share what they leave.
	MaxBytes int
	// Deadline is the time, in milliseconds since 1970, at which all of it must
	// have ended.
	Deadline int64
	// Nonce fences what comes from the workspace: data, never an instruction.
	Nonce string
	// Shrink makes the first request shorter when the model's context cannot hold it.
	Shrink func([]llm.Message) []llm.Message
}

// Result is how it went.
type Result struct {
	Text     string // of the last reply
	Cut      bool   // the last reply ended before the model was done
	Usage    llm.Usage
	Requests int
	Rounds   int // rounds of tool calls
	// Failure is why it ended before its time; nil when it did not. What
	// the toolbox took until then stands.
	Failure error
}

// maxCallsARound bounds the tool calls answered in one reply. Models ask for a
// handful; a reply with hundreds is a model gone wild.
const maxCallsARound = 16

// Model asks the model once: llm.Call with its port and memory, or a test's script. The deadline is absolute, in milliseconds.
// Shrink makes the request shorter when it overflows the model's context; it may be nil.
type Model func(ep llm.Endpoint, req llm.Request, deadline int64, shrink func(llm.Request) (llm.Request, bool)) (llm.Reply, error)

// Run holds the conversation.
func Run(model Model, c Conversation, box Toolbox) Result {
	var r Result
	messages := append([]llm.Message(nil), c.Messages...)
	used := 0
	for _, m := range messages {
		used += size(m)
	}
	for {
		last := r.Rounds >= c.Steps || c.Enough != nil && c.Enough(r.Usage)
		req := llm.Request{Messages: messages, Tools: box.Offer(last), MaxTokens: c.MaxTokens}
		if last && len(req.Tools) > 0 {
			req.ToolChoice = c.LastChoice
		}
		reply, err := model(c.Endpoint, req, c.Deadline, func(long llm.Request) (llm.Request, bool) {
			if c.Shrink == nil || r.Rounds > 0 {
				return long, false
			}
			messages = c.Shrink(messages)
			long.Messages = messages
			return long, true
		})
		r.Usage = r.Usage.Plus(reply.Usage)
		r.Requests += reply.Requests
		if err != nil {
			r.Failure = err
			return r
		}
		r.Text, r.Cut = reply.Text, reply.Cut()
		if len(reply.ToolCalls) == 0 {
			return r
		}
		said := reply.Message()
		messages = append(messages, said)
		used += size(said)
		for i, tc := range reply.ToolCalls {
			text := "Not answered: at most " + strconv.Itoa(maxCallsARound) + " calls are answered in one reply. Ask again for what you still need."
			if i < maxCallsARound {
				answer := box.Call(tc)
				var whole int
				text, whole = fit(answer.Text, used, c.MaxBytes)
				if answer.Shown != nil {
					answer.Shown(whole)
				}
				if answer.Data {
					text = Fence(c.Nonce, text)
				}
			}
			used += len(text)
			messages = append(messages, llm.Message{Role: llm.ToolRole, Name: tc.Name, ToolCallID: tc.ID, Text: text})
		}
		// What the model said comes back with every further request: one that fills a request by itself has no next.
		if last || box.Done() || c.MaxBytes > 0 && size(said) > c.MaxBytes {
			return r
		}
		r.Rounds++
	}
}

// Fence marks text as data: it stands between two marks that hold a nonce which nobody who wrote the
// text could foresee.
func Fence(nonce, text string) string { return "<<<" + nonce + "\n" + text + "\n" + nonce + ">>>" }

// leastAnswer is what every answer may have, however little room is left: enough to say
// what it was and how to ask for less.
const leastAnswer = 600

// fit shortens an answer to half of the room that the request has left. Earlier messages
// are never touched: a provider's cache holds the prefix, and a changed
// prefix is paid in full again. Halving leaves room for the rounds to come. Whole is how many lines are left whole.
func fit(text string, used, limit int) (short string, whole int) {
	room := max(leastAnswer, (limit-used)/2)
	if limit <= 0 || len(text) <= room {
		return text, strings.Count(text, "\n") + 1
	}
	short = head(text, room-markRoom)
	whole = strings.Count(short, "\n")
	if text[len(short)] == '\n' {
		whole++
	}
	return short + "\n[advisor cut " + strconv.Itoa(len(text)-len(short)) +
		" bytes of this answer here to keep the request small; ask for a narrower range if you need them]", whole
}

// markRoom is more than the mark of a cut and a fence take.
const markRoom = 180

func size(m llm.Message) int {
	n := len(m.Text) + len(m.Reasoning) + len(m.Details)
	for _, c := range m.ToolCalls {
		n += len(c.Name) + len(c.Args)
	}
	return n
}

// head gives the first n bytes of s, ending at a line where there is one near,
// and never inside a rune.
func head(s string, n int) string {
	if n >= len(s) {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	for i := n; i > n-200 && i > 0; i-- {
		if s[i-1] == '\n' {
			return s[:i-1]
		}
	}
	return s[:n]
}

// FromWorkspace is what a tool answers.
func FromWorkspace(text string, shown func(lines int)) Answer {
	return Answer{Text: text, Data: true, Shown: shown}
}

// Malformed answers a call whose arguments are no object.
func Malformed(tool string) Answer {
	return Answer{Text: "The arguments of " + tool + " are not a JSON object. Send the call again with one."}
}
