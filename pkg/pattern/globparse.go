package pattern

import (
	"errors"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

func parsePath(p string, bytes bool) (globPath, error) {
	var path globPath
	for {
		end := elemEnd(p)
		elem, err := parseElem(p[:end], bytes)
		if err != nil {
			return nil, err
		}
		if elem.kind != elemDeep || len(path) == 0 || path[len(path)-1].kind != elemDeep {
			path = append(path, elem)
		}
		if end == len(p) {
			return path, nil
		}
		p = p[end+1:]
	}
}

// elemEnd finds the slash that ends the first element, passing over classes.
func elemEnd(p string) int {
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '[':
			if end := classEnd(p[i:], globNegations); end > 0 {
				i += end - 1
			}
		case '/':
			return i
		}
	}
	return len(p)
}

// classEnd is the length of the class at the start of p, 0 when it is not
// closed. Negations are the characters that negate a class here.
func classEnd(p, negations string) int {
	i := 1
	if i < len(p) && strings.IndexByte(negations, p[i]) >= 0 {
		i++
	}
	for first := true; i < len(p); first = false {
		switch {
		case p[i] == ']' && !first:
			return i + 1
		case p[i] == '\\':
			i++
		case strings.HasPrefix(p[i:], "[:"):
			if end := strings.Index(p[i:], ":]"); end > 0 {
				i += end + 1
			}
		}
		i++
	}
	return 0
}

func parseElem(s string, bytes bool) (globElem, error) {
	if s == "**" {
		return globElem{kind: elemDeep}, nil
	}
	var parts []globPart
	for i := 0; i < len(s); {
		switch s[i] {
		case '*':
			if len(parts) == 0 || parts[len(parts)-1].kind != partStar {
				parts = append(parts, globPart{kind: partStar})
			}
			i++
		case '?':
			parts = append(parts, globPart{kind: partOne})
			i++
		case '[':
			n := classEnd(s[i:], globNegations)
			if n == 0 {
				return globElem{}, errors.New("glob has a [ without its ]; write \\[ for the bracket itself")
			}
			part, err := parseClass(s[i : i+n])
			if err != nil {
				return globElem{}, err
			}
			parts = append(parts, part)
			i += n
		default:
			if s[i] == '\\' {
				if i++; i == len(s) {
					return globElem{}, errors.New("glob ends in a lone backslash")
				}
			}
			r, size := decode(s[i:], bytes)
			parts = append(parts, globPart{kind: partRune, r: r})
			i += size
		}
	}
	elem := simplify(parts, bytes)
	elem.bytes = bytes
	return elem, nil
}

// decode reads the next unit of text: a character, or a byte.
func decode(text string, bytes bool) (rune, int) {
	if bytes && text != "" {
		return rune(text[0]), 1
	}
	return utf8.DecodeRuneInString(text)
}

// simplify names the shapes that nearly all patterns have, which need no search.
func simplify(parts []globPart, bytes bool) globElem {
	var text strings.Builder
	stars := 0
	for _, p := range parts {
		switch {
		case p.kind == partStar:
			stars++
		case p.kind == partRune && bytes:
			text.WriteByte(byte(p.r))
		case p.kind == partRune && p.r != utf8.RuneError:
			text.WriteRune(p.r)
		default:
			return globElem{kind: elemParts, parts: parts}
		}
	}
	elem := globElem{kind: elemParts, text: text.String(), parts: parts}
	switch {
	case stars == 0:
		elem.kind = elemExact
	case len(parts) == 1:
		elem.kind = elemAny
	case stars == 1 && parts[0].kind == partStar:
		elem.kind = elemSuffix
	case stars == 1 && parts[len(parts)-1].kind == partStar:
		elem.kind = elemPrefix
	}
	return elem
}

var posixClasses = map[string]func(rune) bool{
	"alnum": func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) },
	"alpha": unicode.IsLetter, "digit": unicode.IsDigit, "lower": unicode.IsLower,
	"upper": unicode.IsUpper, "punct": unicode.IsPunct, "space": unicode.IsSpace,
	"blank": func(r rune) bool { return r == ' ' || r == '\t' },
	"cntrl": unicode.IsControl, "print": unicode.IsPrint,
	"graph": func(r rune) bool { return unicode.IsPrint(r) && r != ' ' },
	"xdigit": func(r rune) bool {
		return '0' <= r && r <= '9' || 'a' <= r && r <= 'f' || 'A' <= r && r <= 'F'
	},
}

func parseClass(s string) (globPart, error) {
	body := s[1 : len(s)-1]
	negate := body != "" && (body[0] == '!' || body[0] == '^')
	if negate {
		body = body[1:]
	}
	type span struct{ lo, hi rune }
	var spans []span
	var named []func(rune) bool
	next := func() rune {
		if body[0] == '\\' && len(body) > 1 {
			body = body[1:]
		}
		r, size := utf8.DecodeRuneInString(body)
		body = body[size:]
		return r
	}
	for body != "" {
		if strings.HasPrefix(body, "[:") {
			if end := strings.Index(body, ":]"); end > 0 {
				test := posixClasses[body[2:end]]
				if test == nil {
					return globPart{}, errors.New("glob has the unknown class [:" + body[2:end] + ":]")
				}
				named = append(named, test)
				body = body[end+2:]
				continue
			}
		}
		lo := next()
		hi := lo
		if len(body) > 1 && body[0] == '-' {
			body = body[1:]
			hi = next()
		}
		spans = append(spans, span{lo, hi})
	}
	test := func(r rune) bool {
		for _, sp := range spans {
			if sp.lo <= r && r <= sp.hi {
				return !negate
			}
		}
		for _, has := range named {
			if has(r) {
				return !negate
			}
		}
		return negate
	}
	part := globPart{kind: partClass, set: &byteSet{}, test: test}
	for c := byte(0); c < utf8.RuneSelf; c++ {
		if test(rune(c)) {
			part.set.add(c)
		}
	}
	return part, nil
}

// expandBraces spells out {a,b}, nested ones too. A brace without its partner
// or without a comma stands for itself.
func expandBraces(glob string) ([]string, error) {
	done := []string{}
	todo := []string{glob}
	for len(todo) > 0 {
		g := todo[0]
		todo = todo[1:]
		start, commas, end := findBraces(g)
		if end < 0 {
			done = append(done, g)
		} else {
			from := start + 1
			for _, c := range append(commas, end) {
				todo = append(todo, g[:start]+g[from:c]+g[end+1:])
				from = c + 1
			}
		}
		if len(done)+len(todo) > maxAlternatives {
			return nil, errors.New("glob spells out more than " + strconv.Itoa(maxAlternatives) + " alternatives; search in several steps")
		}
	}
	return done, nil
}

// findBraces gives the place of the first brace that has a partner and a
// comma, its own commas, and its end; end is -1 when there is none.
func findBraces(g string) (start int, commas []int, end int) {
	for start = 0; start < len(g); start++ {
		switch g[start] {
		case '\\':
			start++
			continue
		case '[':
			if n := classEnd(g[start:], globNegations); n > 0 {
				start += n - 1
			}
			continue
		case '{':
		default:
			continue
		}
		depth := 0
		commas = nil
		for i := start; i < len(g); i++ {
			switch g[i] {
			case '\\':
				i++
			case '{':
				depth++
			case ',':
				if depth == 1 {
					commas = append(commas, i)
				}
			case '}':
				depth--
				if depth == 0 {
					if commas != nil {
						return start, commas, i
					}
					i = len(g)
				}
			}
		}
	}
	return 0, nil, -1
}
