package tools

import (
	"bytes"
	"errors"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/pattern"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/safefs"
)

const (
	// maxSearchFile is the largest file that is searched; larger ones are data.
	maxSearchFile = 64 << 20
	// maxSearchSteps bounds one search, in steps of a pattern. In the guest a step
	// takes 5 to 20 ns, so that the worst search ends within 3 s and a usual one goes through
	// 1 GB; the loader gives a call 5 s.
	maxSearchSteps = 150_000_000
	// fileSteps is what opening one file weighs beside that, about 20 us.
	fileSteps = 2000
)

// Hit is one line that a search has found. Line counts from 1.
type Hit struct {
	Path string
	Line int
	Text string
}

// Found is what a search has found and how far it went.
type Found struct {
	Hits []Hit
	// Files counts the text files that were searched.
	Files int
	// Complete is false when a bound other than the wanted number of hits ended
	// the search, or when a file or line was left out that may have had a hit.
	Complete bool
}

// Search looks for a pattern in the files that match glob, all when it is
// empty, and stops after max hits. Pattern and glob are read as grep reads them; a
// malformed one is an error.
func Search(env *Env, expr, glob string, max int) (Found, error) {
	var hits []Hit
	found, err := Each(env, expr, glob, func(path string, line int, text []byte) bool {
		hits = append(hits, Hit{path, line, string(appendText(nil, text))})
		return len(hits) < max
	})
	found.Hits = hits
	return found, err
}

// Each is Search without a bound: it calls hit for each matching line, whose bytes
// are the caller's until hit returns. What it gives back has no Hits.
func Each(env *Env, expr, glob string, hit func(path string, line int, text []byte) bool) (Found, error) {
	s := &search{env: env, stamp: newStamper()}
	if err := s.prepare(expr, pattern.Flags{}, glob); err != nil {
		return Found{}, err
	}
	root, err := env.Files.Resolve(".")
	if err != nil {
		return Found{}, err
	}
	s.matched = func(m match) bool { return hit(m.file.Rel, m.line, m.text[m.start:m.end]) }
	if err := s.run(root); err != nil {
		return Found{}, err
	}
	return Found{
		Files: s.files,
		Complete: s.why == "" && s.walked.Stopped == "" && s.walked.Failed == 0 && s.tooLarge+s.unread+s.longLines == 0 &&
			s.pattern.GaveUp()+s.pattern.Clipped() == 0,
	}, nil
}

// match is one matching line, in the buffer that holds it.
type match struct {
	file       safefs.File
	line       int    // its number
	text       []byte // the buffer: whole lines before and after
	start, end int    // the line in text
	at         int    // near the match
}

// search goes through the files below a place.
type search struct {
	env     *Env
	masked  []byte // the piece at hand as it may be shown, once a match needed it
	same    bool   // it is the piece itself
	lined   bool   // it has the piece's lines
	pattern *pattern.Pattern
	glob    *pattern.Glob
	base    string               // the folder that the glob is relative to, "" for the root
	matched func(m match) bool   // false: enough
	piece   func()               // after each piece of a file, while its bytes are still there
	stamp   stamper              // of the files looked at
	only    func(n stamper) bool // when set, files are only stamped; false: enough

	walked    safefs.Walked
	files     int
	binary    int
	tooLarge  int
	unread    int // vanished, forbidden or changed
	longLines int // lines longer than the buffer, searched in pieces
	stopped   bool
	why       string // why the search ended early, "" when it did not
}

func (s *search) prepare(expr string, flags pattern.Flags, glob string) error {
	p, err := pattern.Compile(expr, flags)
	if err != nil {
		return err
	}
	s.pattern = p
	if glob != "" {
		if s.glob, err = pattern.CompileGlob(glob); err != nil {
			return err
		}
	}
	return nil
}

// run searches the file or folder at start. Errors are about start alone; a
// file that cannot be read is counted.
func (s *search) run(start safefs.File) error {
	s.pattern.SetBudget(maxSearchSteps)
	var err error
	s.walked, err = s.env.Files.Walk(start, s.env.Interrupted, func(e safefs.Entry) bool {
		if e.Kind != protocol.KindFile || s.glob != nil && !s.glob.Match(strings.TrimPrefix(e.Rel, s.base)) {
			return true
		}
		s.look(e)
		return !s.stopped
	})
	return err
}

