package llm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// script is a Port whose answers are given in order and whose clock moves only
// by what is waited for. The last answer is repeated.
type script struct {
	now     int64
	answers []HTTPResponse
	costMS  int64 // of each request
	stopAt  int   // the sleep that is cancelled, counted from 1
	sent    []HTTPRequest
	slept   []int64
}

func (s *script) RoundTrip(r HTTPRequest) HTTPResponse {
	s.sent = append(s.sent, r)
	if s.costMS > r.TimeoutMS {
		s.now += r.TimeoutMS
		return HTTPResponse{Failure: "timeout"}
	}
	s.now += s.costMS
	return s.answers[min(len(s.sent), len(s.answers))-1]
}

func (s *script) Sleep(ms int64) bool {
	s.now += ms
	s.slept = append(s.slept, ms)
	return len(s.slept) != s.stopAt
}

func (s *script) Now() int64 { return s.now }

func answer(status int, body string, headers ...Header) HTTPResponse {
	return HTTPResponse{Status: status, Headers: headers, Body: []byte(body)}
}

var (
	fine     = answer(200, `{"choices":[{"message":{"content":"No issues."},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":2}}`)
	thoughts = answer(200, `{"choices":[{"message":{"content":"","reasoning_content":"hm"},"finish_reason":"length"}],"usage":{"prompt_tokens":10,"completion_tokens":100}}`)
	overflow = answer(400, `{"error":{"message":"prompt is too long: 9 tokens > 8 maximum"}}`)
	noTools  = answer(400, `{"error":{"message":"gemma does not support tools"}}`)
	limited  = answer(429, `{"error":{"message":"Rate limit reached"}}`)
	broken   = answer(500, ``)
)

func refused(param string) HTTPResponse {
	return answer(400, fmt.Sprintf(`{"error":{"message":"Unsupported parameter: '%s' is not supported with this model.","param":"%s"}}`, param, param))
}

