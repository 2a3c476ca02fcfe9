package modelserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func start(t *testing.T, script string) *Server {
	t.Helper()
	parsed, err := ParseScript([]byte(script))
	if err != nil {
		t.Fatal(err)
	}
	s, err := Start(parsed)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// ask posts a chat request with one user message and returns the status and body.
func ask(t *testing.T, s *Server, model, text string, stream bool) (int, string) {
	t.Helper()
	return post(t, s, map[string]any{
		"model": model, "stream": stream, "messages": []any{map[string]string{"role": "user", "content": text}},
	})
}

func post(t *testing.T, s *Server, body any) (int, string) {
	t.Helper()
	data, _ := json.Marshal(body)
	req, _ := http.NewRequest(http.MethodPost, s.BaseURL()+"/chat/completions", bytes.NewReader(data))
	req.Header.Set("Authorization", "Bearer sk-test-1")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(out)
}

// text is the assistant's text of an answer without streaming.
func text(t *testing.T, body string) string {
	t.Helper()
	var c struct {
		Choices []struct {
			Message struct{ Content string }
		}
	}
	if err := json.Unmarshal([]byte(body), &c); err != nil || len(c.Choices) != 1 {
		t.Fatalf("no completion: %s", body)
	}
	return c.Choices[0].Message.Content
}

func TestRepliesAreGivenInOrderByModelAndRole(t *testing.T) {
	s := start(t, `{"models": {
		"primary":  [{"text": "p1"}, {"text": "p2"}],
		"m2":       [{"text": "own"}],
		"reviewer": [{"match": "pay.js", "text": "about pay"}, {"text": "once"}, {"every": {"text": "always {n}"}}]
	}}`)
	for _, step := range []struct{ model, message, want string }{
		{"m1", "hi", "p1"},
		{"m2", "hi", "own"},
		{"m7", "hi", "p2"},
		{"m1", "hi", "Nothing is scripted for this request."},
		{"r", "hi", "once"},
		{"r", "hi", "always 2"},
		{"r", "see src/pay.js", "about pay"},
		{"r", "see src/pay.js", "always 4"},
		{"small", "hi", "A test session"},
	} {
		if _, body := ask(t, s, step.model, step.message, false); text(t, body) != step.want {
			t.Errorf("model %s, message %q: got %q, want %q", step.model, step.message, text(t, body), step.want)
		}
	}
	last := s.Requests()[3]
	if !last.Unscripted {
		t.Error("the request without a reply is not marked as unscripted")
	}
}

func TestStreamedAnswer(t *testing.T) {
	s := start(t, `{"models": {"m1": [{
		"reasoning": "hm", "text": "hello", "toolCalls": [{"name": "read", "args": {"path": "a.txt"}}],
		"usage": {"prompt_tokens": 3}, "chunking": {"runes": 3, "wireBytes": 7}
	}]}}`)
	status, body := ask(t, s, "m1", "hi", true)
	if status != 200 {
		t.Fatalf("status %d: %s", status, body)
	}
	var got []string
	lines := bufio.NewScanner(strings.NewReader(body))
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var chunk struct {
			Choices []struct {
				Delta        json.RawMessage
				FinishReason string `json:"finish_reason"`
			}
			Usage json.RawMessage
		}
		if json.Unmarshal([]byte(data), &chunk) != nil {
			got = append(got, data)
			continue
		}
		for _, c := range chunk.Choices {
			got = append(got, string(c.Delta)+c.FinishReason)
		}
		if chunk.Usage != nil {
			got = append(got, "usage "+string(chunk.Usage))
		}
	}
	want := []string{
		`{"content":"","role":"assistant"}`,
		`{"reasoning_content":"hm"}`,
		`{"content":"hel"}`, `{"content":"lo"}`,
		`{"tool_calls":[{"function":{"arguments":"","name":"read"},"id":"call_1_0","index":0,"type":"function"}]}`,
		`{"tool_calls":[{"function":{"arguments":"{\"p"},"index":0}]}`,
		`{"tool_calls":[{"function":{"arguments":"ath"},"index":0}]}`,
		`{"tool_calls":[{"function":{"arguments":"\":"},"index":0}]}`,
		`{"tool_calls":[{"function":{"arguments":"\"a."},"index":0}]}`,
		`{"tool_calls":[{"function":{"arguments":"txt"},"index":0}]}`,
		`{"tool_calls":[{"function":{"arguments":"\"}"},"index":0}]}`,
		`{}tool_calls`,
		`usage {"prompt_tokens":3}`,
		`[DONE]`,
	}
	// The arguments are compared as one string: how JSON was spaced by the script is of no interest.
	if diff := cmp.Diff(joinArgs(want), joinArgs(got)); diff != "" {
		t.Error(diff)
	}
}

