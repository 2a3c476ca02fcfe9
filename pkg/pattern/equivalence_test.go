package pattern

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// obvious is the search that needs no proof: cut into lines, ask each.
func obvious(re *regexp.Regexp, text string) []string {
	var got []string
	for text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		line = strings.TrimSuffix(line, "\r")
		if re.MatchString(line) {
			got = append(got, line)
		}
	}
	return got
}

// TestLiteralSearchAgreesWithTheObviousOne is exhaustive: patterns whose
// literals overlap, repeat and fold, on every text of six letters.
func TestLiteralSearchAgreesWithTheObviousOne(t *testing.T) {
	texts := words("aAb\r\n", 6)
	compared := 0
	for _, expr := range []string{
		`aa`, `ab`, `aab`, `aba`, `(ab)+a`, `aa.`, `.ab$`, `^ab`, `a+ab`, `(?:ab){2}`, `ab|`, `a(b|)ab`, `\bab\b`, `(?i)ab`, `(?i)aab?b`, `a(?i:b)a`, `(?i:a)ba`, `aa\r`, `(ab)`, `x*ab`,
	} {
		re := regexp.MustCompile(expr)
		p := compile(t, expr, Flags{})
		for _, text := range texts {
			if diff := cmp.Diff(obvious(re, text), lines(t, p, text)); diff != "" {
				t.Fatalf("%q on %q (-obvious +ours):\n%s", expr, text, diff)
			}
			compared++
		}
	}
	t.Logf("%d pairs of pattern and text", compared)
}

func TestLiteralsAreTheLongestThatAreRequired(t *testing.T) {
	tests := []struct {
		expr string
		want string
		fold bool
		pure bool
	}{
		{`func (\w+)`, "func ", false, false},
		{`(\w+\.)+\w+\(ctx`, "(ctx", false, false},
		{`\b(\w+)\s*:=\s*range\b`, "range", false, false},
		{`errNotFound`, "errNotFound", false, true},
		{`(?i)errNotFound`, "errnotfound", true, false},
		{`(?i)tack kill`, "tac", true, false}, // k and s have forms beyond ASCII
		{`(?i)\.sk\.`, "", false, false},
		{`foo|bar`, "", false, false},
		{`(foo)+bar`, "foo", false, false},
		{`(foo)?bar`, "bar", false, false},
		{`x{2,}foo`, "foo", false, false},
		{`\bfoo`, "foo", false, false},
		{`(?<=func )\w+`, "func ", false, false},
		{`(?<!func )main`, "main", false, false},
		{`(\w+) = \1`, " = ", false, false},
		{`a`, "", false, false},
		{strings.Repeat("ab", 30), strings.Repeat("ab", 16), false, false},
	}
	for _, tt := range tests {
		p := compile(t, tt.expr, Flags{})
		got, fold := "", false
		if p.lit != nil {
			got, fold = p.lit.text, p.lit.fold
		}
		if got != tt.want || fold != tt.fold || p.pure != tt.pure {
			t.Errorf("%q: got %q, fold %v, pure %v; want %q, %v, %v", tt.expr, got, fold, p.pure, tt.want, tt.fold, tt.pure)
		}
	}
}

// FuzzLines compares the search with the obvious one on patterns and texts of
// the fuzzer's choice.
func FuzzLines(f *testing.F) {
	for _, seed := range []struct {
		expr, text string
		fold       bool
	}{
		{`func (\w+)`, "func main() {\r\n}\n", false},
		{`(?i)straSSe|\x{212A}elvin`, "STRASSE\nkelvin \u212a\u017f\n", true},
		{`task`, "ta\u017fk TA\u212a\ntask", true},
		{`[^a-z]{2}$`, "\xff\xfe\n\u00e9\u00e9\n", false},
		{`\b\w+\b.\B`, "a b\n\n\n", false},
		{`\x{FFFD}+`, "\xff\ufffd", false},
		{`(a|b|ab)*c$`, "ababababc\r", false},
	} {
		f.Add(seed.expr, seed.text, seed.fold)
	}
	f.Fuzz(func(t *testing.T, expr, text string, fold bool) {
		std := expr
		if fold {
			std = "(?i)(?:" + expr + ")"
		}
		re, err := regexp.Compile(std)
		if err != nil || !utf8.ValidString(expr) {
			return
		}
		p, err := Compile(expr, Flags{IgnoreCase: fold})
		if err != nil || p.Backtracks() {
			return // refused as too large, asking for a line break, or \u
		}
		if diff := cmp.Diff(obvious(re, text), lines(t, p, text)); diff != "" {
			t.Errorf("%q on %q (-obvious +ours):\n%s", expr, text, diff)
		}
	})
}

// FuzzCompile looks for patterns that crash, or that pass their bound.
func FuzzCompile(f *testing.F) {
	for _, seed := range []string{`(?<=a(?!b))\1`, `(?<n>a)\k<n>`, `(?>a|b)++`, `\u{1F600}[\u0041-Z]`, `(?i-s:a(?=B))`, `(?#c)(?'q'.)(?P=q)`, `(?:(?:(?:){9}){9}){9}(?=a)`, `\Qa.b\E(?!c)`, `[]a](?=[^]])`} {
		f.Add(seed, "aab\u00e9\xff")
	}
	f.Fuzz(func(t *testing.T, expr, line string) {
		p, err := Compile(expr, Flags{})
		if err != nil {
			if err.Error() == "" {
				t.Error("the error says nothing")
			}
			return
		}
		if i := strings.IndexByte(line, '\n'); i >= 0 {
			line = line[:i]
		}
		p.SetBudget(1 << 20)
		p.MatchLine([]byte(line))
		// A new state may cost a program's length before the check that ends it.
		if p.Spent() > 1<<20+int64(len(line))*4+maxInst+maxStates {
			t.Errorf("%q spent %d steps of %d", expr, p.Spent(), 1<<20)
		}
	})
}

// FuzzGlob looks for globs that crash, and compares the shortcuts for simple
// elements with the general way.
func FuzzGlob(f *testing.F) {
	for _, seed := range []string{"**/*.go", "{a,b}/[!c]*", `\[a\]?`, "a/**/b/**", "[[:alpha:]-]", "*.*"} {
		f.Add(seed, "a/b/c.go")
	}
	f.Fuzz(func(t *testing.T, glob, name string) {
		g, err := CompileGlob(glob)
		if err != nil {
			return
		}
		got := g.Match(name)
		for _, alt := range g.alts {
			for i := range alt {
				if k := alt[i].kind; k != elemDeep && alt[i].parts != nil {
					alt[i].kind = elemParts
				}
			}
		}
		if want := g.Match(name); got != want && utf8.ValidString(glob) {
			t.Errorf("%q on %q: the shortcut says %v, the general way %v", glob, name, got, want)
		}
	})
}
