package pattern

import (
	"fmt"
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

type nodeOp uint8

const (
	nodeEmpty  nodeOp = iota
	nodeSet           // one rune of set
	nodeCat           // all of subs
	nodeAlt           // one of subs
	nodeRepeat        // subs[0], min to max times
	nodeGroup         // subs[0], kept as group n
	nodeBack          // what group n matched
	nodeLook          // subs[0] matches here (or just before), or does not
	nodeAtomic        // subs[0], its first way only
	nodeAssert        // an empty-width condition
)

// node is a part of a pattern that RE2 cannot express.
type node struct {
	op       nodeOp
	subs     []*node
	set      runeSet
	min, max int // max is -1 for no bound
	lazy     bool
	n        int
	fold     bool // nodeBack: in either case
	behind   bool // nodeLook
	negate   bool // nodeLook
	cond     syntax.EmptyOp
}

// runeSet is sorted pairs of bounds, both included.
type runeSet []rune

func (s runeSet) has(r rune) bool {
	if len(s) <= 8 {
		for i := 0; i < len(s); i += 2 {
			if s[i] <= r && r <= s[i+1] {
				return true
			}
		}
		return false
	}
	lo, hi := 0, len(s)/2
	for lo < hi {
		mid := (lo + hi) / 2
		switch {
		case r < s[2*mid]:
			hi = mid
		case r > s[2*mid+1]:
			lo = mid + 1
		default:
			return true
		}
	}
	return false
}

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
			return nil, 0, fmt.Errorf("the pattern refers to a group %q that it does not have", name)
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
		return nil, fmt.Errorf("%w: groups nest more than %d deep", ErrTooLarge, maxNest)
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
			return nil, fmt.Errorf("%w: a repeat count may go from 0 to %d", ErrTooLarge, maxCount)
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
		return nil, fmt.Errorf("the pattern is malformed: nothing to repeat between `%s`", p.src[start:p.at+1])
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
	return nil, fmt.Errorf("the pattern is malformed near `%s`", src)
}