func TestCall(t *testing.T) {
	half := 0.5
	base := Endpoint{Provider: "deepseek", Model: "flash", BaseURL: "https://api.x.com/v1", APIKey: "sk-test-1234"}
	req := Request{Messages: []Message{{Role: User, Text: "long long"}}, Tools: granted, ToolChoice: ChoiceRequired, MaxTokens: 1000, Temperature: &half}
	effort := base
	effort.Effort = "high"
	highest := base
	highest.Effort = "max"
	bare := base
	bare.BaseURL = "https://api.x.com"
	type want struct {
		Kind     Kind
		Text     string
		Requests int
		Slept    []int64
		Usage    Usage
	}
	once := Usage{In: 10, Out: 2}
	for _, tt := range []struct {
		name     string
		ep       Endpoint
		answers  []HTTPResponse
		deadline int64
		costMS   int64
		stopAt   int
		shrink   bool
		want     want
		last     func(t *testing.T, last HTTPRequest, f Failure)
	}{
		{name: "answered", answers: []HTTPResponse{fine}, want: want{Text: "No issues.", Requests: 1, Usage: once}},
		{name: "rate limited, then answered", answers: []HTTPResponse{limited, limited, fine}, want: want{Text: "No issues.", Requests: 3, Slept: []int64{1000, 2000}, Usage: once}},
		{name: "rate limited for ever", answers: []HTTPResponse{limited}, want: want{Kind: KindRate, Requests: 4, Slept: []int64{1000, 2000, 4000}}},
		{name: "rate limited, Retry-After in seconds", answers: []HTTPResponse{answer(429, "", Header{"retry-after", "7"}), fine}, want: want{Text: "No issues.", Requests: 2, Slept: []int64{7000}, Usage: once}},
		{name: "rate limited, Retry-After as a date", answers: []HTTPResponse{answer(429, "", Header{"Retry-After", "Thu, 01 Jan 1970 00:00:09 GMT"}), fine}, want: want{Text: "No issues.", Requests: 2, Slept: []int64{9000}, Usage: once}},
		{name: "rate limited beyond the deadline", answers: []HTTPResponse{answer(429, "", Header{"retry-after", "60"})}, want: want{Kind: KindRate, Requests: 1},
			last: func(t *testing.T, _ HTTPRequest, f Failure) {
				if f.RetryMS != 60_000 {
					t.Errorf("the caller is told to wait %d ms, want 60000", f.RetryMS)
				}
			}},
		{name: "no quota is not waited for", answers: []HTTPResponse{answer(429, `{"error":{"code":"insufficient_quota","message":"You exceeded your current quota"}}`)}, want: want{Kind: KindQuota, Requests: 1}},
		{name: "500, then answered", answers: []HTTPResponse{broken, fine}, want: want{Text: "No issues.", Requests: 2, Slept: []int64{500}, Usage: once}},
		{name: "500 for ever", answers: []HTTPResponse{broken}, want: want{Kind: KindServer, Requests: 2, Slept: []int64{500}}},
		{name: "no connection", answers: []HTTPResponse{{Failure: "network", Detail: "ECONNREFUSED 127.0.0.1:1"}}, want: want{Kind: KindNetwork, Requests: 2, Slept: []int64{500}}},
		{name: "500 and a lost connection share the one retry", answers: []HTTPResponse{broken, {Failure: "network"}, fine}, want: want{Kind: KindNetwork, Requests: 2, Slept: []int64{500}}},
		{name: "error inside a 200, then answered", answers: []HTTPResponse{answer(200, `{"error":{"message":"Internal error","code":500}}`), fine}, want: want{Text: "No issues.", Requests: 2, Slept: []int64{500}, Usage: once}},
		{name: "hangs", answers: []HTTPResponse{fine}, costMS: 99_000, want: want{Kind: KindTimeout, Requests: 1},
			last: func(t *testing.T, last HTTPRequest, _ Failure) {
				if last.TimeoutMS != 25_000 || last.MaxBytes != 4<<20 {
					t.Errorf("the request may take %d ms and %d bytes, want the whole deadline and 4 MB", last.TimeoutMS, last.MaxBytes)
				}
			}},
		{name: "slow, and then limited, ends within the one deadline", answers: []HTTPResponse{limited}, costMS: 12_000, want: want{Kind: KindRate, Requests: 2, Slept: []int64{1000}},
			last: func(t *testing.T, last HTTPRequest, _ Failure) {
				if last.TimeoutMS != 12_000 {
					t.Errorf("the second request may take %d ms, want what is left", last.TimeoutMS)
				}
			}},
		{name: "no time at all", answers: []HTTPResponse{fine}, deadline: 100, want: want{Kind: KindTimeout, Requests: 0}},
		{name: "cancelled while waiting", answers: []HTTPResponse{limited, fine}, stopAt: 1, want: want{Kind: KindCancelled, Requests: 1, Slept: []int64{1000}}},
		{name: "cancelled while asking", answers: []HTTPResponse{{Failure: "cancelled"}}, want: want{Kind: KindCancelled, Requests: 1}},
		{name: "key refused", answers: []HTTPResponse{answer(401, `{"error":{"message":"bad key sk-test-1234"}}`)}, want: want{Kind: KindAuth, Requests: 1},
			last: func(t *testing.T, _ HTTPRequest, f Failure) {
				if f.Error() != "call deepseek/flash: the key was refused (401): bad key [redacted:known-key]" {
					t.Errorf("got %s", f.Error())
				}
				if !strings.Contains(f.Mend(), "provider.apiKey") || !strings.Contains(f.Mend(), "https://api.x.com") {
					t.Errorf("got %s", f.Mend())
				}
			}},
		{name: "redirect", answers: []HTTPResponse{{Status: 302, Failure: "redirect"}}, want: want{Kind: KindRedirect, Requests: 1}},
		{name: "redirect that the transport passed on", answers: []HTTPResponse{answer(307, "")}, want: want{Kind: KindRedirect, Requests: 1}},
		{name: "origin refused", answers: []HTTPResponse{{Failure: "origin"}}, want: want{Kind: KindOrigin, Requests: 1}},
		{name: "too large", answers: []HTTPResponse{{Status: 200, Cut: true, Body: []byte(`{"choices":[`)}}, want: want{Kind: KindTooLarge, Requests: 1}},
		{name: "a page", answers: []HTTPResponse{answer(200, "<html>Sign in</html>")}, want: want{Kind: KindUnparsed, Requests: 1}},
		{name: "thoughts only, then answered", answers: []HTTPResponse{thoughts, fine}, want: want{Text: "No issues.", Requests: 2, Usage: Usage{In: 20, Out: 102}},
			last: func(t *testing.T, last HTTPRequest, _ Failure) {
				if !strings.Contains(string(last.Body), `"max_tokens":8192`) {
					t.Errorf("the cap did not grow: %s", last.Body)
				}
			}},
		{name: "thoughts only, twice", answers: []HTTPResponse{thoughts}, want: want{Kind: KindThinking, Requests: 2, Usage: Usage{In: 20, Out: 200}}},
		{name: "thoughts only, and the larger cap refused", answers: []HTTPResponse{thoughts, answer(422, `{"error":"no"}`)}, want: want{Kind: KindThinking, Requests: 2, Usage: Usage{In: 10, Out: 100}}},
		{name: "empty", answers: []HTTPResponse{answer(200, `{"choices":[{"message":{"content":""},"finish_reason":"stop"}]}`)}, want: want{Kind: KindEmpty, Requests: 1}},
		{name: "overflow, shortened", answers: []HTTPResponse{overflow, fine}, shrink: true, want: want{Text: "No issues.", Requests: 2, Usage: once},
			last: func(t *testing.T, last HTTPRequest, _ Failure) {
				if !strings.Contains(string(last.Body), `"content":"short"`) {
					t.Errorf("the request was not shortened: %s", last.Body)
				}
			}},
		{name: "overflow twice", answers: []HTTPResponse{overflow}, shrink: true, want: want{Kind: KindOverflow, Requests: 2}},
		{name: "overflow and nothing to shorten", answers: []HTTPResponse{overflow}, want: want{Kind: KindOverflow, Requests: 1}},
		{name: "tools refused", answers: []HTTPResponse{noTools, fine}, want: want{Text: "No issues.", Requests: 2, Usage: once},
			last: func(t *testing.T, last HTTPRequest, _ Failure) {
				if s := string(last.Body); strings.Contains(s, `"tools":`) || !strings.Contains(s, "You call tools by writing JSON") {
					t.Errorf("got %s", s)
				}
			}},
		{name: "every parameter refused in turn", ep: effort, answers: []HTTPResponse{refused("tool_choice"), refused("reasoning_effort"), refused("temperature"), refused("max_tokens"), fine}, want: want{Text: "No issues.", Requests: 5, Usage: once},
			last: func(t *testing.T, last HTTPRequest, _ Failure) {
				if s := string(last.Body); !strings.HasSuffix(s, `}}}],"stream":false}`) && !strings.HasSuffix(s, `}],"stream":false}`) {
					t.Errorf("something refused was sent again: %s", s)
				}
			}},
		{name: "the highest effort is refused", ep: highest, answers: []HTTPResponse{refused("reasoning_effort"), fine}, want: want{Text: "No issues.", Requests: 2, Usage: once}},
		{name: "every effort is refused", ep: highest, answers: []HTTPResponse{refused("reasoning_effort"), refused("reasoning_effort"), fine}, want: want{Text: "No issues.", Requests: 3, Usage: once}},
		{name: "a parameter that was not sent is refused", answers: []HTTPResponse{refused("reasoning_effort")}, want: want{Kind: KindParameter, Requests: 1}},
		{name: "the same parameter refused twice", answers: []HTTPResponse{refused("temperature")}, want: want{Kind: KindParameter, Requests: 2}},
		{name: "the bare host answers without /v1", ep: bare, answers: []HTTPResponse{answer(404, "404 page not found"), fine}, want: want{Text: "No issues.", Requests: 2, Usage: once},
			last: func(t *testing.T, last HTTPRequest, _ Failure) {
				if last.URL != "https://api.x.com/chat/completions" {
					t.Errorf("sent to %s", last.URL)
				}
			}},
		{name: "the bare host does not know the model", ep: bare, answers: []HTTPResponse{answer(404, `{"error":{"message":"model not found"}}`)}, want: want{Kind: KindNotFound, Requests: 1}},
		{name: "no such path", answers: []HTTPResponse{answer(404, "")}, want: want{Kind: KindNotFound, Requests: 1}},
		{name: "a server that finds a new fault each time", ep: bare, answers: []HTTPResponse{limited, answer(404, ""), broken, noTools, refused("temperature"), refused("max_tokens"), overflow, limited, limited, limited, limited, limited}, deadline: 90_000, shrink: true, want: want{Kind: KindRate, Requests: 10, Slept: []int64{1000, 500, 2000, 4000}}},
		{name: "bad address", ep: Endpoint{Model: "m", BaseURL: "ftp://x"}, answers: []HTTPResponse{fine}, want: want{Kind: KindInvalid}},
		{name: "no model", ep: Endpoint{BaseURL: "https://x.com"}, answers: []HTTPResponse{fine}, want: want{Kind: KindInvalid}},
		{name: "a key with a line break inside", ep: Endpoint{Model: "m", BaseURL: "https://x.com", APIKey: "a\r\nX-Evil: 1"}, answers: []HTTPResponse{fine}, want: want{Kind: KindAuth}},
		{name: "a header with a line break", ep: Endpoint{Model: "m", BaseURL: "https://x.com", Headers: []Header{{"X-A", "1\r\nHost: evil"}}}, answers: []HTTPResponse{fine}, want: want{Kind: KindInvalid}},
		{name: "the host's model on a port that has none", ep: Endpoint{Model: "m", Transport: TransportHost}, answers: []HTTPResponse{fine}, want: want{Kind: KindHost}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ep := tt.ep
			if ep.Model == "" && ep.BaseURL == "" {
				ep = base
			}
			deadline := tt.deadline
			if deadline == 0 {
				deadline = 25_000
			}
			port := &script{answers: tt.answers, costMS: tt.costMS, stopAt: tt.stopAt}
			budget := Budget{Deadline: deadline}
			if tt.shrink {
				budget.Shrink = func(r Request) (Request, bool) {
					r.Messages = []Message{{Role: User, Text: "short"}}
					return r, true
				}
			}
			reply, err := Call(port, ep, req, budget)
			f, _ := AsFailure(err)
			got := want{f.Kind, reply.Text, reply.Requests, port.slept, reply.Usage}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if len(port.sent) != reply.Requests {
				t.Errorf("%d requests were sent, and %d counted", len(port.sent), reply.Requests)
			}
			if port.now > deadline {
				t.Errorf("it took %d ms of %d", port.now, deadline)
			}
			if tt.last != nil && len(port.sent) > 0 {
				tt.last(t, port.sent[len(port.sent)-1], f)
			}
		})
	}
}

