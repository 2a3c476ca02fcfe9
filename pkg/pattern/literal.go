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

// literal finds the places of a text that every match contains. It looks at one byte of the text and skips
// as far as that byte allows (Horspool's way): the longer the literal, the fewer bytes are read.
type literal struct {
	text string // lower case when fold
	fold bool   // ASCII letters match in either case

	last  int        // offset in text of the byte that is compared first
	other int        // offset of the rarest other: a look at it saves most comparisons
	skip  [256]uint8 // how far a byte at last lets the search go on; 0 where it is the byte of text
	again int        // how far it goes on when it was, and the text is no match
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
	// A late byte skips further, a rare one stops less often for nothing, which takes about six steps.
	best := 1 << 30
	for i := 1; i < len(l.text); i++ {
		if cost := 1000/(i+1) + 6*frequency(l.text[i]); cost < best {
			best, l.last = cost, i
		}
	}
	for i := range len(l.text) {
		if i != l.last && (l.other == l.last || weight(l.text[i]) < weight(l.text[l.other])) {
			l.other = i
		}
	}
	for i := range l.skip {
		l.skip[i] = uint8(l.last + 1)
	}
	for i := range l.last + 1 {
		c := l.text[i]
		if i == l.last {
			l.again = int(l.skip[c])
		}
		l.skip[c] = uint8(l.last - i)
		if fold && 'a' <= c && c <= 'z' {
			l.skip[c-'a'+'A'] = uint8(l.last - i)
		}
	}
	return l
}

// frequency estimates how often a byte stands among a thousand of source code.
func frequency(c byte) int { return 500 / (5 + 2 + len(commonBytes) - weight(c)) }

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
	skip := &l.skip
	end := len(text) - (len(l.text) - 1 - l.last) // what is behind the last byte must have room
	for i, far := l.last, end-3*(l.last+1); i < end; {
		if i < far {
			// A skip of 0 stays where it is, so that three steps need no look.
			i += int(skip[text[i]])
			i += int(skip[text[i]])
			i += int(skip[text[i]])
		}
		if k := int(skip[text[i]]); k != 0 {
			i += k
			continue
		}
		if at := i - l.last; l.is(text[at : at+len(l.text)]) {
			return at
		}
		i += l.again
	}
	return -1
}

// is compares a piece of text of the literal's length.
func (l *literal) is(text []byte) bool {
	if l.fold {
		return equalFold(text, l.text)
	}
	return text[l.other] == l.text[l.other] && string(text) == l.text
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
