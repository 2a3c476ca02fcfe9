package bench

import (
	"strconv"
	"strings"

	"github.com/buger/jsonparser"

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
	tool, call, result string
	args               map[string]string // those that are texts
}

func parse(body string) (q request) {
	if !protocol.Valid(body) {
		return q
	}
	q.answers = map[string]string{}
	names := map[string]string{}
	each([]byte(body), func(m []byte) {
		text := func(path ...string) string { s, _ := protocol.GetString(m, path...); return s }
		switch text("role") {
		case "user":
			q.delta = text("content")
		case "assistant":
			q.rounds++
			q.refused = false
			each(m, func(c []byte) {
				id, _ := protocol.GetString(c, "id")
				names[id], _ = protocol.GetString(c, "function", "name")
				q.advised = q.advised || names[id] == "advise"
			}, "tool_calls")
		case "tool":
			id := text("tool_call_id")
			q.answers[id] = text("content")
			q.refused = q.refused || names[id] == "advise" && strings.HasPrefix(q.answers[id], "Not taken")
		}
	}, "messages")
	if at := strings.Index(q.delta, "What the person has decided."); at >= 0 {
		q.said = q.delta[at:]
		if end := strings.Index(q.said, "What happened since"); end >= 0 {
			q.said = q.said[:end]
		}
	}
	_, lines, _ := strings.Cut(q.delta, "<<<")
	for line := range strings.Lines(lines) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "{") || !protocol.Valid(line) {
			continue
		}
		act, raw := seenAct{args: map[string]string{}}, []byte(line)
		if act.tool, _ = protocol.GetString(raw, "tool"); act.tool == "" {
			continue
		}
		act.call, _ = protocol.GetString(raw, "call")
		act.result, _ = protocol.GetString(raw, "result")
		if args, kind, _, err := jsonparser.Get(raw, "args"); err == nil && kind == jsonparser.Object {
			_ = jsonparser.ObjectEach(args, func(key, value []byte, kind jsonparser.ValueType, _ int) error {
				if text, err := jsonparser.ParseString(value); kind == jsonparser.String && err == nil {
					act.args[string(key)] = text
				}
				return nil
			})
		}
		q.acts = append(q.acts, act)
	}
	return q
}

// each calls one with every element of the array at a path.
func each(data []byte, one func(element []byte), path ...string) {
	list, kind, _, err := jsonparser.Get(data, path...)
	if err != nil || kind != jsonparser.Array {
		return
	}
	_, _ = jsonparser.ArrayEach(list, func(element []byte, _ jsonparser.ValueType, _ int, _ error) { one(element) })
}

// files are the paths that the delta's calls name, in order.
func (q request) files() (paths []string) {
	for _, a := range q.acts {
		path := strings.TrimPrefix(a.args["filePath"], root+"/")
		if path != "" && (len(paths) == 0 || paths[len(paths)-1] != path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// shows tells whether the delta shows one of the quote's lines: in what was written, or what was printed.
func (q request) shows(path, quote string) (call string, ok bool) {
	for _, a := range q.acts {
		text := a.result
		if path != "$" {
			if strings.TrimPrefix(a.args["filePath"], root+"/") != path {
				continue
			}
			text = a.args["newString"] + a.args["content"]
		}
		for line := range strings.Lines(quote) {
			if line = strings.TrimSpace(line); len(line) > 3 && strings.Contains(text, line) {
				return a.call, true
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
		number, text, ok := strings.Cut(strings.TrimSuffix(l, "\n"), "\t")
		if !ok || text != first {
			continue
		}
		if n, err := strconv.Atoi(strings.TrimSpace(number)); err == nil {
			return n
		}
	}
	return 0
}

// call is a tool call of the reviewer.
type call struct {
	id, name string
	args     protocol.JSON
}

func read(id, path string) call { return call{id, "read", input("path", path)} }

// note is what advise takes.
type note struct {
	text      string
	severity  protocol.Severity
	verdict   protocol.Verdict
	category  string
	citations []protocol.Citation
}

func advise(id string, n note) call {
	b := []byte(strings.TrimSuffix(string(input("note", n.text, "severity", string(n.severity), "verdict", string(n.verdict), "category", n.category)), "}"))
	for i, c := range n.citations {
		if i == 0 {
			b = append(b, `,"citations":[`...)
		} else {
			b = append(b, ',')
		}
		b = protocol.AppendCitation(b, c)
	}
	if len(n.citations) > 0 {
		b = append(b, ']')
	}
	return call{id, "advise", protocol.JSON(append(b, '}'))}
}

func quote(path string, line int, text, fact string) protocol.Citation {
	return protocol.Citation{Kind: protocol.CiteQuote, Path: path, Line: line, Quote: strings.TrimSuffix(text, "\n"), Fact: fact}
}

// completion is a chat completion with words or calls. Tokens are counted at four bytes each, as no tokenizer is at hand.
func completion(r protocol.HTTPSend, text string, calls ...call) *protocol.HTTP {
	b := protocol.AppendString([]byte(`{"choices":[{"index":0,"message":{"role":"assistant","content":`), text)
	finish, out := "stop", len(text)
	for i, c := range calls {
		finish = "tool_calls"
		out += len(c.args) + len(c.name)
		if i == 0 {
			b = append(b, `,"tool_calls":[`...)
		} else {
			b = append(b, ',')
		}
		b = protocol.AppendString(append(b, `{"type":"function","id":`...), c.id)
		b = protocol.AppendString(append(b, `,"function":{"name":`...), c.name)
		b = protocol.AppendString(append(b, `,"arguments":`...), string(c.args))
		b = append(b, "}}"...)
	}
	if len(calls) > 0 {
		b = append(b, ']')
	}
	b = append(b, `},"finish_reason":"`+finish+`"}],"usage":{"prompt_tokens":`...)
	b = strconv.AppendInt(b, int64(len(r.Body)+3)/4, 10)
	b = strconv.AppendInt(append(b, `,"completion_tokens":`...), int64(out+3)/4, 10)
	return &protocol.HTTP{ID: r.ID, Status: 200, Body: string(append(b, "}}"...))}
}

// usage reads what a reply says of tokens. What is no JSON counts nothing.
func usage(body string) (in, out int64) {
	in, _ = protocol.GetInt([]byte(body), "usage", "prompt_tokens")
	out, _ = protocol.GetInt([]byte(body), "usage", "completion_tokens")
	return in, out
}

// think is how long a scripted model takes for a reply, in ms: a model of the middle class. It does not depend
// on the request's length, so that a word more in a prompt moves no figure but the tokens.
func think(s *Scene, _ protocol.HTTPSend) int64 {
	return spread(1_500, 4_500, s.Session.Name, strconv.Itoa(s.Turn), strconv.Itoa(s.asked))
}

// mark is a number that depends on what the delta shows.
func (q request) mark() int {
	calls := ""
	for _, a := range q.acts {
		calls += a.call + " "
	}
	return int(spread(0, 999, calls))
}
