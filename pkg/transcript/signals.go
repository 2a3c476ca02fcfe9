package transcript

import (
	"strconv"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// signals writes what is known without a model: the diff stat of the host, or
// else what the edits' own arguments tell; diagnostics; failing commands.
func (d *Delta) signals(limit int) string {
	// No section may starve the next; what one leaves over is the next one's.
	w := &writer{limit: limit * 2 / 5}
	d.changes(w)
	w.limit = limit * 7 / 10
	d.diagnostics(w)
	w.limit = limit
	d.failing(w)
	return string(w.b)
}

// writer takes whole lines up to a limit and counts what did not fit.
type writer struct {
	b     []byte
	limit int
	left  int
}

func (w *writer) line(b []byte) {
	if len(w.b)+len(b) > w.limit {
		w.left++
		return
	}
	w.b = append(append(w.b, b...), '\n')
}

// end says how many lines of a section were left out.
func (w *writer) end() {
	if w.left > 0 {
		w.b = append(w.b, "  [advisor left out "...)
		w.b = append(strconv.AppendInt(w.b, int64(w.left), 10), " lines here]\n"...)
		w.left = 0
	}
}

func (d *Delta) changes(w *writer) {
	list := d.log.signals.Changes
	head := "working tree"
	if len(list) == 0 {
		list, head = d.derived(), "edits in this delta, counted from their arguments"
	}
	if len(list) == 0 {
		return
	}
	added, removed := 0, 0
	for _, c := range list {
		added += c.Added
		removed += c.Removed
	}
	b := strconv.AppendInt([]byte(head+": "), int64(len(list)), 10)
	w.line(stat(append(b, " files,"...), added, removed))
	for _, c := range list {
		b := quote([]byte("  "), c.Path, 200)
		b = stat(b, c.Added, c.Removed)
		if c.Status != "" && c.Status != "modified" {
			b = append(append(b, ' '), c.Status...)
		}
		w.line(b)
	}
	w.end()
}

func stat(b []byte, added, removed int) []byte {
	b = strconv.AppendInt(append(b, " +"...), int64(added), 10)
	return strconv.AppendInt(append(b, " -"...), int64(removed), 10)
}

// derived makes a diff stat of the delta's edits.
func (d *Delta) derived() []protocol.Change {
	var list []protocol.Change
	at := map[string]int{}
	for _, e := range d.entries {
		if e.kind != kindTool && e.kind != kindStep {
			continue
		}
		for i, f := range e.files {
			n, ok := at[f]
			if !ok {
				n = len(list)
				at[f] = n
				list = append(list, protocol.Change{Path: f})
			}
			if i == 0 {
				list[n].Added += e.added
				list[n].Removed += e.removed
			}
		}
	}
	return list
}

func (d *Delta) diagnostics(w *writer) {
	list := d.log.signals.Diagnostics
	if len(list) == 0 {
		list = d.reported()
	}
	if len(list) == 0 {
		return
	}
	w.line([]byte("diagnostics:"))
	for _, g := range list {
		b := quote([]byte("  "), g.Path, 200)
		if g.Line > 0 {
			b = strconv.AppendInt(append(b, ':'), int64(g.Line), 10)
		}
		b = append(append(append(b, ' '), cmpOr(g.Severity, "error")...), ' ')
		w.line(quote(b, g.Text, keepDiag))
	}
	w.end()
}

// reported gives the diagnostics that came with tool results; a later call on
// the same file replaces what an earlier one said.
func (d *Delta) reported() []protocol.Diagnostic {
	var list []protocol.Diagnostic
	for _, e := range d.entries {
		if e.kind != kindTool || e.class != classEdit {
			continue
		}
		kept := list[:0]
		for _, g := range list {
			if !has(e.files, g.Path) {
				kept = append(kept, g)
			}
		}
		list = append(kept, e.diags...)
	}
	return list
}

func (d *Delta) failing(w *writer) {
	first := true
	for i := range d.entries {
		e := &d.entries[i]
		if !e.broke() {
			continue
		}
		if first {
			w.line([]byte("failing commands:"))
			first = false
		}
		b := []byte("  ")
		if e.call != "" {
			b = append(quote(append(b, "call "...), e.call, 100), ' ')
		} else if e.kind == kindShell {
			b = append(b, "run by the person "...)
		}
		if e.hasExit {
			b = strconv.AppendInt(append(b, "exit "...), int64(e.exit), 10)
		} else {
			b = append(b, "failed"...)
		}
		w.line(quote(append(b, ": "...), cmpOr(e.command, e.name), 200))
	}
	w.end()
}

func has(list []string, s string) bool {
	for _, one := range list {
		if one == s {
			return true
		}
	}
	return false
}
