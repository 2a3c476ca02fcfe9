package tools

import (
	"bytes"

	"github.com/Kayphoon/opencode-advisor/pkg/pattern"
	"github.com/Kayphoon/opencode-advisor/pkg/safefs"
)

// lineScan reads a file's lines from its beginning through one buffer. Lines
// before the first wanted one are only counted.
type lineScan struct {
	first int // the first wanted line, from 1
	width int // bytes kept of one line

	// emit gets a wanted line without its break, cut to width, and its whole
	// length. It returns false when it wants no more.
	emit func(n int, line []byte, whole int) bool

	// What is known afterwards.
	lines   int    // lines seen; all that there are when ended
	ended   bool   // the end of the file was reached
	refused string // why the file is not text, "" when it is
	crlf    bool   // a wanted line ended in CR LF
	marked  bool   // the file began with a byte order mark

	closed int  // lines whose break has come
	open   bool // something has come since
	enough bool
	line   []byte // kept part of the wanted line that is open
	whole  int    // its length so far
}

// run goes through the file until emit has had enough, and then on to the end
// if at most tail bytes are left, so that the number of lines is known.
func (s *lineScan) run(env *Env, file safefs.File, tail int64) error {
	buf := env.buffer()
	for offset := int64(0); ; {
		env.interrupted()
		n, err := env.Files.ReadAt(file, offset, buf)
		if err != nil {
			return err
		}
		piece := buf[:n]
		if offset == 0 {
			if s.refused = binary(piece); s.refused != "" {
				return nil
			}
			if bytes.HasPrefix(piece, bom) {
				s.marked, piece = true, piece[len(bom):]
			}
		}
		if offset == 0 && n < len(buf) && env.Redact != nil {
			piece = env.Redact(piece)
		}
		offset += int64(n)
		s.take(piece)
		if s.ended = n < len(buf); s.ended {
			break
		}
		if s.enough && file.Info.Size-offset > tail {
			break
		}
	}
	if s.open && !s.enough && s.closed+1 >= s.first {
		s.flush()
	}
	if s.lines = s.closed; s.open {
		s.lines++
	}
	return nil
}

func (s *lineScan) take(piece []byte) {
	for len(piece) > 0 {
		if s.enough || s.closed+1 < s.first {
			piece = s.skip(piece)
			continue
		}
		part, rest, found := bytes.Cut(piece, []byte{'\n'})
		s.whole += len(part)
		// One byte more than is shown: a CR at the end must be seen.
		s.line = append(s.line, part[:min(len(part), max(0, s.width+1-len(s.line)))]...)
		s.open = true
		if found {
			if endsInCR(part, s.line) {
				s.crlf = true
				s.whole--
				s.line = s.line[:min(len(s.line), s.whole)]
			}
			s.flush()
			s.closed++
			s.open = false
		}
		piece = rest
	}
}

// endsInCR looks at the last byte of a line whose final part is this; an empty
// part ends where the kept line does.
func endsInCR(part, line []byte) bool {
	if len(part) > 0 {
		return part[len(part)-1] == '\r'
	}
	return len(line) > 0 && line[len(line)-1] == '\r'
}

func (s *lineScan) flush() {
	s.enough = !s.emit(s.closed+1, clip(s.line, s.width), s.whole)
	s.line, s.whole = s.line[:0], 0
}

// skip counts the breaks in a piece, up to the one before the first wanted line.
func (s *lineScan) skip(piece []byte) []byte {
	n := pattern.Breaks(piece)
	if s.enough || s.closed+n < s.first-1 {
		s.closed += n
		s.open = s.open && n == 0 || piece[len(piece)-1] != '\n'
		return nil
	}
	for s.closed < s.first-1 {
		i := bytes.IndexByte(piece, '\n')
		piece = piece[i+1:]
		s.closed++
	}
	s.open = false
	return piece
}
