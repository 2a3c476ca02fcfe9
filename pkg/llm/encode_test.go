package llm

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func sampleRequest() Request {
	zero := 0.2
	return Request{
		Messages: []Message{
			{Role: System, Text: "You review."},
			{Role: User, Text: "delta \"x\"\n\x00\xff"},
			{Role: Assistant, Text: "", ToolCalls: []ToolCall{{ID: "c1", Name: "read", Args: []byte(`{"path":"a.go"}`)}}},
			{Role: ToolRole, Name: "read", ToolCallID: "c1", Text: "1| package a"},
		},
		Tools:       []Tool{{Name: "read", Description: "Reads.", Schema: []byte(`{"type":"object"}`)}, {Name: "advise", Schema: []byte(`{broken`)}},
		ToolChoice:  "advise",
		MaxTokens:   900,
		Temperature: &zero,
	}
}

func TestEncodeRequest(t *testing.T) {
	ep := Endpoint{Model: "kimi-k3", Effort: "high"}
	head := `{"model":"kimi-k3","messages":[{"role":"system","content":"You review."},{"role":"user","content":"delta \"x\"\n\u0000` + "\uFFFD" + `"},` +
		`{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{\"path\":\"a.go\"}"}}]},` +
		`{"role":"tool","content":"1| package a","tool_call_id":"c1","name":"read"}],` +
		`"tools":[{"type":"function","function":{"name":"read","description":"Reads.","parameters":{"type":"object"}}},` +
		`{"type":"function","function":{"name":"advise","description":"","parameters":{"type":"object","properties":{}}}}]`
	choice := `,"tool_choice":{"type":"function","function":{"name":"advise"}}`
	for _, tt := range []struct {
		name   string
		quirks Quirks
		want   string
	}{
		{"everything", 0, head + choice + `,"max_tokens":900,"temperature":0.2,"reasoning_effort":"high","stream":false}`},
		{"nothing optional", NoToolChoice | NoMaxTokens | NoTemperature | NoEffort, head + `,"stream":false}`},
		{"the new name of max_tokens", CompletionTokens | NoTemperature | NoEffort, head + choice + `,"max_completion_tokens":900,"stream":false}`},
	} {
		got := string(EncodeRequest(ep, sampleRequest(), tt.quirks))
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestEffort(t *testing.T) {
	for variant, want := range map[string]string{"": "", "high": "high", " XHigh ": "xhigh", "off": "none", "auto": "", "default": "", "minimal": "minimal"} {
		if got := reasoningEffort(variant); got != want {
			t.Errorf("reasoningEffort(%q) = %q, want %q", variant, got, want)
		}
	}
}

// Whatever the texts hold, the body is JSON and says the same.
func FuzzEncodeRequest(f *testing.F) {
	f.Add("system", "user \xff\u2028", "tool", []byte(`{"a":1}`), []byte(`{"type":"object"}`), uint32(0))
	f.Add("", "\"\\\x00", "", []byte(`{`), []byte(`]`), uint32(TextTools))
	f.Fuzz(func(t *testing.T, system, user, name string, args, schema []byte, quirks uint32) {
		req := Request{
			Messages: []Message{
				{Role: System, Text: system}, {Role: User, Text: user},
				{Role: Assistant, ToolCalls: []ToolCall{{ID: name, Name: name, Args: args, Extra: schema}}, Details: args},
				{Role: ToolRole, Name: name, ToolCallID: name, Text: user},
			},
			Tools: []Tool{{Name: name, Description: user, Schema: schema}}, ToolChoice: name,
		}
		q := Quirks(quirks)
		var got struct {
			Messages []struct {
				Role    string
				Content string
			}
		}
		body := EncodeRequest(Endpoint{Model: name}, req, q)
		if err := json.Unmarshal(body, &got); err != nil {
			t.Fatalf("%v in %s", err, body)
		}
		want := 4
		if q&TextTools == 0 {
			var plain string
			quoted, _ := json.Marshal(user)
			_ = json.Unmarshal(quoted, &plain)
			if len(got.Messages) != want || got.Messages[1].Content != plain {
				t.Fatalf("%q became %q", user, got.Messages[1].Content)
			}
		}
		for _, m := range got.Messages {
			if q&TextTools != 0 && m.Role == "tool" {
				t.Fatalf("a tool message went to an endpoint without tools: %s", body)
			}
		}
	})
}

func TestTheEffortThatAnEndpointTakes(t *testing.T) {
	for _, tt := range []struct {
		asked string
		q     Quirks
		want  string
	}{
		{"max", 0, "max"}, {"max", CapEffort, "high"}, {"XHigh ", CapEffort, "high"}, {"low", CapEffort, "low"}, {"off", CapEffort, "off"},
		{"max", CapEffort | NoEffort, ""}, {"low", NoEffort, ""}, {"", CapEffort, ""},
	} {
		ep := Endpoint{Model: "m", BaseURL: "https://x.com", Effort: tt.asked}
		m := &Memory{}
		m.Learn(ep, tt.q)
		if got := m.Effort(ep); got != tt.want {
			t.Errorf("effort %q with quirks %b: %q, want %q", tt.asked, tt.q, got, tt.want)
		}
	}
}
