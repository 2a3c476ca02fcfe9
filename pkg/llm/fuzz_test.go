package llm

import (
	"encoding/json"
	"strings"
	"testing"
)

func checkCalls(t *testing.T, r Reply) {
	t.Helper()
	ids := map[string]bool{}
	for _, c := range r.ToolCalls {
		if c.ID == "" || ids[c.ID] {
			t.Fatalf("id %q is missing or used twice", c.ID)
		}
		ids[c.ID] = true
		if !json.Valid(c.Args) || c.Args[0] != '{' {
			t.Fatalf("arguments %q are no object", c.Args)
		}
	}
}

// Any bytes give a reply or a Failure, never a panic, and what is given is fit to be sent back.
func FuzzParseReply(f *testing.F) {
	for _, s := range []string{
		`{"choices":[{"message":{"content":"a\ud800","tool_calls":[{"function":{"name":"read","arguments":"{}"}}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":1e99}}`,
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"r\"}}]}}]}\n\ndata: [DONE]\n\n",
		`[{"error":{"message":"x","details":[{"retryDelay":"1s"}]}}]`,
		`{"error":{"metadata":{"raw":"{\"error\":{\"metadata\":{\"raw\":\"x\"}}}"}}}`,
		"data: {\ndata: }\n\r\n\rdata:\n\n",
		`{"choices":[{"message":{"content":[{"text":"a"},{"thinking":[{"text":1}]},"b",null]}}]}`,
		"<think>", "\xef\xbb\xbf{}",
	} {
		f.Add(200, []byte(s))
		f.Add(429, []byte(s))
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		r, err := ParseReply(status, []Header{{"Retry-After", string(body[:min(len(body), 20)])}}, body)
		checkCalls(t, r)
		if r.Usage.In < 0 || r.Usage.Out < 0 {
			t.Fatalf("negative usage %v", r.Usage)
		}
		if err == nil {
			if len(r.ToolCalls) == 0 && strings.TrimSpace(r.Text) == "" {
				t.Fatal("an empty reply is not a success")
			}
		} else if fail, ok := AsFailure(err); !ok || fail.Kind == "" || fail.RetryMS < 0 || strings.ContainsAny(fail.Error(), "\r\n") {
			t.Fatalf("want a Failure of one line, got %#v", err)
		}
		if sent := EncodeRequest(Endpoint{}, Request{Messages: []Message{r.Message()}}, 0); !json.Valid(sent) {
			t.Fatalf("the reply does not go back: %s", sent)
		}
		compareWithStd(t, status, body, r, err)
	})
}

// compareWithStd reads plain completions with encoding/json too, where the two must agree.
func compareWithStd(t *testing.T, status int, body []byte, r Reply, err error) {
	var std struct {
		Choices []struct {
			Message struct {
				Content *string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
	}
	if status != 200 || err != nil || len(r.ToolCalls) > 0 || json.Unmarshal(body, &std) != nil || len(std.Choices) != 1 {
		return
	}
	content := std.Choices[0].Message.Content
	text := string(body)
	if content == nil || strings.Count(text, `content"`) != 1 || strings.Count(text, `choices"`) != 1 || strings.Count(text, `message"`) != 1 || strings.ContainsAny(text, "\ufffd") ||
		strings.Contains(text, "think") || strings.Contains(text, "refusal") || strings.Contains(text, `text"`) || strings.Contains(text, "delta") || !strings.EqualFold(text, strings.ToValidUTF8(text, "")) {
		return
	}
	if r.Text != *content {
		t.Fatalf("text %q, encoding/json reads %q", r.Text, *content)
	}
}

// A stream says the same wherever its lines end.
func FuzzStreamLineEnds(f *testing.F) {
	f.Add("a", "b")
	f.Add("{\"x\":1}", "\u2028")
	f.Fuzz(func(t *testing.T, a, b string) {
		chunk := func(s string) string {
			quoted, _ := json.Marshal(s)
			return `data: {"choices":[{"index":0,"delta":{"content":` + string(quoted) + `}}]}`
		}
		unix := chunk(a) + "\n\n: comment\n\n" + chunk(b) + "\n\ndata: [DONE]\n\n"
		want, wantErr := ParseReply(200, nil, []byte(unix))
		for _, end := range []string{"\r\n", "\r"} {
			got, gotErr := ParseReply(200, nil, []byte(strings.ReplaceAll(unix, "\n", end)))
			if got.Text != want.Text || got.Finish != want.Finish || (gotErr == nil) != (wantErr == nil) {
				t.Fatalf("with line end %q: %q %v, want %q %v", end, got.Text, gotErr, want.Text, wantErr)
			}
		}
	})
}
