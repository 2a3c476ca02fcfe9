package judge

import (
	"slices"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/safefs"
)

// manner is how a command goes through folders.
type manner struct {
	hidden  bool // it enters names with a dot in front
	ignored bool // and what .gitignore hides
	follow  bool // and symlinks
	// skips says whether the command's options pass over a name; hides: without them it would.
	skips func(name string, dir, hides bool) bool
}

// maxFolders is how deep a walk goes; the recursion is the guest's stack.
const maxFolders = 48

type walker struct {
	*floor
	*sight
	manner
	root string // of the workspace, as the paths of .gitignore are told from it
}

// meetsNone walks what a word names as a command would, in every folder where the shell may be. It reports that all of it was
// seen, and that nothing there holds credentials by its name.
func (f *floor) meetsNone(fd *field, e *env, m manner) bool {
	paths, ok := e.everywhere(fd.text)
	if fd.unknown || fd.glob || !ok {
		return false
	}
	return !slices.ContainsFunc(paths, func(p string) bool { return !f.cleanBelow(p, m) })
}

func (f *floor) cleanBelow(p string, m manner) bool {
	s := f.sight()
	if s == nil || secretPath(p, f.place.Home) {
		return false
	}
	if f.place.Real != nil {
		real, ok := f.place.Real(p)
		if !ok {
			return false
		}
		p = real
	}
	info, errno := s.stat(p)
	switch {
	case errno == protocol.ErrnoNotFound:
		return true
	case errno != protocol.OK || secretPath(p, f.place.Home) || info.Kind == protocol.KindSymlink:
		return false
	case info.Kind != protocol.KindDir:
		return true
	}
	w := &walker{floor: f, sight: s, manner: m}
	rules, ok := w.above(p)
	return ok && w.folder(p, rules, 0)
}

// above finds the workspace that a folder is in, and gathers the ignore rules on the way to it.
func (w *walker) above(dir string) (rules safefs.Ignores, ok bool) {
	for _, r := range w.place.Roots {
		if w.place.Real != nil {
			if real, ok := w.place.Real(r); ok && !under(dir, r) {
				r = real
			}
		}
		if under(dir, r) {
			w.root = r
			break
		}
	}
	if w.root == "" {
		return rules, false
	}
	if !w.ignored {
		// Without a repository around it a .gitignore hides nothing.
		top, ok := w.list(w.root)
		if !ok {
			return rules, false
		}
		_, git := holds(top, ".git")
		w.ignored = !git
	}
	for at := len(w.root); !w.ignored && at < len(dir); at++ {
		if dir[at] != '/' {
			continue
		}
		entries, ok := w.list(dir[:at])
		if !ok {
			return rules, false
		}
		if rules, ok = w.rules(dir[:at], entries, rules); !ok {
			return rules, false
		}
	}
	return rules, true
}

// rules adds what a folder's own .gitignore says. False: something else may say more.
func (w *walker) rules(dir string, entries []protocol.Entry, rules safefs.Ignores) (safefs.Ignores, bool) {
	if _, git := holds(entries, ".git"); git {
		rules = safefs.Ignores{} // a repository of its own
	}
	for _, name := range []string{".ignore", ".rgignore"} {
		if _, more := holds(entries, name); more {
			return rules, false
		}
	}
	if _, has := holds(entries, ".gitignore"); !has {
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
	if !w.ignored {
		if rules, ok = w.rules(dir, entries, rules); !ok {
			return false
		}
	}
	for _, e := range entries {
		if !w.entry(dir+"/"+e.Name, e, rules, depth) {
			return false
		}
	}
	return true
}

// entry looks at one name, and reports whether nothing is wrong with it and what is below it.
func (w *walker) entry(p string, e protocol.Entry, rules safefs.Ignores, depth int) bool {
	isDir := e.Kind == protocol.KindDir
	hides := !w.hidden && e.Name[0] == '.'
	if !w.ignored {
		ignored, kept := rules.Judge(p[len(w.root)+1:], e.Name, isDir)
		hides = ignored || hides && !kept
	}
	switch {
	case w.skips != nil && w.skips(e.Name, isDir, hides), w.skips == nil && hides, e.Kind == protocol.KindSymlink && !w.follow:
		return true
	case e.Kind == protocol.KindSymlink:
		_, ok := w.linked(p)
		return ok
	case isDir && e.Name == ".git":
		return w.plainGit(p)
	case secretPath(p, w.place.Home):
		return false
	}
	return !isDir || w.folder(p, rules, depth+1)
}

// linked follows a symlink. It reports whether it leads to a file of the workspace that holds no credentials; to a folder it
// might lead round in circles.
func (f *floor) linked(p string) (string, bool) {
	if f.place.Real == nil || secretPath(p, f.place.Home) {
		return "", false
	}
	real, ok := f.place.Real(p)
	if !ok || !f.within(real) || secretPath(real, f.place.Home) {
		return "", false
	}
	info, errno := f.eyes.stat(real)
	return real, errno == protocol.OK && info.Kind == protocol.KindFile
}

// plainGit judges git's own folder, of whose many files two may hold a password: the settings, and what git stores at a person's wish.
func (w *walker) plainGit(dir string) bool {
	entries, ok := w.list(dir)
	if !ok {
		return false
	}
	for _, name := range []string{"credentials", "modules", "config.worktree"} {
		if _, has := holds(entries, name); has {
			return false
		}
	}
	if _, has := holds(entries, "config"); !has {
		return true
	}
	text, ok := w.content(dir + "/config")
	return ok && plainSettings(text)
}
