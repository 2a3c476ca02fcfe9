package llm

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// seen is a reply in a form that a table can spell.
type seen struct {
	Text, Reasoning, Finish string
	Calls                   []string // name, then arguments
	IDs                     []string // where the vendor gave them
	Usage                   Usage
	Kind                    Kind
}

func look(r Reply, err error) seen {
	s := seen{Text: r.Text, Reasoning: r.Reasoning, Finish: r.Finish, Usage: r.Usage}
	for _, c := range r.ToolCalls {
		s.Calls = append(s.Calls, c.Name+" "+string(c.Args))
		s.IDs = append(s.IDs, c.ID)
	}
	if f, ok := AsFailure(err); ok {
		s.Kind = f.Kind
	}
	return s
}

func TestRepliesOfVendors(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       seen
	}{
		{
			name: "openai/text",
			body: `{"id":"chatcmpl-B9MBs8","object":"chat.completion","created":1741569952,"model":"gpt-4.1-2025-04-14","choices":[{"index":0,"message":{"role":"assistant","content":"No issues.","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":1019,"completion_tokens":10,"total_tokens":1029,"prompt_tokens_details":{"cached_tokens":896,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":4,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}},"service_tier":"default"}`,
			want: seen{Text: "No issues.", Finish: "stop", Usage: Usage{In: 1019, Out: 10, CachedIn: 896, Reasoning: 4}},
		},
		{
			name: "openai/two calls",
			body: `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_abc","type":"function","function":{"name":"read","arguments":"{\"path\":\"src/db.ts\",\"offset\":40}"}},{"id":"call_def","type":"function","function":{"name":"grep","arguments":"{\"pattern\":\"find\\\\w+\"}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":82,"completion_tokens":17}}`,
			want: seen{Finish: "tool_calls", Calls: []string{`read {"path":"src/db.ts","offset":40}`, `grep {"pattern":"find\\w+"}`}, IDs: []string{"call_abc", "call_def"}, Usage: Usage{In: 82, Out: 17}},
		},
		{
			name: "openai/stream, arguments in pieces",
			body: `data: {"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"read","arguments":""}}]},"finish_reason":null}]}

data: {"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"pa"}}]},"finish_reason":null}]}

data: {"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_2","type":"function","function":{"name":"glob","arguments":""}}]}}]}

data: {"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"th\":\"a.go\"}"}},{"index":1,"function":{"arguments":"{\"pattern\":\"**/*.go\"}"}}]}}]}

data: {"id":"c1","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: {"id":"c1","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":12,"total_tokens":21}}

data: [DONE]

`,
			want: seen{Finish: "tool_calls", Calls: []string{`read {"path":"a.go"}`, `glob {"pattern":"**/*.go"}`}, IDs: []string{"call_1", "call_2"}, Usage: Usage{In: 9, Out: 12}},
		},
		{
			name: "openai/refusal",
			body: `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal":"I cannot help with that."},"finish_reason":"stop"}]}`,
			want: seen{Text: "I cannot help with that.", Finish: "stop"},
		},
		{
			name: "deepseek/thoughts and blank keep-alive lines",
			body: "\n\n\n\n" + `{"id":"9","object":"chat.completion","model":"deepseek-flash","choices":[{"index":0,"message":{"role":"assistant","content":"Fine.","reasoning_content":"Look at db.ts."},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":16,"completion_tokens":40,"total_tokens":56,"prompt_cache_hit_tokens":8,"prompt_cache_miss_tokens":8,"completion_tokens_details":{"reasoning_tokens":30}},"system_fingerprint":"fp_8"}`,
			want: seen{Text: "Fine.", Reasoning: "Look at db.ts.", Finish: "stop", Usage: Usage{In: 16, Out: 40, CachedIn: 8, Reasoning: 30}},
		},
		{
			name: "deepseek/stream with comments",
			body: ": keep-alive\n\n: keep-alive\n\n" + `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":null,"reasoning_content":"Hm"},"finish_reason":null}]}` + "\n\n" +
				`data: {"choices":[{"index":0,"delta":{"content":null,"reasoning_content":"m."}}]}` + "\n\n" +
				`data: {"choices":[{"index":0,"delta":{"content":"All","reasoning_content":null}}]}` + "\n\n" +
				`data: {"choices":[{"index":0,"delta":{"content":" good"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":7,"prompt_cache_hit_tokens":0}}` + "\n\ndata: [DONE]\n",
			want: seen{Text: "All good", Reasoning: "Hmm.", Finish: "stop", Usage: Usage{In: 5, Out: 7}},
		},
		{
			name: "deepseek/only thoughts until the cap",
			body: `{"choices":[{"index":0,"message":{"role":"assistant","content":"","reasoning_content":"Let me see"},"finish_reason":"length"}],"usage":{"prompt_tokens":5,"completion_tokens":512}}`,
			want: seen{Reasoning: "Let me see", Finish: "length", Usage: Usage{In: 5, Out: 512}, Kind: KindThinking},
		},
		{
			name: "moonshot/usage in the choice",
			body: `data: {"id":"cmpl-1","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}` + "\n\n" +
				`data: {"id":"cmpl-1","choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":null}]}` + "\n\n" +
				`data: {"id":"cmpl-1","choices":[{"index":0,"delta":{},"finish_reason":"stop","usage":{"prompt_tokens":19,"completion_tokens":13,"total_tokens":32,"cached_tokens":10}}]}` + "\n\ndata: [DONE]\n\n",
			want: seen{Text: "ok", Finish: "stop", Usage: Usage{In: 19, Out: 13, CachedIn: 10}},
		},
		{
			name: "moonshot/call ids with a colon",
			body: `{"choices":[{"index":0,"message":{"role":"assistant","content":"","reasoning_content":"read it","tool_calls":[{"index":0,"id":"read:0","type":"function","function":{"name":"read","arguments":"{\"path\": \"a\"}"}}]},"finish_reason":"tool_calls"}]}`,
			want: seen{Reasoning: "read it", Finish: "tool_calls", Calls: []string{`read {"path": "a"}`}, IDs: []string{"read:0"}},
		},
		{
			name: "gemini/no ids, no index, whole calls in one chunk each",
			body: `data: {"choices":[{"delta":{"role":"assistant","tool_calls":[{"extra_content":{"google":{"thought_signature":"CkQB"}},"function":{"arguments":"{\"path\":\"a\"}","name":"read"},"id":"","type":"function"}]},"index":0}],"created":1,"model":"gemini-3.8-flash","object":"chat.completion.chunk"}` + "\n\n" +
				`data: {"choices":[{"delta":{"role":"assistant","tool_calls":[{"function":{"arguments":"{\"path\":\"b\"}","name":"read"},"id":"","type":"function"}]},"finish_reason":"stop","index":0}],"usage":{"completion_tokens":22,"prompt_tokens":60,"total_tokens":82}}` + "\n\ndata: [DONE]\n\n",
			want: seen{Finish: "stop", Calls: []string{`read {"path":"a"}`, `read {"path":"b"}`}, IDs: []string{"*", "*"}, Usage: Usage{In: 60, Out: 22}},
		},
		{
			name: "gemini/every call has index 0",
			body: `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"function-call-1","function":{"name":"read","arguments":"{\"path\":\"a\"}"}}]},"index":0}]}` + "\n\n" +
				`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"function-call-2","function":{"name":"grep","arguments":"{\"pattern\":\"b\"}"}}]},"finish_reason":"tool_calls","index":0}]}` + "\n\ndata: [DONE]\n\n",
			want: seen{Finish: "tool_calls", Calls: []string{`read {"path":"a"}`, `grep {"pattern":"b"}`}, IDs: []string{"function-call-1", "function-call-2"}},
		},
		{
			name: "openrouter/stream with processing comments",
			body: ": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n" + `data: {"id":"gen-1","provider":"Novita","model":"z-ai/glm-5","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning":"think ","reasoning_details":[{"type":"reasoning.text","text":"think ","index":0}]},"finish_reason":null,"native_finish_reason":null}]}` + "\n\n" +
				`data: {"id":"gen-1","choices":[{"index":0,"delta":{"content":"Done","reasoning":null},"finish_reason":"stop"}]}` + "\n\n" +
				`data: {"id":"gen-1","choices":[{"index":0,"delta":{"content":""}}],"usage":{"prompt_tokens":3,"completion_tokens":4,"cost":0.0001}}` + "\n\ndata: [DONE]\n",
			want: seen{Text: "Done", Reasoning: "think ", Finish: "stop", Usage: Usage{In: 3, Out: 4, Cost: 100}},
		},
		{
			name: "openrouter/leading blanks before JSON, both reasoning keys",
			body: "         \n\n         \n" + `{"choices":[{"message":{"role":"assistant","content":"A","reasoning":"x","reasoning_content":"x"},"finish_reason":"stop","index":0}]}`,
			want: seen{Text: "A", Reasoning: "x", Finish: "stop"},
		},
		{
			name: "openrouter/error inside a choice",
			body: `{"id":"gen-2","choices":[{"index":0,"error":{"code":502,"message":"Provider returned error","metadata":{"raw":"upstream overloaded","provider_name":"X"}},"finish_reason":"error","message":{"role":"assistant","content":""}}]}`,
			want: seen{Finish: "error", Kind: KindServer},
		},
		{
			name: "openrouter/error in the middle of a stream",
			body: `data: {"choices":[{"index":0,"delta":{"content":"half a sen"}}]}` + "\n\n" + `data: {"error":{"code":429,"message":"Rate limit exceeded: free-models-per-min."},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}` + "\n\n",
			want: seen{Text: "half a sen", Finish: "error", Kind: KindRate},
		},
		{
			name: "ollama/think tags in the content",
			body: `{"id":"chatcmpl-1","object":"chat.completion","model":"qwen3:8b","system_fingerprint":"fp_ollama","choices":[{"index":0,"message":{"role":"assistant","content":"<think>\nIs it null?\n</think>\n\nIt throws."},"finish_reason":"stop"}],"usage":{"prompt_tokens":30,"completion_tokens":60,"total_tokens":90}}`,
			want: seen{Text: "It throws.", Reasoning: "Is it null?", Finish: "stop", Usage: Usage{In: 30, Out: 60}},
		},
		{
			name: "ollama/reasoning field and a call",
			body: `{"choices":[{"index":0,"message":{"role":"assistant","content":"","reasoning":"look","tool_calls":[{"id":"call_x1","index":0,"type":"function","function":{"name":"read","arguments":"{\"path\":\"a\"}"}}]},"finish_reason":"tool_calls"}]}`,
			want: seen{Reasoning: "look", Finish: "tool_calls", Calls: []string{`read {"path":"a"}`}, IDs: []string{"call_x1"}},
		},
		{
			name: "vllm/the template opened the thoughts",
			body: `{"choices":[{"index":0,"message":{"role":"assistant","content":"still thinking</think>Answer","tool_calls":[]},"finish_reason":"stop","stop_reason":null}],"usage":{"prompt_tokens":3,"total_tokens":9,"completion_tokens":6,"prompt_tokens_details":null}}`,
			want: seen{Text: "Answer", Reasoning: "still thinking", Finish: "stop", Usage: Usage{In: 3, Out: 6}},
		},
		{
			name: "lm studio/legacy function_call",
			body: `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"function_call":{"name":"grep","arguments":"{\"pattern\":\"x\"}"}},"finish_reason":"function_call"}]}`,
			want: seen{Finish: "function_call", Calls: []string{`grep {"pattern":"x"}`}, IDs: []string{"*"}},
		},
		{
			name: "lm studio/error as a string in a 200",
			body: `{"error":"The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length."}`,
			want: seen{Kind: KindOverflow},
		},
		{
			name: "mistral/content as parts, thoughts among them",
			body: `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"why"}]},{"type":"text","text":"be"},{"type":"text","text":"cause"}]}}]}`,
			want: seen{Text: "because", Reasoning: "why", Finish: "stop"},
		},
		{
			name: "groq/usage under x_groq",
			body: `data: {"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}],"x_groq":{"id":"req_1","usage":{"prompt_tokens":2,"completion_tokens":1}}}` + "\r\n\r\ndata: [DONE]\r\n\r\n",
			want: seen{Text: "hi", Finish: "stop", Usage: Usage{In: 2, Out: 1}},
		},
		{
			name: "minimax/error in base_resp",
			body: `{"id":"","choices":null,"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}`,
			want: seen{Kind: KindQuota},
		},
		{
			name: "minimax/success carries base_resp too",
			body: `{"choices":[{"finish_reason":"stop","index":0,"message":{"content":"yes","role":"assistant"}}],"base_resp":{"status_code": 0,"status_msg":""}}`,
			want: seen{Text: "yes", Finish: "stop"},
		},
		{
			name: "gateway/arguments as an object, name beside the id",
			body: `{"choices":[{"message":{"content":null,"tool_calls":[{"id":"t1","name":"read","arguments":{"path":"a"}}]},"finish_reason":"tool_calls"}]}`,
			want: seen{Finish: "tool_calls", Calls: []string{`read {"path":"a"}`}, IDs: []string{"t1"}},
		},
		{
			name: "gateway/one id for two calls, name on every chunk",
			body: `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"read","arguments":"{\"path\":"}}]}}]}` + "\n\n" +
				`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"read","arguments":"\"a\"}"}},{"index":1,"id":"x","function":{"name":"read","arguments":"{}{\"path\":\"b\"}"}}]},"finish_reason":"tool_calls"}]}` + "\n\n",
			want: seen{Finish: "tool_calls", Calls: []string{`read {"path":"a"}`, `read {"path":"b"}`}, IDs: []string{"x", "*"}},
		},
		{
			name: "gateway/event stream without blank lines, data over two lines",
			body: "event: message\ndata: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\ndata: {\"choices\":[{\"delta\":\ndata: {\"content\":\"b\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]",
			want: seen{Text: "ab", Finish: "stop"},
		},
		{
			name: "gateway/an emoji cut in two",
			body: `data: {"choices":[{"delta":{"content":"ok \ud83d"}}]}` + "\n\n" + `data: {"choices":[{"delta":{"content":"\ude00 \u00e9 \ud83d\ude00"},"finish_reason":"stop"}]}` + "\n\n",
			want: seen{Text: "ok \uFFFD\uFFFD é 😀", Finish: "stop"},
		},
		{
			name: "cut/a stream that broke off in its last event",
			body: `data: {"choices":[{"index":0,"delta":{"content":"whole"}}]}` + "\n\n" + `data: {"choices":[{"index":0,"delta":{"con`,
			want: seen{Text: "whole", Finish: FinishCut},
		},
		{
			name: "cut/arguments stop at the cap and are not guessed",
			body: `{"choices":[{"message":{"tool_calls":[{"id":"t","function":{"name":"advise","arguments":"{\"note\":\"half"}}]},"finish_reason":"length"}]}`,
			want: seen{Finish: "length", Calls: []string{`advise {}`}, IDs: []string{"t"}},
		},
		{
			name: "empty/nothing at all",
			body: `{"choices":[{"index":0,"message":{"role":"assistant","content":""},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":0}}`,
			want: seen{Finish: "stop", Usage: Usage{In: 7}, Kind: KindEmpty},
		},
		{name: "empty/no body", body: " \n", want: seen{Kind: KindEmpty}},
		{name: "empty/filtered", body: `{"choices":[{"message":{"content":null},"finish_reason":"content_filter"}]}`, want: seen{Finish: "content_filter", Kind: KindEmpty}},
		{name: "odd/a page", body: "<!doctype html><title>Sign in</title>", want: seen{Kind: KindUnparsed, Finish: ""}},
		{name: "odd/half a document", body: `{"choices":[{"message":{"content":"x"`, want: seen{Kind: KindUnparsed}},
		{name: "odd/some other JSON", body: `{"status":"ok"}`, want: seen{Kind: KindUnparsed}},
		{name: "odd/no choices", body: `{"choices":[]}`, want: seen{Kind: KindUnparsed}},
		{name: "odd/nested too deep", body: `{"choices":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`, want: seen{Kind: KindUnparsed}},
		{name: "odd/a second choice is not ours", body: `{"choices":[{"index":1,"message":{"content":"other"}},{"index":0,"message":{"content":"mine"},"finish_reason":"stop"}]}`, want: seen{Text: "mine", Finish: "stop"}},
		{name: "odd/null everywhere", body: `{"error":null,"choices":[{"index":null,"message":{"content":"x","tool_calls":null,"function_call":null,"reasoning_content":null},"finish_reason":null}],"usage":null}`, want: seen{Text: "x"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := look(ParseReply(200, nil, []byte(tt.body)))
			for i, id := range tt.want.IDs {
				if id == "*" && i < len(got.IDs) { // made by us
					if len(got.IDs[i]) != 9 {
						t.Errorf("made id %q, want nine letters and digits", got.IDs[i])
					}
					got.IDs[i] = "*"
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReplyTooLarge(t *testing.T) {
	_, err := ParseReply(200, nil, make([]byte, MaxBody+1))
	if f, _ := AsFailure(err); f.Kind != KindTooLarge {
		t.Errorf("got %v, want %s", err, KindTooLarge)
	}
}

// What a vendor wants to see again goes into the next request byte for byte.
func TestReplyGoesBack(t *testing.T) {
	body := `{"choices":[{"message":{"content":"","reasoning_content":"why \"so\"","reasoning_details":[{"type":"reasoning.encrypted","data":"AbC="}],
		"tool_calls":[{"id":"t1","type":"function","extra_content":{"google":{"thought_signature":"S=="}},"function":{"name":"read","arguments":"{\"path\":\"a\"}"}}]},"finish_reason":"tool_calls"}]}`
	r, err := ParseReply(200, nil, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	got := string(EncodeRequest(Endpoint{Model: "m"}, Request{Messages: []Message{r.Message()}}, 0))
	want := `{"model":"m","messages":[{"role":"assistant","content":"","reasoning_content":"why \"so\"","reasoning_details":[{"type":"reasoning.encrypted","data":"AbC="}],` +
		`"tool_calls":[{"id":"t1","type":"function","function":{"name":"read","arguments":"{\"path\":\"a\"}"},"extra_content":{"google":{"thought_signature":"S=="}}}]}],"stream":false}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := string(EncodeRequest(Endpoint{Model: "m"}, Request{Messages: []Message{r.Message()}}, NoReasoningEcho)); strings.Contains(got, "reasoning") {
		t.Errorf("a vendor that refuses reasoning was sent it: %s", got)
	}
}

func TestCachedTokensAreCountedApart(t *testing.T) {
	for _, tt := range []struct {
		name, usage string
		want        Usage
	}{
		{"openai", `{"prompt_tokens":100,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":64}}`, Usage{In: 100, Out: 5, CachedIn: 64}},
		{"responses", `{"input_tokens":100,"output_tokens":5,"input_tokens_details":{"cached_tokens":64},"output_tokens_details":{"reasoning_tokens":3}}`, Usage{In: 100, Out: 5, CachedIn: 64, Reasoning: 3}},
		{"deepseek", `{"prompt_tokens":100,"completion_tokens":5,"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":36}`, Usage{In: 100, Out: 5, CachedIn: 64}},
		{"anthropic, beside the input", `{"input_tokens":36,"output_tokens":5,"cache_read_input_tokens":64,"cache_creation_input_tokens":10}`, Usage{In: 110, Out: 5, CachedIn: 64, CacheWrite: 10}},
		{"a gateway, inside the prompt", `{"prompt_tokens":100,"completion_tokens":5,"cache_read_input_tokens":64,"cache_creation_input_tokens":10}`, Usage{In: 100, Out: 5, CachedIn: 64, CacheWrite: 10}},
		{"more cached than sent", `{"prompt_tokens":10,"completion_tokens":5,"cached_tokens":64}`, Usage{In: 10, Out: 5, CachedIn: 10}},
		{"with its price", `{"prompt_tokens":10,"completion_tokens":5,"cost":0.0001234}`, Usage{In: 10, Out: 5, Cost: 123}},
		{"with a price that cannot be meant", `{"prompt_tokens":10,"completion_tokens":5,"cost":-1}`, Usage{In: 10, Out: 5}},
	} {
		r, err := ParseReply(200, nil, []byte(`{"choices":[{"message":{"content":"silent"},"finish_reason":"stop"}],"usage":`+tt.usage+`}`))
		if err != nil || r.Usage != tt.want {
			t.Errorf("%s: got %+v (%v), want %+v", tt.name, r.Usage, err, tt.want)
		}
	}
}
