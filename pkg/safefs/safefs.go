// Package safefs is the reviewer's whole view of the disk: read-only, and of
// one workspace. It alone names a path to the host. A path that a model or a
// repository chose is resolved here, refused with a reason when it leads out of
// the workspace, to a credential or to something that is no file, and otherwise
// comes back as a File, which carries the identity (device and inode) that the
// host compares again once it has opened it.
package safefs

import (
	"path"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// FS is one workspace. It is not safe for use by several goroutines.
type FS struct {
	files protocol.Files
	root  string // resolved
	given string // as the host named it

	maxEntries, maxWork int                    // of one walk
	ignores             map[string]knownIgnore // by path
}

// File is a regular file or folder inside the workspace, as it was when it was
// resolved.
type File struct {
	Rel  string // the resolved path below the root, with slashes; "." for the root
	Abs  string // the resolved absolute path
	Info protocol.Info
}

// IsDir says whether the file is a folder.
func (f File) IsDir() bool { return f.Info.Kind == protocol.KindDir }

// New opens the workspace at root, an absolute path. The error says why it
// cannot be read.
func New(files protocol.Files, root string) (*FS, error) {
	given := path.Clean(root)
	if !path.IsAbs(root) || strings.IndexByte(root, 0) >= 0 {
		return nil, &Error{KindPath, root, "is not an absolute path, so it cannot be the workspace"}
	}
	real, errno := files.Real(given)
	if errno != protocol.OK {
		return nil, &Error{KindIO, root, "cannot be opened as the workspace: " + errno.Error()}
	}
	info, errno := files.Stat(real)
	if errno != protocol.OK {
		return nil, &Error{KindIO, root, "cannot be opened as the workspace: " + errno.Error()}
	}
	if info.Kind != protocol.KindDir {
		return nil, &Error{KindNotDir, root, "is not a folder, so it cannot be the workspace"}
	}
	return &FS{files: files, root: real, given: given, maxEntries: MaxEntries, maxWork: maxWork}, nil
}

// Root is the resolved path of the workspace.
func (f *FS) Root() string { return f.root }

// Resolve turns a path as a model writes it, relative to the workspace or
// absolute inside it, into a File. Symlinks are followed as long as they stay
// inside. Every error is an *Error.
func (f *FS) Resolve(name string) (File, error) {
	rel, err := f.clean(name)
	if err != nil {
		return File{}, err
	}
	if why := f.credential(rel); why != "" {
		return File{}, credentialError(name, why)
	}
	real := f.root // the host resolved it in New, and says when something else is there now
	if rel != "." {
		var errno protocol.Errno
		if real, errno = f.files.Real(f.abs(rel)); errno != protocol.OK {
			return File{}, failure(name, errno)
		}
	}
	realRel, inside := below(f.root, real)
	if !inside || f.root == "/" && kernelOwned(real) {
		return File{}, failure(name, protocol.ErrnoOutside)
	}
	// The link's own name has passed; what it leads to must pass too.
	if why := f.credential(realRel); why != "" {
		return File{}, credentialError(name, why)
	}
	file, err := f.stat(name, realRel, real)
	if err != nil {
		return File{}, err
	}
	if file.Info.Kind == protocol.KindSymlink {
		return File{}, failure(name, protocol.ErrnoChanged)
	}
	return file, nil
}

// Entry describes what Walk has named. It is Resolve without the search for symlinks and
// credentials, which the walk has made, for loops over many files.
func (f *FS) Entry(e Entry) (File, error) {
	if e.abs == "" {
		return f.Resolve(e.Rel)
	}
	return f.stat(e.Rel, e.Rel, e.abs)
}

func (f *FS) stat(name, rel, abs string) (File, error) {
	info, errno := f.files.Stat(abs)
	if errno != protocol.OK {
		return File{}, failure(name, errno)
	}
	if info.Kind == protocol.KindOther {
		return File{}, failure(name, protocol.ErrnoNotRegular)
	}
	return File{Rel: rel, Abs: abs, Info: info}, nil
}

// ReadAt fills buf from offset. It returns fewer bytes only at the end of the file.
func (f *FS) ReadAt(file File, offset int64, buf []byte) (int, error) {
	n, errno := f.files.Read(file.Abs, file.Info, offset, buf)
	if errno != protocol.OK {
		return 0, failure(file.Rel, errno)
	}
	return min(n, len(buf)), nil
}

// ReadFile resolves a path and reads the whole file, which may have at most max bytes.
func (f *FS) ReadFile(name string, max int) (File, []byte, error) {
	file, err := f.Resolve(name)
	if err != nil {
		return File{}, nil, err
	}
	text, err := f.Read(file, max)
	return file, text, err
}

// Read reads a whole resolved file of at most max bytes.
func (f *FS) Read(file File, max int) ([]byte, error) {
	if file.IsDir() {
		return nil, failure(file.Rel, protocol.ErrnoIsDir)
	}
	if file.Info.Size > int64(max) {
		return nil, tooLarge(file.Rel, max)
	}
	// One byte more than was promised: a file that has grown shows itself.
	buf := make([]byte, int(file.Info.Size)+1)
	n, err := f.ReadAt(file, 0, buf)
	if err != nil {
		return nil, err
	}
	for n == len(buf) {
		if n > max {
			return nil, tooLarge(file.Rel, max)
		}
		buf = append(buf, make([]byte, min(n, max+1-n))...)
		more, err := f.ReadAt(file, int64(n), buf[n:])
		if err != nil {
			return nil, err
		}
		n += more
	}
	return buf[:n], nil
}

// List gives the entries of a resolved folder, sorted by name.
func (f *FS) List(dir File) ([]protocol.Entry, error) {
	entries, errno := f.files.List(dir.Abs, dir.Info)
	if errno != protocol.OK {
		return nil, failure(dir.Rel, errno)
	}
	return entries, nil
}

func (f *FS) abs(rel string) string {
	switch {
	case rel == ".":
		return f.root
	case f.root == "/":
		return "/" + rel
	}
	return f.root + "/" + rel
}

// below gives the part of an absolute path under root, "." for root itself.
func below(root, abs string) (string, bool) {
	if abs == root {
		return ".", true
	}
	if root == "/" {
		return abs[1:], true
	}
	if strings.HasPrefix(abs, root) && abs[len(root)] == '/' {
		return abs[len(root)+1:], true
	}
	return "", false
}
