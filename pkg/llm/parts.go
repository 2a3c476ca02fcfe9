package llm

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/buger/jsonparser"
)

// partCall is a tool call whose pieces are still coming.
type partCall struct {
	id, name string
	index    int64 // -1: the vendor gave none
	args     []byte
	extra    []byte
}

func (b *builder) toolCall(item []byte) {
	part := partCall{index: -1}
	var function []byte
	_ = eachField(item, func(key string, value []byte, kind jsonparser.ValueType) {
		switch {
		case key == "index" && kind == jsonparser.Number:
			part.index = number(value)
		case key == "id":
			part.id = text(value, kind)
		case key == "function" && kind == jsonparser.Object:
			function = value
		case key == "extra_content" && kind == jsonparser.Object:
			part.extra = value
		}
	})
	if function == nil {
		function = item // name and arguments beside the id, as some gateways have them
	}
	b.addCall(part, function)
}

// addCall joins a piece to the call it belongs to. That is the one with its index, unless the
// id says otherwise: there are vendors that give every call of a stream index 0, and vendors that give none.
func (b *builder) addCall(part partCall, function []byte) {
	var name string
	var args []byte
	_ = eachField(function, func(key string, value []byte, kind jsonparser.ValueType) {
		switch {
		case key == "name":
			name = text(value, kind)
		case key == "arguments" && kind == jsonparser.String:
			args = unescape(nil, value)
		case key == "arguments" && kind == jsonparser.Object:
			args = value
		}
	})
	var call *partCall
	for i := range b.calls {
		c := &b.calls[i]
		same := part.index >= 0 && c.index == part.index
		if part.index < 0 { // the last call goes on, unless this names a new one
			same = i == len(b.calls)-1 && (name == "" || part.id != "" && part.id == c.id)
		}
		if same && (part.id == "" || c.id == "" || part.id == c.id) {
			call = c
		}
	}
	if call == nil {
		if len(b.calls) == maxCalls {
			return
		}
		b.calls = append(b.calls, partCall{index: part.index})
		call = &b.calls[len(b.calls)-1]
	}
	if call.id == "" {
		call.id = part.id
	}
	if name != call.name { // repeated on every chunk by some
		call.name += name
	}
	if len(part.extra) > 0 {
		call.extra = part.extra
	}
	call.args = append(call.args, args...)
}

// maxCalls bounds the calls of one reply; more is a model that has lost its way.
const maxCalls = 64

// Bounds of what a call is called. Both come back with the next request, and the name is in traces; vendors allow names of 64
// bytes and make ids of some dozens.
const (
	maxName = 128
	maxID   = 512
)

func (b *builder) takeUsage(usage []byte) {
	var u Usage
	var beside int64 // Anthropic's own form counts what its cache has to do with beside input_tokens
	apart := true
	_ = eachField(usage, func(key string, value []byte, kind jsonparser.ValueType) {
		switch {
		case key == "prompt_tokens":
			u.In, apart = number(value), false
		case key == "input_tokens":
			u.In = max(u.In, number(value))
		case key == "completion_tokens" || key == "output_tokens":
			u.Out = number(value)
		case key == "cached_tokens" || key == "prompt_cache_hit_tokens": // Moonshot, DeepSeek
			u.CachedIn = max(u.CachedIn, number(value))
		case key == "cache_read_input_tokens":
			u.CachedIn = max(u.CachedIn, number(value))
			beside += max(number(value), 0)
		case key == "cache_creation_input_tokens":
			u.CacheWrite = max(number(value), 0)
			beside += u.CacheWrite
		case (key == "prompt_tokens_details" || key == "input_tokens_details") && kind == jsonparser.Object:
			u.CachedIn = max(u.CachedIn, number([]byte(member(value, "cached_tokens"))))
		case (key == "completion_tokens_details" || key == "output_tokens_details") && kind == jsonparser.Object:
			u.Reasoning = number([]byte(member(value, "reasoning_tokens")))
		case key == "cost" && kind == jsonparser.Number: // OpenRouter, in dollars
			u.Cost = micros(string(value))
		}
	})
	if apart {
		u.In += beside
	}
	u.In, u.Out = max(u.In, 0), max(u.Out, 0)
	u.CachedIn = min(u.CachedIn, u.In)
	// A stream may repeat it with growing figures.
	if u.In >= b.usage.In && u.Out >= b.usage.Out {
		b.usage = u
	}
}

// micros reads dollars as millionths, rounded; 0 for what cannot be meant.
func micros(text string) int64 {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !(f > 0 && f < 1e6) {
		return 0
	}
	return int64(f*1e6 + 0.5)
}

// reply closes the builder. Ids that are missing or used twice are made from the body, so that two
// replies of one conversation do not share them.
func (b *builder) reply(body []byte) Reply {
	r := Reply{Text: string(b.text), Reasoning: string(b.reasoning), Finish: b.finish, Usage: b.usage, reasoningKey: b.reasoningKey}
	if b.finish == "" && !b.ended {
		r.Finish = FinishCut
	}
	splitThoughts(&r)
	if len(b.details) > 0 {
		r.details = append(append([]byte{'['}, bytes.Join(b.details, []byte{','})...), ']')
	}
	used := map[string]bool{}
	var sum uint64
	for i, c := range b.calls {
		if c.name == "" && len(c.args) == 0 {
			continue
		}
		call := ToolCall{ID: c.id, Name: c.name[:min(len(c.name), maxName)], Extra: c.extra}
		args, ok := arguments(c.args, !r.Cut())
		if call.Args = args; !ok {
			call.Args, call.Malformed = []byte("{}"), oneLine(string(c.args), 500)
		}
		if call.ID == "" || len(call.ID) > maxID || used[call.ID] {
			if sum == 0 {
				sum = fnv1a(fnvStart, body) | 1
			}
			call.ID = callID(sum, i)
		}
		used[call.ID] = true
		r.ToolCalls = append(r.ToolCalls, call)
	}
	return r
}

// callID has nine letters and digits, which is the one form that every vendor takes.
func callID(sum uint64, index int) string {
	id := strconv.FormatUint((sum+uint64(index)*0x9e3779b97f4a7c15)|1<<63, 36) // the odd multiplier spreads neighbours
	return "c" + id[len(id)-8:]
}

// splitThoughts moves a leading <think> block out of the text. Templates that open the block in
// the prompt give only its end.
func splitThoughts(r *Reply) {
	const open, end = "<think>", "</think>"
	s := strings.TrimLeft(r.Text, " \t\r\n")
	at := strings.Index(s, end)
	switch {
	case strings.HasPrefix(s, open) && at < 0:
		r.Reasoning, r.Text = r.Reasoning+s[len(open):], ""
	case strings.HasPrefix(s, open), at >= 0 && r.Reasoning == "" && !strings.Contains(s[:at], open):
		r.Reasoning += strings.TrimSpace(strings.TrimPrefix(s[:at], open))
		r.Text = strings.TrimLeft(s[at+len(end):], " \t\r\n")
	}
}
