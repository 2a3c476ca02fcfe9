package guard

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// fold gives the form in which texts are compared: NFKC, lower case, without
// what does not show, white space as single spaces. Lower case per character
// is enough here: full case folding differs in a handful of letters and costs
// the module a table.
func fold(text string) string {
	text = norm.NFKC.String(visible(text))
	text = strings.Map(unicode.ToLower, text)
	return strings.Join(strings.Fields(norm.NFKC.String(text)), " ")
}

// cjk tells whether r is of a script that writes no spaces between words.
func cjk(r rune) bool {
	return r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}
