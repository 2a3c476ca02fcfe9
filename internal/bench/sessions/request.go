package sessions

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Reviewer stands in for the model: it sees what a model would see, the request. A nil
// reply is one that never comes; ms is how long a reply takes.
type Reviewer interface {
	Answer(s *Scene, r protocol.HTTPSend) (reply *protocol.HTTP, ms int64)
}

// request is a model request as a scripted reviewer reads it.
type request struct {
	delta   string // the message of role user
	said    string // what the person decided and what was said already, within it
	acts    []seenAct
	rounds  int               // of tool calls so far
	answers map[string]string // to the reviewer's own calls of all rounds, by id
	refused bool              // an advise of the last round was not taken
	advised bool              // it has called advise
}

// seenAct is a line of the delta.
type seenAct struct {
	Tool   string            `json:"tool"`
	Call   string            `json:"call"`
	Args   map[string]string `json:"args"`
	Result string            `json:"result"`
}

func parse(body string) (q request) {
	var b struct {
		Messages []struct {
			Role       string `json:"role"`
			Content    string `json:"content"`
			ToolCallID string `json:"tool_call_id"`
			ToolCalls  []struct {
				ID       string `json:"id"`
				Function struct{ Name string }
			} `json:"tool_calls"`
		} `json:"messages"`
	}
	if json.Unmarshal([]byte(body), &b) != nil {
		return q
	}
	q.answers = map[string]string{}
	names := map[string]string{}
	for _, m := range b.Messages {
		switch m.Role {
		case "user":
			q.delta = m.Content
		case "assistant":
			q.rounds++
			q.refused = false
			for _, c := range m.ToolCalls {
				names[c.ID] = c.Function.Name
				q.advised = q.advised || c.Function.Name == "advise"
			}
		case "tool":
			q.answers[m.ToolCallID] = m.Content
			q.refused = q.refused || names[m.ToolCallID] == "advise" && strings.HasPrefix(m.Content, "Not taken")
		}
	}
	if at := strings.Index(q.delta, "What the person has decided."); at >= 0 {
		q.said = q.delta[at:]
		if end := strings.Index(q.said, "What happened since"); end >= 0 {
			q.said = q.said[:end]
		}
	}
	_, lines, _ := strings.Cut(q.delta, "<<<")
	for line := range strings.Lines(lines) {
		var a struct {
			Tool   string                     `json:"tool"`
			Call   string                     `json:"call"`
			Args   map[string]json.RawMessage `json:"args"`
			Result string                     `json:"result"`
		}
		if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &a) != nil || a.Tool == "" {
			continue
		}
		act := seenAct{Tool: a.Tool, Call: a.Call, Args: map[string]string{}, Result: a.Result}
		for name, raw := range a.Args {
			var text string
			if json.Unmarshal(raw, &text) == nil {
				act.Args[name] = text
			}
		}
		q.acts = append(q.acts, act)
	}
	return q
}

// files are the paths that the delta's calls name, in order.
func (q request) files() (paths []string) {
	for _, a := range q.acts {
		path := strings.TrimPrefix(a.Args["filePath"], root+"/")
		if path != "" && (len(paths) == 0 || paths[len(paths)-1] != path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// shows tells whether the delta shows one of the quote's lines: in what was written, or what was printed.
func (q request) shows(path, quote string) (call string, ok bool) {
	for _, a := range q.acts {
		text := a.Result
		if path != "$" {
			if strings.TrimPrefix(a.Args["filePath"], root+"/") != path {
				continue
			}
			text = a.Args["newString"] + a.Args["content"]
		}
		for line := range strings.Lines(quote) {
			if line = strings.TrimSpace(line); len(line) > 3 && strings.Contains(text, line) {
				return a.Call, true
			}
		}
	}
	return "", false
}

// line finds a quote's first line in the answer to a read, where each line has its number in front;
// 0 when it is not there.
func line(answer, quote string) int {
	first, _, _ := strings.Cut(quote, "\n")
	for l := range strings.Lines(answer) {
		var n int
		number, text, ok := strings.Cut(strings.TrimSuffix(l, "\n"), "\t")
		if !ok || text != first {
			continue
		}
		if _, err := fmt.Sscanf(strings.TrimSpace(number), "%d", &n); err == nil {
			return n
		}
	}
	return 0
}

// call is a tool call of the reviewer.
type call struct {
	id, name string
	args     any
}

func read(id, path string) call { return call{id, "read", map[string]any{"path": path}} }

// note is what advise takes.
type note struct {
	Note      string              `json:"note"`
	Severity  protocol.Severity   `json:"severity"`
	Verdict   protocol.Verdict    `json:"verdict,omitempty"`
	Category  string              `json:"category,omitempty"`
	Citations []protocol.Citation `json:"citations,omitempty"`
}

func advise(id string, n note) call { return call{id, "advise", n} }

func quote(path string, line int, text, fact string) protocol.Citation {
	return protocol.Citation{Kind: protocol.CiteQuote, Path: path, Line: line, Quote: strings.TrimSuffix(text, "\n"), Fact: fact}
}

// completion is a chat completion with words or calls. Tokens are counted at four bytes each, as no tokenizer is at hand.
func completion(r protocol.HTTPSend, text string, calls ...call) *protocol.HTTP {
	message := map[string]any{"role": "assistant", "content": text}
	finish, out := "stop", len(text)
	var list []any
	for _, c := range calls {
		args, err := json.Marshal(c.args)
		if err != nil {
			panic(err) // plain values always encode
		}
		out += len(args) + len(c.name)
		list = append(list, map[string]any{"id": c.id, "type": "function", "function": map[string]any{"name": c.name, "arguments": string(args)}})
	}
	if list != nil {
		message["tool_calls"], finish = list, "tool_calls"
	}
	body, err := json.Marshal(map[string]any{
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}},
		"usage":   map[string]any{"prompt_tokens": (len(r.Body) + 3) / 4, "completion_tokens": (out + 3) / 4},
	})
	if err != nil {
		panic(err)
	}
	return &protocol.HTTP{ID: r.ID, Status: 200, Body: string(body)}
}

// usage reads what a reply says of tokens.
func usage(body string) (in, out int64) {
	var b struct {
		Usage struct {
			In  int64 `json:"prompt_tokens"`
			Out int64 `json:"completion_tokens"`
		} `json:"usage"`
	}
	_ = json.Unmarshal([]byte(body), &b) // what is no JSON counts nothing
	return b.Usage.In, b.Usage.Out
}

// think is how long a scripted model takes for a reply, in ms: a model of the middle class. It does not depend
// on the request's length, so that a word more in a prompt moves no figure but the tokens.
func think(s *Scene, _ protocol.HTTPSend) int64 {
	return spread(1_500, 4_500, s.Session.Name, s.Turn, s.asked)
}

// mark is a number that depends on what the delta shows.
func (q request) mark() int {
	calls := ""
	for _, a := range q.acts {
		calls += a.Call + " "
	}
	return int(spread(0, 999, calls))
}
