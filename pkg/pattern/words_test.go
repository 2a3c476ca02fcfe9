package pattern

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestEightBytesAtATimeCountAsOne is exhaustive: every byte at every place of a text that is longer
// than one step, beside line breaks and NULs or alone.
func TestEightBytesAtATimeCountAsOne(t *testing.T) {
	for _, fill := range []byte{'x', '\n', 0, 0x8a, 0x80, 0xff} {
		for size := range 67 {
			text := bytes.Repeat([]byte{fill}, size)
			for at := range size {
				for c := range 256 {
					text[at] = byte(c)
					if got, want := Breaks(text), bytes.Count(text, []byte{'\n'}); got != want {
						t.Fatalf("%q: %d line breaks, want %d", text, got, want)
					}
					if got, want := HasZero(text), bytes.IndexByte(text, 0) >= 0; got != want {
						t.Fatalf("%q: has a NUL: %v, want %v", text, got, want)
					}
				}
				text[at] = fill
			}
		}
	}
}

// TestLiteralSearchSkipsNothing is exhaustive: every literal of two to four letters in every text of
// up to nine, which lies at each distance from where the search takes three skips in a row.
func TestLiteralSearchSkipsNothing(t *testing.T) {
	var texts []string
	for _, word := range words("ab", 9) {
		for around := range 5 {
			texts = append(texts, strings.Repeat("x", 4*around)+word+strings.Repeat("a", 3*around))
		}
	}
	for _, find := range words("abA", 4) {
		if len(find) < minLiteral {
			continue
		}
		exact, fold := newLiteral(find, false), newLiteral(find, true)
		for _, text := range texts {
			if got, want := exact.index([]byte(text)), strings.Index(text, find); got != want {
				t.Fatalf("%q in %q: at %d, want %d", find, text, got, want)
			}
			upper := strings.ToUpper(text[:len(text)/2]) + text[len(text)/2:]
			if got, want := fold.index([]byte(upper)), strings.Index(text, strings.ToLower(find)); got != want {
				t.Fatalf("%q in either case in %q: at %d, want %d", find, upper, got, want)
			}
		}
	}
}

// FuzzLiteral compares the search with the standard library's on longer literals and texts.
func FuzzLiteral(f *testing.F) {
	f.Add("errNotFound", strings.Repeat("err errNot ", 20)+"errNotFound", true)
	f.Add("func ", strings.Repeat("fun func\tc", 9)+"func x", false)
	f.Add("\x00\xff", "\xff\x00\x00\xff", false)
	f.Fuzz(func(t *testing.T, find, text string, fold bool) {
		l := newLiteral(find, fold)
		if l == nil || fold && strings.ContainsFunc(find, func(r rune) bool { return r >= utf8.RuneSelf }) {
			return // other letters are not folded
		}
		lower := func(s string) string {
			b := []byte(s)
			for i, c := range b {
				if 'A' <= c && c <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
		want := strings.Index(text, l.text)
		if fold {
			want = strings.Index(lower(text), lower(find[:len(l.text)]))
		}
		if got := l.index([]byte(text)); got != want {
			t.Errorf("%q in %q, in either case %v: at %d, want %d", find, text, fold, got, want)
		}
	})
}
