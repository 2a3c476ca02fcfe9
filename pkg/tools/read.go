package tools

import (
	_ "embed"
	"errors"
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/safefs"
)

//go:embed read.md
var readDoc string

const readSchema = `{"type":"object","properties":{` +
	`"path":{"type":"string","description":"File, relative to the workspace"},` +
	`"offset":{"type":"integer","minimum":1,"description":"First line, counted from 1"},` +
	`"limit":{"type":"integer","minimum":1,"maximum":400,"description":"How many lines"}` +
	`},"required":["path"]}`

const (
	maxReadLines = 400
	// maxReadLine is how much of one line is shown: a long line of prose fits, a
	// bundle in one line does not fill the answer.
	maxReadLine = 2000
	// countTail is how much is read beyond what is shown only to say how many
	// lines there are.
	countTail = 4 << 20
	// maxListed bounds the names of a folder given to read.
	maxListed = 200
)

func runRead(env *Env, raw []byte) Result {
	const op = "read"
	a, err := parseArgs(raw)
	if err != nil {
		return refuse(op, err)
	}
	path, ok, err := a.text("path", "filepath", "file", "filename", "absolutepath", "relativepath", "targetfile", "target", "uri")
	if err != nil {
		return refuse(op, err)
	}
	if !ok || strings.TrimSpace(path) == "" {
		return refuse(op, errors.New(`"path" is missing; name the file to read`))
	}
	first, limit, err := lineRange(a)
	if err != nil {
		return refuse(op, err)
	}
	file, path, err := resolveWithRange(env, strings.TrimSpace(path), &first, &limit)
	if err != nil {
		return refuse(op, suggest(env, path, err))
	}
	if file.IsDir() {
		return listFolder(env, file)
	}
	return readLines(env, file, max(first, 1), limit)
}

func readLines(env *Env, file safefs.File, first, limit int) Result {
	wanted := limit
	limit = min(limit, maxReadLines)
	key := cacheKey("read", file.Rel, strconv.Itoa(first), strconv.Itoa(wanted))
	stamp := newStamper()
	stamp.add(file.Rel, file.Info)
	if e := env.Cache.get(key); e != nil && e.stamp == stamp.sum {
		return e.answer(env.Cache)
	}

	var body []byte
	shown, cutLines, full := 0, 0, false
	// The head and the closing remarks need room too.
	room := MaxAnswer - 600 - len(file.Rel)*2
	scan := lineScan{first: first, width: maxReadLine}
	scan.emit = func(n int, line []byte, whole int) bool {
		mark := len(body)
		body = strconv.AppendInt(body, int64(n), 10)
		body = append(body, '\t')
		body = appendText(body, line)
		if whole > len(line) {
			body = append(body, " [cut: "+groupDigits(whole-len(line))+" more bytes in this line]"...)
		}
		body = append(body, '\n')
		if len(body) > room && shown > 0 {
			body, full = body[:mark], true
			return false
		}
		if whole > len(line) {
			cutLines++
		}
		shown++
		return shown < limit
	}
	if err := scan.run(env, file, countTail); err != nil {
		return refuse("read", err)
	}
	if scan.refused != "" {
		return failed("read: " + safefs.Quote(file.Rel) + " is " + scan.refused + " of " + showSize(file.Info.Size) + ", which is not shown; judge by the code that uses it")
	}
	if scan.ended && scan.lines == 0 {
		return Result{Text: showName(file.Rel) + ": empty (0 bytes)\n"}
	}
	if shown == 0 {
		return failed("read: " + safefs.Quote(file.Rel) + " has only " + plural(scan.lines, "line", "lines") + "; read again with an offset in that range")
	}

	last := first + shown - 1
	head := readHead(file, &scan, first, last)
	text := head + string(body)
	if more := remark(&scan, wanted, shown, last, full); more != "" {
		text += more
	}
	if cutLines > 0 {
		text += "[cut by this tool: lines longer than " + groupDigits(maxReadLine) + " bytes; grep shows the part around a match]\n"
	}
	return env.Cache.put(key, &cached{text: text, stamp: stamp.sum, files: 1, spans: []seenSpan{{file.Rel, first, last, strings.Count(head, "\n")}}})
}

// readHead names the file, the lines, and what was changed to show them.
func readHead(file safefs.File, scan *lineScan, first, last int) string {
	head := showName(file.Rel) + ": lines " + strconv.Itoa(first) + "-" + strconv.Itoa(last)
	if scan.ended {
		head += " of " + strconv.Itoa(scan.lines)
	}
	var notes []string
	if scan.crlf {
		notes = append(notes, "CRLF line endings")
	}
	if scan.marked {
		notes = append(notes, "byte order mark left out")
	}
	if len(notes) > 0 {
		head += " (" + strings.Join(notes, ", ") + ")"
	}
	return head + "\n"
}

// remark says what is not shown and how to see it.
func remark(scan *lineScan, wanted, shown, last int, full bool) string {
	if scan.ended && last >= scan.lines {
		return ""
	}
	follow := "more lines follow"
	if scan.ended {
		follow = plural(scan.lines-last, "line follows", "lines follow")
	}
	cut := ""
	switch {
	case full:
		cut = "cut by this tool at " + strconv.Itoa(MaxAnswer>>10) + " KB: "
	case wanted > shown:
		cut = "cut by this tool at " + strconv.Itoa(maxReadLines) + " lines: "
	}
	return "[" + cut + follow + "; read on with offset " + strconv.Itoa(last+1) + "]\n"
}
