// Package corpus measures parts of the core against labelled cases: what is
// caught, what is refused by mistake, each with its count and the bar that it
// must keep. One file a corpus; cmd prints them all.
package corpus

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Suite is one corpus.
type Suite struct {
	Name string // citations, redaction, judge
	// Run measures the cases in dir, the folder testdata/corpus of this repository.
	// An error means that nothing could be measured.
	Run func(dir string) (Report, error)
}

// Report is the outcome of a suite.
type Report struct {
	Head  []string   // column names of Rows
	Rows  [][]string // the table
	Notes []string   // further figures, a line each
	Bars  []Bar
	// Wrong lists the cases that did not come out as labelled, a line each.
	Wrong []string
}

// Bar is a bound that a corpus must keep: at most MaxPercent of Of.
type Bar struct {
	What       string
	Count, Of  int
	MaxPercent float64
}

// Held tells whether the bar is kept. A bar over nothing is not: there was
// nothing to measure.
func (b Bar) Held() bool {
	return b.Of > 0 && float64(b.Count)*100 <= b.MaxPercent*float64(b.Of)
}

// Passed tells whether all bars are held and every case came out as labelled.
func (r Report) Passed() bool {
	return len(r.Wrong) == 0 && !slices.ContainsFunc(r.Bars, func(b Bar) bool { return !b.Held() })
}

var suites []Suite

// register adds a suite; each file of a corpus does so once.
func register(s Suite) { suites = append(suites, s) }

// Suites gives all suites by name.
func Suites() []Suite {
	sorted := slices.Clone(suites)
	slices.SortFunc(sorted, func(a, b Suite) int { return strings.Compare(a.Name, b.Name) })
	return sorted
}

// Print writes a report as text.
func (r Report) Print(w io.Writer, name string) {
	fmt.Fprintf(w, "%s\n", name)
	widths := make([]int, len(r.Head))
	for _, row := range append([][]string{r.Head}, r.Rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], len(cell))
		}
	}
	for _, row := range append([][]string{r.Head}, r.Rows...) {
		line := ""
		for i, cell := range row {
			if i == 0 {
				line += fmt.Sprintf("  %-*s", widths[i], cell)
			} else {
				line += fmt.Sprintf("  %*s", widths[i], cell)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
	for _, note := range r.Notes {
		fmt.Fprintf(w, "  %s\n", note)
	}
	for _, b := range r.Bars {
		verdict := "held"
		if !b.Held() {
			verdict = "FAILED"
		}
		percent := 0.0
		if b.Of > 0 {
			percent = float64(b.Count) * 100 / float64(b.Of)
		}
		fmt.Fprintf(w, "  %s: %d of %d (%.1f %%), bar %g %%: %s\n", b.What, b.Count, b.Of, percent, b.MaxPercent, verdict)
	}
	for _, wrong := range r.Wrong {
		fmt.Fprintf(w, "  wrong: %s\n", wrong)
	}
}
