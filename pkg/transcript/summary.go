package transcript

import (
	"bytes"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Bounds of the summary. When the lines pass theirs the older ones are folded into
// counts at once, down to what is kept, so that between two foldings the text only grows at its end
// and a provider's prompt cache keeps hitting. They are such that the summary is about full by
// the tenth turn: what a turn sends does not grow from there on.
const (
	maxSummaryBytes  = 3 << 10 // lines and counts
	maxLineBytes     = 2 << 10 // lines; the counts take up to 1 KB
	keepLineBytes    = 900
	maxSummaryLines  = 28
	keepSummaryLines = 12
	maxTallied       = 24 // files counted by name
	maxDeeds         = 12 // deeds named in one line
)

// summary says what happened before the delta, without a model.
type summary struct {
	lines []line
	tally tally
}

// line is one step that was reviewed, or part of one.
type line struct {
	step int
	text string
	n    deeds
}

// deeds counts what a line says, for when it is folded.
type deeds struct {
	humans, edits, commands, failed, reads, others int
	unseen                                         int // entries that no review has covered
	files                                          []string
}

// tally is what the folded lines amount to.
type tally struct {
	from, to int // steps
	deeds
	files []fileCount
}

type fileCount struct {
	path string
	n    int
}

// add tells an entry that is on its way out of the delta.
func (s *summary) add(e *entry, unseen bool) {
	text, n := tell(e)
	if unseen && e.kind != kindStep {
		n.unseen = 1
	}
	if text == "" && n.none() {
		return
	}
	if last := len(s.lines) - 1; last >= 0 && s.lines[last].step == e.step {
		s.lines[last].join(text, n)
		return
	}
	at := len(s.lines)
	for at > 0 && s.lines[at-1].step > e.step {
		at--
	}
	if at > 0 && s.lines[at-1].step == e.step {
		s.lines[at-1].join(text, n)
		return
	}
	s.lines = slices.Insert(s.lines, at, line{step: e.step, text: text, n: n})
}

func (l *line) join(text string, n deeds) {
	l.n.plus(n)
	switch {
	case text == "" || strings.Contains(l.text, text):
	case strings.HasSuffix(l.text, " ..."):
	case l.text == "":
		l.text = text
	case strings.Count(l.text, "; ") >= maxDeeds || len(l.text)+len(text) > 600:
		l.text += "; ..."
	default:
		l.text += "; " + text
	}
}

// size is about what the line takes when it is written: its text, its number and counts.
func (l *line) size() int {
	n := len(l.text) + 12
	if l.text == "" {
		for _, f := range l.n.files[:min(len(l.n.files), 3)] {
			n += min(len(f), 120) + 4
		}
	}
	if l.n.reads > 0 {
		n += 13
	}
	if l.n.unseen > 0 {
		n += 42
	}
	return n
}

func (d *deeds) plus(o deeds) {
	d.humans += o.humans
	d.edits += o.edits
	d.commands += o.commands
	d.failed += o.failed
	d.reads += o.reads
	d.others += o.others
	d.unseen += o.unseen
	for _, f := range o.files {
		if len(d.files) < maxFiles && !slices.Contains(d.files, f) {
			d.files = append(d.files, f)
		}
	}
}

func (d deeds) none() bool {
	return d.humans+d.edits+d.commands+d.failed+d.reads+d.others+d.unseen == 0 && len(d.files) == 0
}

// fold keeps the bounds.
func (s *summary) fold() {
	size := 0
	for i := range s.lines {
		size += s.lines[i].size()
	}
	if len(s.lines) <= maxSummaryLines && size <= maxLineBytes {
		return
	}
	n := 0
	for n < len(s.lines)-1 && (len(s.lines)-n > keepSummaryLines || size > keepLineBytes) {
		size -= s.lines[n].size()
		s.tally.take(s.lines[n])
		n++
	}
	s.lines = slices.Delete(s.lines, 0, n)
}

func (t *tally) take(l line) {
	if t.from == 0 || l.step < t.from {
		t.from = l.step
	}
	t.to = max(t.to, l.step)
	for _, f := range l.n.files {
		if at := slices.IndexFunc(t.files, func(c fileCount) bool { return c.path == f }); at >= 0 {
			t.files[at].n++
		} else {
			t.files = append(t.files, fileCount{f, 1})
		}
	}
	l.n.files = nil
	t.deeds.plus(l.n)
	if len(t.files) > maxTallied {
		sort.SliceStable(t.files, func(i, j int) bool { return t.files[i].n > t.files[j].n })
		t.files = slices.Delete(t.files, maxTallied, len(t.files))
	}
}

// appendTo writes the summary, oldest first, in at most limit bytes: the newest lines are kept.
func (s *summary) appendTo(b []byte, limit int) []byte {
	start := len(b)
	if s.tally.to > 0 {
		if b = s.tally.appendTo(b, limit/2); len(b)-start > limit/2 {
			b = b[:start]
		}
	}
	const note = 40 // what says that lines are missing
	head := len(b)
	ends := make([]int, len(s.lines))
	for i := range s.lines {
		b = s.lines[i].appendTo(b)
		ends[i] = len(b)
	}
	if len(b)-start <= limit {
		return b
	}
	from, cut := 0, head
	for from < len(ends) && len(b)-cut+head-start > limit-note {
		cut = ends[from]
		from++
	}
	kept := string(b[cut:])
	b = append(append(b[:head], "[advisor left out "...), strconv.Itoa(from)...)
	return append(append(b, " steps here]\n"...), kept...)
}

// appendTo writes the line, and what it does not name.
func (l *line) appendTo(b []byte) []byte {
	b = strconv.AppendInt(append(b, "step "...), int64(l.step), 10)
	b = append(append(b, ": "...), l.text...)
	sep := ""
	if l.text != "" {
		sep = "; "
	} else if len(l.n.files) > 0 {
		b = quoteList(append(b, "changed "...), l.n.files)
		sep = "; "
	}
	if l.n.reads > 0 {
		b = lookups(append(b, sep...), l.n.reads)
		sep = "; "
	}
	if l.n.unseen > 0 {
		b = append(strconv.AppendInt(append(b, sep...), int64(l.n.unseen), 10), " entries of it were never reviewed"...)
	}
	return append(b, '\n')
}

// lookups counts reads and searches.
func lookups(b []byte, n int) []byte {
	b = append(strconv.AppendInt(b, int64(n), 10), " lookup"...)
	if n > 1 {
		b = append(b, 's')
	}
	return b
}

// appendTo writes the counts, naming files while they stay within about limit bytes.
func (t *tally) appendTo(b []byte, limit int) []byte {
	start := len(b)
	b = append(append(b, "steps "...), strconv.Itoa(t.from)...)
	b = append(append(append(b, '-'), strconv.Itoa(t.to)...), " in short: "...)
	for _, c := range []struct {
		n    int
		what string
	}{
		{t.humans, " messages of the person, "}, {t.edits, " edits, "}, {t.commands, " commands, "}, {t.failed, " of them failing, "},
		{t.reads, " lookups, "}, {t.others, " other calls, "}, {t.unseen, " entries never reviewed, "},
	} {
		if c.n > 0 {
			b = append(strconv.AppendInt(b, int64(c.n), 10), c.what...)
		}
	}
	b = append(b, "files touched: "...)
	for _, f := range t.files[:min(len(t.files), 8)] {
		before := len(b)
		b = append(quote(b, f.path, 100), " x"...)
		b = append(strconv.AppendInt(b, int64(f.n), 10), ", "...)
		if len(b)-start > limit {
			b = b[:before]
			break
		}
	}
	return append(bytes.TrimSuffix(bytes.TrimSuffix(b, []byte("files touched: ")), []byte(", ")), '\n')
}

// Touched gives files that this session changed, as far as they are remembered, relative to the workspace where inside.
func (l *Log) Touched() (list []string) {
	add := func(file string) {
		if !slices.Contains(list, file) {
			list = append(list, file)
		}
	}
	for _, f := range l.summary.tally.files {
		add(f.path)
	}
	for _, line := range l.summary.lines {
		for _, f := range line.n.files {
			add(f)
		}
	}
	for _, e := range l.entries {
		if e.pending() {
			for _, f := range e.files {
				add(f)
			}
		}
	}
	return list
}
