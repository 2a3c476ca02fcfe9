package scenario

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestCases runs the scripted reviewers with the product's own defaults. With -v it prints what came of each.
func TestCases(t *testing.T) {
	all, err := LoadCases("../../testdata/cases/reviewer-cases.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(all.Cases) != 24 {
		t.Errorf("%d cases, want 24", len(all.Cases))
	}
	var table strings.Builder
	fmt.Fprintf(&table, "%-24s %9s %5s %6s %7s %8s %7s %7s\n", "case", "delivered", "wakes", "digest", "reviews", "requests", "longest", "notices")
	for _, c := range all.Cases {
		t.Run(c.ID, func(t *testing.T) {
			got, err := all.Play(c, t.TempDir(), startNative)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&table, "%-24s %9d %5d %6d %7d %8d %7d %7d\n",
				c.ID, got.Delivered, got.Wakes, got.Held, got.Reviews, got.Requests, got.Longest, len(got.Notices))
			if len(c.Ideal) == 0 || got.Reviews == 0 {
				t.Errorf("%d reviews, and an ideal of %v: nothing was tried", got.Reviews, c.Ideal)
			}
			for what, ideal := range c.Ideal {
				if why := against(got, what, ideal); why != "" {
					t.Errorf("%s: %s: %s", c.Title, what, why)
				}
			}
			if got.Capped || len(got.Notices) > 1 {
				t.Errorf("%d requests and the notices %q", got.Requests, got.Notices)
			}
		})
	}
	t.Log("\n" + table.String())
}

// With the default of three rounds a reviewer gets no further than its first attempts to look outside.
func TestCasesWithRoundsForEveryAttempt(t *testing.T) {
	all, err := LoadCases("../../testdata/cases/reviewer-cases.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all.Cases {
		if len(c.Reviewer.Reviews) == 0 || len(c.Reviewer.Reviews[0].Tools) == 0 {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			c.Options = map[string]any{"maxToolSteps": 20}
			got, err := all.Play(c, t.TempDir(), startNative)
			if err != nil {
				t.Fatal(err)
			}
			if want := min(len(c.Reviewer.Reviews[0].Tools), 20) + 1; got.Longest != want {
				t.Errorf("%d requests in the longest review, want %d", got.Longest, want)
			}
			if got.Outside != 0 || got.Executed != 0 {
				t.Errorf("%d marks of files outside, %d commands run", got.Outside, got.Executed)
			}
		})
	}
}

var atMost = regexp.MustCompile(`^<=(\d+)(, with a digest of the rest)?$`)

// longest is how many requests one review may make: three rounds of tools and the last word.
const longest = 4

// against tells where what came of a case is not the ideal; empty when it is.
func against(got Played, what string, ideal any) string {
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
