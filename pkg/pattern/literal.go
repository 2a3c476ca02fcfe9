package pattern

import (
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// minLiteral is the shortest literal worth searching for: a single letter
// stands in nearly every line, and the automaton is quicker than both.
const minLiteral = 2

// maxLiteral is how much of a literal is searched for. It bounds the work at
// one place of the text; the automaton looks at the rest.
const maxLiteral = 32

// literal finds the places of a text that every match contains. It looks for the two rarest bytes of the text at once, at their
// distance, and compares where both stand.
type literal struct {
	text string // lower case when fold
	fold bool   // ASCII letters match in either case

	first int // offset in text of the first byte that is looked for
	gap   int // from there to the second
	pair  pairBytes
}

func newLiteral(text string, fold bool) *literal {
	if len(text) < minLiteral {
		return nil
	}
	text = text[:min(len(text), maxLiteral)]
	l := &literal{text: text, fold: fold}
	if fold {
		l.text = strings.ToLower(text)
	}
	rarest := func(but int) int {
		best := -1
		for i := range len(l.text) {
			if i != but && (best < 0 || weight(l.text[i]) < weight(l.text[best])) {
				best = i
			}
		}
		return best
	}
	a := rarest(-1)
	b := rarest(a)
	l.first, l.gap = min(a, b), max(a, b)-min(a, b)
	first, second := l.text[l.first], l.text[l.first+l.gap]
	l.pair = newPair(first, l.either(first), second, l.either(second))
	return l
}

// either gives the bits of a byte of the text that do not matter.
func (l *literal) either(c byte) byte {
	if l.fold && 'a' <= c && c <= 'z' {
		return 'a' - 'A'
	}
	return 0
}

// commonBytes orders ASCII from the most to the least frequent, counted over 66 MB
// of Go, JavaScript, Python and C, each language with the same weight.
const commonBytes = " etrnsiao\nlc\t_dupf.,mh)(g:A=y/b1\"0Tv2EIxSR*L'OC{}PwNXk46MD-3;FG8#BV[]5U79>W&H<!zqj\\K+YQ|`%@?ZJ$^~\r"

// weight is higher for more frequent bytes. Only the order matters: it picks
// the byte of a literal to search for.
func weight(c byte) int {
	if i := strings.IndexByte(commonBytes, c); i >= 0 {
		return 2 + len(commonBytes) - i
	}
	if c < utf8.RuneSelf {
		return 0
	}
	return 1 // rare in code, though a text in one script shares its lead bytes
}

// index is the place of the first occurrence, or -1.
func (l *literal) index(text []byte) int {
	end := len(text) - (len(l.text) - 1 - l.first - l.gap) // what is behind the second byte must have room
	for from := l.first; from < end; from++ {
		i := findPair(text[from:end], l.gap, l.pair)
		if i < 0 {
			break
		}
		from += i
		if at := from - l.first; l.is(text[at : at+len(l.text)]) {
			return at
		}
	}
	return -1
}

// is compares a piece of text of the literal's length.
func (l *literal) is(text []byte) bool {
	if l.fold {
		return equalFold(text, l.text)
	}
	return string(text) == l.text
}

func equalFold(text []byte, lower string) bool {
	for i, c := range text {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// required is what the analysis of one node says: every match of the node
// contains best, and when exact the node matches text and nothing else.
type required struct {
	exact bool
	text  string
	fold  bool // text is meant in either case
	best  string
	bfold bool
}

// requiredLiteral gives the longest text that every match of re contains.
func requiredLiteral(re *syntax.Regexp) *literal {
	r := analyse(re)
	return newLiteral(r.best, r.bfold)
}

// pure says whether re matches exactly where its literal stands, so that a hit
// needs no second look.
func pure(re *syntax.Regexp) bool {
	r := analyse(re)
	return r.exact && !r.fold && len(r.text) >= minLiteral && len(r.text) <= maxLiteral &&
		!strings.Contains(r.text, "\r") && !hasEmptyWidth(re)
}

func hasEmptyWidth(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	}
	for _, sub := range re.Sub {
		if hasEmptyWidth(sub) {
			return true
		}
	}
	return false
}

// analyse walks the tree once. The parser bounds its depth at 1,000.
func analyse(re *syntax.Regexp) required {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return required{exact: true}
	case syntax.OpLiteral:
		return analyseLiteral(re)
	case syntax.OpCapture:
		return analyse(re.Sub[0])
	case syntax.OpPlus:
		r := analyse(re.Sub[0])
		return required{best: r.best, bfold: r.bfold}
	case syntax.OpRepeat:
		if re.Min == 0 {
			return required{}
		}
		r := analyse(re.Sub[0])
		return required{best: r.best, bfold: r.bfold}
	case syntax.OpConcat:
		return analyseConcat(re)
	}
	return required{}
}

func analyseLiteral(re *syntax.Regexp) required {
	text := string(re.Rune)
	if strings.ContainsRune(text, utf8.RuneError) {
		return required{} // invalid bytes of a text read as this rune too
	}
	if re.Flags&syntax.FoldCase == 0 {
		return required{exact: true, text: text, best: text}
	}
	// In either case k also means the Kelvin sign and s the long s, which are
	// longer in UTF-8; what lies between such letters is plain ASCII folding.
	var best string
	whole := true
	for rest := text; rest != ""; {
		i := strings.IndexFunc(rest, beyondASCIIFold)
		part := rest
		if i >= 0 {
			_, size := utf8.DecodeRuneInString(rest[i:])
			part, rest = rest[:i], rest[i+size:]
			whole = false
		} else {
			rest = ""
		}
		if len(part) > len(best) {
			best = part
		}
	}
	return required{exact: whole, text: text, fold: true, best: best, bfold: true}
}

// beyondASCIIFold says whether r has a case variant outside of ASCII.
func beyondASCIIFold(r rune) bool {
	if r >= utf8.RuneSelf {
		return true
	}
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		if f >= utf8.RuneSelf {
			return true
		}
	}
	return false
}

func analyseConcat(re *syntax.Regexp) required {
	all := required{exact: true}
	keep := func(text string, fold bool) {
		if len(text) > len(all.best) {
			all.best, all.bfold = text, fold
		}
	}
	run, runFold := "", false
	for _, sub := range re.Sub {
		r := analyse(sub)
		if !r.exact {
			all.exact = false
			keep(run, runFold)
			run, runFold = "", false
			keep(r.best, r.bfold)
			continue
		}
		if r.text == "" {
			continue
		}
		if run != "" && r.fold != runFold {
			all.exact = false
			keep(run, runFold)
			run = ""
		}
		run, runFold = run+r.text, r.fold
	}
	keep(run, runFold)
	if all.exact {
		all.text, all.fold = run, runFold
	}
	return all
}
