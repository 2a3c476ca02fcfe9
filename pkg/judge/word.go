package judge

import (
	"slices"
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
	secret  bool  // holds a variable that is a key or password by its name
	proc    *flow // <(...): what can be read from it
}

func lit(s string) field { return field{text: s} }

// is reports whether the field is certainly this text.
func (fd *field) is(s string) bool { return !fd.unknown && !fd.glob && fd.text == s }

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
			for _, s := range f.weave(pieces) {
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
