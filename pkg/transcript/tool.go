package transcript

import (
	"slices"
	"strconv"
	"strings"

	"github.com/buger/jsonparser"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Bounds of what is kept of one entry, in bytes. 8,000 is what a consultation
// shows of a result; a review shows less.
const (
	keepText    = 8_000
	keepArg     = 8_000
	keepArgs    = 16_000 // of all arguments of a call
	keepCommand = 2_000
	maxArgs     = 64
	maxArgDepth = 8
	maxFiles    = 64 // of one call
	maxDiags    = 20 // of one call
	keepDiag    = 300
	keepID      = 200
)

// tools sorts the tools that hosts have by name. Others are sorted by their arguments.
var tools = map[string]class{
	"read": classRead, "view": classRead, "cat": classRead, "open": classRead, "grep": classRead, "rg": classRead, "glob": classRead,
	"find": classRead, "list": classRead, "ls": classRead, "search": classRead, "codesearch": classRead, "websearch": classRead,
	"webfetch": classRead, "fetch": classRead, "lsp": classRead, "todoread": classRead,
	"edit": classEdit, "write": classEdit, "multiedit": classEdit, "patch": classEdit, "apply_patch": classEdit, "create": classEdit,
	"str_replace": classEdit, "str_replace_editor": classEdit, "notebookedit": classEdit, "rename": classEdit, "delete": classEdit,
	"bash": classCommand, "shell": classCommand, "exec": classCommand, "terminal": classCommand, "powershell": classCommand, "run": classCommand,
	"consult_advisor": classAdvisor, "advisor": classAdvisor,
}

// newTool makes an entry of a settled tool call.
func (l *Log) newTool(t *protocol.Tool) entry {
	e := entry{kind: kindTool, id: short(t.Message), call: short(t.Call), name: short(t.Name), cut: t.Cut,
		failed: t.Failed, hasExit: t.HasExit, exit: t.Exit}
	raw := flatten(string(t.Input))
	e.class = tools[strings.ToLower(t.Name)]
	command := find(raw, "command", "cmd", "script")
	if e.class == classOther {
		switch {
		case command != "" || t.HasExit:
			e.class = classCommand
		case len(t.Files) > 0:
			e.class = classEdit
		}
	}
	if e.class == classCommand {
		e.command = Middle(l.redact(command), keepCommand)
	}
	for _, path := range t.Files {
		e.files = l.addPath(e.files, path)
	}
	if e.class == classEdit && !t.Failed {
		e.files = l.addPath(e.files, find(raw, "filePath", "file_path", "path", "file", "notebook_path"))
		for _, path := range patched(find(raw, patchArgs...)) {
			e.files = l.addPath(e.files, path)
		}
		e.added, e.removed = changed(raw)
	}
	e.args = l.keepArgs(raw)
	e.text = l.keep(t.Output, keepText)
	e.diags = l.keepDiags(t.Diagnostics)
	e.weigh()
	return e
}

// keep redacts before it cuts: half a key would no longer be known as one.
func (l *Log) keep(s string, limit int) string { return Middle(l.redact(s), limit) }

func (l *Log) keepArgs(raw []arg) []arg {
	left := keepArgs
	list := make([]arg, 0, len(raw))
	for _, a := range raw {
		if !a.raw {
			a.text = l.keep(a.text, min(keepArg, max(left, 64)))
		}
		a.name = l.keep(a.name, 100)
		left -= len(a.text) + len(a.name)
		list = append(list, a)
	}
	return list
}

func (l *Log) keepDiags(all []protocol.Diagnostic) []protocol.Diagnostic {
	if len(all) == 0 {
		return nil
	}
	list := make([]protocol.Diagnostic, 0, min(len(all), maxDiags))
	for _, d := range all[:min(len(all), maxDiags)] {
		d.Path, d.Text, d.Severity = l.relative(d.Path), l.keep(d.Text, keepDiag), short(d.Severity)
		list = append(list, d)
	}
	return list
}

func (l *Log) addPath(list []string, path string) []string {
	if path = l.relative(path); path == "" || len(list) >= maxFiles || slices.Contains(list, path) {
		return list
	}
	return append(list, path)
}

// relative takes the workspace off a path; what lies outside stays as it is.
func (l *Log) relative(path string) string {
	path = strings.ReplaceAll(l.redact(path), `\`, "/")
	if root := l.root; root != "" {
		if rest, ok := strings.CutPrefix(path, root); ok && strings.HasPrefix(rest, "/") {
			path = strings.TrimLeft(rest, "/")
		}
	}
	return Middle(strings.TrimPrefix(path, "./"), 400)
}

// short bounds an id or a name; real ones are far below.
func short(s string) string {
	if len(s) > keepID {
		return s[:back(s, keepID)]
	}
	return s
}

// flatten lists the arguments of a call. What is not JSON becomes one argument called input.
func flatten(input string) []arg {
	if input == "" || input == "{}" {
		return nil
	}
	if !protocol.Valid(protocol.JSON(input)) {
		return []arg{{name: "input", text: input}}
	}
	raw, kind, _, err := jsonparser.Get([]byte(input))
	if err != nil {
		return []arg{{name: "input", text: input}}
	}
	return walk(nil, "", raw, kind, 0)
}

func walk(list []arg, name string, raw []byte, kind jsonparser.ValueType, depth int) []arg {
	if len(list) >= maxArgs {
		return list
	}
	if name == "" && kind != jsonparser.Object {
		name = "input"
	}
	switch {
	case kind == jsonparser.Object && depth < maxArgDepth:
		_ = jsonparser.ObjectEach(raw, func(key, raw []byte, kind jsonparser.ValueType, _ int) error {
			inner := string(key)
			if name != "" {
				inner = name + "." + inner
			}
			list = walk(list, inner, raw, kind, depth+1)
			return nil
		})
	case kind == jsonparser.Array && depth < maxArgDepth:
		i := 0
		_, _ = jsonparser.ArrayEach(raw, func(raw []byte, kind jsonparser.ValueType, _ int, _ error) {
			list = walk(list, name+"["+strconv.Itoa(i)+"]", raw, kind, depth+1)
			i++
		})
	case kind == jsonparser.String:
		s, err := jsonparser.ParseString(raw)
		if err != nil {
			s = string(raw)
		}
		list = append(list, arg{name: name, text: s})
	case kind == jsonparser.Null:
	default:
		// Numbers and literals, and what nests too deep, which goes as text.
		list = append(list, arg{name: name, text: string(raw), raw: kind == jsonparser.Number && len(raw) < 40 || kind == jsonparser.Boolean})
	}
	return list
}

// find gives the first argument of one of these names.
func find(args []arg, names ...string) string {
	for _, name := range names {
		for _, a := range args {
			if a.name == name {
				return a.text
			}
		}
	}
	return ""
}

// patchArgs are the arguments in which patch tools take their patch.
var patchArgs = []string{"patchText", "patch", "diff", "input"}

// changed counts the lines that an edit takes and gives, going by its arguments.
func changed(args []arg) (added, removed int) {
	for _, a := range args {
		name := strings.ToLower(strings.ReplaceAll(a.name[strings.LastIndexByte(a.name, '.')+1:], "_", ""))
		switch name {
		case "oldstring", "oldtext", "oldstr":
			removed += lines(a.text)
		case "newstring", "newtext", "newstr", "content", "filetext":
			added += lines(a.text)
		case "patchtext", "patch", "diff", "input":
			for line := range strings.Lines(a.text) {
				switch {
				case strings.HasPrefix(line, "+++") || strings.HasPrefix(line, "---"):
				case line[0] == '+':
					added++
				case line[0] == '-':
					removed++
				}
			}
		}
	}
	return added, removed
}

// patched gives the files that a patch names.
func patched(patch string) []string {
	var list []string
	for line := range strings.Lines(patch) {
		line = strings.TrimSpace(line)
		for _, head := range []string{"*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ", "+++ b/"} {
			if path, ok := strings.CutPrefix(line, head); ok && len(list) < maxFiles {
				list = append(list, path)
			}
		}
	}
	return list
}

func lines(s string) int {
	if s == "" {
		return 0
	}
	return strings.Count(strings.TrimSuffix(s, "\n"), "\n") + 1
}
