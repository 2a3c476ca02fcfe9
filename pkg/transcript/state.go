package transcript

import (
	"encoding/hex"
	"errors"
	"slices"
	"strconv"

	"github.com/buger/jsonparser"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// keptKnown is how many ids survive a restart beside those of what waits for a
// review; a replay after one reaches back a few steps.
const keptKnown = 128

// AppendState appends the log as JSON: goal, summary, and what waits for a
// review. Reviewed entries are left out; the host's history has them.
func (l *Log) AppendState(b []byte) []byte {
	b = num(append(b, '{'), "step", l.step)
	b = num(b, "humans", l.humans)
	b = append(l.first.state(append(b, `"first":`...)), ',')
	b = list(append(b, `"recent":`...), l.recent, func(b []byte, h message) []byte { return h.state(b) })
	b = l.summary.state(append(b, ',', '"', 's', 'u', 'm', 'm', 'a', 'r', 'y', '"', ':'))
	b = texts(append(b, `,"ours":`...), l.ours)
	b = append(b, `,"known":"`...)
	for _, k := range l.ring[max(0, len(l.ring)-l.count-keptKnown):] {
		b = hex.AppendEncode(b, []byte{byte(k >> 56), byte(k >> 48), byte(k >> 40), byte(k >> 32), byte(k >> 24), byte(k >> 16), byte(k >> 8), byte(k)})
	}
	b = append(b, `","entries":[`...)
	first := true
	for i := range l.entries {
		if !l.entries[i].pending() {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = l.entries[i].state(b)
	}
	return append(b, ']', '}')
}

// Restore reads what AppendState wrote. On an error the log is empty, and good to use.
func Restore(state []byte, o Options) (*Log, error) {
	l := New(o)
	err := jsonparser.ObjectEach(state, func(key, v []byte, t jsonparser.ValueType, _ int) error {
		switch string(key) {
		case "step":
			l.step = asInt(v)
		case "humans":
			l.humans = asInt(v)
		case "first":
			l.first = asHuman(v)
		case "recent":
			each(v, func(v []byte) { l.recent = append(l.recent, asHuman(v)) })
		case "summary":
			return l.summary.restore(v)
		case "ours":
			l.ours = asTexts(v)
		case "known":
			return l.restoreKnown(v)
		case "entries":
			each(v, func(v []byte) {
				if e := asEntry(v); e.kind >= kindHuman && e.kind <= kindEvent && e.kind != kindOurs {
					l.push(e)
				}
			})
		}
		return nil
	})
	if err != nil {
		return New(o), errors.New("restore transcript: " + err.Error())
	}
	l.partial = true
	return l, nil
}

func (l *Log) restoreKnown(v []byte) error {
	ids, err := hex.DecodeString(string(v))
	if err != nil {
		return err
	}
	for ; len(ids) >= 8; ids = ids[8:] {
		var k uint64
		for _, c := range ids[:8] {
			k = k<<8 | uint64(c)
		}
		l.remember(k)
	}
	return nil
}

func (h message) state(b []byte) []byte {
	b = str(append(b, '{'), "id", h.id)
	b = str(b, "text", h.text)
	return end(b)
}

func (e *entry) state(b []byte) []byte {
	b = num(append(b, '{'), "kind", int(e.kind))
	b = num(b, "step", e.step)
	b = str(b, "id", e.id)
	b = str(b, "call", e.call)
	b = str(b, "name", e.name)
	b = num(b, "class", int(e.class))
	b = str(b, "command", e.command)
	b = str(b, "text", e.text)
	b = num(b, "cut", e.cut)
	b = num(b, "failed", one(e.failed))
	b = num(b, "hasExit", one(e.hasExit))
	b = num(b, "exit", e.exit)
	b = num(b, "added", e.added)
	b = num(b, "removed", e.removed)
	if len(e.files) > 0 {
		b = append(texts(append(b, `"files":`...), e.files), ',')
	}
	if len(e.args) > 0 {
		b = append(list(append(b, `"args":`...), e.args, func(b []byte, a arg) []byte {
			b = str(append(b, '{'), "n", a.name)
			b = str(b, "t", a.text)
			return end(num(b, "r", one(a.raw)))
		}), ',')
	}
	if len(e.diags) > 0 {
		b = append(list(append(b, `"diags":`...), e.diags, func(b []byte, d protocol.Diagnostic) []byte {
			b = str(append(b, '{'), "path", d.Path)
			b = num(b, "line", d.Line)
			b = str(b, "severity", d.Severity)
			return end(str(b, "text", d.Text))
		}), ',')
	}
	return end(b)
}

func asEntry(v []byte) (e entry) {
	_ = jsonparser.ObjectEach(v, func(key, v []byte, t jsonparser.ValueType, _ int) error {
		switch string(key) {
		case "kind":
			e.kind = kind(asInt(v))
		case "step":
			e.step = asInt(v)
		case "id":
			e.id = asText(v)
		case "call":
			e.call = asText(v)
		case "name":
			e.name = asText(v)
		case "class":
			e.class = class(asInt(v))
		case "command":
			e.command = asText(v)
		case "text":
			e.text = asText(v)
		case "cut":
			e.cut = asInt(v)
		case "failed":
			e.failed = asInt(v) != 0
		case "hasExit":
			e.hasExit = asInt(v) != 0
		case "exit":
			e.exit = asInt(v)
		case "added":
			e.added = asInt(v)
		case "removed":
			e.removed = asInt(v)
		case "files":
			e.files = asTexts(v)
		case "args":
			each(v, func(v []byte) { e.args = append(e.args, asArg(v)) })
		case "diags":
			each(v, func(v []byte) { e.diags = append(e.diags, asDiag(v)) })
		}
		return nil
	})
	return e
}

func asArg(v []byte) (a arg) {
	_ = jsonparser.ObjectEach(v, func(key, v []byte, t jsonparser.ValueType, _ int) error {
		switch string(key) {
		case "n":
			a.name = asText(v)
		case "t":
			a.text = asText(v)
		case "r":
			a.raw = asInt(v) != 0
		}
		return nil
	})
	a.raw = a.raw && protocol.Valid(protocol.JSON(a.text))
	return a
}

func asDiag(v []byte) (d protocol.Diagnostic) {
	_ = jsonparser.ObjectEach(v, func(key, v []byte, t jsonparser.ValueType, _ int) error {
		switch string(key) {
		case "path":
			d.Path = asText(v)
		case "line":
			d.Line = asInt(v)
		case "severity":
			d.Severity = asText(v)
		case "text":
			d.Text = asText(v)
		}
		return nil
	})
	return d
}

func asHuman(v []byte) (h message) {
	_ = jsonparser.ObjectEach(v, func(key, v []byte, t jsonparser.ValueType, _ int) error {
		switch string(key) {
		case "id":
			h.id = asText(v)
		case "text":
			h.text = asText(v)
		}
		return nil
	})
	return h
}

func (d *deeds) state(b []byte) []byte {
	b = num(append(b, '{'), "humans", d.humans)
	b = num(b, "edits", d.edits)
	b = num(b, "commands", d.commands)
	b = num(b, "failed", d.failed)
	b = num(b, "reads", d.reads)
	b = num(b, "others", d.others)
	b = num(b, "unseen", d.unseen)
	if len(d.files) > 0 {
		b = append(texts(append(b, `"files":`...), d.files), ',')
	}
	return end(b)
}

func asDeeds(v []byte) (d deeds) {
	_ = jsonparser.ObjectEach(v, func(key, v []byte, t jsonparser.ValueType, _ int) error {
		for name, at := range map[string]*int{"humans": &d.humans, "edits": &d.edits, "commands": &d.commands, "failed": &d.failed,
			"reads": &d.reads, "others": &d.others, "unseen": &d.unseen} {
			if string(key) == name {
				*at = asInt(v)
			}
		}
		if string(key) == "files" {
			d.files = asTexts(v)
		}
		return nil
	})
	return d
}

func (s *summary) state(b []byte) []byte {
	b = append(b, `{"lines":`...)
	b = list(b, s.lines, func(b []byte, l line) []byte {
		b = num(append(b, '{'), "step", l.step)
		b = str(b, "text", l.text)
		return append(l.n.state(append(b, `"n":`...)), '}')
	})
	b = num(append(b, `,`...), "from", s.tally.from)
	b = num(b, "to", s.tally.to)
	b = s.tally.deeds.state(append(b, `"n":`...))
	b = list(append(b, `,"files":`...), s.tally.files, func(b []byte, f fileCount) []byte {
		return end(num(str(append(b, '{'), "path", f.path), "n", f.n))
	})
	return append(b, '}')
}

func (s *summary) restore(v []byte) error {
	err := jsonparser.ObjectEach(v, func(key, v []byte, t jsonparser.ValueType, _ int) error {
		switch string(key) {
		case "lines":
			each(v, func(v []byte) {
				var l line
				_ = jsonparser.ObjectEach(v, func(key, v []byte, t jsonparser.ValueType, _ int) error {
					switch string(key) {
					case "step":
						l.step = asInt(v)
					case "text":
						l.text = asText(v)
					case "n":
						l.n = asDeeds(v)
					}
					return nil
				})
				s.lines = append(s.lines, l)
			})
		case "from":
			s.tally.from = asInt(v)
		case "to":
			s.tally.to = asInt(v)
		case "n":
			s.tally.deeds = asDeeds(v)
		case "files":
			each(v, func(v []byte) {
				path, _ := jsonparser.GetString(v, "path")
				n, _ := jsonparser.GetInt(v, "n")
				s.tally.files = append(s.tally.files, fileCount{path, int(n)})
			})
		}
		return nil
	})
	s.fold()
	return err
}

// num and str append a member with a comma behind it; zero and empty are left out.
func num(b []byte, key string, n int) []byte {
	if n == 0 {
		return b
	}
	b = append(append(append(b, '"'), key...), '"', ':')
	return append(strconv.AppendInt(b, int64(n), 10), ',')
}

func str(b []byte, key, s string) []byte {
	if s == "" {
		return b
	}
	b = append(append(append(b, '"'), key...), '"', ':')
	return append(protocol.AppendString(b, s), ',')
}

// end closes an object whose members were written by num and str.
func end(b []byte) []byte {
	if b[len(b)-1] == ',' {
		b = b[:len(b)-1]
	}
	return append(b, '}')
}

func list[T any](b []byte, all []T, one func([]byte, T) []byte) []byte {
	b = append(b, '[')
	for i, v := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = one(b, v)
	}
	return append(b, ']')
}

func texts(b []byte, all []string) []byte { return list(b, all, protocol.AppendString) }

func asInt(v []byte) int {
	n, err := jsonparser.ParseInt(v)
	if err != nil {
		return 0
	}
	return int(n)
}

func asText(v []byte) string {
	s, err := jsonparser.ParseString(v)
	if err != nil {
		return ""
	}
	return s
}

func asTexts(v []byte) []string {
	var all []string
	each(v, func(v []byte) { all = append(all, asText(v)) })
	return slices.Clip(all)
}

func each(v []byte, f func(v []byte)) {
	_, _ = jsonparser.ArrayEach(v, func(v []byte, _ jsonparser.ValueType, _ int, _ error) { f(v) })
}
