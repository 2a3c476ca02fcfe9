package bench

import (
	"slices"
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Scene is where a session stands: its files, and what is planted in it by now. A scripted
// reviewer that knows the labels looks here for them, and into files only through its tools.
type Scene struct {
	Session *Session
	Turn    int   // from 0
	Replied int64 // ms that replies took, on the bench's clock
	asked   int   // requests so far
	files   tree
	planted []*planted
	// matters are what a scripted reviewer's texts are about, so that its repeats can be told.
	matters map[string]string
	// beside are texts of a scripted reviewer that tell of nothing planted, wherever they stand, each with its kind.
	beside map[string]string
}

func (s *Scene) isBeside(text string) bool { return s.kindOf(text) != "" }

func (s *Scene) kindOf(text string) string {
	for said, kind := range s.beside {
		if strings.Contains(text, said) {
			return kind
		}
	}
	return ""
}

// planted is a label that has come up.
type planted struct {
	*Label
	since     int64 // end of the step that brought it up
	mended    bool
	dismissed bool
	note      string // id of the note that told of it first
	told      protocol.Severity
	after     int64 // from since to that note, in ms
}

func (p *planted) real() bool { return p.Kind != Tempt }

func (s *Scene) find(id string) *planted {
	for _, p := range s.planted {
		if p.ID == id {
			return p
		}
	}
	return nil
}

// cite is a proof that a delivered text shows.
type cite struct {
	path string // $ for a command's output
	line int
	text string // the quote in one line, perhaps cut
}

// citesOf reads the proofs of a delivered text, a line each: Seen at PATH:LINE: `QUOTE`, with -LINE behind the line for
// several, and Command output: `TEXT`. Behind either may stand something in brackets.
func citesOf(text string) (all []cite) {
	for l := range strings.Lines(text) {
		l = strings.TrimSuffix(l, "\n")
		if rest, ok := strings.CutPrefix(l, "Seen at "); ok {
			for at := 0; ; {
				i := strings.Index(rest[at:], ": `")
				if i < 0 {
					break
				}
				at += i + len(": `")
				path, n, ok := placeOf(rest[:at-len(": `")])
				if quote, closed := quoted(rest[at:]); ok && closed {
					all = append(all, cite{path, n, quote})
					break
				}
			}
		} else if rest, ok := strings.CutPrefix(l, "Command output: `"); ok {
			if quote, closed := quoted(rest); closed {
				all = append(all, cite{"$", 0, quote})
			}
		}
	}
	return all
}

// placeOf takes PATH:LINE or PATH:LINE-LINE apart.
func placeOf(text string) (path string, n int, ok bool) {
	at := strings.LastIndexByte(text, ':')
	if at < 1 {
		return "", 0, false
	}
	from, to, several := strings.Cut(text[at+1:], "-")
	n, err := strconv.Atoi(from)
	if several && err == nil {
		_, err = strconv.Atoi(to)
	}
	return text[:at], n, err == nil
}

// quoted gives what stands before the closing backtick.
func quoted(rest string) (text string, closed bool) {
	for at := 0; ; at++ {
		i := strings.IndexByte(rest[at:], '`')
		if i < 0 {
			return "", false
		}
		if at += i; at+1 == len(rest) || strings.HasPrefix(rest[at+1:], " (") {
			return strings.TrimSuffix(rest[:at], "..."), true
		}
	}
}

// shown is how a delivered text shows lines of a file.
func shown(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "`", "'")
}

// about gives the label that a note tells of; nil when it tells of none.
func (s *Scene) about(cites []cite) *planted {
	for _, c := range cites {
		for _, p := range s.planted {
			if label := shown(p.Quote); p.Path == c.path && c.text != "" && (strings.Contains(label, c.text) || strings.Contains(c.text, label)) {
				return p
			}
		}
	}
	// A model may quote lines beside the label's.
	for _, c := range cites {
		for _, p := range s.planted {
			at := s.files.lineOf(p.Path, p.Quote)
			if p.Path == c.path && at > 0 && c.line >= at-2 && c.line <= at+strings.Count(p.Quote, "\n")+1 {
				return p
			}
		}
	}
	return nil
}

// stale tells whether a cited text is not in the files as they are now.
func (s *Scene) stale(cites []cite) bool {
	return slices.ContainsFunc(cites, func(c cite) bool {
		return c.path != "$" && !strings.Contains(shown(s.files[c.path]), c.text)
	})
}

// matter names what a note is about: a scripted reviewer says so, else it is the place.
func (s *Scene) matter(text string, cites []cite) string {
	for said, matter := range s.matters {
		if strings.Contains(text, said) {
			return matter
		}
	}
	for _, c := range cites {
		return s.kindOf(text) + "\x00" + c.path + "\x00" + c.text
	}
	_, text, _ = strings.Cut(text, "\n")
	text, _, _ = strings.Cut(text, "\n")
	return text
}
