//go:build linux

// Package diskfs answers the guest's four file imports from a real folder, for
// the native harness and for tests. It holds the host's half of containment:
// what it opens must be what was checked, and must lie inside the root at the
// moment it is open, whatever the names did in between.
package diskfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// maxPath is PATH_MAX: the kernel refuses longer ones anyway, later and with
// less to say.
const maxPath = 4096

// FS is a read-only view of one folder. It implements protocol.Files and may
// be used by several goroutines.
type FS struct {
	root string

	// BeforeOpen, when set, runs after the caller's check and before the open,
	// with the operation ("read" or "list") and the path. Tests swap files here.
	BeforeOpen func(op, path string)
	// AfterOpen, when set, runs once the file is open and before its place is
	// checked again.
	AfterOpen func(op, path string)
}

var _ protocol.Files = (*FS)(nil)

// New opens the folder at root, with its symlinks resolved. The error names the root.
func New(root string) (*FS, error) {
	abs, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(real)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "open workspace", Path: real, Err: syscall.ENOTDIR}
	}
	return &FS{root: real}, nil
}

// Root returns the resolved folder.
func (f *FS) Root() string { return f.root }

// Stat tells about a path; a symlink at its end is not followed.
func (f *FS) Stat(path string) (protocol.Info, protocol.Errno) {
	if e := check(path); e != protocol.OK {
		return protocol.Info{}, e
	}
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return protocol.Info{}, errno(err)
	}
	return infoOf(&st), protocol.OK
}

// Real resolves every symlink of a path that ends inside the root.
func (f *FS) Real(path string) (string, protocol.Errno) {
	if e := check(path); e != protocol.OK {
		return "", e
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", errno(err)
	}
	if !f.inside(real) {
		return "", protocol.ErrnoOutside
	}
	return real, protocol.OK
}

// Read fills buf from offset of the regular file that want describes.
func (f *FS) Read(path string, want protocol.Info, offset int64, buf []byte) (int, protocol.Errno) {
	if offset < 0 {
		return 0, protocol.ErrnoInvalid
	}
	// O_NONBLOCK: opening a FIFO that was swapped in must not wait for a writer.
	fd, e := f.open("read", path, want, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, protocol.KindFile)
	if e != protocol.OK {
		return 0, e
	}
	defer unix.Close(fd)
	n := 0
	for n < len(buf) {
		m, err := unix.Pread(fd, buf[n:], offset+int64(n))
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return 0, errno(err)
		}
		if m == 0 {
			break
		}
		n += m
	}
	return n, protocol.OK
}

// List gives the entries of the folder that want describes, sorted by name.
func (f *FS) List(path string, want protocol.Info) ([]protocol.Entry, protocol.Errno) {
	fd, e := f.open("list", path, want, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_DIRECTORY|unix.O_CLOEXEC, protocol.KindDir)
	if e != protocol.OK {
		return nil, e
	}
	dir := os.NewFile(uintptr(fd), path)
	defer dir.Close()
	found, err := dir.ReadDir(-1)
	if err != nil {
		return nil, errno(err)
	}
	entries := make([]protocol.Entry, len(found))
	for i, d := range found {
		entries[i] = protocol.Entry{Name: d.Name(), Kind: kindOf(d.Type())}
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].Name < entries[j].Name })
	return entries, protocol.OK
}

// open returns a descriptor of what want describes, proved to lie inside the
// root. The order matters: open first, then compare, so that no name can change
// between the check and its use.
func (f *FS) open(op, path string, want protocol.Info, flags int, kind protocol.Kind) (int, protocol.Errno) {
	if e := check(path); e != protocol.OK {
		return -1, e
	}
	if f.BeforeOpen != nil {
		f.BeforeOpen(op, path)
	}
	fd, err := unix.Open(path, flags, 0)
	if err != nil {
		if err == unix.ELOOP {
			return -1, protocol.ErrnoChanged // a symlink where a file was seen
		}
		return -1, errno(err)
	}
	if f.AfterOpen != nil {
		f.AfterOpen(op, path)
	}
	if e := f.verify(fd, path, want, kind); e != protocol.OK {
		unix.Close(fd)
		return -1, e
	}
	return fd, protocol.OK
}

func (f *FS) verify(fd int, path string, want protocol.Info, kind protocol.Kind) protocol.Errno {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return errno(err)
	}
	opened := infoOf(&st)
	if opened.Dev != want.Dev || opened.Ino != want.Ino {
		return protocol.ErrnoChanged
	}
	if opened.Kind != kind {
		switch {
		case opened.Kind == protocol.KindDir:
			return protocol.ErrnoIsDir
		case kind == protocol.KindDir:
			return protocol.ErrnoNotDir
		}
		return protocol.ErrnoNotRegular
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return errno(err)
	}
	if !f.inside(real) {
		return protocol.ErrnoOutside
	}
	var at unix.Stat_t
	if err := unix.Lstat(real, &at); err != nil {
		return errno(err)
	}
	if at.Dev != st.Dev || at.Ino != st.Ino {
		return protocol.ErrnoChanged
	}
	return protocol.OK
}

func (f *FS) inside(real string) bool {
	return real == f.root || f.root == "/" || strings.HasPrefix(real, f.root+"/")
}

func check(path string) protocol.Errno {
	switch {
	case len(path) > maxPath:
		return protocol.ErrnoNameTooLong
	case !strings.HasPrefix(path, "/"), strings.IndexByte(path, 0) >= 0, !utf8.ValidString(path), filepath.Clean(path) != path:
		return protocol.ErrnoInvalid
	}
	return protocol.OK
}

func infoOf(st *unix.Stat_t) protocol.Info {
	info := protocol.Info{Size: st.Size, MTimeNS: st.Mtim.Nano(), Dev: uint64(st.Dev), Ino: st.Ino}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		info.Kind = protocol.KindFile
	case unix.S_IFDIR:
		info.Kind = protocol.KindDir
	case unix.S_IFLNK:
		info.Kind = protocol.KindSymlink
	}
	return info
}

func kindOf(mode fs.FileMode) protocol.Kind {
	switch {
	case mode.IsRegular():
		return protocol.KindFile
	case mode.IsDir():
		return protocol.KindDir
	case mode&fs.ModeSymlink != 0:
		return protocol.KindSymlink
	}
	return protocol.KindOther
}

func errno(err error) protocol.Errno {
	var code syscall.Errno
	if !errors.As(err, &code) {
		// EvalSymlinks reports a loop as a plain error.
		if strings.Contains(err.Error(), "too many links") {
			return protocol.ErrnoLoop
		}
		return protocol.ErrnoIO
	}
	switch code {
	case syscall.ENOENT:
		return protocol.ErrnoNotFound
	case syscall.EACCES, syscall.EPERM:
		return protocol.ErrnoPermission
	case syscall.ENOTDIR:
		return protocol.ErrnoNotDir
	case syscall.EISDIR:
		return protocol.ErrnoIsDir
	case syscall.ENXIO, syscall.ENODEV:
		return protocol.ErrnoNotRegular
	case syscall.ELOOP:
		return protocol.ErrnoLoop
	case syscall.ENAMETOOLONG:
		return protocol.ErrnoNameTooLong
	case syscall.EINVAL:
		return protocol.ErrnoInvalid
	}
	return protocol.ErrnoIO
}
