package judge

import (
	"path"
	"slices"
	"strings"
)

// tidyPlace cleans the folders and drops those too wide to mean anything: a
// workspace of "/" would make every path an inside one.
func tidyPlace(p Place) Place {
	tidy := func(in []string) []string {
		var out []string
		for _, d := range in {
			d = strings.ReplaceAll(d, `\`, "/")
			if d = path.Clean(d); d != "/" && d != "." {
				out = append(out, d)
			}
		}
		return out
	}
	p.Roots, p.Worktrees = tidy(p.Roots), tidy(p.Worktrees)
	if p.Home != "" {
		p.Home = path.Clean(strings.ReplaceAll(p.Home, `\`, "/"))
	}
	if p.Cwd == "" && len(p.Roots) > 0 {
		p.Cwd = p.Roots[0]
	}
	return p
}

// slashes turns a Windows path into one with slashes. Elsewhere a backslash is
// a letter like any other, and is left alone.
func (f *floor) slashes(p string) string {
	if drive(p) || len(f.place.Roots) > 0 && drive(f.place.Roots[0]) {
		return strings.ReplaceAll(p, `\`, "/")
	}
	return p
}

// drive reports a path that starts with a drive letter.
func drive(p string) bool {
	return len(p) > 1 && p[1] == ':' && (p[0]|0x20) >= 'a' && (p[0]|0x20) <= 'z'
}

// absolute resolves a path against the first root, and a leading ~ against home.
func (f *floor) absolute(p string) string {
	switch {
	case p == "~" || strings.HasPrefix(p, "~/"):
		if f.place.Home == "" {
			return "/~" + p[1:]
		}
		p = f.place.Home + p[1:]
	case strings.HasPrefix(p, "/") || drive(p):
	case len(f.place.Roots) > 0:
		p = f.place.Roots[0] + "/" + p
	}
	return path.Clean(p)
}

// under reports whether p is dir or below it.
func under(p, dir string) bool {
	if drive(p) && drive(dir) {
		p, dir = strings.ToLower(p), strings.ToLower(dir)
	}
	return p == dir || strings.HasPrefix(p, dir) && p[len(dir)] == '/'
}

func (f *floor) within(p string) bool {
	for _, list := range [2][]string{f.place.Roots, f.place.Worktrees} {
		for _, r := range list {
			if under(p, r) {
				return true
			}
			if f.place.Real != nil {
				if real, ok := f.place.Real(r); ok && under(p, real) {
					return true
				}
			}
		}
	}
	return false
}

func (f *floor) inRoots(p string) bool {
	return slices.ContainsFunc(f.place.Roots, func(r string) bool { return under(p, r) })
}

// inside reports whether a path is in the workspace, symlinks resolved.
func (f *floor) inside(p string) bool {
	if !f.within(p) {
		return false
	}
	if f.place.Real == nil {
		return true
	}
	real, ok := f.place.Real(p)
	return ok && f.within(real)
}

// isRoot reports a path that is a workspace folder, or holds one.
func (f *floor) isRoot(p string) (root, above bool) {
	for _, list := range [2][]string{f.place.Roots, f.place.Worktrees} {
		for _, r := range list {
			if p == r {
				root = true
			} else if p == "/" || under(r, p) {
				above = true
			}
		}
	}
	return root, above
}

// systemDirs are never worktrees, so a failed list of those excuses nothing.
var systemDirs = []string{"/etc", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/boot", "/dev", "/proc", "/sys", "/var", "/root", "/System", "/Library", "/Applications", "/opt"}

// outside records a path that is not in the workspace, with the row of its use.
func (f *floor) outside(p, row string) {
	if len(f.place.Roots) == 0 {
		f.hit("target-unresolved")
		return
	}
	if f.place.WorktreesUnknown && !f.systemPath(p) {
		row = "worktrees-unknown"
	}
	f.hit(row)
}

func (f *floor) systemPath(p string) bool {
	for _, d := range systemDirs {
		if under(p, d) {
			return true
		}
	}
	if p == "/" || p == f.place.Home {
		return true
	}
	// Dot files of the home folder.
	return f.place.Home != "" && strings.HasPrefix(p, f.place.Home+"/.")
}

// contained checks one path that will be changed, first as written, then with
// its symlinks resolved, and reports whether it stays inside.
func (f *floor) contained(p, row string) bool {
	if !f.within(p) {
		f.outside(p, row)
		return false
	}
	if f.place.Real == nil {
		return true
	}
	real, ok := f.place.Real(p)
	if !ok && f.inRoots(p) {
		f.hit("target-unresolved")
		return false
	}
	if !ok {
		f.unsafe() // in another worktree, where nobody can look: the model decides
		return true
	}
	if !f.within(real) {
		f.outside(real, row)
		return false
	}
	return true
}

// hasPart reports whether a path has an element of that name, in any case:
// some file systems do not tell .GIT from .git.
func hasPart(p, name string) bool {
	for _, part := range strings.Split(p, "/") {
		if strings.EqualFold(part, name) {
			return true
		}
	}
	return false
}

// removePath checks one absolute path that will be deleted.
func (f *floor) removePath(p string) {
	f.unsafe()
	if root, _ := f.isRoot(p); root {
		f.hit("delete-root")
		return
	}
	if hasPart(p, ".git") {
		f.hit("delete-git")
	}
	// rm removes a link, not what it points at; the folder it is in counts.
	if f.contained(path.Dir(p), "delete-outside") && f.place.Real != nil {
		if real, ok := f.place.Real(p); ok {
			if root, above := f.isRoot(real); root || above {
				f.hit("delete-root")
			}
		}
	}
}

// oddText reports characters that make text read differently from what it
// does: controls, text direction marks, and letters without width.
func oddText(s string) bool {
	for _, r := range s {
		switch {
		case r == '\t' || r == '\n':
		case r < 0x20 || r == 0x7f || r == 0xfffd,
			r >= 0x80 && r <= 0x9f,
			r >= 0x200b && r <= 0x200f,
			r >= 0x202a && r <= 0x202e,
			r >= 0x2060 && r <= 0x2069,
			r == 0xfeff, r == 0x00ad, r >= 0xe0000 && r <= 0xe007f:
			return true
		}
	}
	return false
}
