package pattern

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dlclark/regexp2/v2"
	"github.com/google/go-cmp/cmp"
)

func compile(t testing.TB, expr string, flags Flags) *Pattern {
	t.Helper()
	p, err := Compile(expr, flags)
	if err != nil {
		t.Fatalf("Compile(%q): %v", expr, err)
	}
	return p
}

// lines gathers the lines that p finds in text.
func lines(t testing.TB, p *Pattern, text string) []string {
	t.Helper()
	var got []string
	err := p.Lines([]byte(text), func(start, end, at int) bool {
		if at < start || at > end {
			t.Errorf("match at %d lies outside of its line %d-%d of %q", at, start, end, text)
		}
		got = append(got, text[start:end])
		return true
	})
	if err != nil {
		t.Fatalf("Lines: %v", err)
	}
	return got
}

func TestLinesAreFoundWithoutTheirBreaks(t *testing.T) {
	const text = "func main() {\r\n\tx := find(1)\n\n  // Find it\nlast func"
	tests := []struct {
		expr  string
		flags Flags
		want  []string
	}{
		{`func (\w+)`, Flags{}, []string{"func main() {"}},
		{`find`, Flags{}, []string{"\tx := find(1)"}},
		{`find`, Flags{IgnoreCase: true}, []string{"\tx := find(1)", "  // Find it"}},
		{`find(1)`, Flags{Literal: true}, []string{"\tx := find(1)"}},
		{`^$`, Flags{}, []string{""}},
		{`\{$`, Flags{}, []string{"func main() {"}},
		{`func$`, Flags{}, []string{"last func"}},
		{`^func`, Flags{}, []string{"func main() {"}},
		{`nothing`, Flags{}, nil},
		{``, Flags{}, []string{"func main() {", "\tx := find(1)", "", "  // Find it", "last func"}},
		{`(?<=// )\w+`, Flags{}, []string{"  // Find it"}},
		{`^(?!func|last).+`, Flags{}, []string{"\tx := find(1)", "  // Find it"}},
		{`(.)\1`, Flags{}, []string{"  // Find it"}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, lines(t, compile(t, tt.expr, tt.flags), text)); diff != "" {
			t.Errorf("%q %+v (-want +got):\n%s", tt.expr, tt.flags, diff)
		}
	}
}

func TestLinesStopsWhenAsked(t *testing.T) {
	n := 0
	p := compile(t, "a", Flags{})
	if err := p.Lines([]byte("a\na\na\n"), func(_, _, _ int) bool { n++; return n < 2 }); err != nil || n != 2 {
		t.Errorf("got %d hits, err %v; want 2, none", n, err)
	}
}

