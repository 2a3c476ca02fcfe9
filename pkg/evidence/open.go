package evidence

import (
	"errors"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// open reads the file that a citation names, in the first of its spellings
// that there is, and keeps it.
func (r *Resolver) open(cited string) (path string, line int, err error) {
	if !printable(cited) {
		return "", 0, ErrMissing
	}
	names, glued := paths(cited)
	err = ErrMissing
	for i, name := range names {
		clean, failure := r.Files.Resolve(name)
		if failure == nil {
			if clean == r.kept && r.kept != "" {
				return clean, gluedLine(i, glued), nil
			}
			var text string
			if text, failure = r.Files.ReadFile(clean, MaxFile); failure == nil {
				r.kept, r.keptText, r.keptForm = clean, text, nil
				return clean, gluedLine(i, glued), nil
			}
		}
		// The first spelling's failure is the one to tell, unless it was only missing.
		if errors.Is(err, ErrMissing) {
			err = failure
		}
	}
	return "", 0, err
}

// form gives the kept file in normal form.
func (r *Resolver) form() *normal {
	if r.keptForm == nil {
		form := normalize(r.keptText)
		r.keptForm = &form
	}
	return r.keptForm
}

// gluedLine gives the glued line unless the path was found with it: a file
// may be called "notes:12".
func gluedLine(spelling, line int) int {
	if spelling == 0 {
		return 0
	}
	return line
}

// unreadable tells what a file that was not read means for its citation.
func unreadable(path string, err error) Finding {
	switch {
	case errors.Is(err, ErrMissing), errors.Is(err, ErrOutside):
		return Finding{Status: protocol.CiteMissing, Reason: "there is no such file in the workspace; find it with glob or grep before citing it"}
	case errors.Is(err, ErrRefused):
		return unknown("credential files cannot be read or cited")
	case errors.Is(err, ErrBinary):
		return unknown("a binary file cannot be quoted")
	case errors.Is(err, ErrTooLarge):
		return unknown("the file is larger than 8 MB and cannot be checked")
	}
	return unknown("the file cannot be read now")
}
