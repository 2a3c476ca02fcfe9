package modelserver

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// completion renders one reply in the two forms of the chat-completions API.
type completion struct {
	reply Reply
	req   chatRequest
	n     int // number of the request: makes ids unique
	nth   int // number of the request within its model: {n} in texts
}

const defaultUsage = `{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}`

func (c completion) fill(s string) string {
	return strings.ReplaceAll(s, "{n}", strconv.Itoa(c.nth))
}

func (c completion) finish() string {
	switch {
	case c.reply.Finish != "":
		return c.reply.Finish
	case len(c.reply.ToolCalls) > 0:
		return "tool_calls"
	}
	return "stop"
}

// usage gives the usage to send, or nil.
func (c completion) usage() json.RawMessage {
	switch string(c.reply.Usage) {
	case "":
		return json.RawMessage(defaultUsage)
	case "null":
		return nil
	}
	return c.reply.Usage
}

func (c completion) head(object string) map[string]any {
	return map[string]any{
		"id": fmt.Sprintf("chatcmpl-%d", c.n), "object": object, "created": created, "model": c.req.Model,
	}
}

func (c completion) call(i int) (id, name, args string) {
	call := c.reply.ToolCalls[i]
	if id = call.ID; id == "" {
		id = fmt.Sprintf("call_%d_%d", c.n, i)
	}
	if args = "{}"; len(call.Args) > 0 {
		args = c.fill(unquote(call.Args))
	}
	return id, call.Name, args
}

// json is the answer to a request without streaming.
func (c completion) json() string {
	message := map[string]any{"role": "assistant", "content": c.fill(c.reply.Text)}
	if c.reply.Reasoning != "" {
		message["reasoning_content"] = c.fill(c.reply.Reasoning)
	}
	var calls []map[string]any
	for i := range c.reply.ToolCalls {
		id, name, args := c.call(i)
		calls = append(calls, map[string]any{
			"id": id, "type": "function", "function": map[string]any{"name": name, "arguments": args},
		})
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	out := c.head("chat.completion")
	out["choices"] = []any{map[string]any{"index": 0, "message": message, "finish_reason": c.finish()}}
	if u := c.usage(); u != nil {
		out["usage"] = u
	}
	return encode(out)
}

// events are the server-sent events of a streamed answer. A reply that hangs or drops has no end.
func (c completion) events() []string {
	out := []string{c.delta(map[string]any{"role": "assistant", "content": ""}, nil)}
	size := c.reply.Chunking.Runes
	for _, field := range []struct{ key, text string }{{"reasoning_content", c.reply.Reasoning}, {"content", c.reply.Text}} {
		if field.text == "" {
			continue
		}
		for _, piece := range cutRunes(c.fill(field.text), size) {
			out = append(out, c.delta(map[string]any{field.key: piece}, nil))
		}
	}
	for i := range c.reply.ToolCalls {
		id, name, args := c.call(i)
		call := map[string]any{"index": i, "id": id, "type": "function", "function": map[string]any{"name": name, "arguments": ""}}
		out = append(out, c.delta(map[string]any{"tool_calls": []any{call}}, nil))
		for _, piece := range cutRunes(args, size) {
			call := map[string]any{"index": i, "function": map[string]any{"arguments": piece}}
			out = append(out, c.delta(map[string]any{"tool_calls": []any{call}}, nil))
		}
	}
	if c.reply.Hang || c.reply.Drop {
		return out
	}
	out = append(out, c.delta(map[string]any{}, c.finish()))
	if u := c.usage(); u != nil && (c.req.StreamOptions.IncludeUsage || len(c.reply.Usage) > 0) {
		chunk := c.head("chat.completion.chunk")
		chunk["choices"], chunk["usage"] = []any{}, u
		out = append(out, "data: "+encode(chunk)+"\n\n")
	}
	return append(out, "data: [DONE]\n\n")
}

func (c completion) delta(delta map[string]any, finish any) string {
	chunk := c.head("chat.completion.chunk")
	chunk["choices"] = []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}
	return "data: " + encode(chunk) + "\n\n"
}

// encode cannot fail on the maps above, except for a usage that is no JSON, which ParseScript refuses.
func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return `{"error":{"message":` + strconv.Quote(err.Error()) + `}}`
	}
	return string(b)
}