func TestCallHeaders(t *testing.T) {
	port := &script{answers: []HTTPResponse{fine}}
	ep := Endpoint{Model: "m", BaseURL: "https://x.com/v1", APIKey: "key-1\n", Headers: []Header{{"HTTP-Referer", "https://y"}, {"Host", "evil"}, {"content-length", "1"}}}
	if _, err := Call(port, ep, Request{}, Budget{Deadline: 1000}); err != nil {
		t.Fatal(err)
	}
	want := []Header{{"Content-Type", "application/json"}, {"Accept", "application/json"}, {"Authorization", "Bearer key-1"}, {"HTTP-Referer", "https://y"}}
	if diff := cmp.Diff(want, port.sent[0].Headers); diff != "" {
		t.Error(diff)
	}
	ep.Headers = []Header{{"authorization", "Token abc"}}
	_, _ = Call(port, ep, Request{}, Budget{Deadline: 1000})
	want = []Header{{"Content-Type", "application/json"}, {"Accept", "application/json"}, {"authorization", "Token abc"}}
	if diff := cmp.Diff(want, port.sent[1].Headers); diff != "" {
		t.Error(diff)
	}
}

// What an endpoint refused once is not tried again, also not by a memory that was stored and read.
func TestCallRemembers(t *testing.T) {
	ep := Endpoint{Provider: "ollama", Model: "gemma", BaseURL: "http://127.0.0.1:11434"}
	req := Request{Messages: []Message{{Role: User, Text: "x"}}, Tools: granted}
	memory := &Memory{}
	port := &script{answers: []HTTPResponse{answer(404, ""), noTools, answer(200, `{"choices":[{"message":{"content":"Let me see.\n{\"tool\":\"read\",\"args\":{\"path\":\"a\"}}"},"finish_reason":"stop"}]}`)}}
	r, err := Call(port, ep, req, Budget{Deadline: 9000, Memory: memory})
	if err != nil || len(r.ToolCalls) != 1 || r.Text != "Let me see." || r.Requests != 3 {
		t.Fatalf("got %+v, %v", r, err)
	}
	stored := ParseMemory(memory.Append(nil))
	port.answers = port.answers[2:]
	r, err = Call(port, ep, req, Budget{Deadline: 9000, Memory: stored})
	if err != nil || len(r.ToolCalls) != 1 || r.Requests != 1 || port.sent[3].URL != "http://127.0.0.1:11434/chat/completions" {
		t.Errorf("got %+v, %v", r, err)
	}
	other := ep
	other.Model = "qwen"
	if q := stored.Of(other); q != 0 {
		t.Errorf("another model of the endpoint inherits %b", q)
	}
}

