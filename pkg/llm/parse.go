package llm

import (
	"bytes"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/buger/jsonparser"
)

// ParseReply reads the answer to a chat completion, JSON or a stream of events, told apart by what is in it.
// The error is a Failure. A Failure of kind Empty or Thinking comes with the reply, for its usage.
func ParseReply(status int, headers []Header, body []byte) (Reply, error) {
	if len(body) > MaxBody {
		return Reply{}, Failure{Kind: KindTooLarge, Status: status, Detail: "the reply is longer than 4 MB"}
	}
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")))
	if status != 0 && (status < 200 || status > 299) {
		return Reply{}, classify(status, headers, body)
	}
	b := &builder{}
	switch {
	case len(body) == 0:
		return Reply{}, Failure{Kind: KindEmpty, Status: status, Detail: "the reply has no body"}
	case body[0] == '{' || body[0] == '[':
		if !protocol.Valid(body) {
			return Reply{}, Failure{Kind: KindUnparsed, Status: status, Detail: "the reply is not valid JSON: " + whole(string(body))}
		}
		b.document(body)
		b.ended = true
	default:
		b.stream(body)
	}
	if b.failed != nil {
		return b.reply(body), classify(status, headers, b.failed)
	}
	if !b.seen {
		return Reply{}, Failure{Kind: KindUnparsed, Status: status, Detail: "the reply is no chat completion: " + whole(string(body))}
	}
	r := b.reply(body)
	if len(r.ToolCalls) > 0 || strings.TrimSpace(r.Text) != "" {
		return r, nil
	}
	f := Failure{Kind: KindEmpty, Status: status, Detail: "the model said nothing"}
	if r.Reasoning != "" || r.Finish == "length" {
		f.Kind, f.Detail = KindThinking, "the model thought and gave no answer"
	}
	if r.Finish != "" && r.Finish != "stop" {
		f.Detail += " (finish_reason " + oneLine(r.Finish, 40) + ")"
	}
	return r, f
}

// builder gathers a reply from one document or from the chunks of a stream.
type builder struct {
	text, reasoning []byte
	reasoningKey    string
	details         [][]byte
	calls           []partCall
	finish          string
	usage           Usage
	seen            bool   // there was a choice
	ended           bool   // the reply came to its end
	failed          []byte // an error object inside
}

// document takes one JSON value: a completion, a chunk of one, or an error. Gemini wraps errors in an array.
func (b *builder) document(doc []byte) {
	if doc[0] == '[' {
		eachItem(doc, func(value []byte, kind jsonparser.ValueType) {
			if kind == jsonparser.Object {
				b.document(value)
			}
		})
		return
	}
	var choices, odd []byte
	_ = eachField(doc, func(key string, value []byte, kind jsonparser.ValueType) {
		switch {
		case key == "choices" && kind == jsonparser.Array:
			choices = value
		case key == "usage" && kind == jsonparser.Object:
			b.takeUsage(value)
		case key == "x_groq" && kind == jsonparser.Object: // Groq's streams put it here
			if usage, kind, _, err := jsonparser.Get(value, "usage"); err == nil && kind == jsonparser.Object {
				b.takeUsage(usage)
			}
		case key == "error" && kind != jsonparser.Null && kind != jsonparser.Boolean && string(value) != "",
			key == "detail" && kind != jsonparser.Null, key == "errors" && kind == jsonparser.Array,
			key == "object" && string(value) == "error",
			key == "base_resp" && kind == jsonparser.Object && member(value, "status_code") != "0":
			odd = doc
		}
	})
	if choices != nil {
		eachItem(choices, func(value []byte, kind jsonparser.ValueType) {
			if kind == jsonparser.Object {
				b.choice(value)
			}
		})
	}
	if odd != nil && !(b.seen && len(b.text)+len(b.calls) > 0 && b.finish != "" && b.finish != "error") {
		b.failed = odd
	}
}

// choice takes the first choice; others are not asked for.
func (b *builder) choice(choice []byte) {
	var message, failed []byte
	finish, other := "", false
	_ = eachField(choice, func(key string, value []byte, kind jsonparser.ValueType) {
		switch {
		case key == "index":
			other = kind == jsonparser.Number && string(value) != "0"
		case (key == "message" || key == "delta") && kind == jsonparser.Object:
			message = value
		case key == "finish_reason" && kind == jsonparser.String && len(value) > 0:
			finish = text(value, kind)
		case key == "usage" && kind == jsonparser.Object: // Moonshot's streams put it here
			b.takeUsage(value)
		case key == "error" && kind == jsonparser.Object: // OpenRouter, when the vendor behind it failed
			failed = choice
		}
	})
	if other {
		return
	}
	b.seen = true
	if failed != nil {
		b.failed = failed
	}
	if finish != "" {
		b.finish = finish
	}
	if message != nil {
		b.message(message)
	}
}

func (b *builder) message(m []byte) {
	_ = eachField(m, func(key string, value []byte, kind jsonparser.ValueType) {
		switch key {
		case "content":
			b.content(value, kind)
		case "refusal":
			b.text = append(b.text, text(value, kind)...)
		case "reasoning_content", "reasoning":
			// Some gateways send both with the same text: the first key seen is followed.
			if s := text(value, kind); s != "" && (b.reasoningKey == "" || b.reasoningKey == key) {
				b.reasoningKey = key
				b.reasoning = append(b.reasoning, s...)
			}
		case "reasoning_details":
			if kind == jsonparser.Array {
				eachItem(value, func(item []byte, kind jsonparser.ValueType) {
					if kind == jsonparser.Object {
						b.details = append(b.details, item)
					}
				})
			}
		case "tool_calls":
			if kind == jsonparser.Array {
				eachItem(value, func(item []byte, kind jsonparser.ValueType) {
					if kind == jsonparser.Object {
						b.toolCall(item)
					}
				})
			}
		case "function_call":
			if kind == jsonparser.Object {
				b.addCall(partCall{index: 0}, value)
			}
		}
	})
}

// content takes a string, or an array of parts of which some may be thoughts.
func (b *builder) content(value []byte, kind jsonparser.ValueType) {
	switch kind {
	case jsonparser.String:
		b.text = unescape(b.text, value)
	case jsonparser.Array:
		eachItem(value, func(part []byte, kind jsonparser.ValueType) {
			if kind == jsonparser.String {
				b.text = unescape(b.text, part)
			}
			if kind != jsonparser.Object {
				return
			}
			_ = eachField(part, func(key string, value []byte, kind jsonparser.ValueType) {
				switch {
				case key == "text" && kind == jsonparser.String:
					b.text = unescape(b.text, value)
				case key == "thinking" && kind == jsonparser.String:
					b.reasoning = unescape(b.reasoning, value)
				case key == "thinking" && kind == jsonparser.Array: // Mistral
					eachItem(value, func(item []byte, kind jsonparser.ValueType) {
						if kind == jsonparser.Object {
							b.reasoning = append(b.reasoning, member(item, "text")...)
						}
					})
				}
			})
		})
	}
}
