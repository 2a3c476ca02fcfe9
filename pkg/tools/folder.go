package tools

import (
	"fmt"
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
