package evidence

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"golang.org/x/text/unicode/norm"
)

// vocabulary is what the files of the property tests are made of.
var vocabulary = strings.Fields("func return if err != nil { } ( ) [ ] ; , . := = == + - * / & | balance amount refund key " +
	"café naïve Größe résumé 退款 金额 检查 幂等 \"text\" 'c' “curly” — … ... 0 1 42 0xff user.name map[string]int => -> // /* */ # @ $x _id __init__")

// randomFile makes a file of some lines, with all the white space there is.
func randomFile(rng *rand.Rand, words []string) string {
	var out strings.Builder
	for range 5 + rng.IntN(60) {
		out.WriteString(strings.Repeat([]string{"", "  ", "\t", "    "}[rng.IntN(4)], rng.IntN(3)))
		for range rng.IntN(9) {
			out.WriteString(words[rng.IntN(len(words))])
			out.WriteString([]string{"", " ", " ", " ", "\t", "  ", "\u00a0"}[rng.IntN(7)])
		}
		out.WriteString([]string{"\n", "\n", "\r\n"}[rng.IntN(3)])
	}
	return out.String()
}

// cutQuote cuts a piece of a file, between two whole characters.
func cutQuote(rng *rand.Rand, file string) string {
	var bounds []int
	for i := 0; i < len(file); i += norm.NFC.NextBoundaryInString(file[i:], true) {
		bounds = append(bounds, i)
	}
	from := rng.IntN(len(bounds))
	to := from + 1 + rng.IntN(min(200, len(bounds)-from))
	if to == len(bounds) {
		return file[bounds[from]:]
	}
	return file[bounds[from]:bounds[to]]
}

// reflow changes a quote in ways that the package comment says do not count.
func reflow(rng *rand.Rand, quote string) string {
	var out strings.Builder
	last := ' '
	runes := []rune(quote)
	for i, r := range runes {
		if unicode.IsSpace(r) {
			if i+1 < len(runes) && unicode.IsSpace(runes[i+1]) {
				continue
			}
			out.WriteString([]string{" ", "  ", "\t", "\u00a0", "\u3000"}[rng.IntN(5)])
			last = ' '
			continue
		}
		if !wordRune(r) && !unicode.IsMark(r) && !wordRune(last) && r != '.' && rng.IntN(4) == 0 {
			out.WriteByte(' ')
		}
		if rng.IntN(40) == 0 {
			out.WriteString([]string{"\u200b", "\u00ad", "\u2060"}[rng.IntN(3)])
		}
		out.WriteRune(r)
		last = r
	}
	text := out.String()
	if rng.IntN(3) == 0 {
		text = norm.NFD.String(text)
	}
	switch rng.IntN(5) {
	case 0:
		text = "`" + text + "`"
	case 1:
		text = "```go\n" + text + "\n```"
	case 2:
		text = strconv.Itoa(1+rng.IntN(99)) + ": " + text
	case 3:
		if spaces := strings.Count(text, " "); spaces > 0 && spaces < maxQuoteLines {
			text = strings.ReplaceAll(text, " ", "\n")
		}
	}
	return text
}

// provable tells whether the stated bounds let a quote prove anything.
func provable(form *normal, quote string) bool {
	text := normalize(quote).text
	return weak(quote) == "" && len(form.places([]string{text})) <= maxPlaces
}

func TestAnyQuoteCutFromAFileIsFound(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	tried := 0
	for range 2000 {
		file := randomFile(rng, vocabulary)
		cut := cutQuote(rng, file)
		form := normalize(file)
		quote := reflow(rng, cut)
		if !provable(&form, cut) || weak(quote) != "" {
			continue
		}
		tried++
		r := &Resolver{Files: tree{"f": file}}
		c, f := r.Resolve(quoteOf("f", 1+rng.IntN(70), quote))
		if !f.Proves() {
			t.Fatalf("%s (%s)\ncut:   %q\nquote: %q\nfile:\n%s", c.Status, f.Reason, cut, quote, file)
		}
		// The lines that it names have the text.
		named := normalize(strings.Join(lineRange(file, c.Line, c.EndLine), "\n")).text
		if text := normalize(cut).text; !strings.Contains(named, text) {
			t.Fatalf("lines %d-%d are %q, without %q", c.Line, c.EndLine, named, text)
		}
		if _, fresh := r.Recheck(c); fresh != Same {
			t.Fatalf("recheck: %s", fresh)
		}
	}
	if tried < 1000 {
		t.Errorf("only %d quotes were tried", tried)
	}
}

