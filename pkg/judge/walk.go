package judge

import (
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/safefs"
)

// manner is how a command goes through folders.
type manner struct {
	hidden  bool // it enters names with a dot in front
	ignored bool // and what .gitignore hides
	follow  bool // and symlinks
	folders bool // of what it would pass over by itself only folders are
	picks   []pick
}

type walker struct {
	*floor
	*sight
	*manner
	root string // of the workspace, as the paths of .gitignore are told from it
}

// meetsNone walks what a word names as a command would, in every folder where the shell may be. It reports that all of it was
// seen, and that nothing there holds credentials by its name.
func (f *floor) meetsNone(fd *field, e *env, m *manner) bool {
	paths, ok := e.everywhere(fd.text)
	for _, p := range paths {
		ok = ok && f.cleanBelow(p, m)
	}
	return ok && !fd.unknown && !fd.glob
}

func (f *floor) cleanBelow(p string, m *manner) bool {
	w := &walker{floor: f, sight: f.sight(), manner: m}
	if w.sight == nil || f.secretAt(p) {
		return false
	}
	p, ok := f.real(p)
	if !ok {
		return false
	}
	info, errno := w.stat(p)
	switch {
	case errno != protocol.OK:
		return errno == protocol.ErrnoNotFound
	case info.Kind != protocol.KindDir:
		return info.Kind == protocol.KindFile
	}
	rules, ok := w.above(p)
	return ok && w.folder(p, rules, 0)
}

// real resolves a path, where that can be done.
func (f *floor) real(p string) (string, bool) {
	if f.place.Real == nil {
		return p, true
	}
	return f.place.Real(p)
}

// above gathers the ignore rules from the workspace's first folder on the way to another.
func (w *walker) above(dir string) (rules safefs.Ignores, ok bool) {
	if len(w.place.Roots) > 0 {
		w.root, ok = w.real(w.place.Roots[0])
	}
	if !ok || !under(dir, w.root) {
		return rules, false
	}
	if !w.ignored {
		// Without a repository around it a .gitignore hides nothing.
		_, errno := w.stat(w.root + "/.git")
		w.ignored = errno != protocol.OK
	}
	for at := len(w.root); ok && at < len(dir); at++ {
		if dir[at] == '/' {
			rules, ok = w.rules(dir[:at], nil, rules)
		}
	}
	return rules, ok
}

// rules adds what a folder's own .gitignore says. False: something else may say more.
func (w *walker) rules(dir string, entries []protocol.Entry, rules safefs.Ignores) (_ safefs.Ignores, ok bool) {
	if w.ignored {
		return rules, true
	}
	if entries == nil {
		if entries, ok = w.list(dir); !ok {
			return rules, false
		}
	}
	has := false
	for _, e := range entries {
		switch e.Name {
		case ".git":
			rules = safefs.Ignores{} // a repository of its own
		case ".ignore", ".rgignore":
			return rules, false
		case ".gitignore":
			has = true
		}
	}
	if !has {
		return rules, true
	}
	text, ok := w.content(dir + "/.gitignore")
	return rules.With(text, (dir + "/")[len(w.root)+1:]), ok
}

func (w *walker) folder(dir string, rules safefs.Ignores, depth int) bool {
	entries, ok := w.list(dir)
	if !ok || depth == maxFolders {
		return false
	}
	rules, ok = w.rules(dir, entries, rules)
	for _, e := range entries {
		ok = ok && w.entry(dir+"/"+e.Name, e, rules, depth)
	}
	return ok
}

// entry looks at one name, and reports whether nothing is wrong with it and what is below it.
func (w *walker) entry(p string, e protocol.Entry, rules safefs.Ignores, depth int) bool {
	dir := e.Kind == protocol.KindDir
	hides := !w.hidden && e.Name[0] == '.'
	if !w.ignored {
		ignored, kept := rules.Judge(p[len(w.root)+1:], e.Name, dir)
		hides = ignored || hides && !kept
	}
	switch {
	case w.skips(e.Name, dir, hides):
		return true
	case e.Kind == protocol.KindSymlink:
		return !w.follow || w.linked(p)
	case dir && e.Name == ".git":
		return w.plainGit(p)
	}
	return !secretPath(p, w.place.Home) && (!dir || w.folder(p, rules, depth+1))
}

// linked follows a symlink. It reports whether it leads to a file of the workspace that holds no credentials; to a folder it
// might lead round in circles.
func (f *floor) linked(p string) bool {
	if f.place.Real == nil || f.secretAt(p) || !f.inside(p) {
		return false
	}
	real, _ := f.place.Real(p)
	info, errno := f.eyes.stat(real)
	return errno == protocol.OK && info.Kind == protocol.KindFile
}
