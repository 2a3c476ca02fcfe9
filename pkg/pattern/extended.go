package pattern

import (
	"errors"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxNest bounds the depth of groups, and with it all recursion over the tree.
	maxNest = 50
	// maxCount is RE2's bound for the numbers in {n,m}.
	maxCount = 1000
)

type parser struct {
	src    string
	at     int
	depth  int
	fold   bool // i
	dot    bool // s: the dot matches line breaks too
	groups int
	total  int // groups in the whole pattern: tells \1 from an octal escape
	names  map[string]int
	backs  []*node // named back references to resolve at the end
	wanted []string
}

// parseExtended reads the syntax that Perl, JavaScript, .NET and Python share.
// Single characters, escapes and classes mean what they mean in RE2.
func parseExtended(expr string, fold bool) (*node, int, error) {
	p := &parser{src: expr, fold: fold, names: map[string]int{}, total: countGroups(expr)}
	root, err := p.alternation()
	if err == nil && p.at < len(p.src) {
		err = describe(&syntax.Error{Code: syntax.ErrMissingParen})
	}
	if err != nil {
		return nil, 0, err
	}
	for i, name := range p.wanted {
		n, ok := p.names[name]
		if !ok {
			return nil, 0, errors.New("the pattern refers to a group " + strconv.Quote(name) + " that it does not have")
		}
		p.backs[i].n = n
	}
	return root, p.groups, nil
}

func countGroups(expr string) int {
	n := 0
	for i := 0; i < len(expr); i++ {
		switch expr[i] {
		case '\\':
			i++
		case '[':
			if end := classEnd(expr[i:], "^"); end > 0 {
				i += end - 1
			}
		case '(':
			rest := expr[i+1:]
			if !strings.HasPrefix(rest, "?") || strings.HasPrefix(rest, "?P<") || strings.HasPrefix(rest, "?'") ||
				strings.HasPrefix(rest, "?<") && !strings.HasPrefix(rest, "?<=") && !strings.HasPrefix(rest, "?<!") {
				n++
			}
		}
	}
	return n
}

func (p *parser) peek(prefix string) bool { return strings.HasPrefix(p.src[p.at:], prefix) }

func (p *parser) take(prefix string) bool {
	if p.peek(prefix) {
		p.at += len(prefix)
		return true
	}
	return false
}

func (p *parser) alternation() (*node, error) {
	if p.depth++; p.depth > maxNest {
		return nil, tooLarge("groups nest more than " + strconv.Itoa(maxNest) + " deep")
	}
	defer func() { p.depth-- }()
	fold, dot := p.fold, p.dot // (?i) holds to the end of its group
	defer func() { p.fold, p.dot = fold, dot }()
	alt := &node{op: nodeAlt}
	for {
		cat, err := p.concat()
		if err != nil {
			return nil, err
		}
		alt.subs = append(alt.subs, cat)
		if !p.take("|") {
			break
		}
	}
	if len(alt.subs) == 1 {
		return alt.subs[0], nil
	}
	return alt, nil
}

func (p *parser) concat() (*node, error) {
	cat := &node{op: nodeCat}
	for p.at < len(p.src) && !p.peek("|") && !p.peek(")") {
		atom, err := p.atom()
		if err != nil {
			return nil, err
		}
		if atom, err = p.quantified(atom); err != nil {
			return nil, err
		}
		cat.subs = append(cat.subs, atom)
	}
	return cat, nil
}

