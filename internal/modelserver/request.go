package modelserver

import (
	"encoding/json"
	"regexp"
	"strings"
)

// chatRequest is the part of a chat-completions request that choosing a reply needs.
type chatRequest struct {
	Model         string    `json:"model"`
	Stream        bool      `json:"stream"`
	Messages      []message `json:"messages"`
	Tools         []tool    `json:"tools"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

type tool struct {
	Function struct {
		Name       string `json:"name"`
		Parameters struct {
			Properties map[string]json.RawMessage `json:"properties"`
		} `json:"parameters"`
	} `json:"function"`
}

// text joins the text of a message, whose content is a string or a list of parts.
func (m message) text() string {
	var s string
	if json.Unmarshal(m.Content, &s) == nil {
		return s
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(m.Content, &parts) != nil {
		return ""
	}
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.Text
	}
	return strings.Join(texts, "\n")
}

func (r chatRequest) lastText() string {
	if len(r.Messages) == 0 {
		return ""
	}
	return r.Messages[len(r.Messages)-1].text()
}

var primaryID = regexp.MustCompile(`^m[0-9]+$`)

// Role is "primary" for the ids m1, m2 and so on, else "reviewer".
func Role(model string) string {
	if primaryID.MatchString(model) {
		return "primary"
	}
	return "reviewer"
}

// isTitle recognises the request with which a host names a session: no tools, and the words of
// OpenCode's title prompt (the same in 1.18 and 2.x).
func (r chatRequest) isTitle() bool {
	if len(r.Tools) > 0 {
		return false
	}
	for _, m := range r.Messages {
		text := strings.ToLower(m.text())
		if strings.Contains(text, "title generator") || strings.Contains(text, "generate a title for this conversation") {
			return true
		}
	}
	return false
}
