package pattern

import (
	"errors"
	"regexp/syntax"
	"strconv"
	"strings"
)

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
		return errors.New("the pattern has a group whose name is not closed")
	}
	name := p.src[p.at : p.at+end]
	if _, twice := p.names[name]; twice {
		return errors.New("the pattern has two groups named " + strconv.Quote(name))
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
			return nil, errors.New("the pattern has `" + p.src[open:p.at] + "`, which is not known here; write it without")
		}
	}
	return nil, describe(&syntax.Error{Code: syntax.ErrMissingParen})
}
