package transcript

import (
	"errors"
	"slices"
	"strconv"

	"github.com/buger/jsonparser"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

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
	const digits = 16 // of one id; encoding/hex would link fmt into the guest for the sake of its error
	for ; len(v) >= digits; v = v[digits:] {
		k, err := strconv.ParseUint(string(v[:digits]), 16, 64)
		if err != nil {
			return err
		}
		l.remember(k)
	}
	if len(v) > 0 {
		return errors.New("an id is cut")
	}
	return nil
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
				path, _ := protocol.GetString(v, "path")
				n, _ := protocol.GetInt(v, "n")
				s.tally.files = append(s.tally.files, fileCount{path, int(n)})
			})
		}
		return nil
	})
	s.fold()
	return err
}

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
