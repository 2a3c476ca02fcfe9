package llm

import (
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/buger/jsonparser"
)

// vendorError is an error object in one of the shapes that vendors use.
type vendorError struct {
	message string
	code    string
	kind    string // "type" or Google's "status"
	param   string
	words   string // everything above and what else was said, lower case, for matching
	retryMS int64  // Google's RetryInfo
}

// readError finds the error in a body: an object, an array of one, a stream's event, or plain text.
func readError(body []byte) vendorError {
	var e vendorError
	if len(body) > 0 && body[0] != '{' && body[0] != '[' {
		eachEvent(body, func(data []byte) bool {
			if protocol.Valid(data) && len(data) > 0 && data[0] == '{' {
				body = data
			}
			return false
		})
	}
	if len(body) > maxErrorBody || !protocol.Valid(body) {
		e.message = whole(string(body))
		e.words = strings.ToLower(string(body[:min(len(body), maxErrorBody)]))
		return e
	}
	e.take(body, 0)
	e.message = whole(e.message)
	e.words = strings.ToLower(e.code + " " + e.kind + " " + e.param + " " + e.message + " " + e.words)
	return e
}

// maxErrorBody bounds what of an error is looked at, in bytes. The longest real ones, which list every
// field that was wrong, are about 8 KB.
const maxErrorBody = 64 << 10

// take reads one level; the useful ones are error, metadata.raw and the first element of lists.
func (e *vendorError) take(value []byte, depth int) {
	if depth > 4 || len(value) == 0 {
		return
	}
	if value[0] == '[' {
		eachItem(value, func(item []byte, kind jsonparser.ValueType) {
			if kind == jsonparser.Object {
				e.take(item, depth+1)
			} else if kind == jsonparser.String {
				e.words += " " + text(item, kind)
			}
		})
		return
	}
	if value[0] != '{' {
		return
	}
	_ = eachField(value, func(key string, v []byte, kind jsonparser.ValueType) {
		if kind == jsonparser.Null {
			return
		}
		s := text(v, kind)
		switch key {
		case "message", "msg", "status_msg", "error_msg", "error_description":
			e.say(s)
		case "error", "detail":
			e.say(s)
			e.take(v, depth+1)
		case "code", "status_code", "error_code":
			if s == "" {
				s = string(v)
			}
			if e.code == "" {
				e.code = s
			}
			e.words += " " + s
		case "type", "status", "reason":
			if e.kind == "" {
				e.kind = s
			}
			e.words += " " + s
		case "param":
			e.param = s
		case "loc": // FastAPI: ["body", "reasoning_effort"]
			e.take(v, depth+1)
		case "retryDelay": // "34s" or "34.07s"
			e.retryMS = seconds(strings.TrimSuffix(s, "s"))
		case "raw": // OpenRouter: the vendor's own words, often JSON again
			if raw := []byte(s); protocol.Valid(raw) {
				e.take(raw, depth+1)
			} else {
				e.say(s)
			}
		case "metadata", "details", "errors", "base_resp":
			e.take(v, depth+1)
		}
	})
}

func (e *vendorError) say(s string) {
	if s == "" {
		return
	}
	if e.message == "" || e.message == "Provider returned error" { // OpenRouter's, when raw says more
		e.message = s
	}
	e.words += " " + s
}
