package llm

import (
	"bytes"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// stream takes the body of an event stream: comments and unknown fields are passed over, several data
// lines of one event are joined, and a last event that broke off is left out.
func (b *builder) stream(body []byte) {
	eachEvent(body, func(data []byte) bool {
		if string(data) == "[DONE]" {
			b.ended = true
			return false
		}
		if len(data) > 0 && (data[0] == '{' || data[0] == '[') && protocol.Valid(data) {
			b.document(data)
		}
		return b.failed == nil
	})
}

// eachEvent calls f with the data of each event until f says no. Lines end in LF, CR LF or CR.
func eachEvent(body []byte, f func(data []byte) bool) {
	var data []byte
	pending, joined := false, false
	for len(body) > 0 {
		line := body
		if at := bytes.IndexAny(body, "\r\n"); at >= 0 {
			line = body[:at]
			if body[at] == '\r' && at+1 < len(body) && body[at+1] == '\n' {
				at++
			}
			body = body[at+1:]
		} else {
			body = nil
		}
		if len(line) == 0 {
			if pending && !f(bytes.TrimSpace(data)) {
				return
			}
			data, pending, joined = nil, false, false
			continue
		}
		value, ok := bytes.CutPrefix(line, []byte("data:"))
		if !ok {
			continue
		}
		if pending {
			// Some servers leave the empty line out: a line that is whole is an event of its own.
			whole := bytes.TrimSpace(data)
			if !joined && (protocol.Valid(whole) || string(whole) == "[DONE]") {
				if !f(whole) {
					return
				}
				data = nil
			} else {
				data, joined = append(data, '\n'), true
			}
		}
		data, pending = append(data, value...), true
	}
	if pending {
		f(bytes.TrimSpace(data))
	}
}
