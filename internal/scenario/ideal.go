package scenario

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var atMost = regexp.MustCompile(`^<=(\d+)(, with a digest of the rest)?$`)

// longest is how many requests one review may make: three rounds of tools and the last word.
const longest = 4

// Against tells where what came of a case is not the ideal; empty when it is.
func (got Played) Against(what string, ideal any) string {
	figures := map[string]int{
		"delivered": got.Delivered, "wakes": got.Wakes, "deliveredAfterDecision": got.AfterDecision,
		"secretsSeenByReviewer": got.Secrets, "outsideReturned": got.Outside, "executed": got.Executed,
	}
	n, counted := figures[what]
	switch want := ideal.(type) {
	case float64:
		if !counted {
			return "no such figure"
		}
		if n != int(want) {
			return fmt.Sprintf("%d, want %v", n, want)
		}
		return ""
	case string:
		switch {
		case counted && want == "0 or 1":
			if n > 1 {
				return fmt.Sprintf("%d, want %s", n, want)
			}
			return ""
		case counted && atMost.MatchString(want):
			m := atMost.FindStringSubmatch(want)
			most, _ := strconv.Atoi(m[1])
			if n > most || n == 0 && what == "delivered" {
				return fmt.Sprintf("%d, want %s", n, want)
			}
			if m[2] != "" && got.Held != 1 {
				return fmt.Sprintf("%d digests, want one", got.Held)
			}
			return ""
		case what == "health" && want == "user told that the reviewer says nothing":
			if !slices.ContainsFunc(got.Notices, func(n string) bool { return strings.Contains(n, "answers with nothing") }) {
				return fmt.Sprintf("the notices are %q", got.Notices)
			}
			return ""
		case what == "callsPerReview" && want == "bounded", what == "note" && strings.HasPrefix(want, "bounded retries"):
			if got.Longest > longest {
				return fmt.Sprintf("%d requests in one review, want at most %d", got.Longest, longest)
			}
			return ""
		}
	}
	return fmt.Sprintf("the test does not know how to tell %v", ideal)
}
