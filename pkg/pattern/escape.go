package pattern

import (
	"errors"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf8"
)

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
		return nil, errors.New(`the pattern has \k without the <name> of a group`)
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
		return nil, errors.New("the pattern refers to group " + string(rune(c)) + ", and has " + strconv.Itoa(p.total))
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
