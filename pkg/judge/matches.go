package judge

import (
	"path"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// matches gives the words that a shell puts in the place of a pattern, as absolute paths, in every folder where it may be. False:
// they could not all be seen, one is not what it seems, or one holds credentials.
func (f *floor) matches(fd *field, e *env) ([]field, bool) {
	g := &globbing{floor: f, sight: f.sight()}
	if g.sight == nil || fd.unknown || strings.Contains(fd.text, `\`) {
		return nil, false
	}
	at := strings.LastIndexByte(fd.text[:strings.IndexAny(fd.text, "*?[")], '/') + 1
	elems := strings.FieldsFunc(fd.text[at:], func(r rune) bool { return r == '/' })
	g.option = at == 0 && len(elems) == 1
	folders, ok := e.everywhere(fd.text[:at])
	for _, dir := range folders {
		ok = ok && f.inside(dir) && g.into(dir, elems, 0)
	}
	if len(g.found) == 0 {
		return []field{lit(fd.text)}, ok // where nothing matches, it stands for itself
	}
	return g.found, ok
}

// globbing is one pattern on its way through folders.
type globbing struct {
	*floor
	*sight
	option bool // a match stands alone, and may look like an option
	found  []field
}

// into adds what the elements of a pattern match from a folder on, in any case. Which of their signs were quoted is not known, so a
// [...] stands for any text, itself among it. Zsh, and bash where it is told, read ** as any folders.
func (g *globbing) into(dir string, elems []string, depth int) bool {
	elem, rest := elems[0], elems[1:]
	wide, deep := widened(strings.ToLower(elem), "*"), strings.Contains(elem, "**")
	match := func(name string) bool {
		ok, err := path.Match(wide, strings.ToLower(name))
		return (ok || err != nil) && (name[0] != '.' || elem[0] == '.') // the dot of a name is matched by a dot alone
	}
	if depth == maxFolders || match("..") {
		return false // too deep, or the folder above
	}
	entries, ok := g.list(dir)
	if !ok {
		_, errno := g.stat(dir)
		return errno == protocol.ErrnoNotFound
	}
	if deep && len(rest) > 0 && !g.into(dir, rest, depth+1) {
		return false
	}
	for _, e := range entries {
		p, isDir, isLink := dir+"/"+e.Name, e.Kind == protocol.KindDir, e.Kind == protocol.KindSymlink
		if !match(e.Name) || len(rest) > 0 && !isDir && !isLink {
			continue
		}
		if secretPath(p, g.place.Home) || isLink && !g.linked(p) || isDir && deep && !g.into(p, elems, depth+1) || isDir && len(rest) > 0 && !g.into(p, rest, depth+1) {
			return false
		}
		if len(rest) > 0 {
			continue
		}
		if len(g.found) == maxMatches || g.option && e.Name[0] == '-' {
			return false
		}
		g.found = append(g.found, lit(p))
	}
	return true
}
