package evidence

import "errors"

// Files is what the resolver sees of the workspace. The implementer owns
// containment: it names nothing outside and no credential file.
type Files interface {
	// Resolve gives the workspace-relative, clean, slash-separated form of a
	// path that may be absolute, or an error that wraps one of the Err values below.
	Resolve(path string) (string, error)
	// ReadFile gives the whole text of a file of at most max bytes, as it is on
	// disk now. Its errors wrap one of the Err values below; any other error
	// means that the file cannot be read.
	ReadFile(path string, max int) (string, error)
	// Search looks for a pattern in the files that match glob (all of them when
	// empty) and returns at most max hits.
	Search(pattern, glob string, max int) (Found, error)
}

// Why a file was not read. Missing and outside look the same to a reviewer;
// the others prove nothing either way.
var (
	ErrMissing  = errors.New("no such file")
	ErrOutside  = errors.New("outside the workspace")
	ErrRefused  = errors.New("refused: a credential file")
	ErrBinary   = errors.New("a binary file")
	ErrTooLarge = errors.New("too large")
)

// Found is the outcome of a search.
type Found struct {
	Hits []Hit
	// Files counts the files that were looked at. None: nothing is proved.
	Files int
	// Complete is false when the search stopped at a bound other than max.
	Complete bool
}

// Hit is one line that a search found. Line counts from 1.
type Hit struct {
	Path string
	Line int
	Text string
}

// Ledger tells what this review has read.
type Ledger interface {
	// Covers tells whether lines from to to of path, both included and counted
	// from 1, were shown to the reviewer.
	Covers(path string, from, to int) bool
}

// Commands maps the id of a tool call of the primary to its output, for the
// commands of the delta under review. Outputs of file reads do not belong here:
// they would prove old text.
type Commands map[string]string
