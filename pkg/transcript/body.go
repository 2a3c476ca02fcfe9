package transcript

import (
	"strconv"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// How many bytes of each thing a review is shown at most. The reviewer can read
// and search files itself, so their contents are shown least; edits and failing
// commands are what there is to review.
const (
	showHuman   = 3_000
	showOther   = 1_500
	showWords   = 2_500
	showEdit    = 5_000 // of each argument of an edit
	showArg     = 600   // of each argument of another call
	showCommand = 2_500 // output
	showBroken  = 4_000 // output of a command that failed
	showRead    = 500
	showEdited  = 800 // what an edit answered
	showResult  = 1_200

	// least is what remains of a text when everything is cut to fit.
	least = 120
)

// piece is a text of an entry that may be cut.
type piece struct {
	text string
	cap  int
}

// pieces lists the texts of an entry: its arguments in order, then its text.
func (e *entry) pieces(list []piece) []piece {
	switch e.kind {
	case kindHuman:
		return append(list, piece{e.text, showHuman})
	case kindOther:
		return append(list, piece{e.text, showOther})
	case kindText:
		return append(list, piece{e.text, showWords})
	case kindShell:
		return append(list, piece{e.command, showArg}, piece{e.text, e.outputCap()})
	case kindEvent:
		return append(list, piece{e.text, showOther})
	case kindTool:
		limit := showArg
		if e.class == classEdit {
			limit = showEdit
		}
		for _, a := range e.args {
			list = append(list, piece{a.text, limit})
		}
		return append(list, piece{e.text, e.outputCap()})
	}
	return list
}

func (e *entry) outputCap() int {
	switch {
	case e.class == classAdvisor:
		return 0 // our own words
	case e.broke():
		return showBroken
	case e.class == classCommand || e.kind == kindShell:
		return showCommand
	case e.class == classRead:
		return showRead
	case e.class == classEdit:
		return showEdited
	}
	return showResult
}

// at gives how many bytes of the piece are shown at a scale from 0 to 1.
func (p piece) at(scale float64) int {
	return min(p.cap, max(least, int(float64(p.cap)*scale)))
}

// body renders the entries in at most limit bytes: as they are, else with every
// text cut in proportion, else without the reads, else with the middle entries left out.
func body(entries []entry, limit int) string {
	scale := fit(entries, limit)
	b := render(entries, scale, nil)
	// fit goes by an estimate; escaping can make a text longer than it thought.
	for tries := 0; len(b) > limit && scale > 0 && tries < 4; tries++ {
		if scale *= 0.8; scale < 0.02 {
			scale = 0
		}
		b = render(entries, scale, nil)
	}
	if len(b) <= limit {
		return string(b)
	}
	// Reads go first: the reviewer can look for itself.
	worked := make([]entry, 0, len(entries))
	for _, e := range entries {
		if e.class != classRead || e.failed {
			worked = append(worked, e)
		}
	}
	if n := len(entries) - len(worked); n > 0 {
		note := "[advisor left out " + strconv.Itoa(n) + " reads and searches here]\n"
		return note + body(worked, limit-len(note))
	}
	return thin(entries, limit)
}

// fit looks for the largest scale at which the entries should fit.
func fit(entries []entry, limit int) float64 {
	var all []piece
	fixed := 0
	for i := range entries {
		fixed += entries[i].frame()
		all = entries[i].pieces(all)
	}
	full := make([]int, len(all)) // length once escaped
	for i, p := range all {
		full[i] = escaped(p.text)
	}
	size := func(scale float64) int {
		sum := fixed
		for i, p := range all {
			if shown := p.at(scale); len(p.text) > shown {
				sum += full[i] * shown / len(p.text)
			} else {
				sum += full[i]
			}
		}
		return sum
	}
	if size(1) <= limit {
		return 1
	}
	low, high := 0.0, 1.0
	for range 8 { // to within half a percent
		if mid := (low + high) / 2; size(mid) <= limit {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// frame is about what an entry takes beside its texts.
func (e *entry) frame() int {
	if e.kind == kindStep {
		return 0
	}
	n := 48 + len(e.call) + len(e.name)
	for _, a := range e.args {
		n += len(a.name) + 6
	}
	return n
}

// escaped is the length of s in a JSON string, about.
func escaped(s string) int {
	n := len(s)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\' || c == '\n' || c == '\t' || c == '\r':
			n++
		case c < ' ':
			n += 5
		}
	}
	return n
}

// thin renders the entries as short as they get, and leaves out the middle ones:
// a quarter of the room goes to the oldest, the rest to the newest.
func thin(entries []entry, limit int) string {
	var head, tail []byte
	i, j := 0, len(entries)
	one := func(at int) []byte { return render(entries[at:at+1], 0, nil) }
	for ; i < j; i++ {
		line := one(i)
		if len(head)+len(line) > limit/4 {
			break
		}
		head = append(head, line...)
	}
	const note = 60 // the line that says what is missing
	for ; j > i; j-- {
		line := one(j - 1)
		if len(head)+len(tail)+len(line) > limit-note {
			break
		}
		tail = append(line, tail...)
	}
	if i < j {
		head = append(head, "[advisor left out "...)
		head = append(strconv.AppendInt(head, int64(j-i), 10), " entries here]\n"...)
	}
	return string(append(head, tail...))
}

// render writes the entries one JSON object a line.
func render(entries []entry, scale float64, b []byte) []byte {
	for i := range entries {
		e := &entries[i]
		if e.kind == kindStep {
			continue
		}
		b = strconv.AppendInt(append(b, `{"step":`...), int64(e.step), 10)
		list := e.pieces(nil)
		show := func(key string, p piece) {
			b = append(append(append(b, ',', '"'), key...), '"', ':')
			b = protocol.AppendString(b, Middle(p.text, p.at(scale)))
		}
		switch e.kind {
		case kindHuman:
			show("person", list[0])
		case kindOther:
			show("injected", list[0])
		case kindText:
			show("agent", list[0])
		case kindEvent:
			show("host", list[0])
		case kindShell:
			show("person_ran", list[0])
			b = e.outcome(b)
			show("output", list[1])
		case kindTool:
			show("tool", piece{e.name, 100})
			if e.call != "" {
				show("call", piece{e.call, keepID})
			}
			b = append(b, `,"args":{`...)
			for i, a := range e.args {
				if i > 0 {
					b = append(b, ',')
				}
				b = append(protocol.AppendString(b, a.name), ':')
				if a.raw {
					b = append(b, a.text...)
				} else {
					b = protocol.AppendString(b, Middle(a.text, list[i].at(scale)))
				}
			}
			b = append(b, '}')
			b = e.outcome(b)
			if p := list[len(list)-1]; p.cap > 0 {
				show("result", p)
			}
		}
		if e.cut > 0 {
			show("note", piece{"before that, " + markLoader(e.cut), 100})
		}
		b = append(b, "}\n"...)
	}
	return b
}

// outcome writes how a call ended.
func (e *entry) outcome(b []byte) []byte {
	if e.failed {
		b = append(b, `,"failed":true`...)
	}
	if e.hasExit {
		b = strconv.AppendInt(append(b, `,"exit":`...), int64(e.exit), 10)
	}
	return b
}