// A model that has native tools may still write its call as text; prose that quotes a call is none.
func TestCallsWrittenAsText(t *testing.T) {
	ep := Endpoint{Model: "m", BaseURL: "https://x.com/v1"}
	for content, want := range map[string]int{
		`{\"name\":\"read\",\"arguments\":{\"path\":\"a\"}}`:                                    1,
		`<tool_call>\n{\"name\":\"read\",\"arguments\":{\"path\":\"a\"}}\n</tool_call>`:         1,
		`The README says:\n{\"tool\":\"advise\",\"args\":{\"note\":\"x\"}}\nwhich I leave out.`: 0,
	} {
		port := &script{answers: []HTTPResponse{answer(200, `{"choices":[{"message":{"content":"`+content+`"},"finish_reason":"stop"}]}`)}}
		r, err := Call(port, ep, Request{Tools: granted}, Budget{Deadline: 1000})
		if err != nil || len(r.ToolCalls) != want {
			t.Errorf("%s: %d calls, %v; want %d", content, len(r.ToolCalls), err, want)
		}
	}
}

// hostModel is a Port whose host generates text.
type hostModel struct {
	script
	replies []GenerateResponse
	asked   []GenerateRequest
}

func (h *hostModel) Generate(r GenerateRequest) GenerateResponse {
	h.asked = append(h.asked, r)
	return h.replies[min(len(h.asked), len(h.replies))-1]
}

