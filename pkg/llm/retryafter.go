package llm

import (
	"math"
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/utc"
)

// retryAfter gives how many milliseconds the vendor asks to wait, or 0: Google's RetryInfo,
// retry-after-ms, or "try again in 1.2s" in the message. Retry-After itself may be
// a date, and then it needs the clock: see until.
func retryAfter(headers []Header, e vendorError) int64 {
	if v := header(headers, "retry-after-ms"); v != "" {
		return seconds(v) / 1000
	}
	if v := header(headers, "retry-after"); v != "" {
		if ms := seconds(v); ms > 0 {
			return ms
		}
	}
	if e.retryMS > 0 {
		return e.retryMS
	}
	for _, phrase := range []string{"try again in ", "retry in ", "retry after "} {
		if at := strings.Index(e.words, phrase); at >= 0 {
			return spelled(e.words[at+len(phrase):])
		}
	}
	return 0
}

// until gives the wait that a Retry-After date asks for, or 0. nowMS is since 1970.
func until(headers []Header, nowMS int64) int64 {
	at, ok := utc.ParseHTTP(header(headers, "retry-after"))
	if !ok {
		return 0
	}
	return max(at-nowMS, 0)
}

func header(headers []Header, name string) string {
	for _, h := range headers {
		if strings.EqualFold(h.Name, name) {
			return strings.TrimSpace(h.Value)
		}
	}
	return ""
}

// seconds turns "1.5" into 1500; what is no number, negative or beyond a day becomes 0.
func seconds(s string) int64 {
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsNaN(f) || f < 0 || f > 86_400_000 { // retry-after-ms shares this: a day in ms
		return 0
	}
	return int64(math.Ceil(f * 1000))
}

// spelled reads how vendors write a wait: 20ms, 1.2s, 7m12s, 6 seconds, 1h3m.
func spelled(s string) int64 {
	total := 0.0
	for range 3 {
		n := 0
		for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] == '.') {
			n++
		}
		value, err := strconv.ParseFloat(strings.TrimRight(s[:n], "."), 64)
		if err != nil {
			break
		}
		s = strings.TrimLeft(s[n:], " ")
		switch {
		case strings.HasPrefix(s, "ms"), strings.HasPrefix(s, "milli"):
			total += value
		case strings.HasPrefix(s, "s"):
			total += value * 1000
		case strings.HasPrefix(s, "m"):
			total += value * 60_000
		case strings.HasPrefix(s, "h"):
			total += value * 3_600_000
		default:
			return int64(math.Ceil(total))
		}
		s = strings.TrimLeft(s, "abcdefghijklnopqrstuvwxyzm")
		if total > 86_400_000 {
			return 0
		}
	}
	return int64(math.Ceil(total))
}
