package tools

import (
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
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

// lineRange reads what is wanted of the file: offset and limit, a first and
// a last line, or both in one text such as "40-60".
func lineRange(a args) (first, limit int, err error) {
	first, limit = 1, maxReadLines
	if text, ok, textErr := a.text("lines", "range", "linerange"); ok && textErr == nil && strings.Contains(text, "-") {
		if from, to, ok := parseRange(text); ok {
			return from, to - from + 1, nil
		}
	}
	n, hasFirst, err := a.number("offset", "startline", "linestart", "start", "from", "line", "linenumber")
	if err != nil {
		return 0, 0, err
	}
	if hasFirst {
		first = max(n, 1)
	}
	n, ok, err := a.number("limit", "count", "numlines", "maxlines", "linecount", "lines")
	if err != nil {
		return 0, 0, err
	}
	if ok {
		limit = n
	} else if n, ok, err = a.number("endline", "lineend", "end", "to"); err != nil {
		return 0, 0, err
	} else if ok {
		limit = n - first + 1
	}
	if limit < 1 {
		return 0, 0, fmt.Errorf("the range of lines is empty; give an offset of 1 or more and a limit from 1 to %d", maxReadLines)
	}
	return first, limit, nil
}

// parseRange reads 40-60, L40-L60 or 40.
func parseRange(text string) (from, to int, ok bool) {
	clean := strings.NewReplacer("L", "", "l", "", "-", "-", ":", "-", ",", "-", " ", "").Replace(text)
	first, second, both := strings.Cut(clean, "-")
	from, err := strconv.Atoi(first)
	if err != nil || from < 1 {
		return 0, 0, false
	}
	if !both {
		return from, from, true
	}
	to, err = strconv.Atoi(second)
	return from, to, err == nil && to >= from
}

// resolve also takes /src/a.go for src/a.go: to many models the workspace is
// the root of all there is.
func resolve(env *Env, path string) (safefs.File, error) {
	file, err := env.Files.Resolve(path)
	if safefs.KindOf(err) == safefs.KindOutside && strings.HasPrefix(path, "/") {
		if inside, insideErr := env.Files.Resolve(strings.TrimLeft(path, "/")); insideErr == nil && strings.Trim(path, "/") != "" {
			return inside, nil
		}
	}
	return file, err
}

// resolveWithRange resolves the path as it is, or, when there is no such file,
// without the :40-60 or #L40 that models like to hang on.
func resolveWithRange(env *Env, path string, first, limit *int) (safefs.File, string, error) {
	file, err := resolve(env, path)
	if err == nil || safefs.KindOf(err) != safefs.KindMissing {
		return file, path, err
	}
	cut := strings.LastIndexAny(path, ":#")
	if cut < 1 {
		return file, path, err
	}
	from, to, ok := parseRange(path[cut+1:])
	if !ok {
		return file, path, err
	}
	bare := strings.TrimSuffix(path[:cut], ":")
	if other, otherErr := resolve(env, bare); otherErr == nil {
		if *first == 1 && *limit == maxReadLines {
			if *first = from; to > from {
				*limit = to - from + 1
			}
		}
		return other, bare, nil
	}
	return file, bare, err
}

func readLines(env *Env, file safefs.File, first, limit int) Result {
	wanted := limit
	limit = min(limit, maxReadLines)
	key := cacheKey("read", file.Rel, strconv.Itoa(first), strconv.Itoa(wanted))
	stamp := newStamper()
	stamp.add(file.Rel, file.Info)
	if e := env.Cache.get(key); e != nil && e.stamp == stamp.sum {
		return e.answer(env.Cache, env)
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
			body = append(body, fmt.Sprintf(" [cut: %s more bytes in this line]", groupDigits(whole-len(line)))...)
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
		return Result{fmt.Sprintf("read: %s is %s of %s, which is not shown; judge by the code that uses it", safefs.Quote(file.Rel), scan.refused, showSize(file.Info.Size)), true}
	}
	if scan.ended && scan.lines == 0 {
		return Result{Text: fmt.Sprintf("%s: empty (0 bytes)\n", showName(file.Rel))}
	}
	if shown == 0 {
		return Result{fmt.Sprintf("read: %s has only %s; read again with an offset in that range", safefs.Quote(file.Rel), plural(scan.lines, "line", "lines")), true}
	}

	last := first + shown - 1
	text := readHead(file, &scan, first, last) + string(body)
	if more := remark(&scan, wanted, shown, last, full); more != "" {
		text += more
	}
	if cutLines > 0 {
		text += fmt.Sprintf("[cut by this tool: lines longer than %s bytes; grep shows the part around a match]\n", groupDigits(maxReadLine))
	}
	env.saw(file.Rel, first, last)
	env.Cache.put(key, &cached{text: text, stamp: stamp.sum, files: 1, spans: []seenSpan{{file.Rel, first, last}}})
	return Result{Text: text}
}

// readHead names the file, the lines, and what was changed to show them.
func readHead(file safefs.File, scan *lineScan, first, last int) string {
	head := fmt.Sprintf("%s: lines %d-%d", showName(file.Rel), first, last)
	if scan.ended {
		head += fmt.Sprintf(" of %d", scan.lines)
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
	switch {
	case full:
		return fmt.Sprintf("[cut by this tool at %d KB: %s; read on with offset %d]\n", MaxAnswer>>10, follow, last+1)
	case wanted > shown:
		return fmt.Sprintf("[cut by this tool at %d lines: %s; read on with offset %d]\n", maxReadLines, follow, last+1)
	}
	return fmt.Sprintf("[%s; read on with offset %d]\n", follow, last+1)
}

func listFolder(env *Env, dir safefs.File) Result {
	entries, err := env.Files.List(dir)
	if err != nil {
		return refuse("read", err)
	}
	name := showName(dir.Rel)
	if len(entries) == 0 {
		return Result{Text: name + "/: an empty folder\n"}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s/: a folder with %s\n", name, plural(len(entries), "entry", "entries"))
	for i, e := range entries {
		if i == maxListed || b.Len() > MaxAnswer-300 {
			fmt.Fprintf(&b, "[cut by this tool at %s; glob with a pattern such as %q shows the rest]\n", plural(i, "name", "names"), globHint(dir.Rel))
			break
		}
		b.WriteString(showName(e.Name) + kindMark(e.Kind) + "\n")
	}
	return Result{Text: b.String()}
}

func globHint(rel string) string {
	if rel == "." {
		return "a*"
	}
	return rel + "/a*"
}

func kindMark(kind protocol.Kind) string {
	switch kind {
	case protocol.KindDir:
		return "/"
	case protocol.KindSymlink:
		return "@"
	case protocol.KindOther:
		return " (special)"
	}
	return ""
}
