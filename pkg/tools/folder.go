package tools

import (
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/safefs"
)

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
	b.WriteString(name + "/: a folder with " + plural(len(entries), "entry", "entries") + "\n")
	for i, e := range entries {
		if i == maxListed || b.Len() > MaxAnswer-300 {
			b.WriteString("[cut by this tool at " + plural(i, "name", "names") + "; glob with a pattern such as " + strconv.Quote(globHint(dir.Rel)) + " shows the rest]\n")
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
