package opencode

import (
	"testing"
	"time"
)

func TestProblems(t *testing.T) {
	for _, c := range []struct {
		name        string
		p           problem
		transient   bool
		rateLimited bool
	}{
		{"a rate limit", problem{status: 429, message: "Rate limit reached"}, true, true},
		{"a quota", problem{status: 429, message: "You exceeded your current quota", code: `{"code":"insufficient_quota"}`}, false, true},
		{"no money", problem{status: 402, message: "pay first"}, false, true},
		{"a server error", problem{status: 503}, true, false},
		{"a request time-out", problem{status: 408}, true, false},
		{"a wrong key", problem{status: 401, message: "invalid key, try the request timeout page"}, false, false},
		{"a bad request", problem{status: 400, message: "max_tokens must not exceed 4096"}, false, false},
		{"a bad request that says retry", problem{status: 409, retryable: true}, true, false},
		{"a lost connection", problem{message: "Error: read ECONNRESET"}, true, false},
		{"an empty response", problem{message: "AI_NoOutputGeneratedError: No output generated."}, true, false},
		{"rate by words", problem{message: "Too Many Requests"}, true, true},
		{"a figure that is no status", problem{message: "line 4290 of config.json is wrong"}, false, false},
		{"a config error", problem{message: "Model not found: forge/x"}, false, false},
	} {
		if got := c.p.transient(); got != c.transient {
			t.Errorf("%s: transient %v, want %v", c.name, got, c.transient)
		}
		if got := c.p.rateLimited(); got != c.rateLimited {
			t.Errorf("%s: rate limited %v, want %v", c.name, got, c.rateLimited)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		header, value string
		want          time.Duration
	}{
		{"retry-after", "7", 7 * time.Second},
		{"retry-after", "0.5", 500 * time.Millisecond},
		{"retry-after", "Fri, 02 Jan 2026 03:04:35 GMT", 30 * time.Second},
		{"retry-after", "Fri, 02 Jan 2026 03:04:00 GMT", 0},
		{"retry-after-ms", "250", 250 * time.Millisecond},
		{"retry-after", "-3", 0},
		{"retry-after", "1e300", 0},
		{"retry-after", "NaN", 0},
		{"retry-after", "soon", 0},
	} {
		if got := retryAfter(c.header, c.value, now); got != c.want {
			t.Errorf("%s: %s: got %v, want %v", c.header, c.value, got, c.want)
		}
	}
}
