package judge

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// field is one word that a command receives, after expansion.
type field struct {
	text    string // all of it; when unknown, its certain beginning
	tail    string // when unknown, its certain end
	unknown bool
	many    bool  // unknown and unquoted: it may be several words, or none
	glob    bool  // holds a live glob sign
	lead    bool  // and starts with one, so it may expand to an option
	net     bool  // came from the network
	proc    *flow // <(...): what can be read from it
}

func lit(s string) field { return field{text: s} }

// is reports whether the field is certainly this text.
func (fd field) is(s string) bool { return !fd.unknown && !fd.glob && fd.text == s }

// piece is one part of a word, expanded but not yet split into fields.
type piece struct {
	value
	quoted bool // no splitting, no globbing
	words  []field
	spread bool // "$@" and "${a[@]}": words are fields of their own
	proc   *flow
}

// expand gives every way in which words may become a command's arguments: at
// least one, at most maxArgvs.
func (f *floor) expand(ws []*syntax.Word, e *env) [][]field {
	out := [][]field{nil}
	for _, w := range ws {
		if !f.step() {
			return out[:1]
		}
		variants := f.fields(w, e)
		if len(out)*len(variants) > maxArgvs {
			f.over()
			variants = variants[:1]
		}
		if len(variants) == 1 {
			for i := range out {
				out[i] = append(out[i], variants[0]...)
			}
			continue
		}
		var next [][]field
		for _, have := range out {
			for _, v := range variants {
				next = append(next, append(slices.Clip(have), v...))
			}
		}
		out = next
	}
	return out
}

// fields gives the ways one word may expand: braces first, then the rest.
func (f *floor) fields(w *syntax.Word, e *env) [][]field {
	out := [][]field{nil}
	for _, one := range f.braces(w) {
		var pieces []piece
		f.pieces(one.Parts, false, e, &pieces)
		tilde(one.Parts, pieces, e)
		var next [][]field
		for _, have := range out {
			for _, s := range weave(pieces) {
				if len(next) < maxArgvs {
					next = append(next, append(slices.Clip(have), s...))
				} else {
					f.over()
				}
			}
		}
		out = next
	}
	return out
}

// text expands a word that is not split: an assignment, a redirection, a
// here-document.
func (f *floor) text(w *syntax.Word, e *env) value {
	if w == nil {
		return known("")
	}
	var pieces []piece
	f.pieces(w.Parts, false, e, &pieces)
	tilde(w.Parts, pieces, e)
	return glue(pieces)
}

func glue(pieces []piece) value {
	out := known("")
	for _, p := range pieces {
		v := p.value
		if p.spread || v.isList {
			v = unknown
			if !slices.ContainsFunc(p.words, func(fd field) bool { return fd.unknown }) {
				v = known(joinTexts(p.words))
			}
		}
		if v.unknown && len(v.alts) == 0 {
			v.alts = []string{""} // keeps what surrounds it
		}
		out = join(out, v)
	}
	return out
}

// pieces expands the parts of a word in order.
func (f *floor) pieces(parts []syntax.WordPart, quoted bool, e *env, out *[]piece) {
	for _, part := range parts {
		if !f.step() {
			return
		}
		f.depth++
		switch p := part.(type) {
		case *syntax.Lit:
			literal(p.Value, quoted, out)
		case *syntax.SglQuoted:
			s := p.Value
			if p.Dollar {
				s = ansi(s)
			}
			*out = append(*out, piece{value: known(s), quoted: true})
		case *syntax.DblQuoted:
			*out = append(*out, piece{value: known(""), quoted: true})
			f.pieces(p.Parts, true, e, out)
		case *syntax.ParamExp:
			*out = append(*out, f.param(p, quoted, e))
		case *syntax.CmdSubst:
			v := f.substitution(p.Stmts, e)
			*out = append(*out, piece{value: v, quoted: quoted})
		case *syntax.ArithmExp:
			f.arithmetic(p.X, e)
			f.unsafe()
			*out = append(*out, piece{value: unknown, quoted: true})
		case *syntax.ProcSubst:
			f.unsafe()
			fl := f.statements(p.Stmts, e.clone(), flow{open: true})
			*out = append(*out, piece{value: known("/dev/fd/63"), quoted: true, proc: &fl})
		case *syntax.ExtGlob:
			f.hit("odd-glob")
			*out = append(*out, piece{value: unknown})
		default:
			f.hit("unparsed")
			*out = append(*out, piece{value: unknown})
		}
		f.depth--
	}
}

// literal adds literal text, its backslashes resolved. An escaped letter is
// quoted: a \* is no glob.
func literal(s string, quoted bool, out *[]piece) {
	add := func(s string, q bool) {
		if s != "" {
			*out = append(*out, piece{value: known(s), quoted: q})
		}
	}
	var run strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			run.WriteByte(s[i])
			continue
		}
		i++
		switch {
		case s[i] == '\n':
		case quoted && !strings.ContainsRune("$`\"\\", rune(s[i])):
			run.WriteByte('\\')
			run.WriteByte(s[i])
		case quoted:
			run.WriteByte(s[i])
		default:
			add(run.String(), false)
			run.Reset()
			add(s[i:i+1], true)
		}
	}
	add(run.String(), quoted)
}

