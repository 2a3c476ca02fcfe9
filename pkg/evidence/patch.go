package evidence

import (
	"errors"
	"slices"
	"strings"
)

// Bounds of a patch that is looked at. A suggestion is a few lines; a larger one is a rewrite
// that the primary should do itself.
const (
	maxPatch      = 64 << 10 // bytes
	maxPatchFiles = 10
	maxHunks      = 50
	maxPatched    = 1 << 20 // bytes of a file: its lines are held several times while they are changed
)

// hunk replaces old by new. line is where old is said to begin, 0 for unknown.
type hunk struct {
	line     int
	old, new []string
}

// change is what a patch does to one file. A created file has hunks without
// old lines; a removed one must match as a whole when it has hunks.
type change struct {
	path   string
	create bool
	hunks  []hunk
}

// CheckPatch applies a suggested patch to the files as they are now, in
// memory, and tells whether it fits. It takes a unified diff, with file
// headers or without; SEARCH/REPLACE blocks; and the "*** Update File" form. A
// Markdown fence around it does not count. path is the file that is meant
// where the patch names none.
//
// Lines must match but for their ends and trailing blanks. A hunk may stand at another line
// than it says, but in order; one that gives no line must fit in exactly one
// place. A patch that changes nothing does not fit. A bare piece of code says
// nothing of where it goes, and does not fit either.
func CheckPatch(patch, path string, files Files) bool {
	if len(patch) > maxPatch {
		return false
	}
	changes, ok := parsePatch(splitLines(unfence(patch)), path)
	if !ok || len(changes) == 0 || len(changes) > maxPatchFiles {
		return false
	}
	texts := make(map[string][]string)
	changed := false
	for _, c := range changes {
		name, lines, exists, err := openForPatch(files, texts, c.path)
		if err != nil || c.create == exists {
			return false
		}
		for i, line := range lines {
			lines[i] = trimLine(line)
		}
		after, ok := applyHunks(lines, c)
		if !ok {
			return false
		}
		changed = changed || c.create || !slices.Equal(lines, after)
		texts[name] = after
	}
	return changed
}

// openForPatch gives the lines of the file that a patch names, as earlier
// parts of the patch left them.
func openForPatch(files Files, texts map[string][]string, cited string) (name string, lines []string, exists bool, err error) {
	if !printable(cited) {
		return "", nil, false, ErrMissing
	}
	names, _ := paths(cited)
	err = ErrMissing
	for _, spelling := range names {
		clean, failure := files.Resolve(spelling)
		if errors.Is(failure, ErrMissing) {
			clean, failure = spelling, nil // perhaps a file to be created
		}
		if failure != nil {
			return "", nil, false, failure
		}
		if name == "" || strings.HasPrefix(spelling, "b/") || strings.HasPrefix(spelling, "a/") {
			name = clean
		}
		if kept, ok := texts[clean]; ok {
			return clean, slices.Clone(kept), true, nil
		}
		text, failure := files.ReadFile(clean, maxPatched)
		if failure == nil {
			return clean, splitLines(text), true, nil
		}
		if !errors.Is(failure, ErrMissing) {
			return "", nil, false, failure
		}
	}
	if name == "" {
		return "", nil, false, err
	}
	return name, nil, false, nil
}

// applyHunks replaces each hunk's old lines by its new ones, in order.
func applyHunks(lines []string, c change) ([]string, bool) {
	var out []string
	at := 0
	for _, h := range c.hunks {
		where, ok := findHunk(lines, at, h, c.create)
		if !ok {
			return nil, false
		}
		out = append(out, lines[at:where]...)
		out = append(out, h.new...)
		at = where + len(h.old)
	}
	return append(out, lines[at:]...), true
}

// findHunk finds where a hunk's old lines stand from line index at on: the
// place nearest to the stated line, or the only one when none is stated.
func findHunk(lines []string, at int, h hunk, create bool) (int, bool) {
	if len(h.old) == 0 {
		// An insertion without context goes after the stated line.
		return h.line, (h.line > 0 || create) && h.line >= at && h.line <= len(lines)
	}
	best, count := -1, 0
	fail := borders(h.old)
	have := 0 // lines of the hunk that stand in front of line i
	for i := at; i < len(lines); i++ {
		for have > 0 && (have == len(h.old) || lines[i] != h.old[have]) {
			have = fail[have-1]
		}
		if lines[i] == h.old[have] {
			have++
		}
		if have < len(h.old) {
			continue
		}
		count++
		if begin := i + 1 - have; best < 0 || abs(begin+1-h.line) < abs(best+1-h.line) {
			best = begin
		}
	}
	return best, count == 1 || count > 1 && h.line > 0
}

// borders gives, for each beginning of a list, the length of the longest shorter beginning that it ends in: with it a search
// looks at each line once, whatever repeats (Knuth, Morris and Pratt).
func borders(list []string) []int {
	fail := make([]int, len(list))
	for i, n := 1, 0; i < len(list); i++ {
		for n > 0 && list[i] != list[n] {
			n = fail[n-1]
		}
		if list[i] == list[n] {
			n++
		}
		fail[i] = n
	}
	return fail
}

func trimLine(line string) string { return strings.TrimRight(line, " \t\r") }

// unfence takes a Markdown fence off a patch. A line of three backticks that the patch
// itself has stays, because it has a first column.
func unfence(patch string) string {
	lines := strings.Split(strings.Trim(patch, "\r\n"), "\n")
	first, last := 0, len(lines)-1
	if !strings.HasPrefix(strings.TrimSpace(lines[0]), "```") {
		return patch
	}
	first++
	if last >= first && strings.TrimSpace(lines[last]) == "```" {
		last--
	}
	return strings.Join(lines[first:last+1], "\n") + "\n"
}
