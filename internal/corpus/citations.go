package corpus

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/evidence"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

func init() { register(Suite{Name: "citations", Run: runCitations}) }

// citationCase is one line of citations/cases.jsonl: a blocker with its
// citations, and what the engine is to make of it.
type citationCase struct {
	ID    string `json:"id"`
	Class string `json:"class"`
	// Truth is true (the text is there), invented (it is not), stale (it was
	// when the reviewer looked), or unproved (it says too little, or was never read).
	Truth string              `json:"truth"`
	Cite  []protocol.Citation `json:"cite"`
	// Read limits what the review has read: path to first and last line. Absent: everything.
	Read map[string][2]int `json:"read"`
	// Edit is what the primary does between the review and the delivery.
	Edit []edit `json:"edit"`
	// Want is the status of each citation; Line, when given, the line that the first is delivered with.
	Want []protocol.CitationStatus `json:"want"`
	Line int                       `json:"line"`
	// Fate is what becomes of the blocker: blocker, nit, dropped, stale.
	Fate string `json:"fate"`
}

type edit struct {
	Path    string `json:"path"`
	Find    string `json:"find"` // empty: the whole file
	Replace string `json:"replace"`
	Delete  bool   `json:"delete"`
	Link    string `json:"link"` // the file becomes a link to this
}

// The bars of the corpus, in percent.
const (
	maxInvented = 0.0
	maxRefused  = 2.0
)

func runCitations(dir string) (Report, error) {
	dir = filepath.Join(dir, "citations")
	cases, err := loadCitations(filepath.Join(dir, "cases.jsonl"))
	if err != nil {
		return Report{}, err
	}
	w, err := newWorkspace(dir)
	if err != nil {
		return Report{}, err
	}
	defer w.close()

	t := newTally()
	for _, c := range cases {
		got, err := w.judge(c)
		if err != nil {
			return Report{}, fmt.Errorf("case %s: %w", c.ID, err)
		}
		t.add(c, got)
	}
	return t.report(w.languages()), nil
}

func loadCitations(name string) ([]citationCase, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var cases []citationCase
	seen := make(map[string]bool)
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		var c citationCase
		d := json.NewDecoder(strings.NewReader(lines.Text()))
		d.DisallowUnknownFields()
		if err := d.Decode(&c); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		if seen[c.ID] {
			return nil, fmt.Errorf("%s:%d: a second case %s", name, n, c.ID)
		}
		seen[c.ID] = true
		cases = append(cases, c)
	}
	return cases, lines.Err()
}

// result is what the engine made of a case.
type result struct {
	status []protocol.CitationStatus
	line   int
	fate   string
}

// judge takes a case through the review and up to the delivery.
func (w *workspace) judge(c citationCase) (result, error) {
	note := protocol.Note{Severity: protocol.Blocker, Verdict: protocol.Confirmed, Text: c.ID}
	for _, cite := range c.Cite {
		cite.Path = w.fill(cite.Path)
		note.Citations = append(note.Citations, cite)
	}
	r := &evidence.Resolver{Files: w, Commands: w.spec.Commands}
	if c.Read != nil {
		r.Ledger = readLines(c.Read)
	}
	note, findings := r.Examine(note)
	var got result
	for _, f := range findings {
		got.status = append(got.status, f.Status)
	}
	note, drop := evidence.Judge(note, findings, true)
	if drop != "" {
		got.fate = "dropped"
		return got, nil
	}
	undo, err := w.edit(c.Edit)
	if err != nil {
		return got, err
	}
	note, fresh := r.RecheckNote(note)
	if err := undo(); err != nil {
		return got, err
	}
	got.fate = string(note.Severity)
	if fresh == evidence.Stale {
		got.fate = "stale"
	}
	if len(note.Citations) > 0 {
		got.line = note.Citations[0].Line
	}
	return got, nil
}

type readLines map[string][2]int

func (r readLines) Covers(path string, from, to int) bool {
	lines, ok := r[path]
	return ok && lines[0] <= from && to <= lines[1]
}

// citationTally counts the cases of the corpus by class, and what came out.
type citationTally struct {
	order  []string
	class  map[string]*classCount
	wrong  []string
	truths map[string]int
	// above counts, by truth, what is delivered above nit.
	above map[string]int
}

type classCount struct{ cases, above, nit, dropped, stale int }

func newTally() *citationTally {
	return &citationTally{class: make(map[string]*classCount), truths: make(map[string]int), above: make(map[string]int)}
}

func (t *citationTally) add(c citationCase, got result) {
	count := t.class[c.Class]
	if count == nil {
		count = &classCount{}
		t.class[c.Class], t.order = count, append(t.order, c.Class)
	}
	count.cases++
	t.truths[c.Truth]++
	switch got.fate {
	case "nit":
		count.nit++
	case "dropped":
		count.dropped++
	case "stale":
		count.stale++
	default:
		count.above++
		t.above[c.Truth]++
	}
	want := result{c.Want, got.line, c.Fate}
	if c.Line > 0 && c.Fate == string(protocol.Blocker) {
		want.line = c.Line
	}
	if w, g := fmt.Sprint(want), fmt.Sprint(got); w != g {
		t.wrong = append(t.wrong, fmt.Sprintf("%s: %s, want %s", c.ID, g, w))
	}
}

func (t *citationTally) report(languages int) Report {
	r := Report{Head: []string{"class", "cases", "above nit", "nit", "dropped", "stale"}, Wrong: t.wrong}
	total := 0
	for _, class := range t.order {
		n := t.class[class]
		total += n.cases
		row := []string{class}
		for _, cell := range [...]int{n.cases, n.above, n.nit, n.dropped, n.stale} {
			row = append(row, strconv.Itoa(cell))
		}
		r.Rows = append(r.Rows, row)
	}
	r.Notes = []string{fmt.Sprintf("%d cases over files of %d kinds", total, languages)}
	r.Bars = []Bar{
		{"invented citations delivered above nit", t.above["invented"], t.truths["invented"], maxInvented},
		{"stale citations delivered above nit", t.above["stale"], t.truths["stale"], maxInvented},
		{"unproved citations delivered above nit", t.above["unproved"], t.truths["unproved"], maxInvented},
		{"true citations refused", t.truths["true"] - t.above["true"], t.truths["true"], maxRefused},
	}
	return r
}
