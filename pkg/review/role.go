package review

import (
	_ "embed"
	"strings"
)

//go:embed roster/security.md
var security string

//go:embed roster/architecture.md
var architecture string

//go:embed roster/tests.md
var tests string

// Role words the part of one of several advisors: the built-in text of its name, and what the person says of it.
func Role(name, instructions string) string {
	part := map[string]string{"security": security, "architecture": architecture, "tests": tests}[name]
	b := "You are one of several reviewers of the same work, by the name of " + name + ". The others look at the rest: keep to your part, and leave theirs unless it is a blocker."
	for _, text := range []string{part, instructions} {
		if text = strings.TrimSpace(text); text != "" {
			b += "\n" + text
		}
	}
	return b
}
