package judge

import (
	"slices"
	"strings"
)

// weave joins pieces to fields, in every combination of their values. Where there are more than maxArgvs, the rest is
// not judged, and that is told.
func (f *floor) weave(pieces []piece) [][]field {
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
				if len(next) == maxArgvs {
					f.over()
					return
				}
				next = append(next, s)
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
				t.cur.net, t.cur.secret = t.cur.net || p.net, t.cur.secret || p.secret
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
				s.cur.net, s.cur.secret = s.cur.net || p.net, s.cur.secret || p.secret
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
