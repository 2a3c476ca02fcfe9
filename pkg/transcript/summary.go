package transcript

import (
	"slices"
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Bounds of the summary. When either is passed the older half is folded into
// counts at once, so that between two foldings the text only grows at its end
// and a provider's prompt cache keeps hitting.
const (
	maxSummaryBytes = 4 << 10
	maxSummaryLines = 60
	maxTallied      = 24 // files counted by name
	maxDeeds        = 12 // deeds named in one line
)

// summary says what happened before the delta, without a model.
type summary struct {
	lines []line
	bytes int
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
		s.lines[last].join(text, n, s)
		return
	}
	at := len(s.lines)
	for at > 0 && s.lines[at-1].step > e.step {
		at--
	}
	if at > 0 && s.lines[at-1].step == e.step {
		s.lines[at-1].join(text, n, s)
		return
	}
	s.lines = slices.Insert(s.lines, at, line{step: e.step, text: text, n: n})
	s.bytes += len(text)
}

func (l *line) join(text string, n deeds, s *summary) {
	before := len(l.text)
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
	s.bytes += len(l.text) - before
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

// tell puts an entry into a few words; what comes from outside stands in JSON strings.
func tell(e *entry) (string, deeds) {
	var b []byte
	switch e.kind {
	case kindHuman:
		b = append(b, "the person wrote "...)
		return string(quote(b, e.text, 160)), deeds{humans: 1}
	case kindShell:
		b = append(b, "the person ran "...)
		return string(ended(quote(b, e.command, 120), e)), deeds{commands: 1, failed: one(e.broke())}
	case kindStep:
		return "", deeds{files: e.files}
	case kindEvent:
		return e.text, deeds{}
	case kindTool:
	default:
		return "", deeds{}
	}
	switch {
	case e.class == classCommand:
		b = append(b, "ran "...)
		return string(ended(quote(b, cmpOr(e.command, e.name), 120), e)), deeds{commands: 1, failed: one(e.broke()), files: e.files}
	case e.class == classEdit && e.failed:
		b = append(b, "failed to edit "...)
		return string(quote(b, cmpOr(find(e.args, "filePath", "path"), e.name), 120)), deeds{others: 1}
	case e.class == classEdit:
		b = append(b, "edited "...)
		if len(e.files) == 0 {
			return string(quote(b, e.name, 60)), deeds{edits: 1}
		}
		return string(quoteList(b, e.files)), deeds{edits: 1, files: e.files}
	case e.class == classRead:
		return "", deeds{reads: 1}
	case e.class == classAdvisor:
		return "asked the advisor", deeds{others: 1}
	}
	b = append(b, "called "...)
	return string(quote(b, e.name, 60)), deeds{others: 1, files: e.files}
}

func ended(b []byte, e *entry) []byte {
	switch {
	case e.hasExit:
		b = append(b, " (exit "...)
		return append(strconv.AppendInt(b, int64(e.exit), 10), ')')
	case e.failed:
		return append(b, " (failed)"...)
	}
	return b
}

func quote(b []byte, s string, limit int) []byte {
	if len(s) > limit {
		s = s[:back(s, limit-3)] + "..."
	}
	return protocol.AppendString(b, s)
}

// quoteList names the first few of a list.
func quoteList(b []byte, list []string) []byte {
	for i, s := range list {
		if i == 3 {
			return append(append(b, " and "...), strconv.Itoa(len(list)-i)+" more"...)
		}
		if i > 0 {
			b = append(b, ", "...)
		}
		b = quote(b, s, 120)
	}
	return b
}

func cmpOr(s, or string) string {
	if s != "" {
		return s
	}
	return or
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// fold keeps the bounds.
func (s *summary) fold() {
	if len(s.lines) <= maxSummaryLines && s.bytes <= maxSummaryBytes {
		return
	}
	n := 0
	for n < len(s.lines)-1 && (len(s.lines)-n > maxSummaryLines/2 || s.bytes > maxSummaryBytes/2) {
		s.bytes -= len(s.lines[n].text)
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
		slices.SortStableFunc(t.files, func(a, b fileCount) int { return b.n - a.n })
		t.files = slices.Delete(t.files, maxTallied, len(t.files))
	}
}

// appendTo writes the summary, oldest first, at most about limit bytes of it: the newest
// lines are kept.
func (s *summary) appendTo(b []byte, limit int) []byte {
	if s.tally.to > 0 {
		b = s.tally.appendTo(b)
	}
	from, left := len(s.lines), limit
	for from > 0 && left > 0 {
		from--
		left -= len(s.lines[from].text) + 12
	}
	if left < 0 {
		from++
	}
	if from > 0 {
		b = append(append(append(b, "[advisor left out "...), strconv.Itoa(from)...), " steps here]\n"...)
	}
	for _, l := range s.lines[min(from, len(s.lines)):] {
		b = append(append(b, "step "...), strconv.Itoa(l.step)...)
		b = append(append(append(b, ": "...), l.words()...), '\n')
	}
	return b
}

// words adds to a line what it does not name.
func (l line) words() string {
	text := l.text
	if text == "" && len(l.n.files) > 0 {
		text = string(quoteList([]byte("changed "), l.n.files))
	}
	if l.n.reads > 0 {
		text = joined(text, strconv.Itoa(l.n.reads)+" reads and searches")
	}
	if l.n.unseen > 0 {
		text = joined(text, strconv.Itoa(l.n.unseen)+" entries of it were never reviewed")
	}
	return text
}

func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

func (t *tally) appendTo(b []byte) []byte {
	b = append(append(b, "steps "...), strconv.Itoa(t.from)...)
	b = append(append(append(b, '-'), strconv.Itoa(t.to)...), " in short: "...)
	for _, c := range []struct {
		n    int
		what string
	}{
		{t.humans, " messages of the person, "}, {t.edits, " edits, "}, {t.commands, " commands, "}, {t.failed, " of them failing, "},
		{t.reads, " reads and searches, "}, {t.others, " other calls, "}, {t.unseen, " entries never reviewed, "},
	} {
		if c.n > 0 {
			b = append(strconv.AppendInt(b, int64(c.n), 10), c.what...)
		}
	}
	if len(t.files) > 0 {
		b = append(b, "files touched: "...)
		for i, f := range t.files[:min(len(t.files), 8)] {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = append(quote(b, f.path, 100), " x"...)
			b = strconv.AppendInt(b, int64(f.n), 10)
		}
	} else {
		b = b[:len(b)-2]
	}
	return append(b, '\n')
}
