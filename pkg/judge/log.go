package judge

import (
	"strconv"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/utc"
)

// The log's file: whoever appends keeps to these.
const (
	LogMaxBytes = 50 << 20 // then the file is rotated
	LogMode     = 0o600    // prompts and commands are nobody else's business
)

// Entry is one line of the decision log. Everything in it is redacted, if the
// options say so.
type Entry struct {
	TS        int64 // milliseconds since 1970
	Session   string
	Agent     string
	Action    string
	Resources []string
	Decision  Decision // Ask is written as fallback-ask
	Reason    string
	Metadata  string // JSON
	Model     string
	LatencyMS int64
	Source    string // JSON
	Prompt    string // as it was sent, "" when the model was not asked
	Reply     string // as it came, trimmed
	Row       string // the floor's row, or which configured rule spoke
	Attempts  int    // requests to the model
	Late      bool   // the reply came after the deadline and was ignored
	Shadow    bool
	ID        string // the host's id of the request, to find the person's answer
}

// AppendLine appends the entry as one line of JSON, with its line end.
func (e *Entry) AppendLine(b []byte) []byte {
	decision := string(e.Decision)
	if e.Decision == Ask {
		decision = "fallback-ask"
	}
	b = append(b, '{')
	b = appendMember(b, "ts", utc.Format(e.TS))
	b = appendMember(b, "sessionID", e.Session)
	b = appendMember(b, "agent", e.Agent)
	b = appendMember(b, "action", e.Action)
	b = appendStrings(appendKey(b, "resources"), e.Resources)
	b = appendMember(b, "decision", decision)
	b = appendMember(b, "reason", e.Reason)
	if e.Metadata != "" && protocol.Valid(e.Metadata) {
		b = append(appendKey(b, "metadata"), flat(e.Metadata)...)
	}
	b = appendMember(b, "model", e.Model)
	b = strconv.AppendInt(appendKey(b, "latency_ms"), e.LatencyMS, 10)
	if e.Source != "" && protocol.Valid(e.Source) {
		b = append(appendKey(b, "source"), flat(e.Source)...)
	}
	b = appendMember(b, "prompt", e.Prompt)
	b = appendMember(b, "reply", e.Reply)
	b = appendMember(b, "row", e.Row)
	b = strconv.AppendInt(appendKey(b, "attempts"), int64(e.Attempts), 10)
	b = strconv.AppendBool(appendKey(b, "late"), e.Late)
	b = strconv.AppendBool(appendKey(b, "shadow"), e.Shadow)
	b = appendMember(b, "id", e.ID)
	b = append(appendKey(b, "agreed"), "null"...)
	b = appendMember(b, "plugin", "superadvisor")
	return append(b, `,"v":1}`+"\n"...)
}

// flat puts JSON on one line: a line end can only be a blank in it.
func flat(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c == '\n' || c == '\r' {
			b[i] = ' '
		}
	}
	return string(b)
}

// AppendAgreed appends the line that follows once the person answered a
// judged request by hand: whether that was what the judge had decided, or, in
// shadow mode, would have. It refers to the request's line by id.
func (e *Entry) AppendAgreed(b []byte, now int64, allowed bool) []byte {
	b = append(b, '{')
	b = appendMember(b, "ts", utc.Format(now))
	b = appendMember(b, "sessionID", e.Session)
	b = appendMember(b, "answer", e.ID)
	person := "deny"
	if allowed {
		person = "allow"
	}
	b = appendMember(b, "person", person)
	b = appendMember(b, "decision", string(e.Decision))
	b = appendKey(b, "agreed")
	if agreed, ok := e.Agreed(allowed); ok {
		b = strconv.AppendBool(b, agreed)
	} else {
		b = append(b, "null"...)
	}
	b = appendMember(b, "plugin", "superadvisor")
	return append(b, `,"v":1}`+"\n"...)
}

// Agreed reports whether the person's answer was the judge's; false, false
// when the judge had none.
func (e *Entry) Agreed(allowed bool) (agreed, known bool) {
	switch e.Decision {
	case Allow:
		return allowed, true
	case Deny:
		return !allowed, true
	}
	return false, false
}