// joinArgs merges consecutive argument deltas of a tool call.
func joinArgs(deltas []string) []string {
	const open, end = `{"tool_calls":[{"function":{"arguments":`, `},"index":0}]}`
	var out []string
	args := ""
	for _, d := range deltas {
		quoted, ok := strings.CutPrefix(d, open)
		quoted, tail := strings.CutSuffix(quoted, end)
		var piece string
		if ok && tail && json.Unmarshal([]byte(quoted), &piece) == nil {
			args += strings.ReplaceAll(piece, " ", "")
			continue
		}
		if args != "" {
			out, args = append(out, "arguments "+args), ""
		}
		out = append(out, d)
	}
	return out
}

func TestPlainAnswerHasToolCallsFinishAndUsage(t *testing.T) {
	s := start(t, `{"models": {"m1": [{"toolCalls": [{"id": "c", "name": "write", "args": "{\"path\": \"a"}], "finish": "length"}]}}`)
	_, body := ask(t, s, "m1", "hi", false)
	want := `{"choices":[{"finish_reason":"length","index":0,"message":{"content":"","role":"assistant",` +
		`"tool_calls":[{"function":{"arguments":"{\"path\": \"a","name":"write"},"id":"c","type":"function"}]}}],` +
		`"created":1700000000,"id":"chatcmpl-1","model":"m1","object":"chat.completion",` +
		`"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}`
	if diff := cmp.Diff(want, body); diff != "" {
		t.Error(diff)
	}
}

func TestErrorAnswers(t *testing.T) {
	s := start(t, `{"models": {"m1": [
		{"status": 429, "headers": {"retry-after": "1"}, "body": {"error": {"code": "slow"}}},
		{"status": 502, "body": "<html>bad gateway"},
		{"status": 500}
	]}}`)
	for _, want := range []struct {
		status int
		body   string
	}{
		{429, `{"error": {"code": "slow"}}`},
		{502, `<html>bad gateway`},
		{500, `{"error":{"code":"status_500","message":"Internal Server Error","type":"status_500"}}`},
	} {
		status, body := ask(t, s, "m1", "hi", true)
		if diff := cmp.Diff(want.body, body); status != want.status || diff != "" {
			t.Errorf("status %d, want %d: %s", status, want.status, diff)
		}
	}
}

