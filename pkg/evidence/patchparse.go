package evidence

import "strings"

// patchParser reads the lines of a patch.
type patchParser struct {
	lines   []string
	path    string // where no path is named
	prose   string // the last line outside of any part: may name a block's file
	changes []change
	hunks   int
}

// parsePatch tells what a patch does, or that it is none.
func parsePatch(lines []string, path string) ([]change, bool) {
	p := &patchParser{lines: lines, path: path}
	for len(p.lines) > 0 {
		if !p.next() || p.hunks > maxHunks {
			return nil, false
		}
	}
	return p.changes, true
}

// next reads one part: a header, a hunk or a block. Lines outside of these are
// the prose and the git headers around a patch.
func (p *patchParser) next() bool {
	line := p.lines[0]
	switch {
	case strings.HasPrefix(line, "--- ") && len(p.lines) > 1 && strings.HasPrefix(p.lines[1], "+++ "):
		return p.header()
	case strings.HasPrefix(line, "@@"):
		return p.hunk()
	case strings.HasPrefix(line, "<<<<<<<"):
		return p.block()
	case strings.HasPrefix(line, "*** Update File:"):
		p.begin(strings.TrimSpace(line[len("*** Update File:"):]), false)
		p.lines = p.lines[1:]
		return p.bareHunks()
	case strings.HasPrefix(line, "*** Add File:"):
		p.begin(strings.TrimSpace(line[len("*** Add File:"):]), true)
		p.lines = p.lines[1:]
		return p.bareHunks()
	case strings.HasPrefix(line, "Binary files "), strings.HasPrefix(line, "GIT binary patch"),
		strings.HasPrefix(line, "*** Delete File:"), strings.HasPrefix(line, "*** Move to:"):
		return false // nothing here could be checked, or shown
	}
	if text := strings.Trim(line, " \t`*:"); text != "" {
		p.prose = text
	}
	p.lines = p.lines[1:]
	return true
}

func (p *patchParser) begin(path string, create bool) *change {
	p.changes = append(p.changes, change{path: path, create: create})
	return &p.changes[len(p.changes)-1]
}

// current is the file that a hunk belongs to.
func (p *patchParser) current() *change {
	if len(p.changes) == 0 {
		return p.begin(p.path, false)
	}
	return &p.changes[len(p.changes)-1]
}

// header reads "--- a/x" and "+++ b/x".
func (p *patchParser) header() bool {
	from, to := headerPath(p.lines[0]), headerPath(p.lines[1])
	p.lines = p.lines[2:]
	if from == "/dev/null" {
		p.begin(to, true)
	} else {
		p.begin(from, false)
	}
	return from != "" && to != ""
}

// headerPath cuts the date off that diff puts behind a name.
func headerPath(line string) string {
	name, _, _ := strings.Cut(line[4:], "\t")
	return strings.TrimSpace(name)
}

// hunk reads from one "@@" to the next part. Models miscount, so that the
// lengths in the header are not used; the lines themselves tell.
func (p *patchParser) hunk() bool {
	h := hunk{line: hunkLine(p.lines[0])}
	p.lines = p.lines[1:]
	return p.body(h, p.current())
}

// bareHunks reads what follows a "*** ... File:" line: hunks that may begin without "@@".
func (p *patchParser) bareHunks() bool {
	if len(p.lines) > 0 && (strings.HasPrefix(p.lines[0], "@@") || strings.HasPrefix(p.lines[0], "***")) {
		return true
	}
	return p.body(hunk{}, p.current())
}

// body reads the lines of a hunk.
func (p *patchParser) body(h hunk, c *change) bool {
	p.hunks++
	changed := false
	for len(p.lines) > 0 && !p.atPart() {
		line := p.lines[0]
		p.lines = p.lines[1:]
		mark, text := byte(' '), ""
		if line != "" {
			mark, text = line[0], trimLine(line[1:])
		}
		switch mark {
		case ' ', '\t':
			if mark == '\t' { // the column of a common line got lost
				text = trimLine(line)
			}
			h.old, h.new = append(h.old, text), append(h.new, text)
		case '-':
			h.old, changed = append(h.old, text), true
		case '+':
			h.new, changed = append(h.new, text), true
		case '\\': // "\ No newline at end of file"
		default:
			return false
		}
	}
	// Blank lines at the end are those between two parts, or of the message.
	for len(h.old) > 0 && len(h.new) > 0 && h.old[len(h.old)-1] == "" && h.new[len(h.new)-1] == "" {
		h.old, h.new = h.old[:len(h.old)-1], h.new[:len(h.new)-1]
	}
	c.hunks = append(c.hunks, h)
	return changed
}

// atPart tells whether the next line begins another part.
func (p *patchParser) atPart() bool {
	line := p.lines[0]
	return strings.HasPrefix(line, "@@") || strings.HasPrefix(line, "diff --git ") || strings.HasPrefix(line, "*** ") ||
		strings.HasPrefix(line, "--- ") && len(p.lines) > 1 && strings.HasPrefix(p.lines[1], "+++ ")
}

// hunkLine reads the first line number of "@@ -12,5 +12,6 @@"; 0 when there is
// none. An insertion "-12,0" goes after line 12.
func hunkLine(header string) int {
	_, rest, ok := strings.Cut(header, "-")
	if !ok {
		return 0
	}
	line := 0
	for i := 0; i < len(rest) && i < 7 && rest[i] >= '0' && rest[i] <= '9'; i++ {
		line = line*10 + int(rest[i]-'0')
	}
	return line
}

// blockPath is the path on the line before a block, if it is one.
func (p *patchParser) blockPath() string {
	if strings.ContainsAny(p.prose, "./") && !strings.ContainsAny(p.prose, " \t") {
		return p.prose
	}
	return p.path
}

// block reads "<<<<<<< SEARCH", the old lines, "=======", the new ones, ">>>>>>> REPLACE". The
// line before it may name the file.
func (p *patchParser) block() bool {
	p.hunks++
	var h hunk
	side := &h.old
	for p.lines = p.lines[1:]; len(p.lines) > 0; p.lines = p.lines[1:] {
		line := trimLine(p.lines[0])
		switch {
		case line == "=======" && side == &h.old:
			side = &h.new
			continue
		case strings.HasPrefix(line, ">>>>>>>") && side == &h.new:
			p.lines = p.lines[1:]
			// Each block stands alone: they need not be in the file's order.
			c := p.begin(p.blockPath(), false)
			c.hunks = []hunk{h}
			return len(h.old) > 0
		}
		*side = append(*side, line)
	}
	return false
}