func (p *parser) escape() (*node, error) {
	rest := p.src[p.at+1:]
	if rest == "" {
		return nil, describe(&syntax.Error{Code: syntax.ErrTrailingBackslash})
	}
	size := 1
	switch c := rest[0]; c {
	case 'b':
		p.at += 2
		return &node{op: nodeAssert, cond: syntax.EmptyWordBoundary}, nil
	case 'B':
		p.at += 2
		return &node{op: nodeAssert, cond: syntax.EmptyNoWordBoundary}, nil
	case 'A':
		p.at += 2
		return &node{op: nodeAssert, cond: syntax.EmptyBeginText}, nil
	case 'z', 'Z':
		p.at += 2
		return &node{op: nodeAssert, cond: syntax.EmptyEndText}, nil
	case 'k':
		for _, pair := range []string{"<>", "{}", "''"} {
			if len(rest) > 1 && rest[1] == pair[0] {
				if end := strings.IndexByte(rest[2:], pair[1]); end > 0 {
					p.at += 1 + 2 + end + 1
					return p.namedBack(rest[2 : 2+end]), nil
				}
			}
		}
		return nil, fmt.Errorf(`the pattern has \k without the <name> of a group`)
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		for size < len(rest) && '0' <= rest[size] && rest[size] <= '9' && size < 3 {
			size++
		}
		for ; size > 0; size-- {
			if n, _ := strconv.Atoi(rest[:size]); n <= p.total {
				p.at += 1 + size
				return &node{op: nodeBack, n: n, fold: p.fold}, nil
			}
		}
		return nil, fmt.Errorf("the pattern refers to group %c, and has %d", c, p.total)
	case 'p', 'P':
		if len(rest) > 1 && rest[1] == '{' {
			if end := strings.IndexByte(rest, '}'); end > 0 {
				size = end
			}
		}
		size++
	case 'x':
		size = 3
		if len(rest) > 1 && rest[1] == '{' {
			if end := strings.IndexByte(rest, '}'); end > 0 {
				size = end + 1
			}
		}
	case 'Q':
		end := strings.Index(rest, `\E`)
		if end < 0 {
			size = len(rest)
		} else {
			size = end + 2
		}
	default:
		_, size = utf8.DecodeRuneInString(rest)
	}
	size = min(size, len(rest))
	p.at += 1 + size
	return p.delegate(`\` + rest[:size])
}

func (p *parser) namedBack(name string) *node {
	back := &node{op: nodeBack, fold: p.fold}
	p.backs = append(p.backs, back)
	p.wanted = append(p.wanted, name)
	return back
}

// group reads what stands between ( and ), both included.
func (p *parser) group() (*node, error) {
	open := p.at
	p.at++
	n := &node{op: nodeGroup}
	switch {
	case p.take("?:"):
		n = nil
	case p.take("?="):
		n = &node{op: nodeLook}
	case p.take("?!"):
		n = &node{op: nodeLook, negate: true}
	case p.take("?<="):
		n = &node{op: nodeLook, behind: true}
	case p.take("?<!"):
		n = &node{op: nodeLook, behind: true, negate: true}
	case p.take("?>"):
		n = &node{op: nodeAtomic}
	case p.take("?#"):
		end := strings.IndexByte(p.src[p.at:], ')')
		if end < 0 {
			return nil, describe(&syntax.Error{Code: syntax.ErrMissingParen})
		}
		p.at += end + 1
		return &node{op: nodeEmpty}, nil
	case p.take("?P="):
		end := strings.IndexByte(p.src[p.at:], ')')
		if end < 0 {
			return nil, describe(&syntax.Error{Code: syntax.ErrMissingParen})
		}
		name := p.src[p.at : p.at+end]
		p.at += end + 1
		return p.namedBack(name), nil
	case p.take("?P<"), p.take("?<"):
		if err := p.name(n, ">"); err != nil {
			return nil, err
		}
	case p.take("?'"):
		if err := p.name(n, "'"); err != nil {
			return nil, err
		}
	case p.take("?"):
		return p.flags(open)
	}
	if n != nil && n.op == nodeGroup {
		p.groups++
		n.n = p.groups
	}
	body, err := p.alternation()
	if err != nil {
		return nil, err
	}
	if !p.take(")") {
		return nil, describe(&syntax.Error{Code: syntax.ErrMissingParen})
	}
	if n == nil {
		return body, nil
	}
	n.subs = []*node{body}
	return n, nil
}

func (p *parser) name(n *node, closer string) error {
	end := strings.Index(p.src[p.at:], closer)
	if end < 1 {
		return fmt.Errorf("the pattern has a group whose name is not closed")
	}
	name := p.src[p.at : p.at+end]
	if _, twice := p.names[name]; twice {
		return fmt.Errorf("the pattern has two groups named %q", name)
	}
	p.names[name] = p.groups + 1
	p.at += end + len(closer)
	return nil
}

// flags reads (?i) and (?i:...), behind their (?.
func (p *parser) flags(open int) (*node, error) {
	fold, dot, on := p.fold, p.dot, true
	for p.at < len(p.src) {
		c := p.src[p.at]
		p.at++
		switch c {
		case 'i':
			fold = on
		case 's':
			dot = on
		case 'm': // a line is all the text there is
		case '-':
			on = false
		case ')':
			p.fold, p.dot = fold, dot
			return &node{op: nodeEmpty}, nil
		case ':':
			outerFold, outerDot := p.fold, p.dot
			p.fold, p.dot = fold, dot
			body, err := p.alternation()
			p.fold, p.dot = outerFold, outerDot
			if err != nil {
				return nil, err
			}
			if !p.take(")") {
				return nil, describe(&syntax.Error{Code: syntax.ErrMissingParen})
			}
			return body, nil
		default:
			return nil, fmt.Errorf("the pattern has `%s`, which is not known here; write it without", p.src[open:p.at])
		}
	}
	return nil, describe(&syntax.Error{Code: syntax.ErrMissingParen})
}
