package transcript

import (
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

func TestWhatIsWorthAReview(t *testing.T) {
	read := &protocol.Tool{Call: "r", Name: "read", Input: `{"path":"a.go"}`, Output: "package a"}
	text := func(s string) *protocol.Text { return &protocol.Text{Message: "m", Text: s} }
	for _, c := range []struct {
		name  string
		event protocol.Event
		quiet bool
	}{
		{"a read", read, true},
		{"a consultation", &protocol.Tool{Call: "c", Name: "consult_advisor", Output: "Do it."}, true},
		{"a remark", text("Let me look at the config loader first, then at its callers."), true},
		{"a remark in Chinese", text("我先看一下配置加载的代码。"), true},
		{"an end of a step", &protocol.StepEnd{Message: "m"}, true},
		{"an edit", &protocol.Tool{Call: "e", Name: "edit", Input: `{"filePath":"a.go","oldString":"x","newString":"y"}`}, false},
		{"a command", &protocol.Tool{Call: "b", Name: "bash", Input: `{"command":"ls"}`}, false},
		{"a command of the person", &protocol.Shell{Command: "ls"}, false},
		{"a read that failed", &protocol.Tool{Call: "f", Name: "read", Input: `{"path":"a.go"}`, Failed: true}, false},
		{"a tool that nobody knows", &protocol.Tool{Call: "u", Name: "deploy_everything"}, false},
		{"a read that changed a file", &protocol.Tool{Call: "g", Name: "read", Files: []string{"a.go"}}, false},
		{"diagnostics", &protocol.Tool{Call: "d", Name: "read", Diagnostics: []protocol.Diagnostic{{Path: "a.go", Text: "broken"}}}, false},
		{"a step with changed files", &protocol.StepEnd{Message: "m", Files: []string{"a.go"}}, false},
		{"a claim", text("Done."), false},
		{"tests pass", text("All the tests pass now"), false},
		{"fixed", text("I've fixed the off-by-one."), false},
		{"it works", text("That works as intended."), false},
		{"a claim in Chinese", text("问题已修复。"), false},
		{"another", text("所有测试都通过"), false},
		{"a tick", text("✅ login"), false},
		{"a long text", text(strings.Repeat("Let me look. ", 200)), false},
		{"a text that was cut", &protocol.Text{Message: "m", Text: "Let me look.", Cut: 9}, false},
	} {
		l := New(Options{})
		switch ev := c.event.(type) {
		case *protocol.Tool:
			l.AddTool(ev)
		case *protocol.Text:
			l.AddText(ev)
		case *protocol.Shell:
			l.AddShell(ev)
		case *protocol.StepEnd:
			l.StepEnd(ev)
		}
		if got := l.Quiet(); got != c.quiet {
			t.Errorf("%s: quiet %v, want %v", c.name, got, c.quiet)
		}
		l.Commit(l.Cut(0).Cursor)
		if !l.Quiet() {
			t.Errorf("%s: what was reviewed still counts", c.name)
		}
	}
}
