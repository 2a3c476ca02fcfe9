package llm

import (
	"encoding/json"
	"strings"
	"testing"
)

// The same work by encoding/json stands beside each figure, so that one run tells the factor.

type stdRequest struct {
	Model    string       `json:"model"`
	Messages []stdMessage `json:"messages"`
	Tools    []stdTool    `json:"tools"`
	Stream   bool         `json:"stream"`
}

type stdMessage struct {
	Role       string    `json:"role"`
	Content    string    `json:"content"`
	Reasoning  string    `json:"reasoning_content,omitempty"`
	ToolCallID string    `json:"tool_call_id,omitempty"`
	ToolCalls  []stdCall `json:"tool_calls,omitempty"`
}

type stdCall struct {
	Index    int    `json:"index"`
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type stdTool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

type stdReply struct {
	Choices []struct {
		Message      stdMessage `json:"message"`
		Delta        stdMessage `json:"delta"`
		FinishReason string     `json:"finish_reason"`
	} `json:"choices"`
	Usage struct {
		PromptTokens     int64 `json:"prompt_tokens"`
		CompletionTokens int64 `json:"completion_tokens"`
	} `json:"usage"`
}

// benchRequest is a review's: 64 KB of delta, two tool rounds of 32 KB of source.
func benchRequest() Request {
	source := strings.Repeat("\tif err := run(ctx, \"a\\b\"); err != nil {\n\t\treturn fmt.Errorf(\"run: %w\", err)\n\t}\n", 400)
	call := []ToolCall{{ID: "call_1", Name: "read", Args: []byte(`{"path":"src/db.ts","offset":40}`)}}
	return Request{
		Messages: []Message{
			{Role: System, Text: strings.Repeat("You review. ", 300)}, {Role: User, Text: strings.Repeat(source, 2)},
			{Role: Assistant, ToolCalls: call}, {Role: ToolRole, ToolCallID: "call_1", Text: source},
			{Role: Assistant, ToolCalls: call}, {Role: ToolRole, ToolCallID: "call_1", Text: source},
		},
		Tools: []Tool{{Name: "read", Description: "Reads.", Schema: []byte(`{"type":"object","properties":{"path":{"type":"string"}}}`)}},
	}
}

func BenchmarkEncode(b *testing.B) {
	req := benchRequest()
	b.Run("llm", func(b *testing.B) {
		b.SetBytes(int64(len(EncodeRequest(Endpoint{Model: "m"}, req, 0))))
		b.ReportAllocs()
		for b.Loop() {
			EncodeRequest(Endpoint{Model: "m"}, req, 0)
		}
	})
	b.Run("encoding_json", func(b *testing.B) {
		b.SetBytes(int64(len(EncodeRequest(Endpoint{Model: "m"}, req, 0))))
		b.ReportAllocs()
		for b.Loop() {
			std := stdRequest{Model: "m"}
			for _, m := range req.Messages {
				sm := stdMessage{Role: string(m.Role), Content: m.Text, ToolCallID: m.ToolCallID}
				for _, c := range m.ToolCalls {
					sc := stdCall{ID: c.ID, Type: "function"}
					sc.Function.Name, sc.Function.Arguments = c.Name, string(c.Args)
					sm.ToolCalls = append(sm.ToolCalls, sc)
				}
				std.Messages = append(std.Messages, sm)
			}
			for _, t := range req.Tools {
				st := stdTool{Type: "function"}
				st.Function.Name, st.Function.Description, st.Function.Parameters = t.Name, t.Description, t.Schema
				std.Tools = append(std.Tools, st)
			}
			if _, err := json.Marshal(std); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkParseJSON(b *testing.B) {
	args, _ := json.Marshal(`{"note":"` + strings.Repeat("The guard is missing. ", 200) + `","severity":"concern"}`)
	thought, _ := json.Marshal(strings.Repeat("Look at \"db.ts\".\n", 2000))
	body := []byte(`{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"","reasoning_content":` + string(thought) + `,"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"advise","arguments":` + string(args) + `}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9000,"completion_tokens":900}}`)
	benchParse(b, body, func() error { var r stdReply; return json.Unmarshal(body, &r) })
}

func BenchmarkParseStream(b *testing.B) {
	var s strings.Builder
	for range 2000 {
		s.WriteString(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1741569952,"model":"m","choices":[{"index":0,"delta":{"content":" word"},"finish_reason":null}]}` + "\n\n")
	}
	s.WriteString("data: [DONE]\n\n")
	body := []byte(s.String())
	benchParse(b, body, func() error {
		for line := range strings.SplitSeq(string(body), "\n\n") {
			data, ok := strings.CutPrefix(line, "data: ")
			if !ok || data == "[DONE]" {
				continue
			}
			var r stdReply
			if err := json.Unmarshal([]byte(data), &r); err != nil {
				return err
			}
		}
		return nil
	})
}

func benchParse(b *testing.B, body []byte, std func() error) {
	b.Run("llm", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := ParseReply(200, nil, body); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding_json", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			if err := std(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// What a hostile server can send costs no more than a few readings of it.
func BenchmarkHostile(b *testing.B) {
	for name, body := range map[string]string{
		"brackets":       strings.Repeat("{\n", MaxBody/2),
		"data lines":     strings.Repeat("data: [1,\n", MaxBody/10),
		"quotes":         `{"choices":[{"message":{"content":"` + strings.Repeat(`\"`, MaxBody/2-100) + `"}}]}`,
		"calls":          `{"choices":[{"message":{"tool_calls":[` + strings.TrimSuffix(strings.Repeat(`{"function":{"name":"a"}},`, MaxBody/27), ",") + `]}}]}`,
		"open arguments": `{"choices":[{"message":{"tool_calls":[{"function":{"name":"a","arguments":"` + strings.Repeat("{", MaxBody-200) + `"}}]}}]}`,
		"text brackets":  `{"choices":[{"message":{"content":"` + strings.Repeat(`{\n`, MaxBody/3-100) + `"}}]}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				r, _ := ParseReply(200, nil, []byte(body))
				ParseText(r.Text, granted)
			}
		})
	}
}
