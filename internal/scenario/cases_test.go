package scenario

import (
	"fmt"
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
				if why := got.Against(what, ideal); why != "" {
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
