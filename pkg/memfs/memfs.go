// Package memfs is a workspace in memory that answers the guest's four file
// imports: for tests that need odd trees, exact times and counts, and for the
// bench. It keeps the rules of the real hosts.
package memfs

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// maxLinks is how many symlinks one path may pass through, as on Linux.
const maxLinks = 40

type node struct {
	kind   protocol.Kind
	data   []byte
	target string
	mtime  int64
	ino    uint64
	kids   map[string]*node
	fails  protocol.Errno // when set, reading or listing answers this
}

// FS is a tree of files below one root. It implements protocol.Files. Paths
// given to its own methods are relative to the root, or absolute.
type FS struct {
	root string
	top  *node
	ino  uint64
	now  int64

	// Reads, Lists and Stats count the calls that came in, and Bytes what was read.
	Reads, Lists, Stats int
	Bytes               int64
}

var _ protocol.Files = (*FS)(nil)

// New makes an empty workspace whose root is an absolute, clean path.
func New(root string) *FS {
	f := &FS{root: path.Clean(root)}
	f.top = f.node(protocol.KindDir)
	f.Mkdir(f.root)
	return f
}

// Root returns the path of the workspace.
func (f *FS) Root() string { return f.root }

func (f *FS) node(kind protocol.Kind) *node {
	f.ino++
	f.now++
	n := &node{kind: kind, ino: f.ino, mtime: f.now}
	if kind == protocol.KindDir {
		n.kids = map[string]*node{}
	}
	return n
}

// Write makes or replaces a file and the folders above it. Every write gives
// the file a later time; the same file keeps its inode.
func (f *FS) Write(name string, data string) {
	dir, base := f.parent(name)
	n := dir.kids[base]
	if n == nil || n.kind != protocol.KindFile {
		n = f.node(protocol.KindFile)
		dir.kids[base] = n
	}
	f.now++
	n.data, n.mtime = []byte(data), f.now
}

// Repository makes a workspace as searches meet it: git's own folder, which ignores .env and node_modules, some sources, and
// the files named beside, all empty.
func Repository(root string, files ...string) *FS {
	f := New(root)
	f.Write(".git/config", "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@example.com:a/b.git\n")
	f.Write(".gitignore", "node_modules/\n.env\n")
	for _, name := range append([]string{".git/HEAD", "README.md", "package.json", "src/main.go", "src/a.go", "docs/a.md", ".github/workflows/ci.yml"}, files...) {
		f.Write(name, "")
	}
	return f
}

// Mkdir makes a folder and the folders above it.
func (f *FS) Mkdir(name string) {
	if f.abs(name) == "/" {
		return
	}
	dir, base := f.parent(name)
	if dir.kids[base] == nil {
		dir.kids[base] = f.node(protocol.KindDir)
	}
}

// Symlink makes name point at target.
func (f *FS) Symlink(target, name string) {
	dir, base := f.parent(name)
	n := f.node(protocol.KindSymlink)
	n.target = target
	dir.kids[base] = n
}

// Special makes a FIFO, socket or device.
func (f *FS) Special(name string) {
	dir, base := f.parent(name)
	dir.kids[base] = f.node(protocol.KindOther)
}

// Remove takes a file, or a folder with all in it, away.
func (f *FS) Remove(name string) {
	dir, base := f.parent(name)
	delete(dir.kids, base)
}

// Fail makes reading or listing name answer the failure; OK mends it.
func (f *FS) Fail(name string, failure protocol.Errno) {
	dir, base := f.parent(name)
	dir.kids[base].fails = failure
}

func (f *FS) abs(name string) string {
	if strings.HasPrefix(name, "/") {
		return path.Clean(name)
	}
	return path.Join(f.root, name)
}

func (f *FS) parent(name string) (*node, string) {
	abs := f.abs(name)
	dir := f.top
	parts := strings.Split(strings.TrimPrefix(path.Dir(abs), "/"), "/")
	for _, part := range parts {
		if part == "" {
			continue
		}
		next := dir.kids[part]
		if next == nil || next.kind != protocol.KindDir {
			next = f.node(protocol.KindDir)
			dir.kids[part] = next
		}
		dir = next
	}
	return dir, path.Base(abs)
}

