package opencode

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	// transientWords are what upstream failures that pass by themselves call themselves. They are looked for in
	// error events and on standard error, never in what the model or a tool said.
	transientWords = regexp.MustCompile(`(?i)too many requests|rate.?limit|overloaded|temporarily unavailable|` +
		`internal server error|bad gateway|service unavailable|gateway time-?out|timed? ?out|etimedout|econnreset|econnrefused|` +
		`socket hang up|fetch failed|connection (?:reset|refused|closed)|unable to connect|cannot connect|network error|` +
		`empty response|no output generated|response ended unexpectedly|\b(?:429|50[0234]|529)\b`)
	rateWords = regexp.MustCompile(`(?i)too many requests|rate.?limit|\b429\b`)
	// quotaWords mark a 429 that waiting does not cure.
	quotaWords = regexp.MustCompile(`(?i)insufficient.?(?:quota|credit|balance|funds)|exceeded your current quota|billing|payment required`)
)

func (p problem) words() string { return p.message + " " + p.code }

func (p problem) quota() bool {
	return p.status == http.StatusPaymentRequired || quotaWords.MatchString(p.words())
}

func (p problem) rateLimited() bool {
	return p.status == http.StatusTooManyRequests || p.quota() || p.status == 0 && rateWords.MatchString(p.words())
}

// transient tells a failure that a later attempt may not meet. A status decides where there is one.
func (p problem) transient() bool {
	switch {
	case p.quota():
		return false
	case p.status == http.StatusRequestTimeout, p.status == http.StatusTooManyRequests, p.status >= 500:
		return true
	case p.status != 0:
		return p.retryable
	}
	return p.retryable || transientWords.MatchString(p.words())
}

func (p problem) String() string {
	text := strings.Join(strings.Fields(p.message), " ")
	if text == "" {
		text = "an error without a message"
	}
	const maxShown = 300
	if len(text) > maxShown {
		text = strings.ToValidUTF8(text[:maxShown], "") + " ..."
	}
	if p.status != 0 {
		return fmt.Sprintf("%s (status %d)", text, p.status)
	}
	return text
}

// retryAfter reads a Retry-After header (seconds, or a date) or its variant in milliseconds. What is no
// positive time is 0.
func retryAfter(header, value string, now time.Time) time.Duration {
	unit := time.Second
	if header == "retry-after-ms" {
		unit = time.Millisecond
	}
	if n, err := strconv.ParseFloat(value, 64); err == nil {
		if !(n > 0 && n < 1e9) {
			return 0
		}
		return time.Duration(n * float64(unit))
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}
