package llm

import (
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// EncodeRequest gives the body of a chat completion. What the quirks say the endpoint does not
// take is left out or said another way; with TextTools the tools are described
// in the system text instead. Text that is not UTF-8 is made so.
func EncodeRequest(ep Endpoint, req Request, q Quirks) []byte {
	if q&TextTools != 0 {
		req = textRequest(req)
	}
	b := make([]byte, 0, sizeHint(req))
	b = protocol.AppendString(append(b, `{"model":`...), ep.Model)
	b = append(b, `,"messages":[`...)
	for i := range req.Messages {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendMessage(b, &req.Messages[i], q)
	}
	b = append(b, ']')
	b = appendTools(b, req, q)
	if req.MaxTokens > 0 && q&NoMaxTokens == 0 {
		name := `,"max_tokens":`
		if q&CompletionTokens != 0 {
			name = `,"max_completion_tokens":`
		}
		b = strconv.AppendInt(append(b, name...), int64(req.MaxTokens), 10)
	}
	if t := req.Temperature; t != nil && *t >= 0 && *t <= 2 && q&NoTemperature == 0 {
		b = strconv.AppendFloat(append(b, `,"temperature":`...), *t, 'g', -1, 64)
	}
	if effort := reasoningEffort(effortFor(ep, q)); effort != "" {
		b = protocol.AppendString(append(b, `,"reasoning_effort":`...), effort)
	}
	return append(b, `,"stream":false}`...)
}

// effortFor is the effort that an endpoint with these quirks is asked for: the nearest that it takes.
func effortFor(ep Endpoint, q Quirks) string {
	switch {
	case q&NoEffort != 0:
		return ""
	case q&CapEffort != 0 && aboveHigh(ep.Effort):
		return "high"
	}
	return ep.Effort
}

// aboveHigh picks the levels that few models know.
func aboveHigh(effort string) bool {
	effort = reasoningEffort(effort)
	return effort == "xhigh" || effort == "max"
}

// reasoningEffort turns a variant into what vendors take: hosts say off where they say none.
func reasoningEffort(variant string) string {
	effort := strings.ToLower(strings.TrimSpace(variant))
	switch effort {
	case "off":
		return "none"
	case "default", "auto":
		return ""
	}
	return effort
}

func sizeHint(req Request) int {
	n := 512
	for i := range req.Messages {
		m := &req.Messages[i]
		n += len(m.Text) + len(m.Text)/5 + // source code has fewer quotes, tabs and line breaks than that
			len(m.Reasoning) + len(m.Details) + 64
		for j := range m.ToolCalls {
			n += len(m.ToolCalls[j].Args) + 128
		}
	}
	for i := range req.Tools {
		n += len(req.Tools[i].Schema) + len(req.Tools[i].Description) + 128
	}
	return n
}

func appendMessage(b []byte, m *Message, q Quirks) []byte {
	b = protocol.AppendString(append(b, `{"role":`...), string(m.Role))
	// An empty text is sent too: null is refused by some templates.
	b = protocol.AppendString(append(b, `,"content":`...), m.Text)
	if m.Role == ToolRole {
		b = protocol.AppendString(append(b, `,"tool_call_id":`...), m.ToolCallID)
		if m.Name != "" {
			b = protocol.AppendString(append(b, `,"name":`...), m.Name)
		}
	}
	if m.Role == Assistant && q&NoReasoningEcho == 0 {
		// `reasoning` is a display field where it is used; only reasoning_content is asked for again.
		if m.ReasoningKey == "reasoning_content" && m.Reasoning != "" {
			b = protocol.AppendString(append(b, `,"reasoning_content":`...), m.Reasoning)
		}
		if len(m.Details) > 0 {
			b = protocol.AppendRaw(append(b, `,"reasoning_details":`...), protocol.JSON(m.Details))
		}
	}
	if len(m.ToolCalls) > 0 {
		b = append(b, `,"tool_calls":[`...)
		for i := range m.ToolCalls {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendCall(b, &m.ToolCalls[i])
		}
		b = append(b, ']')
	}
	return append(b, '}')
}

func appendCall(b []byte, c *ToolCall) []byte {
	b = protocol.AppendString(append(b, `{"id":`...), c.ID)
	b = protocol.AppendString(append(b, `,"type":"function","function":{"name":`...), c.Name)
	args := string(c.Args)
	if !protocol.Valid(c.Args) { // some vendors refuse the whole conversation over it
		args = "{}"
	}
	b = protocol.AppendString(append(b, `,"arguments":`...), args)
	b = append(b, '}')
	if len(c.Extra) > 0 {
		b = protocol.AppendRaw(append(b, `,"extra_content":`...), protocol.JSON(c.Extra))
	}
	return append(b, '}')
}

func appendTools(b []byte, req Request, q Quirks) []byte {
	if len(req.Tools) == 0 {
		return b
	}
	b = append(b, `,"tools":[`...)
	for i := range req.Tools {
		t := &req.Tools[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = protocol.AppendString(append(b, `{"type":"function","function":{"name":`...), t.Name)
		b = protocol.AppendString(append(b, `,"description":`...), t.Description)
		b = append(b, `,"parameters":`...)
		if protocol.Valid(t.Schema) {
			b = append(b, t.Schema...)
		} else {
			b = append(b, `{"type":"object","properties":{}}`...)
		}
		b = append(b, '}', '}')
	}
	b = append(b, ']')
	if q&NoToolChoice != 0 {
		return b
	}
	switch req.ToolChoice {
	case "", ChoiceAuto: // what every vendor does by itself; some refuse to be told
		return b
	case ChoiceNone, ChoiceRequired:
		return protocol.AppendString(append(b, `,"tool_choice":`...), req.ToolChoice)
	}
	b = append(b, `,"tool_choice":{"type":"function","function":{"name":`...)
	return append(protocol.AppendString(b, req.ToolChoice), '}', '}')
}
