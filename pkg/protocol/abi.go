package protocol

// ABIVersion is the version of the exports, the imports and the shape of a
// batch. Loader and guest compare it before anything else. It grows by one
// with every change that an older side could misread.
const ABIVersion = 1

// ImportModule is the WebAssembly module name of everything the guest imports
// beside what Go's runtime needs of wasi_snapshot_preview1.
const ImportModule = "superadvisor"

// Names of the imports in ImportModule. Pointers and lengths are i32 into guest memory, and
// text is UTF-8. An import never traps and never calls back in; Interrupted
// alone may throw, when the loader has given this instance up.
const (
	// http_send(ptr, len) -> errno: starts the HTTPSend effect encoded at ptr.
	ImportHTTPSend = "http_send"
	// http_cancel(ptr, len): forgets the request with the id at ptr.
	ImportHTTPCancel = "http_cancel"
	// fs_stat(path, pathLen, out) -> errno: writes StatSize bytes at out.
	// The last element of path is not followed when it is a symlink.
	ImportFSStat = "fs_stat"
	// fs_read(path, pathLen, want, offset i64, buf, bufLen) -> bytes read, or
	// -errno. want points at IdentSize bytes (device, inode), which what was
	// opened must match.
	ImportFSRead = "fs_read"
	// fs_list(path, pathLen, want, buf, bufLen) -> bytes written, or -errno. Entries are
	// sorted by name, each: kind u8, name length u16, name.
	// A buffer too small is ErrnoRange, with nothing written.
	ImportFSList = "fs_list"
	// fs_real(path, pathLen, buf, bufLen) -> bytes written, or -errno: the path
	// with every symlink resolved.
	ImportFSReal = "fs_real"
	// emit(ptr, len): one Log effect at once, so that it survives a trap.
	ImportEmit = "emit"
	// interrupted() -> 0, or throws once the deadline of this call has passed.
	ImportInterrupted = "interrupted"
)

// Layout of what fs_stat writes, little endian: kind u8, 7 bytes of zero, size i64, mtime
// in nanoseconds i64, device u64, inode u64. The last two are the identity.
const (
	StatSize  = 40
	IdentSize = 16
)

// Kind says what a path names.
type Kind uint8

// Kinds are append-only: they cross the wire as a byte.
const (
	KindOther   Kind = iota // device, FIFO, socket: never read
	KindFile                // regular file
	KindDir                 // directory
	KindSymlink             // symbolic link, not followed
)

// Errno is why a file import refused. Zero is success. Values are append-only.
type Errno int32

// The errnos. On the wire they are positive from fs_stat and http_send, and
// negative where a success is a length.
const (
	OK               Errno = iota
	ErrnoNotFound          // no such path
	ErrnoPermission        // the operating system refused
	ErrnoNotDir            // a folder was needed
	ErrnoIsDir             // a file was needed
	ErrnoNotRegular        // device, FIFO or socket
	ErrnoLoop              // too many symlinks
	ErrnoNameTooLong       // over-long path
	ErrnoInvalid           // NUL, relative, or malformed
	ErrnoOutside           // resolves outside the workspace
	ErrnoChanged           // what was opened is not what was checked
	ErrnoRange             // buffer too small
	ErrnoIO                // anything else
	ErrnoRefused           // the loader does not allow it (origin, too many)
)

// Error gives the sentence part that follows "read x: ".
func (e Errno) Error() string {
	if e < 0 || int(e) >= len(errnoText) {
		return "unknown failure"
	}
	return errnoText[e]
}

var errnoText = [...]string{
	OK:               "ok",
	ErrnoNotFound:    "no such file or folder",
	ErrnoPermission:  "permission denied",
	ErrnoNotDir:      "not a folder",
	ErrnoIsDir:       "is a folder",
	ErrnoNotRegular:  "not a regular file",
	ErrnoLoop:        "too many symbolic links",
	ErrnoNameTooLong: "the path is too long",
	ErrnoInvalid:     "the path is not valid",
	ErrnoOutside:     "outside the workspace",
	ErrnoChanged:     "changed while it was being opened",
	ErrnoRange:       "larger than the buffer",
	ErrnoIO:          "input/output error",
	ErrnoRefused:     "refused by the loader",
}
