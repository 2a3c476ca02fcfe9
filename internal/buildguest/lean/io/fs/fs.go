// Package fs stands in for the standard one in the guest, which has no files of
// its own: the names that a shell parser's package mentions, without time.
package fs

// FileMode is a file's kind.
type FileMode uint32

// IsRegular reports whether it is a plain file.
func (m FileMode) IsRegular() bool { return m == 0 }

// FileInfo describes a file.
type FileInfo interface {
	Name() string
	Size() int64
	Mode() FileMode
	IsDir() bool
}

// DirEntry is an entry of a folder.
type DirEntry interface {
	Name() string
	IsDir() bool
	Type() FileMode
	Info() (FileInfo, error)
}

// FileInfoToDirEntry gives the entry that a description is of.
func FileInfoToDirEntry(info FileInfo) DirEntry { return entry{info} }

type entry struct{ FileInfo }

func (e entry) Type() FileMode          { return e.Mode() }
func (e entry) Info() (FileInfo, error) { return e.FileInfo, nil }
