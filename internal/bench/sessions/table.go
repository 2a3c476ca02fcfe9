package sessions

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

var head = []string{"reviewer", "rules", "false alarms /100", "false nits /100", "defects told", "wakes", "most a message", "duplicates", "stale", "after dismissal", "notices", "tokens a turn", "latency"}

func (r Row) cells() []string {
	rules, latency, tokens := "yes", "-", strconv.FormatInt(r.TokensIn, 10)+" + "+strconv.FormatInt(r.TokensOut, 10)
	if !r.Rules {
		rules, tokens = "none", "-" // its prompt is a line, so its tokens compare with nothing
	}
	if r.Delivered > 0 {
		latency = decimal(float64(r.Latency)/1000) + " s"
	}
	n := strconv.Itoa
	return []string{r.Reviewer, rules, decimal(r.AlarmsPer100), decimal(r.NitsPer100), n(r.Delivered) + " of " + n(r.Planted), n(r.Wakes), n(r.MostWakes),
		decimal(r.Ratio*100) + " %", n(r.Stale), n(r.Dismissed), n(r.Notices), tokens, latency}
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }

func (r Result) cells() [][]string {
	rows := [][]string{head}
	for _, row := range r.Rows {
		rows = append(rows, row.cells())
	}
	return rows
}

// Print writes the tables as text.
func (r Result) Print(w io.Writer) {
	rows := r.cells()
	widths := make([]int, len(head))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	if len(r.Rows) > 0 {
		fmt.Fprintf(w, "%d turns, %d of them clean\n", r.Rows[0].Turns, r.Rows[0].Clean)
	}
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			if i < 2 {
				line += fmt.Sprintf("%-*s  ", widths[i], cell)
			} else {
				line += fmt.Sprintf("%*s  ", widths[i], cell)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
	for _, e := range r.Judge {
		fmt.Fprintf(w, "judge: %s: %d of %d\n", e.What, e.Count, e.Of)
	}
}

// Markdown is the same for the README.
func (r Result) Markdown() string {
	var b strings.Builder
	if len(r.Rows) > 0 {
		fmt.Fprintf(&b, "%d turns, %d of them clean.\n\n", r.Rows[0].Turns, r.Rows[0].Clean)
	}
	for i, row := range r.cells() {
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i == 0 {
			b.WriteString("|" + strings.Repeat(" --- |", len(row)) + "\n")
		}
	}
	b.WriteString("\n| permission judge | wrong | of |\n| --- | --- | --- |\n")
	for _, e := range r.Judge {
		fmt.Fprintf(&b, "| %s | %d | %d |\n", e.What, e.Count, e.Of)
	}
	return b.String()
}