func TestCallTheHostsModel(t *testing.T) {
	ep := Endpoint{Provider: "anthropic", Model: "opus", Transport: TransportHost, Effort: "xhigh"}
	req := Request{Messages: []Message{{Role: System, Text: "Review."}, {Role: User, Text: "Delta."}}, Tools: granted, MaxTokens: 50}
	for _, tt := range []struct {
		name    string
		replies []GenerateResponse
		kind    Kind
		calls   int
		asked   int
	}{
		{"a call", []GenerateResponse{{Text: `{"tool":"read","args":{"path":"a"}}`}}, "", 1, 1},
		{"words", []GenerateResponse{{Text: "Fine."}}, "", 0, 1},
		{"nothing", []GenerateResponse{{Text: " "}}, KindEmpty, 0, 1},
		{"thoughts", []GenerateResponse{{Text: "<think>a"}, {Text: "Fine."}}, "", 0, 2},
		{"timeout", []GenerateResponse{{Failure: "timeout"}}, KindTimeout, 0, 1},
		{"unsupported", []GenerateResponse{{Failure: "unsupported", Detail: "no generate"}}, KindHost, 0, 1},
		{"refused", []GenerateResponse{{Failure: "refused"}}, KindHost, 0, 1},
		{"cancelled", []GenerateResponse{{Failure: "cancelled"}}, KindCancelled, 0, 1},
		{"failed once", []GenerateResponse{{Failure: "failed", Detail: "boom"}, {Text: "Fine."}}, "", 0, 2},
		{"failed", []GenerateResponse{{Failure: "failed", Detail: "boom"}}, KindServer, 0, 2},
		{"effort", []GenerateResponse{{Failure: "failed", Detail: "reasoning effort xhigh is not supported by this model"}, {Text: "Fine."}}, "", 0, 2},
		{"no effort at all", []GenerateResponse{{Failure: "failed", Detail: "unsupported parameter: reasoning_effort"}, {Failure: "failed", Detail: "unsupported parameter: reasoning_effort"}, {Text: "Fine."}}, "", 0, 3},
		{"too long", []GenerateResponse{{Failure: "failed", Detail: "prompt is too long"}}, KindOverflow, 0, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			port := &hostModel{replies: tt.replies}
			r, err := Call(port, ep, req, Budget{Deadline: 10_000})
			f, _ := AsFailure(err)
			if f.Kind != tt.kind || len(r.ToolCalls) != tt.calls || len(port.asked) != tt.asked {
				t.Fatalf("kind %q, %d calls, asked %d times; want %q, %d, %d", f.Kind, len(r.ToolCalls), len(port.asked), tt.kind, tt.calls, tt.asked)
			}
			if len(port.sent) != 0 {
				t.Error("a request left by HTTP")
			}
			if want := []string{"xhigh", "high", ""}[:tt.asked]; strings.Contains(tt.name, "effort") {
				for i, effort := range want {
					if port.asked[i].Effort != effort {
						t.Errorf("call %d asks for the effort %q, want %q", i+1, port.asked[i].Effort, effort)
					}
				}
			}
			p := port.asked[0]
			if p.Provider != "anthropic" || p.Model != "opus" || p.MaxTokens != 50 || p.TimeoutMS != 10_000 || !strings.Contains(p.Prompt, "You call tools by writing JSON") {
				t.Errorf("asked %+v", p)
			}
		})
	}
}

