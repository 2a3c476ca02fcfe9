package bench

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Result is the whole table.
type Result struct {
	Rows  []Row   `json:"reviewers"`
	Judge []Error `json:"judge"`
}

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

// Text is the table for people: the first two columns are words, the others figures.
func (r Result) Text() string {
	rows := r.cells()
	widths := make([]int, len(head))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	b.WriteString(r.title() + "\n")
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i < 2 {
				line += cell + pad + "  "
			} else {
				line += pad + cell + "  "
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	for _, e := range r.Judge {
		b.WriteString("judge: " + e.What + ": " + strconv.Itoa(e.Count) + " of " + strconv.Itoa(e.Of) + "\n")
	}
	return b.String()
}

func (r Result) title() string {
	if len(r.Rows) == 0 {
		return "no turns"
	}
	return strconv.Itoa(r.Rows[0].Turns) + " turns, " + strconv.Itoa(r.Rows[0].Clean) + " of them clean"
}

// Markdown is the same for the README.
func (r Result) Markdown() string {
	var b strings.Builder
	b.WriteString(r.title() + ".\n\n")
	for i, row := range r.cells() {
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i == 0 {
			b.WriteString("|" + strings.Repeat(" --- |", len(row)) + "\n")
		}
	}
	b.WriteString("\n| permission judge | wrong | of |\n| --- | --- | --- |\n")
	for _, e := range r.Judge {
		b.WriteString("| " + e.What + " | " + strconv.Itoa(e.Count) + " | " + strconv.Itoa(e.Of) + " |\n")
	}
	return b.String()
}

// MarshalJSON gives AppendJSON to encoding/json, which the guest does not have.
func (r Result) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil), nil }

// AppendJSON appends the result as one object, with the keys of its fields.
func (r Result) AppendJSON(b []byte) []byte {
	b = append(b, `{"reviewers":[`...)
	for i := range r.Rows {
		if i > 0 {
			b = append(b, ',')
		}
		b = r.Rows[i].appendJSON(b)
	}
	b = append(b, `],"judge":[`...)
	for i, e := range r.Judge {
		if i > 0 {
			b = append(b, ',')
		}
		b = protocol.AppendString(append(b, `{"what":`...), e.What)
		b = strconv.AppendInt(append(b, `,"count":`...), int64(e.Count), 10)
		b = append(strconv.AppendInt(append(b, `,"of":`...), int64(e.Of), 10), '}')
	}
	return append(b, "]}"...)
}

func (r *Row) appendJSON(b []byte) []byte {
	b = protocol.AppendString(append(b, `{"reviewer":`...), r.Reviewer)
	b = strconv.AppendBool(append(b, `,"rules":`...), r.Rules)
	whole := func(n int64) string { return strconv.FormatInt(n, 10) }
	part := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	for _, f := range [...][2]string{
		{"turns", strconv.Itoa(r.Turns)}, {"cleanTurns", strconv.Itoa(r.Clean)}, {"requests", strconv.Itoa(r.Requests)},
		{"nits", strconv.Itoa(r.Nits)}, {"concerns", strconv.Itoa(r.Concerns)}, {"blockers", strconv.Itoa(r.Blockers)},
		{"falseAlarms", strconv.Itoa(r.FalseAlarms)}, {"falseNits", strconv.Itoa(r.FalseNits)},
		{"falseAlarmsPer100", part(r.AlarmsPer100)}, {"falseNitsPer100", part(r.NitsPer100)},
		{"planted", strconv.Itoa(r.Planted)}, {"plantedDelivered", strconv.Itoa(r.Delivered)},
		{"wakes", strconv.Itoa(r.Wakes)}, {"mostWakesPerMessage", strconv.Itoa(r.MostWakes)},
		{"repeats", strconv.Itoa(r.Repeats)}, {"duplicateRatio", part(r.Ratio)},
		{"stale", strconv.Itoa(r.Stale)}, {"afterDismissal", strconv.Itoa(r.Dismissed)}, {"notices", strconv.Itoa(r.Notices)},
		{"tokensInPerTurn", whole(r.TokensIn)}, {"tokensOutPerTurn", whole(r.TokensOut)},
		{"latencyMs", whole(r.Latency)}, {"longestLatencyMs", whole(r.Longest)},
	} {
		b = append(append(append(append(b, `,"`...), f[0]...), `":`...), f[1]...)
	}
	return append(b, '}')
}