func TestNoQuoteThatIsNotInAFileIsFound(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	tried := 0
	// Without quotes and dots, so that nothing can be taken for a copy's dress.
	plain := slices.DeleteFunc(slices.Clone(vocabulary), func(w string) bool { return strings.ContainsAny(w, "\"'“.…+") })
	for range 2000 {
		file := randomFile(rng, plain)
		quote := cutQuote(rng, file)
		switch rng.IntN(3) {
		case 0: // a word that is nowhere
			quote += " chargeTwice " + cutQuote(rng, file)
		case 1: // a character changed
			runes := []rune(quote)
			for i, r := range runes {
				if unicode.IsLetter(r) && rng.IntN(3) == 0 {
					runes[i] = 'Q'
				}
			}
			quote = string(runes)
		case 2: // another file's line
			quote = cutQuote(rng, randomFile(rng, plain))
		}
		if strings.Contains(squash(file), squash(quote)) {
			continue
		}
		tried++
		r := &Resolver{Files: tree{"f": file}}
		if c, f := r.Resolve(quoteOf("f", 1+rng.IntN(70), quote)); f.Proves() {
			t.Fatalf("%s at %d-%d\nquote: %q\nfile:\n%s", c.Status, c.Line, c.EndLine, quote, file)
		}
	}
	if tried < 1000 {
		t.Errorf("only %d quotes were tried", tried)
	}
}

// squash is the obvious comparison: no white space at all, all signs folded.
func squash(text string) string {
	var out []byte
	for _, r := range norm.NFC.String(text) {
		if !unicode.IsSpace(r) && !invisible(r) {
			out = appendFolded(out, r)
		}
	}
	return string(out)
}

func FuzzResolve(f *testing.F) {
	f.Add(payJS, "src/pay.js", 6, "balance -= amount")
	f.Add("a\xff\r\nb\u0301", "./x:3", -1, "1: a ... b")
	f.Add("x", "\\\\?\\C:", 1<<30, "```")
	f.Fuzz(func(t *testing.T, text, path string, line int, quote string) {
		r := &Resolver{Files: tree{"src/pay.js": text}}
		c, found := r.Resolve(quoteOf(path, line, quote))
		if len(found.Excerpt) > showBytes {
			t.Errorf("%d bytes shown", len(found.Excerpt))
		}
		if !found.Proves() {
			return
		}
		if c.Line < 1 || c.EndLine < c.Line || c.EndLine > strings.Count(text, "\n")+1 {
			t.Errorf("lines %d-%d of %d", c.Line, c.EndLine, strings.Count(text, "\n")+1)
		}
		if _, fresh := r.Recheck(c); fresh != Same {
			t.Errorf("recheck of an untouched file: %s", fresh)
		}
	})
}

func FuzzCheckPatch(f *testing.F) {
	f.Add(guardDiff)
	f.Add("<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE")
	f.Add("*** Add File: x\n+a")
	f.Fuzz(func(t *testing.T, patch string) {
		if CheckPatch(patch, "src/pay.js", workspace) && strings.TrimSpace(patch) == "" {
			t.Error("an empty patch fits")
		}
	})
}

// generated is a file of 5 MB with one line that differs.
func generated() string {
	var out strings.Builder
	for n := 1; out.Len() < 5<<20; n++ {
		if n == 100_000 {
			out.WriteString("  { id: 0, code: \"NEEDLE\", rate: 0.19 },\n")
		}
		out.WriteString("  { id: " + strconv.Itoa(n) + ", code: \"X" + strconv.Itoa(n*7919%10007) + "\", rate: 0." + strconv.Itoa(n%97) + " },\n")
	}
	return out.String()
}

func TestAFileOfFiveMegabytes(t *testing.T) {
	r := &Resolver{Files: tree{"gen.js": generated()}}
	for _, test := range []struct {
		line  int
		quote string
		want  protocol.CitationStatus
		at    int
	}{
		{100_000, `{ id: 0, code: "NEEDLE", rate: 0.19 }`, protocol.CiteVerified, 100_000},
		{12, `{ id: 0, code: "NEEDLE", rate: 0.19 }`, protocol.CiteMoved, 100_000},
		{100_000, `{ id: 0, code: "NOODLE", rate: 0.19 }`, protocol.CiteContradicted, 100_000},
		{100_000, `rate: 0.19`, protocol.CiteUnknown, 100_000},
		{99_999, `{ id: 99999, ... code: "NEEDLE"`, protocol.CiteVerified, 99_999},
	} {
		c, f := r.Resolve(quoteOf("gen.js", test.line, test.quote))
		if c.Status != test.want || c.Line != test.at {
			t.Errorf("%q: %s at %d (%s), want %s at %d", test.quote, c.Status, c.Line, f.Reason, test.want, test.at)
		}
	}
}

// The worst that a repository can do to the matcher is a file that nearly
// matches everywhere; ns/op must stay in step with the file's size.
func BenchmarkResolve(b *testing.B) {
	for name, text := range map[string]string{
		"generated": generated(),
		"one-line":  strings.Repeat("a", 5<<20),
		"lines":     strings.Repeat("\n", 5<<20),
		"near":      strings.Repeat("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa ", 5<<20/32),
		"marks":     strings.Repeat("e\u0301", 5<<20/3),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for range b.N {
				r := &Resolver{Files: tree{"f": text}}
				r.Resolve(quoteOf("f", 9, strings.Repeat("a", 300)+"b ... "+strings.Repeat("a", 300)+"c"))
			}
		})
	}
}
