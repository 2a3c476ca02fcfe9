package evidence

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// normal is a text in normal form (see the package comment), with the way back
// to its lines.
type normal struct {
	text string
	// starts[i] is the offset in text at which line i+1 begins.
	starts []uint32
}

// line gives the number of the line that holds the byte at offset.
func (n *normal) line(offset int) int {
	return sort.Search(len(n.starts), func(i int) bool { return int(n.starts[i]) > offset })
}

// normalize brings text into normal form. It takes time and memory in
// proportion to the text.
func normalize(text string) normal {
	text = norm.NFC.String(text)
	n := normal{starts: make([]uint32, 1, strings.Count(text, "\n")+1)}
	out := make([]byte, 0, len(text))
	var (
		space    bool // white space since the last character
		lastWord bool // the last character belongs to a word
	)
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			if class[c] == white {
				space = true
				if c == '\n' {
					n.starts = append(n.starts, uint32(len(out)))
				}
				i++
				continue
			}
			// Most of a file is runs of plain characters.
			end := i + 1
			for end < len(text) && text[end] < utf8.RuneSelf && class[text[end]] != white {
				end++
			}
			if space && lastWord && class[c] == word {
				out = append(out, ' ')
			}
			out = append(out, text[i:end]...)
			space, lastWord = false, class[text[end-1]] == word
			i = end
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch {
		case isSpace(r):
			space = true
			continue
		case invisible(r):
			continue
		}
		isWord := wordRune(r)
		if space && isWord && lastWord {
			out = append(out, ' ')
		}
		space, lastWord = false, isWord
		out = appendFolded(out, r)
	}
	n.text = string(out)
	return n
}

// class sorts the ASCII characters.
var class = func() (table [utf8.RuneSelf]uint8) {
	for r := range rune(utf8.RuneSelf) {
		switch {
		case r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			table[r] = word
		case r == ' ' || r >= '\t' && r <= '\r':
			table[r] = white
		}
	}
	return table
}()

const (
	sign uint8 = iota
	word
	white
)

func isSpace(r rune) bool {
	if r < utf8.RuneSelf {
		return class[r] == white
	}
	return unicode.IsSpace(r)
}

// invisible tells whether r does not show. U+034F is what NFC itself puts into
// overlong runs of marks.
func invisible(r rune) bool {
	return r >= utf8.RuneSelf && (r == 0x034F || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r))
}

// wordRune tells whether white space beside r can separate two words. Chinese
// and Japanese are written without, so that a line break inside a sentence
// means nothing there.
func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return class[r] == word
	}
	if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
		return false
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// appendFolded appends r with typographic signs as ASCII.
func appendFolded(out []byte, r rune) []byte {
	if r < utf8.RuneSelf {
		return append(out, byte(r))
	}
	switch r {
	case '‘', '’', '‚', '‛', '′':
		return append(out, '\'')
	case '“', '”', '„', '‟', '″':
		return append(out, '"')
	case '‐', '‑', '‒', '–', '—', '―', '−':
		return append(out, '-')
	case '…':
		return append(out, "..."...)
	}
	return utf8.AppendRune(out, r)
}

// substance counts the letters and digits of a text, which is what a quote can
// prove something by.
func substance(text string) int {
	count := 0
	for _, r := range text {
		if r < utf8.RuneSelf && r != '_' && class[r] == word || r >= utf8.RuneSelf && r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			count++
		}
	}
	return count
}
