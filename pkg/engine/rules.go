package engine

import (
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/transcript"
)

// Bounds of what contextFiles add to every request, in bytes: a page of rules each, and
// not so much that the delta has no room.
const (
	maxRules    = 6 << 10
	maxRuleFile = 64 << 10
)

// rules gives the workspace's files that contextFiles names, each as a JSON string: they
// are data to the reviewer, whoever wrote them. They are read for every review, so that a change takes
// effect at the next one. What cannot be read is told in the log once.
func (e *Engine) rules() string {
	var b strings.Builder
	for _, path := range e.config.ContextFiles {
		_, data, err := e.files.ReadFile(path, maxRuleFile)
		if err != nil {
			if !e.told["rules\x00"+path] {
				e.told["rules\x00"+path] = true
				e.log("warn", "contextFiles: "+err.Error())
			}
			continue
		}
		text := transcript.Middle(e.redact.Text(string(data)), maxRules/len(e.config.ContextFiles))
		b.Write(protocol.AppendString(nil, path))
		b.WriteString(": ")
		b.Write(protocol.AppendString(nil, text))
		b.WriteString("\n")
	}
	return b.String()
}
