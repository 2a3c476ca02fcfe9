package opencode

import "testing"

func TestCutOffTellsAnEarlyEndFromAMistake(t *testing.T) {
	const frame = "Invalid input for tool write: JSON parsing failed: Text: "
	for _, c := range []struct {
		name, message string
		want          bool
	}{
		{"an unterminated string", frame + `{"filePath": "big.txt", "content": "aaa` + ".\nError message: JSON Parse error: Unterminated string", true},
		{"an open object", frame + `{"filePath": "big.txt"` + ".\nError message: JSON Parse error: Expected '}'", true},
		{"nothing at all", frame + ".\nError message: JSON Parse error: Unexpected EOF", true},
		{"a mistake in the middle", frame + `{"filePath": big.txt, "content": "x"}` + ".\nError message: JSON Parse error: Unexpected identifier", false},
		{"an escape cut in two", frame + `{"content": "a\` + ".\nError message: JSON Parse error: Unterminated string", true},
		{"a wrong type", "Invalid input for tool write: Type validation failed: Value: {}.\nError message: filePath is missing", false},
		{"an unknown tool", "Model tried to call unavailable tool 'bash2'. Available tools: bash, edit.", false},
		{"no message", " ", true},
		{"a parse error in other words", "JSON parsing failed", true},
	} {
		if got := cutOff(c.message); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
