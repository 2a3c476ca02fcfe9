package modelserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// defaultRequestCap stops a runaway loop of a host or an advisor before it fills the disk with
// records. The shared reviewer cases use the same figure.
const defaultRequestCap = 200

// SmallModel is the id that hosts are configured to use for titles and summaries. Requests to it get
// a harmless text unless the script names it.
const SmallModel = "small"

// Script says what each model answers. The zero Script answers every request with a fixed text.
type Script struct {
	// RequestCap is the number of chat requests that are answered; later ones get status 503.
	// Zero means 200.
	RequestCap int `json:"requestCap,omitempty"`
	// Models maps a model id, or the role "primary" or "reviewer", to its replies in order.
	Models map[string][]Reply `json:"models,omitempty"`
	// ScriptedTitles hands a host's title requests to the script like any other request.
	ScriptedTitles bool `json:"scriptedTitles,omitempty"`
	// Play answers for the models that it names, in place of Models.
	Play map[string]Play `json:"-"`
}

// Play makes the reply to a chat request. It may wait for as long as the client does, which the context tells, and is
// called for several requests at once.
type Play func(context.Context, Request) Reply

// Reply is one answer of a model. Without Status the answer is a completion made of Reasoning, Text
// and ToolCalls.
type Reply struct {
	// Every is a reply that is never used up. It stands alone in its entry, with Match at most.
	Every *Reply `json:"every,omitempty"`
	// Match limits the reply to requests whose last message contains this string.
	Match string `json:"match,omitempty"`
	// Directive carries out the [[tool args]] directives of the human message, one a request, then
	// answers with Text (or a default). It is never used up. See directive.go for the grammar.
	Directive bool `json:"directive,omitempty"`

	// Text may contain {n}, the number of the request within its model (from 1); so may tool arguments.
	Text      string     `json:"text,omitempty"`
	Reasoning string     `json:"reasoning,omitempty"`
	ToolCalls []ToolCall `json:"toolCalls,omitempty"`
	// Finish is the finish_reason; empty means "tool_calls" or "stop".
	Finish string `json:"finish,omitempty"`
	// Usage is sent as given. Without it a small fixed usage is sent; null sends none.
	Usage json.RawMessage `json:"usage,omitempty"`

	// Status is the HTTP status; zero means 200. From 400 on, or with Body, no completion is built.
	Status  int               `json:"status,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	// Body is sent as it is: a JSON string is sent unquoted, anything else as JSON.
	Body json.RawMessage `json:"body,omitempty"`

	// DelayMs passes before the first byte, headers included.
	DelayMs int `json:"delayMs,omitempty"`
	// Hang leaves the request open until the client goes: before the headers when the reply has no
	// content, else after the content and without an end.
	Hang bool `json:"hang,omitempty"`
	// Drop closes the connection after the content, without an end.
	Drop bool `json:"drop,omitempty"`
	// SSE forces the form of the answer; without it the request's stream flag decides.
	SSE *bool `json:"sse,omitempty"`
	// Chunking says how a streamed answer is cut.
	Chunking Chunking `json:"chunking,omitzero"`
}

// ToolCall is one call in a reply.
type ToolCall struct {
	// ID defaults to call_<request>_<index>.
	ID   string `json:"id,omitempty"`
	Name string `json:"name"`
	// Args is the argument object. A JSON string is sent unquoted, so that a script can give
	// arguments that are cut off or are no JSON at all.
	Args json.RawMessage `json:"args,omitempty"`
}

// Chunking cuts a streamed answer. Zero values mean one event a field, and one write an event.
type Chunking struct {
	// Runes is the length of each delta of text, reasoning and arguments.
	Runes int `json:"runes,omitempty"`
	// WireBytes is the length of each write to the connection: events are torn at any byte.
	WireBytes int `json:"wireBytes,omitempty"`
	// DelayMs passes between two writes.
	DelayMs int `json:"delayMs,omitempty"`
}

// Args returns raw JSON arguments for a ToolCall. It panics when v cannot be encoded.
func Args(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("modelserver: encode tool arguments: %v", err))
	}
	return b
}

// ParseScript decodes a script. Unknown fields and replies that contradict themselves are errors, for a
// misspelt script would make a test pass by accident.
func ParseScript(data []byte) (Script, error) {
	var s Script
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return Script{}, fmt.Errorf("parse model script: %w", err)
	}
	if dec.More() {
		return Script{}, fmt.Errorf("parse model script: data after the object")
	}
	return s, s.check()
}

// ReadScript reads a script from a file.
func ReadScript(path string) (Script, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Script{}, fmt.Errorf("read model script: %w", err)
	}
	return ParseScript(data)
}

func (s Script) check() error {
	for model, replies := range s.Models {
		for i, r := range replies {
			if err := r.check(); err != nil {
				return fmt.Errorf("model script: models.%s[%d]: %w", model, i, err)
			}
		}
	}
	return nil
}

func (r Reply) check() error {
	if r.Every != nil {
		if r.Every.Every != nil {
			return fmt.Errorf("every inside every")
		}
		return r.Every.check()
	}
	if r.Status != 0 && (r.Status < 200 || r.Status > 599) {
		return fmt.Errorf("status %d: want 200 to 599", r.Status)
	}
	for _, c := range r.ToolCalls {
		if c.Name == "" {
			return fmt.Errorf("tool call without a name")
		}
	}
	return nil
}

// raw reports that the reply is an HTTP answer of its own rather than a completion.
func (r Reply) raw() bool { return r.Status >= 400 || len(r.Body) > 0 }

func (r Reply) hasContent() bool { return r.Text != "" || r.Reasoning != "" || len(r.ToolCalls) > 0 }

func (r Reply) delay() time.Duration { return time.Duration(r.DelayMs) * time.Millisecond }

// unquote gives the text of a JSON string, and any other JSON as it is.
func unquote(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}
