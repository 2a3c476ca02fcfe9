package corpus

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/Kayphoon/opencode-advisor/pkg/redact"
	"golang.org/x/tools/txtar"
)

func init() { register(Suite{Name: "redaction", Run: redaction}) }

// secretCase is a text with secrets in it. Kinds are what its masks must say.
type secretCase struct {
	name    string
	kinds   []string
	text    string
	secrets []string
}

// dress is a form in which the same text reaches a redactor.
type dress struct {
	name string
	put  func(text string) string
}

// jsonString gives the inside of a JSON string.
func jsonString(s string) string {
	b, _ := json.Marshal(s)
	return string(b[1 : len(b)-1])
}

func eachLine(s string, f func(n int, line string) string) string {
	lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	for i := range lines {
		lines[i] = f(i+1, lines[i])
	}
	return strings.Join(lines, "\n") + "\n"
}

var dresses = []dress{
	{"plain", func(s string) string { return s }},
	{"CR LF", func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }},
	{"indented", func(s string) string { return eachLine(s, func(_ int, l string) string { return "\t  " + l }) }},
	{"line numbers", func(s string) string {
		return eachLine(s, func(n int, l string) string { return fmt.Sprintf("%05d| %s", n, l) })
	}},
	{"diff", func(s string) string { return eachLine(s, func(_ int, l string) string { return "+" + l }) }},
	{"search result", func(s string) string {
		return eachLine(s, func(n int, l string) string { return fmt.Sprintf("conf/a.txt:%d:%s", n, l) })
	}},
	{"JSON string", func(s string) string { return `{"output":"` + jsonString(s) + `"}` }},
	{"JSON in JSON", func(s string) string { return `{"arguments":"` + jsonString(`{"text":"`+jsonString(s)+`"}`) + `"}` }},
	{"twice over", func(s string) string { return redact.New().Text(s) }},
}

// redaction measures three things: secrets that leak (bar: none), ordinary lines of the corpus that are
// touched (bar: none), and masks in the source of the Go distribution (bar: 1 in 10,000 lines).
func redaction(dir string) (Report, error) {
	report := Report{Head: []string{"form", "cases", "secrets", "leaked"}}
	r := redact.New()
	cases, err := secretCases(filepath.Join(dir, "redaction"))
	if err != nil {
		return report, err
	}
	total, leaked := 0, 0
	row := func(form string, n, secrets, leaks int) {
		report.Rows = append(report.Rows, []string{form, strconv.Itoa(n), strconv.Itoa(secrets), strconv.Itoa(leaks)})
		total += secrets
		leaked += leaks
	}
	for _, d := range dresses {
		n, secrets, leaks := 0, 0, 0
		for _, c := range cases {
			n++
			secrets += len(c.secrets)
			out, found := r.Hide(d.put(c.text))
			for _, s := range c.secrets {
				if left := leak(out, s); left != "" {
					leaks++
					report.Wrong = append(report.Wrong, fmt.Sprintf("%s, %s: %q is still there", c.name, d.name, left))
				}
			}
			if d.name == "plain" && !slices.Equal(found.Kinds, c.kinds) {
				report.Wrong = append(report.Wrong, fmt.Sprintf("%s: masked as %v, want %v", c.name, found.Kinds, c.kinds))
			}
		}
		row(d.name, n, secrets, leaks)
	}
	n, secrets, leaks := exactForms(cases, &report)
	row("exact, encoded", n, secrets, leaks)
	n, secrets, leaks = cutTexts(r, cases, &report)
	row("cut inside", n, secrets, leaks)
	report.Bars = append(report.Bars, Bar{What: "secrets leaked", Count: leaked, Of: total})

	lines, touched, err := ordinary(r, filepath.Join(dir, "redaction", "keep.txtar"), &report)
	if err != nil {
		return report, err
	}
	report.Bars = append(report.Bars, Bar{What: "ordinary lines of the corpus touched", Count: touched, Of: lines})
	src, err := measureSource(r, filepath.Join(runtime.GOROOT(), "src"))
	if err != nil {
		return report, err
	}
	report.Notes = append(report.Notes, src.notes()...)
	report.Bars = append(report.Bars, Bar{What: "masks in ordinary source, per line", Count: src.masks, Of: src.lines, MaxPercent: 0.01})
	return report, nil
}

