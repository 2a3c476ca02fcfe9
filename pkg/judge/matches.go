package judge

import (
	"path"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// matches gives the words that a shell puts in the place of a pattern, as absolute paths, in every folder where it may be. False:
// they could not all be seen, one is not what it seems, or one holds credentials.
func (f *floor) matches(fd *field, e *env) ([]field, bool) {
	s := f.sight()
	if s == nil || fd.unknown || strings.Contains(fd.text, `\`) {
		return nil, false
	}
	head, pattern := "", fd.text
	if at := strings.LastIndexByte(fd.text[:strings.IndexAny(fd.text, "*?[")], '/'); at >= 0 {
		head, pattern = fd.text[:at+1], fd.text[at+1:]
	}
	folders, ok := e.everywhere(head)
	g := &globbing{floor: f, sight: s, option: head == "" && !strings.Contains(pattern, "/")}
	for _, dir := range folders {
		ok = ok && f.inside(dir) && g.into(dir, strings.Split(pattern, "/"), 0)
	}
	if !ok {
		return nil, false
	}
	if len(g.found) == 0 {
		return []field{lit(fd.text)}, true // where nothing matches, it stands for itself
	}
	return g.found, true
}

// globbing is one pattern on its way through folders.
type globbing struct {
	*floor
	*sight
	option bool // a match stands alone, and may look like an option
	found  []field
}

// into adds what the elements of a pattern match from a folder on. Zsh, and bash where it is told, read ** as any folders.
func (g *globbing) into(dir string, elems []string, depth int) bool {
	elem, rest := elems[0], elems[1:]
	if depth == maxFolders || elem == ".." {
		return false
	}
	if elem == "" && len(rest) > 0 {
		return g.into(dir, rest, depth+1)
	}
	if !strings.ContainsAny(elem, "*?[") {
		p := path.Join(dir, elem)
		info, errno := g.stat(p)
		switch {
		case errno == protocol.ErrnoNotFound:
			return true
		case errno != protocol.OK:
			return false
		case len(rest) == 0:
			return g.add(p, info.Kind)
		}
		return g.below(p, info.Kind, rest, depth)
	}
	if shellMatch(elem, "..") {
		return false // the folder above
	}
	entries, ok := g.list(dir)
	if !ok {
		return g.missing(dir)
	}
	deep := strings.Contains(elem, "**")
	if deep && len(rest) > 0 && !g.into(dir, rest, depth+1) {
		return false
	}
	for _, e := range entries {
		if !shellMatch(elem, e.Name) {
			continue
		}
		p := dir + "/" + e.Name
		if len(rest) == 0 && !g.add(p, e.Kind) || len(rest) > 0 && !g.below(p, e.Kind, rest, depth) {
			return false
		}
		if deep && e.Kind == protocol.KindDir && !g.into(p, elems, depth+1) {
			return false
		}
	}
	return true
}

// below goes on in what one element matched.
func (g *globbing) below(p string, kind protocol.Kind, rest []string, depth int) bool {
	switch kind {
	case protocol.KindDir:
		return g.into(p, rest, depth+1)
	case protocol.KindSymlink:
		_, file := g.linked(p)
		return file // which has nothing below it
	}
	return true
}

func (g *globbing) add(p string, kind protocol.Kind) bool {
	if secretPath(p, g.place.Home) || len(g.found) == maxMatches || g.option && path.Base(p)[0] == '-' {
		return false
	}
	if kind == protocol.KindSymlink {
		if _, ok := g.linked(p); !ok {
			return false
		}
	}
	g.found = append(g.found, lit(p))
	return true
}

// shellMatch reports whether a name may be matched by an element of a pattern, in any case. Which of its signs were quoted is not known,
// so a [...] stands for any text, itself among it. The dot of a name is matched by a dot alone.
func shellMatch(elem, name string) bool {
	if name[0] == '.' && elem[0] != '.' {
		return false
	}
	ok, err := path.Match(widened(strings.ToLower(elem), "*"), strings.ToLower(name))
	return ok || err != nil
}
