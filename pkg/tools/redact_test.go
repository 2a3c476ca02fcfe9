package tools

import (
	"strings"
	"testing"
)

// hideBlock hides from BEGIN to END and keeps the line breaks.
func hideBlock(s string) string {
	from, to := strings.Index(s, "BEGIN"), strings.Index(s, "END")
	if from < 0 || to < from {
		return s
	}
	return s[:from] + "[redacted]" + strings.Repeat("\n", strings.Count(s[from:to], "\n")) + s[to:]
}

func TestAFileIsRedactedBeforeItIsPaged(t *testing.T) {
	const file = "one\nBEGIN\nabc123\ndef456\nEND\nlast abc\n"
	b := newBench(t, map[string]string{"key.txt": file})
	env := b.Env
	env.Redact = func(text []byte) []byte { return []byte(hideBlock(string(text))) }
	tests := []struct {
		name, args string
		tool       Tool
		shows      string
	}{
		{"a page from inside the block", `{"path":"key.txt","offset":3,"limit":2}`, Read, ""},
		{"the whole", `{"path":"key.txt"}`, Read, "last abc"},
		{"a search that hits the block", `{"pattern":"abc"}`, Grep, "last abc"},
		{"its context", `{"pattern":"one","context":4}`, Grep, "one"},
		{"after a hit", `{"pattern":"last","context":4}`, Grep, "last abc"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.tool.Run(env, []byte(tt.args)).Text
			if strings.Contains(got, "abc123") || strings.Contains(got, "def456") {
				t.Errorf("the block is shown:\n%s", got)
			}
			if !strings.Contains(got, tt.shows) {
				t.Errorf("want %q in:\n%s", tt.shows, got)
			}
		})
	}
	found, err := Search(env, "abc", "", 10)
	if err != nil || len(found.Hits) != 2 {
		t.Fatalf("Search = %+v, %v; want both lines, the hidden one without its text", found, err)
	}
	if found.Hits[0].Text != "" || found.Hits[1].Text != "last abc" || found.Hits[1].Line != 6 {
		t.Errorf("hits = %+v", found.Hits)
	}
}
