package judge

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirects judges where a statement's input comes from and its output goes.
// quiet: nothing of the output reaches what follows. out is the file that it
// goes to, for commands whose text is known.
func (f *floor) redirects(list []*syntax.Redirect, e *env, in *flow) (out []string, quiet bool) {
	for _, r := range list {
		if !f.step() {
			return out, quiet
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			*in = asInput(f.heredoc(r, e))
		case syntax.WordHdoc:
			*in = asInput(f.text(r.Word, e))
		case syntax.RdrIn:
			*in = flow{open: true}
			for _, fd := range f.targets(r.Word, e) {
				if fd.proc != nil {
					*in = *fd.proc
					in.open = true
				}
				f.readField(&fd, e)
			}
		case syntax.DplIn, syntax.DplOut:
			w := r.Word.Lit()
			if w == "-" || w != "" && strings.Trim(w, "0123456789-") == "" {
				continue // copies a descriptor, opens nothing
			}
			if r.Op == syntax.DplOut && r.N == nil {
				quiet = true
				out = append(out, f.writeTargets(r.Word, e)...)
			}
			f.unsafe()
		default: // > >> >| <> &> &>> and the rarer ones all open for writing
			if r.N == nil || r.N.Value == "1" {
				quiet = true
			}
			out = append(out, f.writeTargets(r.Word, e)...)
		}
	}
	return out, quiet
}

func asInput(v value) flow {
	if v.unknown || len(v.alts) != 1 {
		return flow{open: true, net: v.net}
	}
	return flow{open: true, known: true, text: v.alts[0]}
}

func (f *floor) heredoc(r *syntax.Redirect, e *env) value {
	if r.Hdoc == nil {
		return known("")
	}
	quoted := false
	for _, p := range r.Word.Parts {
		l, ok := p.(*syntax.Lit)
		quoted = quoted || !ok || strings.Contains(l.Value, `\`)
	}
	if quoted {
		return known(r.Hdoc.Lit())
	}
	var pieces []piece
	f.pieces(r.Hdoc.Parts, true, e, &pieces)
	return glue(pieces)
}

// targets expands a redirection's word: one file each way.
func (f *floor) targets(w *syntax.Word, e *env) []field {
	var out []field
	for _, way := range f.expand([]*syntax.Word{w}, e) {
		if len(way) != 1 {
			out = append(out, field{unknown: true})
			continue
		}
		out = append(out, way[0])
	}
	return out
}

// writeTargets judges the files of an output redirection; the paths come back
// for a command whose output text is known.
func (f *floor) writeTargets(w *syntax.Word, e *env) []string {
	var out []string
	for _, fd := range f.targets(w, e) {
		if fd.proc != nil {
			continue
		}
		if !fd.unknown && harmlessDevice(fd.text) {
			continue // a safe command stays safe
		}
		f.writeField(&fd, e, nil)
		if !fd.unknown && !fd.glob {
			paths, _ := e.resolve(fd.text)
			out = append(out, paths...)
		}
	}
	return out
}