// leak gives a piece of a secret that is still in out: the whole of a short one, or 10 characters in a row of
// a longer one, of which the first four are left out, as prefixes such as sk-p may stand in a name.
func leak(out, secret string) string {
	for _, s := range []string{secret, jsonString(secret), jsonString(jsonString(secret))} {
		if strings.Contains(out, s) {
			return s
		}
	}
	for line := range strings.SplitSeq(secret, "\n") {
		if strings.HasPrefix(line, "-----") {
			continue
		}
		for i := 4; i+10 <= len(line); i++ {
			if piece := line[i : i+10]; strings.Contains(out, piece) && !strings.Contains(piece, ".com") && !strings.Contains(piece, "PRIVATE") {
				return piece
			}
		}
	}
	return ""
}

// exactForms hides each secret by its value alone, in the encodings that carry it.
func exactForms(cases []secretCase, report *Report) (n, secrets, leaks int) {
	for _, c := range cases {
		for _, s := range c.secrets {
			if len(s) < 12 || strings.Contains(s, "\n") {
				continue
			}
			n++
			r := redact.New(s)
			for _, e := range encodings(s) {
				secrets++
				if out := r.Text("x " + e.text + " y"); strings.Contains(out, e.piece) {
					leaks++
					report.Wrong = append(report.Wrong, fmt.Sprintf("%s, exact as %s: %q is still there", c.name, e.form, e.piece))
				}
			}
		}
	}
	return n, secrets, leaks
}

// cutTexts ends each case in the middle of each of its secrets that shows by its beginning what it is.
func cutTexts(r *redact.Redactor, cases []secretCase, report *Report) (n, secrets, leaks int) {
	for _, c := range cases {
		for _, s := range c.secrets {
			if len(s) < 24 {
				continue
			}
			n++
			secrets++
			text := c.text[:strings.Index(c.text, s)+len(s)*2/3]
			if strings.HasPrefix(c.kinds[0], "basic") || c.name == "private-key/without a beginning" {
				secrets--
				n--
				continue // half of it is no sign: the colon, or the END line, is gone
			}
			if left := leak(r.Text(text), text[strings.LastIndex(text, s[:8]):]); left != "" {
				leaks++
				report.Wrong = append(report.Wrong, fmt.Sprintf("%s, cut: %q is still there", c.name, left))
			}
		}
	}
	return n, secrets, leaks
}

// ordinary counts the lines that must stay as they are and do not.
func ordinary(r *redact.Redactor, path string, report *Report) (lines, touched int, err error) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		return 0, 0, err
	}
	for _, f := range archive.Files {
		for line := range strings.SplitSeq(strings.TrimSuffix(string(f.Data), "\n"), "\n") {
			lines++
			if out := r.Text(line + "\n"); out != line+"\n" {
				touched++
				report.Wrong = append(report.Wrong, fmt.Sprintf("%s: %q became %q", f.Name, line, strings.TrimSpace(out)))
			}
		}
	}
	return lines, touched, nil
}

// source is what was found in files that hold no secrets.
type source struct {
	files, lines, bytes, masks int
	kinds                      map[string]int
	examples                   []string
}

// sourceBytes is how much of the Go distribution is read: enough for half a million lines of code, tests and data.
const sourceBytes = 20 << 20

// measureSource reads every third text file, so that one large tree does not fill the measure.
func measureSource(r *redact.Redactor, root string) (source, error) {
	s := source{kinds: map[string]int{}}
	seen := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		switch filepath.Ext(path) {
		case ".go", ".s", ".txt", ".md", ".html", ".js", ".sh", ".bash", ".c", ".h", ".json", ".yaml", ".toml", ".mod", ".css":
		default:
			return nil
		}
		if seen++; seen%3 != 0 {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil || !utf8.Valid(data) {
			return err
		}
		_, found := r.Hide(string(data))
		s.files++
		s.bytes += len(data)
		s.lines += strings.Count(string(data), "\n")
		s.masks += found.Count
		for _, k := range found.Kinds {
			s.kinds[k]++
		}
		if found.Count > 0 {
			rel, _ := filepath.Rel(root, path)
			s.examples = append(s.examples, fmt.Sprintf("%s: %d (%s)", filepath.ToSlash(rel), found.Count, strings.Join(found.Kinds, ", ")))
		}
		if s.bytes >= sourceBytes {
			return fs.SkipAll
		}
		return nil
	})
	return s, err
}

func (s source) notes() []string {
	list := []string{fmt.Sprintf("ordinary source: %d masks in %d lines (%.1f MB, %d files of the Go distribution), 1 in %.0f lines",
		s.masks, s.lines, float64(s.bytes)/(1<<20), s.files, float64(s.lines)/float64(max(s.masks, 1)))}
	for i, e := range s.examples {
		if i == 5 {
			return append(list, fmt.Sprintf("  and %d more files", len(s.examples)-i))
		}
		list = append(list, "  "+e)
	}
	return list
}
