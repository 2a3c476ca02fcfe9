package transcript

import (
	"encoding/hex"
	"strconv"

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
