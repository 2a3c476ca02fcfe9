package review

import (
	"slices"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// inDelta tells whether the delta shows a quote of a file: one entry, which is a line with its text in JSON strings,
// names the file and holds every line of the quote, and no other file's name stands at them. What another file says in the same
// words was not read here.
func (b *box) inDelta(path, quote string) bool {
	var lines []string
	for line := range strings.Lines(quote) {
		if line = strings.TrimSpace(line); line != "" {
			escaped := string(protocol.AppendString(nil, line))
			lines = append(lines, escaped[1:len(escaped)-1])
		}
	}
	spellings := b.spellings(path)
	for entry := range strings.Lines(b.shown) {
		holds := func(text string) bool {
			return !slices.ContainsFunc(lines, func(line string) bool { return !strings.Contains(text, line) })
		}
		if len(lines) > 0 && holds(entry) && names(entry, spellings) && holds(linesOf(entry, spellings)) {
			return true
		}
	}
	return false
}

// spellings are the ways in which an entry may write the path of a file: relative to the workspace or from its root on.
func (b *box) spellings(path string) []string {
	out := []string{path, "./" + path, "a/" + path, "b/" + path} // the last two are a diff's sides
	for _, root := range b.in.Roots {
		out = append(out, root+"/"+path, root[strings.IndexByte(root, ':')+1:]+"/"+path) // a drive ends at its colon, as names do
	}
	if strings.Contains(path, " ") {
		for _, s := range out {
			out = append(out, strings.ReplaceAll(s, " ", "/ ")) // as a shell has it, its backslash turned below
		}
	}
	return out
}

// slashed turns the backslashes of paths; JSON doubles them, and writes line ends and tabs with one.
var slashed = strings.NewReplacer(`\\`, "/", `\n`, " ", `\t`, " ")

// names tells whether an entry of the delta holds one of the spellings, as a word of its own.
func names(entry string, spellings []string) bool {
	entry = slashed.Replace(entry)
	for _, s := range spellings {
		for at := strings.Index(entry, s); at >= 0; {
			rest := strings.TrimLeft(entry[at+len(s):], ".")
			if (at == 0 || endsPath(rune(entry[at-1]))) && (rest == "" || endsPath(rune(rest[0]))) {
				return true
			}
			next := strings.Index(entry[at+1:], s)
			if next < 0 {
				break
			}
			at += 1 + next
		}
	}
	return false
}

func endsPath(r rune) bool { return strings.ContainsRune(" \"'`:,;=<>|", r) }

// linesOf gives the lines in an entry's strings but for those that stand under or behind the name of another file, as in the result of a
// search or a diff.
func linesOf(entry string, spellings []string) string {
	var out strings.Builder
	owner, from := "", 0
	for i := 0; i < len(entry); i++ {
		end := 0
		switch {
		case entry[i] == '"' || entry[i] == '\n':
			end = 1
		case entry[i] == '\\' && i+1 < len(entry):
			if i++; entry[i] == 'n' {
				end = 2
			}
		}
		if end == 0 {
			continue
		}
		line := entry[from : i+1-end]
		name, heads := fileOf(slashed.Replace(line))
		if heads {
			owner = name
		} else if name == "" {
			name = owner
		}
		if name == "" || slices.Contains(spellings, name) {
			out.WriteString(line + "\n")
		}
		if from = i + 1; end == 1 {
			owner = "" // a string ends
		}
	}
	return out.String()
}

// fileOf gives the file whose name stands at a line of a search or a diff, and whether it is for the lines that follow.
func fileOf(line string) (name string, heads bool) {
	line = strings.TrimSpace(line)
	for _, head := range []string{"+++ ", "*** Update File: ", "*** Add File: "} {
		if name, ok := strings.CutPrefix(line, head); ok {
			return name, true
		}
	}
	if name := strings.TrimSuffix(line, ":"); !strings.Contains(name, " ") && fileLike(name) {
		return name, true
	}
	// path:12:text, and path-12-text for the lines around it.
	for i := 1; i < len(line); i++ {
		if line[i] != ':' && line[i] != '-' {
			continue
		}
		after := strings.TrimLeft(line[i+1:], "0123456789")
		numbered := len(after) < len(line)-i-1 && after != "" && after[0] == line[i]
		if name := line[:i]; fileLike(name) && (numbered || line[i] == ':' && strings.Contains(name, "/") && !strings.Contains(name, " ") && !strings.HasPrefix(after, "//")) {
			return name, false
		}
	}
	return "", false
}

// fileLike reports a text that may be a path: with a folder or an ending, and without the signs of code.
func fileLike(s string) bool {
	dot := strings.LastIndexByte(s, '.')
	return (strings.Contains(s, "/") || dot > 0 && dot < len(s)-1) && !strings.ContainsAny(s, "\"'`(){}<>=,;|*&$!?") && !strings.HasSuffix(s, "/") && !strings.Contains(s, "://")
}