// A vendor quotes the key, and the key lies across every border at which its words are cut.
func TestAFailureHoldsNoHalfOfAKey(t *testing.T) {
	const key = "k3y-Z9x8W7v6U5t4S3r2Q1"
	ep := Endpoint{Model: "m", BaseURL: "https://x.com/v1", APIKey: key}
	own := Endpoint{Model: "m", BaseURL: "https://x.com/v1", Headers: []Header{{"Authorization", "Bearer " + key}}}
	host := Endpoint{Model: "m", Transport: TransportHost, APIKey: key}
	for pad := range 320 {
		for _, blank := range []string{"x", " "} {
			words := "no " + strings.Repeat(blank, 4*pad) + strings.Repeat("y", pad%50) + " " + key + " " + key
			for _, answer := range []HTTPResponse{answer(401, `{"error":{"message":"`+words+`"}}`), answer(401, words), answer(200, "{"+words), answer(200, `{"x":"`+words+`"}`), {Failure: "network", Detail: words}} {
				for _, ep := range []Endpoint{ep, own} {
					_, err := Call(&script{answers: []HTTPResponse{answer}}, ep, Request{}, Budget{Deadline: 60_000})
					f, _ := AsFailure(err)
					if strings.Contains(f.Detail, key[:4]) || len(strings.ReplaceAll(f.Detail, " ", "")) > maxDetail+3 || !strings.Contains(f.Detail, "no ") {
						t.Fatalf("behind %d of %q: %q", pad, blank, f.Detail)
					}
				}
			}
			for _, failure := range []string{"failed", "refused", "timeout"} {
				_, err := Call(&hostModel{replies: []GenerateResponse{{Failure: failure, Detail: words}}}, host, Request{}, Budget{Deadline: 60_000})
				if f, _ := AsFailure(err); strings.Contains(f.Detail, key[:4]) || !strings.Contains(f.Detail, "no ") {
					t.Fatalf("behind %d of %q: %q", pad, blank, f.Detail)
				}
			}
		}
	}
}
