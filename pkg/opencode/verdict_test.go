package opencode

import (
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/redact"
)

const (
	textLine   = `{"type":"text","part":{"text":"I will look."}}` + "\n"
	writeLine  = `{"type":"tool_use","part":{"tool":"write","state":{"status":"completed","input":{"filePath":"a.go"}}}}` + "\n"
	readLine   = `{"type":"tool_use","part":{"tool":"read","state":{"status":"completed","input":{"filePath":"a.go"}}}}` + "\n"
	refuseLine = `{"type":"tool_use","part":{"tool":"write","state":{"status":"error","input":{"filePath":"a.go"},"error":"The user rejected permission to use this specific tool call."}}}` + "\n"
	stopLine   = `{"type":"step_finish","part":{"type":"step-finish","reason":"stop","cost":0.25,"tokens":{"input":10,"output":5,"reasoning":1,"cache":{"read":2,"write":3}}}}` + "\n"
	lengthLine = `{"type":"step_finish","part":{"type":"step-finish","reason":"length","tokens":{"input":10,"output":4096}}}` + "\n"
	cutLine    = `{"type":"tool_use","part":{"tool":"invalid","state":{"status":"completed","input":{"tool":"write","error":"Invalid input for tool write: JSON parsing failed: Text: {\"a\": \"b.\nError message: JSON Parse error: Unterminated string"}}}}` + "\n"
	wrongLine  = `{"type":"tool_use","part":{"tool":"invalid","state":{"status":"completed","input":{"tool":"bash2","error":"Model tried to call unavailable tool 'bash2'."}}}}` + "\n"
	rateLine   = `{"type":"error","error":{"name":"APIError","data":{"message":"Rate limit reached","statusCode":429,"isRetryable":true,"responseHeaders":{"retry-after":"7"}}}}` + "\n"
	downLine   = `{"type":"error","error":{"name":"APIError","data":{"message":"upstream is down","statusCode":503,"isRetryable":true}}}` + "\n"
	keyLine    = `{"type":"error","error":{"name":"APIError","data":{"message":"bad key","statusCode":401,"isRetryable":false}}}` + "\n"
	v2DownLine = `{"type":"error","error":{"type":"unknown","message":"503 upstream is down"}}` + "\n"
	namedError = `{"type":"error","error":{"name":"MessageAbortedError"}}` + "\n"
)

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		name   string
		out    string
		o      outcome
		want   Verdict
		reason string
	}{
		{"files changed", textLine + writeLine + stopLine, outcome{authored: 1}, OK, "1 file(s) changed"},
		{"files changed by a command", readLine + stopLine, outcome{authored: 2}, OK, "2 file(s) changed"},
		{"files changed, another refused", writeLine + refuseLine + stopLine, outcome{authored: 1}, OK, "1 tool call(s) were refused"},
		{"files changed after an error that passed", downLine + writeLine + stopLine, outcome{authored: 1}, OK, "1 file(s) changed"},
		{"files changed, then an error", writeLine + keyLine, outcome{authored: 1, exit: 1}, Failed, "then the run failed: bad key (status 401)"},
		{"said and did nothing", textLine + readLine + stopLine, outcome{}, NoOp, "after 1 tool call(s) and changed nothing"},
		{"a write tool claims what git does not see", writeLine + stopLine, outcome{}, NoOp, "changed nothing"},
		{"not a word", stopLine, outcome{}, Empty, "said nothing"},
		{"no output at all", "", outcome{}, Empty, "said nothing"},
		{"refused", textLine + refuseLine + stopLine, outcome{}, PermissionBlocked, "refused: write"},
		{"refused, by standard error", textLine, outcome{side: side{asked: "edit (b.ts)"}}, PermissionBlocked, "refused: edit (b.ts)"},
		{"cut off within a call", cutLine, outcome{exit: -1, limit: 4096}, Truncated, "cap of 4096 output tokens (MaxOutputTokens): 1 tool call(s) with cut-off arguments, 0 step(s)"},
		{"cut off, with its count", cutLine + lengthLine, outcome{exit: -1, limit: 4096}, Truncated, `1 step(s) ended with reason "length", at 4096 output tokens`},
		{"cut off outranks the deadline", lengthLine, outcome{exit: -1, timedOut: true}, Truncated, "cut off"},
		{"a mistake that the model mended", wrongLine + writeLine + stopLine, outcome{authored: 1}, OK, "1 file(s) changed"},
		{"a loop of mistakes", wrongLine + wrongLine + wrongLine, outcome{exit: -1, stopped: true}, Failed, "repeated an invalid tool call 3 times: Model tried"},
		{"the deadline", textLine, outcome{exit: -1, timedOut: true}, TimedOut, "killed at the deadline"},
		{"the deadline behind a rate limit", textLine, outcome{exit: -1, timedOut: true, side: side{rate: true}}, RateLimited, "kept refusing"},
		{"the deadline before an open question", textLine, outcome{exit: -1, timedOut: true, side: side{asked: "bash", open: true}}, PermissionBlocked, "left unanswered: bash"},
		{"a rate limit", rateLine, outcome{exit: 1}, RateLimited, "Rate limit reached (status 429)"},
		{"a server error", downLine, outcome{exit: 1}, Failed, "upstream is down (status 503)"},
		{"a wrong key", keyLine, outcome{exit: 1}, Failed, "bad key (status 401)"},
		{"an error as the last word, though the code is 0", textLine + keyLine, outcome{}, Failed, "bad key"},
		{"a 2.x error", v2DownLine, outcome{exit: 1}, Failed, "503 upstream is down"},
		{"an error that has a name only", namedError, outcome{exit: 1}, Failed, "MessageAbortedError"},
		{"a code with words on standard error", "", outcome{exit: 1, side: side{words: "Model not found: forge/x"}}, Failed, "exit code 1: Model not found"},
		{"a code without a word", "", outcome{exit: 7}, Failed, "exit code 7 without a word"},
	} {
		c.o.stream = parsed([]byte(c.out))
		got, reason := c.o.verdict()
		if got != c.want || !strings.Contains(reason, c.reason) {
			t.Errorf("%s: got %s: %q; want %s: %q", c.name, got, reason, c.want, c.reason)
		}
	}
}

func TestUsageAddsUpSteps(t *testing.T) {
	got := parsed([]byte(stopLine + stopLine)).usage
	if want := (Usage{Steps: 2, Input: 20, Output: 10, Reasoning: 2, CacheRead: 4, CacheWrite: 6, CostUSD: 0.5}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// A key in the words of a failure lies across every border at which they are cut.
func TestAReasonHoldsNoHalfOfAKey(t *testing.T) {
	const key = "k3y-Z9x8W7v6U5t4S3r2Q1"
	for pad := range 330 {
		words := strings.Repeat("x", pad) + " " + key
		for _, o := range []outcome{
			{exit: 1, stream: parsed([]byte(`{"type":"error","error":{"name":"APIError","data":{"message":"` + words + `","statusCode":401}}}` + "\n"))},
			{exit: -1, stopped: true, stream: parsed([]byte(strings.Repeat(strings.Replace(wrongLine, "Model tried", words, 1), 3)))},
			{exit: 1, stream: parsed(nil), side: side{words: words}},
		} {
			o.redact(redact.New(key))
			if _, reason := o.verdict(); strings.Contains(reason, key[:4]) || !strings.Contains(reason, strings.Repeat("x", min(pad, 200))) {
				t.Fatalf("behind %d bytes: %q", pad, reason)
			}
		}
	}
}