func TestMalformedPatternsSayHowToMend(t *testing.T) {
	tests := []struct{ expr, want string }{
		{`foo(`, `the pattern has a ( without its ), or the other way round; write \( for the character itself`},
		{`foo)`, `the pattern has a ( without its ), or the other way round; write \( for the character itself`},
		{`[a`, `the pattern has a [ without its ]; write \[ for the character itself`},
		{`*a`, "the pattern has nothing to repeat before `*`; write \\* for the character itself"},
		{`a\`, `the pattern ends in a lone backslash; write \\ for the character itself`},
		{`a\nb`, `the pattern asks for a line break (\n), and the search looks at one line at a time; search for one of the lines instead`},
		{`(?=a`, `the pattern has a ( without its ), or the other way round; write \( for the character itself`},
		{`(a)\2`, `the pattern refers to group 2, and has 1`},
		{`\k<x>`, `the pattern refers to a group "x" that it does not have`},
		{`(?x) a`, "the pattern has `(?x`, which is not known here; write it without"},
		{`(?=a)\R`, "the pattern is malformed: invalid escape sequence `\\R`"},
		{strings.Repeat("a", 1001), `the pattern is too large: 1001 bytes, at most 1000 are allowed`},
		{`(?:\w{30}){30}(?:\w{30}){30}(?:\w{30}){30}(?:\w{30}){30}(?:\w{30}){30}`, `the pattern is too large: repeat less, or use a shorter range than {n,m}`},
		{`(?:(?=a)\w{900}){900}`, `the pattern is too large: repeat less, or use a shorter range than {n,m}`},
		{strings.Repeat("(", 60) + `(?=a)` + strings.Repeat(")", 60), `the pattern is too large: groups nest more than 50 deep`},
	}
	for _, tt := range tests {
		_, err := Compile(tt.expr, Flags{})
		if err == nil || err.Error() != tt.want {
			t.Errorf("Compile(%.40q): got %v\nwant %s", tt.expr, err, tt.want)
		}
	}
}

// words lists every text over the alphabet up to a length.
func words(alphabet string, most int) []string {
	all := []string{""}
	for from, n := 0, 0; n < most; n++ {
		end := len(all)
		for ; from < end; from++ {
			for _, r := range alphabet {
				all = append(all, all[from]+string(r))
			}
		}
	}
	return all
}

// TestAutomatonAgreesWithRegexp runs every short pattern over a small alphabet
// against every short text, beside the standard library.
func TestAutomatonAgreesWithRegexp(t *testing.T) {
	texts := words("ab \u00e9", 4)
	compared := 0
	for _, expr := range words(`ab.*|()^$?`, 4) {
		re, err := regexp.Compile(expr)
		if err != nil {
			continue
		}
		compared += compareWithRegexp(t, re, compile(t, expr, Flags{}), texts)
	}
	for _, expr := range []string{
		`\bab\b`, `\Ba`, `a\B`, `^\w+$`, `[^a]b`, `(a|ab)(b|)`, `a{2,3}`, `(?:a|b){2}`, `\pL+`, `[[:alpha:]] `, `(?i)AB`, `\x{e9}`, `a+?b*?`, `(?s).`, `\s$`, `^\W`, `a|b|^$`, `(a*)*`, `(a|b)*ab`, `\b`, `\B`, `[^\x00-\x{10FFFF}]`,
	} {
		compared += compareWithRegexp(t, regexp.MustCompile(expr), compile(t, expr, Flags{}), texts)
	}
	t.Logf("%d pairs of pattern and text", compared)
}

func compareWithRegexp(t *testing.T, re *regexp.Regexp, p *Pattern, texts []string) int {
	t.Helper()
	for _, text := range texts {
		if got, want := p.MatchLine([]byte(text)), re.MatchString(text); got != want {
			t.Fatalf("%q on %q: got %v, want %v", re, text, got, want)
		}
	}
	return len(texts)
}

// TestBacktrackerAgreesWithRegexp runs the same patterns through the other
// matcher, with and without its table of failed states.
func TestBacktrackerAgreesWithRegexp(t *testing.T) {
	texts := words("ab ", 4)
	exprs := append(words(`ab.*|()^$?`, 4), `\bab\b`, `(a|ab)(b|)$`, `^(?:a|b){2,3}$`, `(a*)*b`, `^(a|b)*?b$`, `(?i)AB|\s$`, `(a?b??)*$`)
	for _, expr := range exprs {
		re, err := regexp.Compile(expr)
		if err != nil {
			continue
		}
		root, groups, err := parseExtended(expr, false)
		if err != nil {
			t.Fatalf("%q: %v", expr, err)
		}
		for _, memo := range []bool{true, false} {
			b, err := newBacktracker(root, groups)
			if err != nil {
				t.Fatalf("%q: %v", expr, err)
			}
			b.memo = memo
			for _, text := range texts {
				at, _, ok := b.match([]byte(text), 1<<40)
				if want := re.MatchString(text); !ok || (at >= 0) != want {
					t.Fatalf("%q on %q, table %v: got %v, want %v (finished %v)", expr, text, memo, at >= 0, want, ok)
				}
			}
		}
	}
}

// TestLookaroundAgreesWithRegexp2 composes patterns that RE2 lacks and compares
// them with a mature matcher of another design.
func TestLookaroundAgreesWithRegexp2(t *testing.T) {
	texts := words("ab ", 5)
	pieces := []string{
		`a`, `b*`, `(?=b)`, `(?!a)`, `(?<=a)`, `(?<!b)`, `(?<=ab?)`, `(?<!\w)`, `(?=a*b$)`, `(?>a*)`, `a++`, `b?+`, `(a|b)\1`, `(\w)(?=.*\1)`, `(?!(a|b)\1)`,
		`$`, `^`, `\b`, `(?:(?=a)a|b)*`, `(?<=^a+)`, `(?=(?!b).)`, `(?:a|(?<=b)b){2}`, `(?<x>b)\k<x>?`, `(?<=(?=b).)`,
		`(?<!ab)`, `(?!ab)`, `(?<!a\sb)`, `(?!(?:a.)b)`, `(?<=(a|b b))`, `(?!.)`, `(?<!.)`, `(?<=a|(?<!b)b)`,
	}
	compared := 0
	for _, first := range pieces {
		for _, second := range pieces {
			for _, expr := range []string{first + second, "(?:" + first + "|" + second + ")a", first + "b" + second} {
				// \1 stands for the first group of the whole pattern, so that
				// two pieces with a group each say something new together.
				ref, err := regexp2.Compile(expr, regexp2.OptionMaintainCaptureOrder())
				p, ownErr := Compile(expr, Flags{})
				if err != nil || ownErr != nil {
					if err == nil || ownErr == nil {
						if !strings.Contains(expr, "<x>") { // two groups of one name are .NET's alone
							t.Errorf("%q: ours says %v, regexp2 %v", expr, ownErr, err)
						}
					}
					continue
				}
				ref.MatchTimeout = time.Minute
				for _, text := range texts {
					want, err := ref.MatchString(text)
					if err != nil {
						t.Fatal(err)
					}
					if got := p.MatchLine([]byte(text)); got != want {
						t.Errorf("%q on %q: got %v, want %v", expr, text, got, want)
						break
					}
					compared++
				}
			}
		}
	}
	t.Logf("%d pairs of pattern and text", compared)
}

// TestLookaroundAtTheEdgesNeedsNoBacktracking names the shapes that models
// write most, which the automaton serves alone.
func TestLookaroundAtTheEdgesNeedsNoBacktracking(t *testing.T) {
	for expr, want := range map[string]bool{
		`(?<=func )\w+`: false, `(?<!await )fetch\(`: false, `foo(?!bar)`: false, `(?<!\w)x(?=\()`: false, `foo(?!bar)|(?<!a)b`: false, `(?<!(?:no|yes) )x`: true,
		`^(?!.*foo)bar`: true, `(?<!a)(?<!b)c`: true, `(?=a)\w`: true, `(a)(?<=b)c`: true, `(a)\1(?=b)`: true, `a++b`: true,
	} {
		if got := compile(t, expr, Flags{}).Backtracks(); got != want {
			t.Errorf("%q: backtracks %v, want %v", expr, got, want)
		}
	}
}

// TestNothingRunsAway holds the bound by counting, on patterns that take a
// plain backtracking matcher longer than the universe has lasted.
func TestNothingRunsAway(t *testing.T) {
	line := []byte(strings.Repeat("a", 4000) + "!")
	tests := []struct {
		expr   string
		most   int64 // steps of the Pattern
		gaveUp int
	}{
		{`(a+)+$`, 10_000, 0},
		{`(a|a)*$`, 10_000, 0},
		{`(?=a)(a+)+$`, 600_000, 0},
		{`(?=(a|aa)+$)b`, 600_000, 0},
		{`(?<!x)(?:a|a|aa)*$`, 1_200_000, 0},
		{`(?>a|aa)+(a|a)*$`, 1_000_000, 0},
		{`(a*)*\1$`, maxLineSteps*stepCost + 10_000, 1},
		{`(a+)+\1b?$`, maxLineSteps*stepCost + 10_000, 1},
		{`x?(?<=(a|a)+)b?$`, maxLineSteps*stepCost + 10_000, 1},
	}
	for _, tt := range tests {
		p := compile(t, tt.expr, Flags{})
		if p.MatchLine(line) && tt.gaveUp > 0 {
			t.Errorf("%q matches; the case wants a line on which it does not", tt.expr)
		}
		if p.Spent() > tt.most || p.GaveUp() != tt.gaveUp {
			t.Errorf("%q: %d steps, gave up on %d lines; want at most %d, and %d", tt.expr, p.Spent(), p.GaveUp(), tt.most, tt.gaveUp)
		}
	}
}

func TestTheBudgetEndsASearch(t *testing.T) {
	text := []byte(strings.Repeat(strings.Repeat("a", 200)+"!\n", 1000))
	for _, expr := range []string{`(a*)*\1$`, `[ab]?[ab]?[ab]?[ab]?x`, `aax`, `(?=a)(a|b)*$`} {
		p := compile(t, expr, Flags{})
		p.SetBudget(20_000)
		if err := p.Lines(text, func(_, _, _ int) bool { return true }); !errors.Is(err, ErrBudget) {
			t.Errorf("%q: got %v, want ErrBudget", expr, err)
		}
		// A byte searched before the check, or one line's look, may go past it.
		if p.Spent() > 20_000+int64(len(text)) {
			t.Errorf("%q spent %d of 20000 steps", expr, p.Spent())
		}
	}
}

// TestStatesAreForgottenInTime uses a pattern whose automaton has 2^15 states.
func TestStatesAreForgottenInTime(t *testing.T) {
	p := compile(t, `a[ab]{14}c`, Flags{})
	re := regexp.MustCompile(`a[ab]{14}c`)
	x := uint32(1)
	for range 300 {
		line := make([]byte, 400)
		for i := range line {
			x = x*1664525 + 1013904223
			line[i] = "aabbabc"[x>>16%7]
		}
		if got, want := p.MatchLine(line), re.Match(line); got != want {
			t.Fatalf("on %s: got %v, want %v", line, got, want)
		}
		if n := len(p.auto.states); n > maxStates {
			t.Fatalf("%d states are kept, at most %d may be", n, maxStates)
		}
	}
}

func TestLongLinesAreReadInPartByTheBacktrackingMatcherOnly(t *testing.T) {
	line := []byte(strings.Repeat(" ", maxLine) + "end")
	if p := compile(t, `end`, Flags{}); !p.MatchLine(line) || p.Clipped() != 0 {
		t.Errorf("the automaton must read the whole line; clipped %d", p.Clipped())
	}
	if p := compile(t, `(?=end)\w+`, Flags{}); p.MatchLine(line) || p.Clipped() != 1 {
		t.Errorf("the backtracking matcher must stop at %d bytes and say so; clipped %d", maxLine, p.Clipped())
	}
}
