package safefs

import (
	"errors"
	"strconv"
	"unicode/utf8"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// ErrorKind sorts the refusals by what a caller does about them.
type ErrorKind uint8

// The kinds.
const (
	KindIO         ErrorKind = iota // the host failed
	KindMissing                     // no such file or folder
	KindOutside                     // leads out of the workspace
	KindCredential                  // holds secrets
	KindSpecial                     // device, FIFO, socket
	KindPath                        // not a path at all
	KindTooLarge                    // more bytes than the caller takes
	KindIsDir                       // a file was needed
	KindNotDir                      // a folder was needed
	KindChanged                     // became something else while it was opened
)

// Error is why a path was refused. Its text names the path as it was given and
// the way to mend it; the caller puts its operation before.
type Error struct {
	Kind ErrorKind
	Path string // as given
	why  string
}

func (e *Error) Error() string { return Quote(e.Path) + " " + e.why }

// Why is an error's text without the path, for messages that name it already.
func Why(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.why
	}
	return err.Error()
}

// KindOf is the kind of a refusal; KindIO for any other error.
func KindOf(err error) ErrorKind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return KindIO
}

// Quote writes a path for a message: in quotes, what is not printable escaped,
// and at most 200 bytes of it.
func Quote(name string) string {
	const most = 200
	if len(name) <= most {
		return strconv.Quote(name)
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(name[cut]) {
		cut--
	}
	return strconv.Quote(name[:cut]) + "..."
}

func failure(name string, errno protocol.Errno) error {
	switch errno {
	case protocol.ErrnoNotFound:
		return &Error{KindMissing, name, "does not exist in the workspace"}
	case protocol.ErrnoOutside:
		return &Error{KindOutside, name, "is outside the workspace; only files inside it can be read"}
	case protocol.ErrnoNotRegular:
		return &Error{KindSpecial, name, "is a device, FIFO or socket; only regular files can be read"}
	case protocol.ErrnoNotDir:
		return &Error{KindNotDir, name, "goes through a file as if it were a folder; use glob to find the right path"}
	case protocol.ErrnoIsDir:
		return &Error{KindIsDir, name, "is a folder; name a file in it"}
	case protocol.ErrnoLoop:
		return &Error{KindPath, name, "goes round in a circle of symbolic links"}
	case protocol.ErrnoNameTooLong, protocol.ErrnoInvalid:
		return &Error{KindPath, name, "is not a path that the system takes: " + errno.Error()}
	case protocol.ErrnoChanged:
		return &Error{KindChanged, name, "changed while it was being opened; try again"}
	case protocol.ErrnoPermission:
		return &Error{KindIO, name, "cannot be read: permission denied"}
	}
	return &Error{KindIO, name, "cannot be read: " + errno.Error()}
}

func credentialError(name, why string) error {
	return &Error{KindCredential, name, "is " + why + ", which the advisor never reads; judge by the code that uses it"}
}

func tooLarge(name string, max int) error {
	return &Error{KindTooLarge, name, "has more than " + strconv.Itoa(max) + " bytes; read a part of it by offset and limit"}
}
