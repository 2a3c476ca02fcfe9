package transcript

import (
	"strconv"
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

const nonce = "0123456789abcdef0123456789abcdef"

// typed is who is human in these tests.
func typed(u *protocol.User) bool { return u.Typed }

func person(id, text string) *protocol.User {
	return &protocol.User{ID: id, Text: text, Typed: true}
}

func says(message, text string) *protocol.Text { return &protocol.Text{Message: message, Text: text} }

func call(message, id, name, input, output string) *protocol.Tool {
	return &protocol.Tool{Message: message, Call: id, Name: name, Input: protocol.JSON(input), Output: output}
}

func run(id, command string, exit int, output string) *protocol.Tool {
	return &protocol.Tool{Call: id, Name: "bash", Input: protocol.JSON(`{"command":` + strconv.Quote(command) + `}`), Output: output, HasExit: true, Exit: exit}
}

// feed makes a log out of events.
func feed(t *testing.T, events ...protocol.Event) *Log {
	t.Helper()
	l := New(Options{Root: "/project"})
	add(l, events...)
	return l
}

func add(l *Log, events ...protocol.Event) {
	for _, ev := range events {
		switch ev := ev.(type) {
		case *protocol.Reverted:
			l.Reverted(ev)
		case *protocol.Signals:
			l.SetSignals(ev)
		default:
			l.Add(ev, typed)
		}
	}
}

// turn is one busy step: words, a read, an edit, a failing test.
func turn(n int) []protocol.Event {
	id := strconv.Itoa(n)
	file := "src/file" + strconv.Itoa(n%7) + ".go"
	return []protocol.Event{
		says("m"+id, "Looking at part "+id+" of the problem."),
		call("m"+id, "r"+id, "read", `{"filePath":"/project/`+file+`"}`, strings.Repeat("a line of source\n", 200)),
		&protocol.Tool{Message: "m" + id, Call: "e" + id, Name: "edit", Input: protocol.JSON(`{"filePath":"/project/` + file + `","oldString":"a\nb","newString":"a\nb\nc ` + id + `"}`), Output: "done"},
		run("c"+id, "go test ./part"+id, n%2, strings.Repeat("--- output line of the test\n", 60)),
		&protocol.StepEnd{Message: "m" + id, Files: []string{file}},
	}
}