// tilde replaces an unquoted leading ~. Another user's home is a path that is
// inside no workspace.
func tilde(parts []syntax.WordPart, pieces []piece, e *env) {
	if len(parts) == 0 || len(pieces) == 0 {
		return
	}
	l, ok := parts[0].(*syntax.Lit)
	if !ok || !strings.HasPrefix(l.Value, "~") || pieces[0].quoted {
		return
	}
	name, rest, slash := strings.Cut(pieces[0].alts[0][1:], "/")
	if slash {
		rest = "/" + rest
	}
	v := unknown
	switch {
	case name == "" && e.place.Home != "":
		v = known(e.place.Home + rest)
	case name == "":
		v = known("/~" + rest)
	case name == "+":
		v = join(e.lookup("PWD"), known(rest))
	case name != "-":
		v = known("/~" + name + rest)
	}
	pieces[0].value = v
}

// weave joins pieces to fields, in every combination of their values.
func weave(pieces []piece) [][]field {
	type strand struct {
		done []field
		cur  field
		open bool
	}
	strands := []strand{{}}
	for _, p := range pieces {
		var next []strand
		for _, s := range strands {
			grow := func(s strand) {
				if len(next) < maxArgvs {
					next = append(next, s)
				}
			}
			s.done = slices.Clip(s.done)
			if p.spread {
				for i, w := range p.words {
					if i > 0 {
						s.done, s.cur = append(s.done, s.cur), field{}
					}
					s.cur.push(w)
					s.open = true
				}
				grow(s)
				continue
			}
			for _, text := range p.alts {
				t := s
				t.cur.net = t.cur.net || p.net
				if p.proc != nil {
					t.cur.proc = p.proc
				}
				if p.quoted {
					t.cur.add(text, p.glob)
					t.open = true
					grow(t)
					continue
				}
				// Only an expansion's text holds blanks here: it is split.
				for i, word := range strings.FieldsFunc(text, blank) {
					if i > 0 || blank(rune(text[0])) && t.open {
						t.done, t.cur = append(t.done, t.cur), field{}
					}
					t.cur.add(word, true)
					t.open = true
				}
				if n := len(text); n > 0 && blank(rune(text[n-1])) && t.open {
					t.done, t.cur, t.open = append(t.done, t.cur), field{}, false
				}
				grow(t)
			}
			if p.unknown || len(p.alts) == 0 {
				s.cur.unknown, s.cur.tail, s.open = true, "", true
				s.cur.many = s.cur.many || !p.quoted
				s.cur.net = s.cur.net || p.net
				grow(s)
			}
		}
		strands = next
	}
	var out [][]field
	for _, s := range strands {
		if s.open {
			s.done = append(s.done, s.cur)
		}
		out = append(out, s.done)
	}
	return out
}

func blank(r rune) bool { return r == ' ' || r == '\t' || r == '\n' }

// add appends text to a field; live text may glob.
func (fd *field) add(s string, live bool) {
	if live && strings.ContainsAny(s, "*?[") {
		fd.glob = true
		fd.lead = fd.lead || fd.text == "" && !fd.unknown && strings.IndexAny(s, "*?[") == 0
	}
	if fd.unknown {
		fd.tail += s
		return
	}
	if len(fd.text)+len(s) > maxCommand {
		fd.unknown = true
		return
	}
	fd.text += s
}

func (fd *field) push(w field) {
	fd.add(w.text, false)
	fd.unknown = fd.unknown || w.unknown
	fd.many = fd.many || w.many
	fd.glob = fd.glob || w.glob
	fd.net = fd.net || w.net
}

// braces expands {a,b} and {1..3}. Too many words become one that is unknown.
func (f *floor) braces(w *syntax.Word) []*syntax.Word {
	c := &syntax.Word{Parts: slices.Clone(w.Parts)}
	if !syntax.SplitBraces(c) {
		return []*syntax.Word{w}
	}
	out := f.spreadBraces(c.Parts, 0)
	if len(out) > maxBraces {
		f.over()
		return out[:1]
	}
	return out
}

func (f *floor) spreadBraces(parts []syntax.WordPart, depth int) []*syntax.Word {
	out := []*syntax.Word{{}}
	for _, part := range parts {
		var ways []*syntax.Word
		b, ok := part.(*syntax.BraceExp)
		switch {
		case !ok:
			ways = []*syntax.Word{{Parts: []syntax.WordPart{part}}}
		case depth > 8:
			f.over()
			return out
		case b.Sequence:
			ways = f.sequence(b)
		default:
			for _, el := range b.Elems {
				ways = append(ways, f.spreadBraces(el.Parts, depth+1)...)
			}
		}
		if len(out)*len(ways) > maxBraces {
			f.over()
			return out[:1]
		}
		var next []*syntax.Word
		for _, have := range out {
			for _, way := range ways {
				next = append(next, &syntax.Word{Parts: append(slices.Clip(have.Parts), way.Parts...)})
			}
		}
		out = next
	}
	return out
}

// sequence expands {1..9} and {a..e}, with or without a step.
func (f *floor) sequence(b *syntax.BraceExp) []*syntax.Word {
	var nums []int
	letters := false
	for i, el := range b.Elems {
		s := el.Lit()
		n, err := strconv.Atoi(s)
		if err != nil {
			if len(s) != 1 || i == 2 {
				f.over()
				return []*syntax.Word{{}}
			}
			n, letters = int(s[0]), true
		}
		nums = append(nums, n)
	}
	step := 1
	if len(nums) > 2 && nums[2] != 0 {
		step = max(nums[2], -nums[2])
	}
	if len(nums) < 2 || max(nums[0]-nums[1], nums[1]-nums[0])/step >= maxBraces {
		f.over()
		return []*syntax.Word{{}}
	}
	if nums[1] < nums[0] {
		step = -step
	}
	var out []*syntax.Word
	for n := nums[0]; step > 0 && n <= nums[1] || step < 0 && n >= nums[1]; n += step {
		s := strconv.Itoa(n)
		if letters {
			s = string(rune(n))
		}
		out = append(out, &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: s}}})
	}
	return out
}
