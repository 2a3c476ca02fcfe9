package pattern

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// MaxGlob is how long a glob may be, in bytes. It bounds the work for one
	// path to MaxGlob times the path's length.
	MaxGlob = 1024
	// maxAlternatives is how many patterns the braces of one glob may spell out;
	// {a,b} ten times over would be 1,024.
	maxAlternatives = 128
)

// Glob matches slash-separated paths. A star stays within one path element; an
// element that is ** stands for any number of them, and at the end for at
// least one. Classes are [a-z], [!a-z] and [[:alpha:]]; a backslash quotes.
// These are the rules of .gitignore.
type Glob struct {
	alts []globPath
	base bool // no slash in the pattern: it names the last element alone
}

type globPath []globElem

// globElem is one path element of a pattern.
type globElem struct {
	kind  elemKind
	text  string // exact, prefix, suffix
	parts []globPart
	bytes bool // ? and classes stand for a byte, not for a character
}

type elemKind uint8

const (
	elemExact  elemKind = iota // text
	elemPrefix                 // text*
	elemSuffix                 // *text
	elemAny                    // *
	elemDeep                   // **
	elemParts                  // anything else
)

type globPart struct {
	kind partKind
	r    rune
	set  *byteSet
	test func(rune) bool // for what is beyond ASCII
}

type partKind uint8

const (
	partRune partKind = iota
	partOne           // ?
	partStar          // *
	partClass
)

const globNegations = "!^"

// byteSet holds the ASCII members of a class.
type byteSet [2]uint64

func (s *byteSet) add(c byte)      { s[c>>6] |= 1 << (c & 63) }
func (s *byteSet) has(c byte) bool { return s[c>>6]&(1<<(c&63)) != 0 }

// CompileGlob reads a glob as a model writes it: with {a,b} alternatives, and
// with the rule that a pattern without a slash names files in any folder.
func CompileGlob(glob string) (*Glob, error) {
	if len(glob) > MaxGlob {
		return nil, fmt.Errorf("glob is %d bytes long; at most %d are allowed", len(glob), MaxGlob)
	}
	expanded, err := expandBraces(glob)
	if err != nil {
		return nil, err
	}
	g := &Glob{base: true}
	for _, one := range expanded {
		one = strings.TrimPrefix(one, "./")
		if hasSlash(one) {
			g.base = false
		}
		path, err := parsePath(strings.Trim(one, "/"), false)
		if err != nil {
			return nil, err
		}
		g.alts = append(g.alts, path)
	}
	if !g.base {
		// Alternatives without a slash keep their meaning beside those with one.
		for i, path := range g.alts {
			if !hasSlash(strings.TrimPrefix(expanded[i], "./")) && len(path) == 1 && path[0].kind != elemDeep {
				g.alts[i] = globPath{{kind: elemDeep}, path[0]}
			}
		}
	} else if len(g.alts) == 1 && len(g.alts[0]) == 1 && g.alts[0][0].kind == elemDeep {
		g.base = false // ** alone: everything
	}
	return g, nil
}

// CompilePath reads one pattern of a .gitignore file, without its leading or
// trailing slash: no braces, matched against the whole path.
func CompilePath(glob string) (*Glob, error) {
	if len(glob) > MaxGlob {
		return nil, fmt.Errorf("pattern is longer than %d bytes", MaxGlob)
	}
	path, err := parsePath(glob, true)
	if err != nil {
		return nil, err
	}
	return &Glob{alts: []globPath{path}}, nil
}

// Match says whether the glob names this path: relative, clean, with slashes.
func (g *Glob) Match(path string) bool {
	if g.base {
		path = path[strings.LastIndexByte(path, '/')+1:]
	}
	for _, alt := range g.alts {
		if alt.match(path) {
			return true
		}
	}
	return false
}

// Searches says whether some element has a star or class in its middle, so that
// matching it costs up to pattern times name instead of one comparison.
func (g *Glob) Searches() bool {
	for _, alt := range g.alts {
		for i := range alt {
			if alt[i].kind == elemParts {
				return true
			}
		}
	}
	return false
}

// Dir is the longest folder below which every match must lie, "" when there is none.
func (g *Glob) Dir() string {
	if g.base || len(g.alts) != 1 {
		return ""
	}
	var names []string
	for i, elem := range g.alts[0] {
		if elem.kind != elemExact || i == len(g.alts[0])-1 {
			break
		}
		names = append(names, elem.text)
	}
	return strings.Join(names, "/")
}

// match compares element by element. After a failure only the last ** need be
// tried further on: what stood before it has matched already, and a longer run
// for an earlier ** could reach nothing that a longer run for this one cannot.
// So each pair of elements meets at most once.
func (p globPath) match(path string) bool {
	pi, rest, more := 0, path, true // more: an element starts at rest
	deepPi, deepRest, deepMore := -1, "", false
	for {
		switch {
		case pi < len(p) && p[pi].kind == elemDeep:
			if pi == len(p)-1 {
				return more
			}
			deepPi, deepRest, deepMore = pi, rest, more
			pi++
			continue
		case pi == len(p) && !more:
			return true
		case pi < len(p) && more:
			elem, tail, further := cutElem(rest)
			if p[pi].match(elem) {
				pi, rest, more = pi+1, tail, further
				continue
			}
		}
		if deepPi < 0 || !deepMore {
			return false
		}
		_, deepRest, deepMore = cutElem(deepRest)
		pi, rest, more = deepPi+1, deepRest, deepMore
	}
}

func cutElem(path string) (elem, rest string, more bool) {
	if i := strings.IndexByte(path, '/'); i >= 0 {
		return path[:i], path[i+1:], true
	}
	return path, "", false
}

func (e *globElem) match(name string) bool {
	switch e.kind {
	case elemAny:
		return true
	case elemExact:
		return name == e.text
	case elemPrefix:
		return strings.HasPrefix(name, e.text)
	case elemSuffix:
		return strings.HasSuffix(name, e.text)
	}
	parts := e.parts
	pi, at := 0, 0
	starPi, starAt := -1, 0
	for {
		if pi < len(parts) && parts[pi].kind == partStar {
			starPi, starAt = pi, at
			pi++
			continue
		}
		if at == len(name) && pi == len(parts) {
			return true
		}
		if at < len(name) && pi < len(parts) {
			r, size := decode(name[at:], e.bytes)
			if parts[pi].match(r) {
				pi, at = pi+1, at+size
				continue
			}
		}
		if starPi < 0 || starAt >= len(name) {
			return false
		}
		_, size := decode(name[starAt:], e.bytes)
		starAt += size
		pi, at = starPi+1, starAt
	}
}

func (p *globPart) match(r rune) bool {
	switch p.kind {
	case partRune:
		return r == p.r
	case partOne:
		return true
	}
	if r < utf8.RuneSelf {
		return p.set.has(byte(r))
	}
	return p.test(r)
}

// hasSlash says whether the pattern has a slash that anchors it: not one at
// its very end, and not one inside a class.
func hasSlash(p string) bool {
	p = strings.TrimRight(p, "/")
	return strings.IndexByte(p, '/') >= 0
}

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
					return globPart{}, fmt.Errorf("glob has the unknown class [:%s:]", body[2:end])
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
			return nil, fmt.Errorf("glob spells out more than %d alternatives; search in several steps", maxAlternatives)
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