// quantified reads the *, +, ?, {n,m} behind an atom, and the ? or + behind those.
func (p *parser) quantified(atom *node) (*node, error) {
	start := p.at
	lo, hi := 0, -1
	switch {
	case p.take("*"):
	case p.take("+"):
		lo = 1
	case p.take("?"):
		hi = 1
	case p.peek("{"):
		n, a, b := parseCount(p.src[p.at:])
		if n == 0 {
			return atom, nil
		}
		if a > maxCount || b > maxCount || b >= 0 && b < a {
			return nil, tooLarge("a repeat count may go from 0 to " + strconv.Itoa(maxCount))
		}
		p.at += n
		lo, hi = a, b
	default:
		return atom, nil
	}
	rep := &node{op: nodeRepeat, subs: []*node{atom}, min: lo, max: hi}
	switch {
	case p.take("?"):
		rep.lazy = true
	case p.take("+"):
		rep = &node{op: nodeAtomic, subs: []*node{rep}}
	}
	if p.peek("*") || p.peek("+") || p.peek("?") {
		return nil, errors.New("the pattern is malformed: nothing to repeat between `" + p.src[start:p.at+1] + "`")
	}
	return rep, nil
}

// parseCount reads {n}, {n,} or {n,m}; a length of 0 means that s is none of them.
func parseCount(s string) (length, lo, hi int) {
	end := strings.IndexByte(s, '}')
	if end < 0 {
		return 0, 0, 0
	}
	first, second, comma := strings.Cut(s[1:end], ",")
	lo, err := strconv.Atoi(first)
	if err != nil || lo < 0 {
		return 0, 0, 0
	}
	switch {
	case !comma:
		return end + 1, lo, lo
	case second == "":
		return end + 1, lo, -1
	}
	if hi, err = strconv.Atoi(second); err != nil || hi < 0 {
		return 0, 0, 0
	}
	return end + 1, lo, hi
}

func (p *parser) atom() (*node, error) {
	switch c := p.src[p.at]; c {
	case '(':
		return p.group()
	case '[':
		n := classEnd(p.src[p.at:], "^")
		if n == 0 {
			return nil, describe(&syntax.Error{Code: syntax.ErrMissingBracket})
		}
		class := p.src[p.at : p.at+n]
		p.at += n
		return p.delegate(class)
	case '\\':
		return p.escape()
	case '^':
		p.at++
		return &node{op: nodeAssert, cond: syntax.EmptyBeginText}, nil
	case '$':
		p.at++
		return &node{op: nodeAssert, cond: syntax.EmptyEndText}, nil
	case '.':
		p.at++
		if p.dot {
			return &node{op: nodeSet, set: runeSet{0, unicode.MaxRune}}, nil
		}
		return &node{op: nodeSet, set: runeSet{0, '\n' - 1, '\n' + 1, unicode.MaxRune}}, nil
	case '*', '+', '?':
		return nil, describe(&syntax.Error{Code: syntax.ErrMissingRepeatArgument, Expr: string(c)})
	default:
		_, size := utf8.DecodeRuneInString(p.src[p.at:])
		lit := p.src[p.at : p.at+size]
		p.at += size
		return p.delegate(quote(lit))
	}
}

// delegate has RE2's parser read one character, escape or class.
func (p *parser) delegate(src string) (*node, error) {
	flags := syntax.Perl
	if p.fold {
		flags |= syntax.FoldCase
	}
	re, err := syntax.Parse(src, flags)
	if err != nil {
		return nil, describe(err)
	}
	switch re.Op {
	case syntax.OpCharClass:
		return &node{op: nodeSet, set: runeSet(re.Rune)}, nil
	case syntax.OpAnyChar:
		return &node{op: nodeSet, set: runeSet{0, unicode.MaxRune}}, nil
	case syntax.OpAnyCharNotNL:
		return &node{op: nodeSet, set: runeSet{0, '\n' - 1, '\n' + 1, unicode.MaxRune}}, nil
	case syntax.OpNoMatch:
		return &node{op: nodeSet}, nil
	case syntax.OpLiteral:
		cat := &node{op: nodeCat}
		for _, r := range re.Rune {
			set := runeSet{r, r}
			if re.Flags&syntax.FoldCase != 0 {
				for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
					set = append(set, f, f)
				}
			}
			cat.subs = append(cat.subs, &node{op: nodeSet, set: set})
		}
		if len(cat.subs) == 1 {
			return cat.subs[0], nil
		}
		return cat, nil
	}
	return nil, errors.New("the pattern is malformed near `" + src + "`")
}