// look searches one file.
func (s *search) look(e safefs.Entry) {
	file, err := s.env.Files.Entry(e)
	if err != nil || file.Info.Kind != protocol.KindFile {
		s.unread++
		return
	}
	s.stamp.add(file.Rel, file.Info)
	if s.pattern.Spent()+int64(s.stamp.files)*fileSteps > maxSearchSteps {
		s.giveUp()
		return
	}
	if s.only != nil {
		s.stopped = !s.only(s.stamp)
		return
	}
	if file.Info.Size > maxSearchFile {
		s.tooLarge++
		return
	}
	if err := s.read(file); err != nil {
		if errors.Is(err, pattern.ErrBudget) {
			s.giveUp()
			return
		}
		s.unread++
	}
}

func (s *search) giveUp() {
	s.stopped = true
	s.why = "the search takes too long; make the pattern simpler, or search fewer files by path or glob"
}

// read takes the file through the buffer, in pieces that end at a line's end.
func (s *search) read(file safefs.File) error {
	buf := s.env.buffer()
	size := file.Info.Size
	if size == 0 {
		s.files++
		return nil
	}
	line := 1
	held := 0 // bytes at the front of buf: the unfinished line of the last piece
	counted := false
	for offset := int64(0); ; {
		s.env.interrupted()
		want := buf[held:]
		// The size is known, so a small file needs one call, not a second that
		// finds its end; a file that has grown meanwhile is read up to its old size.
		if left := size - offset; left < int64(len(want)) {
			want = want[:left]
		} else if offset == 0 {
			want = want[:min(len(want), sniff)] // do not read all of a large binary
		}
		n, err := s.env.Files.ReadAt(file, offset, want)
		if err != nil {
			return err
		}
		text := buf[:held+n]
		if offset == 0 {
			if binary(text) != "" {
				s.binary++
				return nil
			}
			s.files++
		}
		last := offset+int64(n) >= size || n < len(want)
		body := text
		if offset == 0 && bytes.HasPrefix(text, bom) {
			body = text[len(bom):]
		}
		offset += int64(n)
		whole := body
		if !last {
			i := bytes.LastIndexByte(body, '\n')
			if i < 0 && len(text) < len(buf) {
				held = copy(buf, body)
				continue
			}
			if i < 0 {
				i = len(body) - 1
				if !counted {
					s.longLines++
				}
				counted = true
			} else {
				counted = false
			}
			whole = body[:i+1]
		}
		if err := s.lines(file, whole, &line, last); err != nil || s.stopped || last {
			return err
		}
		held = copy(buf, body[len(whole):])
	}
}

// mask moves a match into the text as it may be shown. Redaction keeps line breaks, so the match
// is the line of the same number; where it did not, the match is not shown.
func (s *search) mask(m match) (match, bool) {
	if s.env.Redact == nil {
		return m, true
	}
	if s.masked == nil {
		s.masked = s.env.Redact(m.text)
		s.same = bytes.Equal(s.masked, m.text)
		s.lined = s.same || pattern.Breaks(s.masked) == pattern.Breaks(m.text)
	}
	if s.same {
		return m, true
	}
	if !s.lined {
		return m, false
	}
	start := 0
	for range pattern.Breaks(m.text[:m.start]) {
		start += bytes.IndexByte(s.masked[start:], '\n') + 1
	}
	end := len(s.masked)
	if i := bytes.IndexByte(s.masked[start:], '\n'); i >= 0 {
		end = start + i
	}
	if end > start && s.masked[end-1] == '\r' {
		end--
	}
	return match{m.file, m.line, s.masked, start, end, min(start+m.at-m.start, end)}, true
}

// lines searches whole lines, the first of which has the number in line; unless they are the last, it
// gets the next one's.
func (s *search) lines(file safefs.File, text []byte, line *int, last bool) error {
	from := 0
	s.masked = nil
	err := s.pattern.Lines(text, func(start, end, at int) bool {
		*line += pattern.Breaks(text[from:start])
		from = start
		m, ok := s.mask(match{file, *line, text, start, end, at})
		s.stopped = ok && !s.matched(m)
		return !s.stopped
	})
	if s.piece != nil {
		s.piece()
	}
	if !last {
		*line += pattern.Breaks(text[from:])
	}
	return err
}
