package pattern

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestBreaks is exhaustive: every byte at every place of a text that is longer than four steps in the guest, beside line
// breaks or alone.
func TestBreaks(t *testing.T) {
	for _, fill := range []byte{'x', '\n', 0x8a} {
		for size := range 67 {
			text := bytes.Repeat([]byte{fill}, size)
			for at := range size {
				for c := range 256 {
					text[at] = byte(c)
					if got, want := Breaks(text), bytes.Count(text, []byte{'\n'}); got != want {
						t.Fatalf("%q: %d line breaks, want %d", text, got, want)
					}
				}
				text[at] = fill
			}
		}
	}
}

// TestFindPair is exhaustive for small texts of three letters, alone and at the end of a long one.
func TestFindPair(t *testing.T) {
	obvious := func(text []byte, gap int, first, bits1, second, bits2 byte) int {
		for i := 0; i+gap < len(text); i++ {
			if text[i]|bits1 == first && text[i+gap]|bits2 == second {
				return i
			}
		}
		return -1
	}
	for _, word := range words("aAb", 7) {
		for _, before := range []int{0, 9, 10, 25, 40} {
			text := []byte(strings.Repeat("b", before) + word)
			for gap := 1; gap < 9; gap++ {
				for _, c := range [][4]byte{{'a', 0, 'b', 0}, {'a', 0x20, 'b', 0}, {'b', 0, 'a', 0x20}, {'a', 0x20, 'a', 0x20}, {'A', 0, 'a', 0}} {
					got, want := findPair(text, gap, newPair(c[0], c[1], c[2], c[3])), obvious(text, gap, c[0], c[1], c[2], c[3])
					if got != want {
						t.Fatalf("%q: %q with %d between are at %d, want %d", text, c, gap, got, want)
					}
				}
			}
		}
	}
}

// TestLiteralSearchSkipsNothing is exhaustive: every literal of two to four letters in every text of
// up to nine, which lies before and behind as much as one step of the guest's search takes.
func TestLiteralSearchSkipsNothing(t *testing.T) {
	var texts []string
	for _, word := range words("ab", 9) {
		for around := range 5 {
			texts = append(texts, strings.Repeat("x", 5*around)+word+strings.Repeat("a", 4*around))
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