// walk resolves p and returns its node and real path. The last element is
// followed only when asked.
func (f *FS) walk(p string, follow bool) (*node, string, protocol.Errno) {
	if len(p) > 4096 {
		return nil, "", protocol.ErrnoNameTooLong
	}
	if !strings.HasPrefix(p, "/") || path.Clean(p) != p || strings.IndexByte(p, 0) >= 0 {
		return nil, "", protocol.ErrnoInvalid
	}
	todo := strings.Split(p[1:], "/")
	type step struct {
		n    *node
		name string
	}
	at := []step{{f.top, ""}}
	for links := 0; len(todo) > 0; {
		part := todo[0]
		todo = todo[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if len(at) > 1 {
				at = at[:len(at)-1]
			}
			continue
		}
		if len(part) > 255 {
			return nil, "", protocol.ErrnoNameTooLong
		}
		here := at[len(at)-1].n
		if here.kind != protocol.KindDir {
			return nil, "", protocol.ErrnoNotDir
		}
		next := here.kids[part]
		if next == nil {
			return nil, "", protocol.ErrnoNotFound
		}
		if next.kind == protocol.KindSymlink && (follow || len(todo) > 0) {
			if links++; links > maxLinks {
				return nil, "", protocol.ErrnoLoop
			}
			if strings.HasPrefix(next.target, "/") {
				at = at[:1]
			}
			todo = append(strings.Split(next.target, "/"), todo...)
			continue
		}
		at = append(at, step{next, part})
	}
	names := make([]string, 0, len(at))
	for _, s := range at[1:] {
		names = append(names, s.name)
	}
	return at[len(at)-1].n, "/" + strings.Join(names, "/"), protocol.OK
}

// Stat implements protocol.Files.
func (f *FS) Stat(p string) (protocol.Info, protocol.Errno) {
	f.Stats++
	n, _, e := f.walk(p, false)
	if e != protocol.OK {
		return protocol.Info{}, e
	}
	return protocol.Info{Kind: n.kind, Size: int64(len(n.data)), MTimeNS: n.mtime, Dev: 1, Ino: n.ino}, protocol.OK
}

// Real implements protocol.Files.
func (f *FS) Real(p string) (string, protocol.Errno) {
	_, real, e := f.walk(p, true)
	if e != protocol.OK {
		return "", e
	}
	if !f.inside(real) {
		return "", protocol.ErrnoOutside
	}
	return real, protocol.OK
}

// Read implements protocol.Files.
func (f *FS) Read(p string, want protocol.Info, offset int64, buf []byte) (int, protocol.Errno) {
	f.Reads++
	n, e := f.open(p, want, protocol.KindFile)
	if e != protocol.OK {
		return 0, e
	}
	if offset >= int64(len(n.data)) {
		return 0, protocol.OK
	}
	got := copy(buf, n.data[offset:])
	f.Bytes += int64(got)
	return got, protocol.OK
}

// List implements protocol.Files.
func (f *FS) List(p string, want protocol.Info) ([]protocol.Entry, protocol.Errno) {
	f.Lists++
	n, e := f.open(p, want, protocol.KindDir)
	if e != protocol.OK {
		return nil, e
	}
	entries := make([]protocol.Entry, 0, len(n.kids))
	for _, name := range slices.Sorted(maps.Keys(n.kids)) {
		entries = append(entries, protocol.Entry{Name: name, Kind: n.kids[name].kind})
	}
	return entries, protocol.OK
}

func (f *FS) open(p string, want protocol.Info, kind protocol.Kind) (*node, protocol.Errno) {
	n, real, e := f.walk(p, false)
	switch {
	case e != protocol.OK:
		return nil, e
	case kind == protocol.KindDir && n.kind != kind:
		return nil, protocol.ErrnoNotDir
	case n.ino != want.Ino || want.Dev != 1:
		return nil, protocol.ErrnoChanged
	case n.kind == protocol.KindDir && n.kind != kind:
		return nil, protocol.ErrnoIsDir
	case n.kind != kind:
		return nil, protocol.ErrnoNotRegular
	case !f.inside(real):
		return nil, protocol.ErrnoOutside
	}
	return n, n.fails
}

func (f *FS) inside(real string) bool {
	return real == f.root || f.root == "/" || strings.HasPrefix(real, f.root+"/")
}
