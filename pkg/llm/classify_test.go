package llm

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestErrorsOfVendors(t *testing.T) {
	type want struct {
		Kind    Kind
		Detail  string
		RetryMS int64
		Param   Quirks
	}
	for _, tt := range []struct {
		name    string
		status  int
		headers []Header
		body    string
		want    want
	}{
		{"openai/key", 401, nil, `{"error":{"message":"Incorrect API key provided: abc.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`,
			want{Kind: KindAuth, Detail: "Incorrect API key provided: abc."}},
		{"gemini/key, in an array, as 400", 400, nil, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}]`,
			want{Kind: KindAuth, Detail: "API key not valid. Please pass a valid API key."}},
		{"proxy/403 page", 403, nil, "<html><body>Forbidden</body></html>", want{Kind: KindAuth, Detail: "<html><body>Forbidden</body></html>"}},
		{"openai/rate", 429, []Header{{"retry-after", "1"}}, `{"error":{"message":"Rate limit reached for requests. Please try again in 1s.","type":"rate_limit_exceeded","code":"rate_limit_exceeded"}}`,
			want{Kind: KindRate, Detail: "Rate limit reached for requests. Please try again in 1s.", RetryMS: 1000}},
		{"openai/rate in the words alone", 429, nil, `{"error":{"message":"Limit 30000, Used 29000. Please try again in 1m2.5s."}}`,
			want{Kind: KindRate, Detail: "Limit 30000, Used 29000. Please try again in 1m2.5s.", RetryMS: 62_500}},
		{"openai/rate in milliseconds", 429, []Header{{"Retry-After-Ms", "340"}}, ``, want{Kind: KindRate, RetryMS: 340}},
		{"openai/quota", 429, nil, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}`,
			want{Kind: KindQuota, Detail: "You exceeded your current quota, please check your plan and billing details."}},
		{"gemini/the same words with a delay are a rate", 429, nil, `{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}]}}`,
			want{Kind: KindRate, Detail: "You exceeded your current quota, please check your plan and billing details.", RetryMS: 34_500}},
		{"deepseek/balance", 402, nil, `{"error":{"message":"Insufficient Balance","type":"unknown_error","param":null,"code":"invalid_request_error"}}`,
			want{Kind: KindQuota, Detail: "Insufficient Balance"}},
		{"moonshot/quota", 429, nil, `{"error":{"message":"Your account is not active, please recharge","type":"exceeded_current_quota_error"}}`,
			want{Kind: KindQuota, Detail: "Your account is not active, please recharge"}},
		{"moonshot/overloaded", 429, nil, `{"error":{"message":"The engine is currently overloaded, please try again later","type":"engine_overloaded_error"}}`,
			want{Kind: KindRate, Detail: "The engine is currently overloaded, please try again later"}},
		{"anthropic/credit", 400, nil, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API."}}`,
			want{Kind: KindQuota, Detail: "Your credit balance is too low to access the API."}},
		{"zhipu/balance", 429, nil, `{"error":{"code":"1113","message":"余额不足或无可用资源包,请充值。"}}`, want{Kind: KindQuota, Detail: "余额不足或无可用资源包,请充值。"}},

		{"openai/model", 404, nil, `{"error":{"message":"The model 'gpt-x' does not exist or you do not have access to it.","type":"invalid_request_error","param":null,"code":"model_not_found"}}`,
			want{Kind: KindNotFound, Detail: "The model 'gpt-x' does not exist or you do not have access to it."}},
		{"ollama/model", 404, nil, `{"error":{"message":"model \"qwen9\" not found, try pulling it first","type":"api_error","param":null,"code":null}}`,
			want{Kind: KindNotFound, Detail: `model "qwen9" not found, try pulling it first`}},
		{"deepseek/model as 400", 400, nil, `{"error":{"message":"Model Not Exist","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`,
			want{Kind: KindNotFound, Detail: "Model Not Exist"}},
		{"openrouter/model as 400", 400, nil, `{"error":{"message":"foo/bar is not a valid model ID","code":400},"user_id":"u"}`,
			want{Kind: KindNotFound, Detail: "foo/bar is not a valid model ID"}},
		{"any/path", 404, nil, "404 page not found\n", want{Kind: KindNotFound, Detail: "404 page not found"}},

		{"ollama/tools", 400, nil, `{"error":{"message":"registry.ollama.ai/library/gemma:2b does not support tools","type":"api_error","param":null,"code":null}}`,
			want{Kind: KindTools, Detail: "registry.ollama.ai/library/gemma:2b does not support tools"}},
		{"vllm/tools", 400, nil, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError","param":null,"code":400}`,
			want{Kind: KindTools, Detail: `"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`}},
		{"openrouter/tools as 404", 404, nil, `{"error":{"message":"No endpoints found that support tool use. To learn more about provider routing, visit the docs.","code":404}}`,
			want{Kind: KindTools, Detail: "No endpoints found that support tool use. To learn more about provider routing, visit the docs."}},
		{"llama.cpp/tools as 500", 500, nil, `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`,
			want{Kind: KindTools, Detail: "tools param requires --jinja flag"}},
		{"openai/tools as a parameter", 400, nil, `{"error":{"message":"Unsupported parameter: 'tools' is not supported with this model.","type":"invalid_request_error","param":"tools","code":"unsupported_parameter"}}`,
			want{Kind: KindTools, Detail: "Unsupported parameter: 'tools' is not supported with this model."}},
		{"fastapi/tools", 422, nil, `{"detail":[{"type":"extra_forbidden","loc":["body","tool_choice"],"msg":"Extra inputs are not permitted","input":"auto"}]}`,
			want{Kind: KindParameter, Detail: "Extra inputs are not permitted", Param: NoToolChoice}},
		{"deepseek/tool_choice", 400, nil, `{"error":{"message":"deepseek-reasoner does not support this tool_choice","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`,
			want{Kind: KindParameter, Detail: "deepseek-reasoner does not support this tool_choice", Param: NoToolChoice}},
		{"openai/max_tokens", 400, nil, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`,
			want{Kind: KindParameter, Detail: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", Param: CompletionTokens}},
		{"deepseek/max_tokens too large", 400, nil, `{"error":{"message":"Invalid max_tokens value, the valid range of max_tokens is [1, 8192]","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`,
			want{Kind: KindParameter, Detail: "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", Param: NoMaxTokens}},
		{"openai/temperature", 400, nil, `{"error":{"message":"Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.","type":"invalid_request_error","param":"temperature","code":"unsupported_value"}}`,
			want{Kind: KindParameter, Detail: "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.", Param: NoTemperature}},
		{"openai/effort", 400, nil, `{"error":{"message":"Unrecognized request argument supplied: reasoning_effort","type":"invalid_request_error","param":null,"code":null}}`,
			want{Kind: KindParameter, Detail: "Unrecognized request argument supplied: reasoning_effort", Param: NoEffort}},
		{"deepseek/reasoning wanted again is not refused", 400, nil, `{"error":{"message":"Missing reasoning_content field in the assistant message at message index 2","type":"invalid_request_error"}}`,
			want{Kind: KindInvalid, Detail: "Missing reasoning_content field in the assistant message at message index 2"}},

		{"openai/overflow", 400, nil, `{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`,
			want{Kind: KindOverflow, Detail: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."}},
		{"anthropic/overflow", 400, nil, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 208310 tokens > 200000 maximum"}}`,
			want{Kind: KindOverflow, Detail: "prompt is too long: 208310 tokens > 200000 maximum"}},
		{"gemini/overflow", 400, nil, `[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`,
			want{Kind: KindOverflow, Detail: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."}},
		{"moonshot/overflow", 400, nil, `{"error":{"message":"Invalid request: Your request exceeded model token limit: 8192","type":"invalid_request_error"}}`,
			want{Kind: KindOverflow, Detail: "Invalid request: Your request exceeded model token limit: 8192"}},
		{"xai/overflow", 400, nil, `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}`,
			want{Kind: KindOverflow, Detail: "This model's maximum prompt length is 131072 but the request contains 537812 tokens."}},
		{"llama.cpp/overflow", 400, nil, `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}`,
			want{Kind: KindOverflow, Detail: "the request exceeds the available context size, try increasing it"}},
		{"openrouter/overflow of the vendor behind", 400, nil, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"prompt is too long: 9 tokens > 8 maximum\"}}","provider_name":"Anthropic"}}}`,
			want{Kind: KindOverflow, Detail: "prompt is too long: 9 tokens > 8 maximum"}},
		{"proxy/overflow as 413", 413, nil, "Request Entity Too Large", want{Kind: KindOverflow, Detail: "Request Entity Too Large"}},

		{"any/500", 500, nil, "", want{Kind: KindServer}},
		{"anthropic/529", 529, nil, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, want{Kind: KindServer, Detail: "Overloaded"}},
		{"cloudflare/502 page", 502, nil, "<html>\n<h1>Bad Gateway</h1></html>", want{Kind: KindServer, Detail: "<html> <h1>Bad Gateway</h1></html>"}},
		{"any/503 with a date", 503, []Header{{"retry-after", "Wed, 21 Oct 2026 07:28:00 GMT"}}, "", want{Kind: KindServer}},
		{"any/redirect", 302, []Header{{"location", "http://169.254.169.254/"}}, "moved", want{Kind: KindRedirect}},
		{"stream/event: error with a status of its own", 400, nil, "event: error\ndata: {\"error\":{\"message\":\"Rate limit exceeded\"}}\n\n", want{Kind: KindRate, Detail: "Rate limit exceeded"}},
		{"any/400", 400, nil, `{"error":{"message":"messages[1].role: unknown variant","type":"invalid_request_error"}}`, want{Kind: KindInvalid, Detail: "messages[1].role: unknown variant"}},
		{"any/control and bidi characters", 400, nil, "{\"error\":\"line\\u0000 one\\u202e\\n\\u001b[31mtwo\"}", want{Kind: KindInvalid, Detail: "line one [31mtwo"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ParseReply(tt.status, tt.headers, []byte(tt.body))
			f, ok := AsFailure(err)
			if !ok {
				t.Fatalf("ParseReply gave %v, want a Failure", err)
			}
			if diff := cmp.Diff(tt.want, want{f.Kind, f.Detail, f.RetryMS, f.param}); diff != "" {
				t.Error(diff)
			}
			if f.Mend() == "" {
				t.Errorf("%s has no sentence that says how to mend it", f.Kind)
			}
			if f.Status != tt.status {
				t.Errorf("status %d, want %d", f.Status, tt.status)
			}
		})
	}
}

func TestRetryAfterDate(t *testing.T) {
	const now = 1_792_567_670_000 // Wed, 21 Oct 2026 07:27:50 GMT
	for v, want := range map[string]int64{
		"Wed, 21 Oct 2026 07:28:00 GMT":     10_000,
		"Wednesday, 21-Oct-26 07:28:00 GMT": 10_000,
		"Wed Oct 21 07:28:00 2026":          10_000,
		"Wed, 21 Oct 2020 07:28:00 GMT":     0,
		"soon":                              0,
		"":                                  0,
	} {
		if got := until([]Header{{"Retry-After", v}}, now); got != want {
			t.Errorf("until %q = %d, want %d", v, got, want)
		}
	}
}

func TestWaits(t *testing.T) {
	for s, want := range map[string]int64{
		"20ms.": 20, "1.2s, or so": 1200, "7m12s": 432_000, "6 seconds": 6000, "1h3m": 3_780_000, "a while": 0, "": 0, "9": 0, "99999999h": 0,
	} {
		if got := spelled(s); got != want {
			t.Errorf("spelled(%q) = %d, want %d", s, got, want)
		}
	}
	for s, want := range map[string]int64{"1": 1000, " 0.5 ": 500, "-3": 0, "NaN": 0, "1e300": 0, "x": 0} {
		if got := seconds(s); got != want {
			t.Errorf("seconds(%q) = %d, want %d", s, got, want)
		}
	}
}
