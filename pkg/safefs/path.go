package safefs

import (
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

const (
	// maxPath and maxName are the kernel's own bounds (PATH_MAX, NAME_MAX); checked
	// here, the answer names the trouble.
	maxPath = 4096
	maxName = 255
)

// clean turns a path as a model writes it into one below the root, by its text
// alone.
func (f *FS) clean(name string) (string, error) {
	switch {
	case strings.IndexByte(name, 0) >= 0:
		return "", &Error{KindPath, name, "has a NUL character in it; give the plain path"}
	case len(name) > maxPath:
		return "", &Error{KindPath, name, "is " + strconv.Itoa(len(name)) + " bytes long, more than the " + strconv.Itoa(maxPath) + " that a path can have"}
	case !utf8.ValidString(name):
		return "", &Error{KindPath, name, "is not valid UTF-8; use glob to see how the file is really named"}
	case isURL(name):
		return "", &Error{KindOutside, name, "is a URL; only files of the workspace can be read, by their path"}
	case name == "~" || strings.HasPrefix(name, "~/"):
		return "", &Error{KindOutside, name, "is in the home folder; only files inside the workspace can be read"}
	case strings.IndexByte(name, '\\') >= 0:
		return "", &Error{KindPath, name, "has a backslash; write the path with / between the folders"}
	}
	rel := path.Clean(name)
	if path.IsAbs(name) {
		var err error
		if rel, err = f.relative(name, rel); err != nil {
			return "", err
		}
	}
	if rel == ".." || strings.HasPrefix(rel, "../") {
		return "", failure(name, protocol.ErrnoOutside)
	}
	for elem := range strings.SplitSeq(rel, "/") {
		if len(elem) > maxName {
			return "", &Error{KindPath, name, "has a name of " + strconv.Itoa(len(elem)) + " bytes in it, more than the " + strconv.Itoa(maxName) + " that a name can have"}
		}
	}
	return rel, nil
}

// relative finds an absolute path's place in the workspace. The root may have
// been named through a symlink, then and now.
func (f *FS) relative(name, abs string) (string, error) {
	for _, root := range []string{f.root, f.given} {
		if rel, ok := below(root, abs); ok && (root != "/" || !kernelOwned(abs)) {
			return rel, nil
		}
	}
	if kernelOwned(abs) {
		return "", &Error{KindOutside, name, "belongs to the operating system; only files inside the workspace can be read"}
	}
	if real, errno := f.files.Real(abs); errno == protocol.OK {
		if rel, ok := below(f.root, real); ok {
			return rel, nil
		}
	}
	// The same answer whether or not the path exists: what lies outside is not
	// the reviewer's to probe.
	return "", failure(name, protocol.ErrnoOutside)
}

// kernelOwned names the folders in which reading is not harmless, whatever the
// workspace is.
func kernelOwned(abs string) bool {
	for _, dir := range []string{"/proc", "/sys", "/dev"} {
		if _, ok := below(dir, abs); ok {
			return true
		}
	}
	return false
}

func isURL(name string) bool {
	scheme, _, found := strings.Cut(name, "://")
	if !found || scheme == "" {
		return false
	}
	for _, c := range scheme {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '+' || c == '-' || c == '.') {
			return false
		}
	}
	return true
}
