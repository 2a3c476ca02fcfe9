package judge

import (
	"path"
	"strings"

	"github.com/buger/jsonparser"
)

// leftOut is how the loader marks what it cut from a long input.
const leftOut = "[the advisor left out "

// ReadAction makes an action of what a host tells: the kind of permission, its
// patterns, and the tool's input or metadata as JSON (may be empty). Hosts and
// tools name the same thing differently; of several names the first wins.
func ReadAction(kind string, resources []string, metadata []byte, place Place) Action {
	a := Action{Kind: kind, Resources: resources, Place: place}
	if len(metadata) == 0 {
		return a
	}
	if tooNested(metadata) {
		a.Cut = true
		return a
	}
	get := func(names string) string {
		for _, name := range strings.Fields(names) {
			if s, err := jsonparser.GetString(metadata, name); err == nil && s != "" {
				a.Cut = a.Cut || strings.Contains(s, leftOut)
				return s
			}
		}
		return ""
	}
	if !in("bash shell read glob grep list ls lsp webfetch external_directory", strings.ToLower(kind)) {
		a.Input = string(metadata)
	}
	a.Command = get("command cmd script")
	a.Path = get("filePath filepath file_path path file")
	a.Content = get("content newString new_string newText text patchText patch diff")
	a.Before = get("oldString old_string oldText before")
	a.Shell = get("shell")
	if strings.EqualFold(kind, "grep") {
		a.Include = get("include glob")
	}
	if dir := get("workdir cwd"); dir != "" {
		a.Place = tidyPlace(place)
		if !strings.HasPrefix(dir, "/") && !drive(dir) {
			dir = a.Place.Cwd + "/" + dir
		}
		a.Place.Cwd = path.Clean(dir)
	}
	if access := get("access"); access == "read" || access == "write" {
		a.Access = access
	}
	if url := get("url"); url != "" && len(resources) == 0 {
		a.Resources = []string{url}
	}
	var more []string
	jsonparser.ArrayEach(metadata, func(edit []byte, _ jsonparser.ValueType, _ int, _ error) {
		for _, name := range strings.Fields("newString new_string newText") {
			if s, err := jsonparser.GetString(edit, name); err == nil {
				a.Cut = a.Cut || strings.Contains(s, leftOut)
				more = append(more, s)
			}
		}
	}, "edits")
	if len(more) > 0 {
		// Several parts of a file: none of them is all of it.
		a.Content, a.Before = strings.Join(append(more, a.Content), "\n"), ""
	}
	return a
}
