package growth

import (
	"encoding/json"
	"strings"
	"testing"
)

// A provider's cache holds a prompt as far as it begins like an earlier one: tools, instructions, goal. Over
// 50 steps that beginning does not change by a byte, and it is three quarters of what is sent.
func TestTheBeginningOfARequestIsStable(t *testing.T) {
	type request struct {
		Messages []struct{ Role, Content string }
		Tools    json.RawMessage
	}
	for _, reads := range []bool{false, true} {
		var first request
		var total, same, n int
		if _, err := measure(50, reads, func(body string) {
			var r request
			if err := json.Unmarshal([]byte(body), &r); err != nil || len(r.Messages) != 2 {
				t.Fatalf("a request of %d messages: %v", len(r.Messages), err)
			}
			if n++; n == 1 {
				first = r
				return
			}
			if string(r.Tools) != string(first.Tools) || r.Messages[0] != first.Messages[0] {
				t.Fatalf("review %d: tools or instructions are not those of the first", n)
			}
			goal := common(r.Messages[1].Content, first.Messages[1].Content)
			if !strings.Contains(r.Messages[1].Content[:goal], "Tidy up every file under src.") {
				t.Fatalf("review %d: the goal is not part of the common beginning", n)
			}
			head := len(r.Tools) + len(r.Messages[0].Content)
			same += head + goal
			total += head + len(r.Messages[1].Content)
		}); err != nil {
			t.Fatal(err)
		}
		share := 100 * same / total
		t.Logf("reads %v: %d %% of %d reviews' first requests is their common beginning", reads, share, n)
		if n != 50 || share < 75 {
			t.Errorf("reads %v: %d reviews, common beginning %d %%, want 50 and three quarters at least", reads, n, share)
		}
	}
}
