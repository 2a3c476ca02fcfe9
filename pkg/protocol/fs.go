package protocol

// Info is what fs_stat tells about a path.
type Info struct {
	Kind    Kind
	Size    int64 // bytes
	MTimeNS int64 // modification time, nanoseconds since 1970
	Dev     uint64
	Ino     uint64
}

// Entry is one name in a folder.
type Entry struct {
	Name string
	Kind Kind
}

// Files is the read-only view of the disk that a host grants: the four fs
// imports, in Go. Paths are absolute and clean. Read and List compare what
// they opened with want (device and inode), after opening, and the host
// refuses by itself what resolves outside the workspace (ErrnoOutside).
// Read fills buf from offset and returns fewer bytes only at the end of file.
type Files interface {
	Stat(path string) (Info, Errno)
	Real(path string) (string, Errno)
	Read(path string, want Info, offset int64, buf []byte) (int, Errno)
	List(path string, want Info) ([]Entry, Errno)
}
