package transcript

import (
	"strconv"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// tell puts an entry into a few words; what comes from outside stands in JSON strings.
func tell(e *entry) (string, deeds) {
	var b []byte
	switch e.kind {
	case kindHuman:
		b = append(b, "the person wrote "...)
		return string(quote(b, e.text, 160)), deeds{humans: 1}
	case kindShell:
		b = append(b, "the person ran "...)
		return string(ended(quote(b, e.command, 120), e)), deeds{commands: 1, failed: one(e.broke())}
	case kindStep:
		return "", deeds{files: e.files}
	case kindEvent:
		return e.text, deeds{}
	case kindTool:
	default:
		return "", deeds{}
	}
	switch {
	case e.class == classCommand:
		b = append(b, "ran "...)
		return string(ended(quote(b, cmpOr(e.command, e.name), 120), e)), deeds{commands: 1, failed: one(e.broke()), files: e.files}
	case e.class == classEdit && e.failed:
		b = append(b, "failed to edit "...)
		return string(quote(b, cmpOr(find(e.args, "filePath", "path"), e.name), 120)), deeds{others: 1}
	case e.class == classEdit:
		b = append(b, "edited "...)
		if len(e.files) == 0 {
			return string(quote(b, e.name, 60)), deeds{edits: 1}
		}
		return string(quoteList(b, e.files)), deeds{edits: 1, files: e.files}
	case e.class == classRead:
		return "", deeds{reads: 1}
	case e.class == classAdvisor:
		return "asked the advisor", deeds{others: 1}
	}
	b = append(b, "called "...)
	return string(quote(b, e.name, 60)), deeds{others: 1, files: e.files}
}

func ended(b []byte, e *entry) []byte {
	switch {
	case e.hasExit:
		b = append(b, " (exit "...)
		return append(strconv.AppendInt(b, int64(e.exit), 10), ')')
	case e.failed:
		return append(b, " (failed)"...)
	}
	return b
}

func quote(b []byte, s string, limit int) []byte {
	if len(s) > limit {
		s = s[:back(s, limit-3)] + "..."
	}
	return protocol.AppendString(b, s)
}

// quoteList names the first few of a list.
func quoteList(b []byte, list []string) []byte {
	for i, s := range list {
		if i == 3 {
			return append(append(b, " and "...), strconv.Itoa(len(list)-i)+" more"...)
		}
		if i > 0 {
			b = append(b, ", "...)
		}
		b = quote(b, s, 120)
	}
	return b
}

func cmpOr(s, or string) string {
	if s != "" {
		return s
	}
	return or
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}