func TestHangEndsWithTheClientAndDropWithoutAnEnd(t *testing.T) {
	s := start(t, `{"models": {"m1": [{"hang": true}, {"text": "partial", "hang": true}, {"text": "half", "drop": true}]}}`)
	for _, c := range []struct {
		name, want string
		drop       bool
	}{{"silent", "", false}, {"stalled", "partial", false}, {"dropped", "half", true}} {
		ctx, cancel := context.WithCancel(context.Background())
		req, _ := http.NewRequestWithContext(ctx, http.MethodPost, s.BaseURL()+"/chat/completions",
			strings.NewReader(`{"model": "m1", "stream": true, "messages": []}`))
		if c.want == "" {
			go func() { // give up as soon as the request has arrived
				s.Wait(ctx, 1, Filter{})
				cancel()
			}()
		}
		res, err := http.DefaultClient.Do(req)
		if c.want == "" {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: got %v, want a cancelled request", c.name, err)
			}
			cancel()
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		buf := make([]byte, 4096)
		for !strings.Contains(got.String(), c.want) {
			n, err := res.Body.Read(buf)
			got.Write(buf[:n])
			if err != nil && !strings.Contains(got.String(), c.want) {
				t.Fatalf("%s: %v after %q", c.name, err, got.String())
			}
		}
		if c.drop {
			if _, err := io.ReadAll(res.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s: got %v, want an unexpected end", c.name, err)
			}
		}
		cancel()
		res.Body.Close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	got, err := s.Wait(ctx, 3, Filter{Done: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range got {
		if !r.Aborted || r.Done {
			t.Errorf("request %d: aborted %v, done %v; want an aborted one", r.N, r.Aborted, r.Done)
		}
	}
}

func TestRecordsHoldNoKey(t *testing.T) {
	s := start(t, `{}`)
	ask(t, s, "m1", "what now", false)
	http.Get(s.URL() + "/exfil?d=1")
	res, err := http.Get(s.URL() + "/requests")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, _ := io.ReadAll(res.Body)
	if strings.Contains(string(raw), "sk-test-1") {
		t.Errorf("the records hold the key: %s", raw)
	}
	var records []Request
	if err := json.Unmarshal(raw, &records); err != nil {
		t.Fatal(err)
	}
	if len(records) != 2 {
		t.Fatalf("got %d records, want 2", len(records))
	}
	r := records[0]
	if !r.HasKey || r.KeySHA256 != KeyDigest("sk-test-1") || r.Headers["authorization"] != "(present)" || r.LastText() != "what now" || r.Role != "primary" {
		t.Errorf("first record: %+v", r)
	}
	if o := records[1]; o.Kind != "other" || o.Path != "/exfil?d=1" || o.Status != 404 || o.HasKey {
		t.Errorf("second record: %+v", o)
	}
}

func TestWaitFiltersAndTimesOut(t *testing.T) {
	s := start(t, `{}`)
	ask(t, s, "m1", "a", false)
	ask(t, s, "rev", "b", false)
	ask(t, s, "small", "c", false)
	for _, c := range []struct {
		query  string
		status int
		n      int
	}{
		{"n=1&role=reviewer&done=1", 200, 1},
		{"n=2", 200, 2},
		{"n=2&model=m1&timeoutMs=1", 408, 1},
		{"n=x", 400, -1},
	} {
		res, err := http.Get(s.URL() + "/wait?" + c.query)
		if err != nil {
			t.Fatal(err)
		}
		var got []Request
		decodeErr := json.NewDecoder(res.Body).Decode(&got)
		res.Body.Close()
		if res.StatusCode != c.status || (c.n >= 0 && (decodeErr != nil || len(got) != c.n)) {
			t.Errorf("%s: status %d with %d records, want %d with %d", c.query, res.StatusCode, len(got), c.status, c.n)
		}
	}
}

func TestRequestCapAndNewScript(t *testing.T) {
	s := start(t, `{"requestCap": 1, "models": {"m1": [{"every": {"text": "a"}}]}}`)
	ask(t, s, "m1", "x", false)
	if status, body := ask(t, s, "m1", "x", false); status != 503 || !strings.Contains(body, "request_cap") {
		t.Errorf("past the cap: status %d: %s", status, body)
	}
	res, err := http.Post(s.URL()+"/script", "application/json", strings.NewReader(`{"models": {"m1": [{"text": "b"}]}}`))
	if err != nil || res.StatusCode != 204 {
		t.Fatalf("new script: %v, %v", res, err)
	}
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d records left after a new script", n)
	}
	if _, body := ask(t, s, "m1", "x", false); text(t, body) != "b" {
		t.Errorf("got %q from the new script", body)
	}
}

func TestScriptErrors(t *testing.T) {
	for script, want := range map[string]string{
		`{"modles": {}}`: `unknown field "modles"`,
		`{"models": {"m1": [{"every": {"every": {"text": "x"}}}]}}`: "models.m1[0]: every inside every",
		`{"models": {"m1": [{"text": "x"}, {"status": 42}]}}`:       "models.m1[1]: status 42",
		`{"models": {"m1": [{"toolCalls": [{}]}]}}`:                 "tool call without a name",
		`{} {}`: "data after the object",
	} {
		if _, err := ParseScript([]byte(script)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want %q", script, err, want)
		}
	}
	if _, err := StartAt("0.0.0.0:0", Script{}); err == nil || !strings.Contains(err.Error(), "not a loopback address") {
		t.Errorf("a public address: got %v", err)
	}
}
