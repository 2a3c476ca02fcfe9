package pattern

import (
	"errors"
	"strconv"
	"strings"
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
		return nil, errors.New("glob is " + strconv.Itoa(len(glob)) + " bytes long; at most " + strconv.Itoa(MaxGlob) + " are allowed")
	}
	expanded, err := expandBraces(glob)
	if err != nil {
		return nil, err
	}
	g := &Glob{base: true}
	anywhere := make([]bool, len(expanded)) // alternatives that name the last element alone
	for i, one := range expanded {
		one = strings.TrimPrefix(one, "./")
		path, err := parsePath(strings.Trim(one, "/"), false)
		if err != nil {
			return nil, err
		}
		anywhere[i] = !hasSlash(one)
		if len(path) == 2 && path[0].kind == elemDeep && path[1].kind != elemDeep {
			path, anywhere[i] = path[1:], true // **/name is name
		}
		g.base = g.base && anywhere[i]
		g.alts = append(g.alts, path)
	}
	if !g.base {
		// Alternatives without a slash keep their meaning beside those with one.
		for i, path := range g.alts {
			if anywhere[i] && len(path) == 1 && path[0].kind != elemDeep {
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
		return nil, errors.New("pattern is longer than " + strconv.Itoa(MaxGlob) + " bytes")
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
