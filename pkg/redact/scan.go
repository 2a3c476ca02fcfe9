package redact

import "strings"

// scan is one pass over a text. What is decided at a place depends on the text behind the last mask and on what follows,
// never on text that was hidden, so that a second pass rarely finds anything new.
type scan struct {
	in     string
	out    []byte
	copied int // in[:copied] is in out already
	floor  int // looking back ends here: the end of the last mask
	report *Report

	at        int            // the byte that is being looked at
	from      int            // set by a shape's match: where the hidden part begins
	failed    [maxShapes]int // up to here this shape cannot match
	ats       int            // the next @, see next
	masks     int            // the next mask
	bare      int            // the end of the last unquoted value
	noEndFrom int            // from here on there is no END of a key block
	awsUntil  int            // up to here an AWS secret may follow its id
}

func newScan(in string, report *Report) *scan {
	return &scan{in: in, report: report, noEndFrom: len(in) + 1, ats: -1, masks: -1, bare: -1}
}

func hide(in string, report *Report) string {
	s := newScan(in, report)
	return s.text()
}

// text gives the text without secrets.
func (s *scan) text() string {
	in := s.in
	for i := 0; i < len(in); {
		s.at = i
		if i < s.awsUntil {
			if end := s.awsSecret(i); end > 0 {
				s.hide(i, end, "aws-secret", false)
				i = end
				continue
			}
		}
		switch c := in[i]; {
		case classes[c]&isHook != 0:
			i = s.look(i)
		case classes[c]&isShape != 0 && i+1 < len(in) && second[c][in[i+1]/64]>>(in[i+1]%64)&1 != 0:
			i = s.lookShape(i)
		default:
			i++
		}
	}
	if s.out == nil {
		return in
	}
	return string(append(s.out, in[s.copied:]...))
}

// maxShapes is an array's size; a test compares it with the list.
const maxShapes = 80

func (s *scan) lookShape(i int) int {
	if from, to, kind := s.shapeAt(i); to > 0 {
		s.hide(from, to, kind, false)
		return to
	}
	return i + 1
}

// look decides at a byte that may begin something else than a word, and gives where to go on.
func (s *scan) look(i int) int {
	switch s.in[i] {
	case '[':
		if end := maskEnd(s.in, i); end > 0 {
			s.floor = end
			return end
		}
	case ':':
		if !strings.HasPrefix(s.in[i:], "://") {
			return s.assignment(i)
		}
		if from, to := s.urlPassword(i); to > 0 {
			s.hide(from, to, "url-password", false)
			return to
		}
	case '=':
		return s.assignment(i)
	case '>':
		return s.element(i, i+1)
	case '\\':
		if end := escape(s.in, i, jsonGreater); end > 0 {
			return s.element(i, end)
		}
	case '-':
		if strings.HasPrefix(s.in[i:], "-----") {
			return s.lookShape(i)
		}
		return s.flag(i)
	}
	return i + 1
}

// hide puts a mask in place of in[from:to]. What stands between the place that was looked at and from
// (a user's name, a flag) has not been scanned yet, and is.
func (s *scan) hide(from, to int, kind string, bare bool) {
	if s.at+1 < from {
		gap := newScan(s.in[s.at+1:from], s.report)
		s.out = append(append(s.out, s.in[s.copied:s.at+1]...), gap.text()...)
		s.copied = from
	}
	s.report.add(kind, s.in[from:to], bare)
	s.out = appendMask(append(s.out, s.in[s.copied:from]...), kind, s.in[from:to])
	s.copied, s.floor = to, to
}

// urlPassword finds the password in scheme://user:password@host, where in[i:] begins with "://".
// Real ones may hold an unescaped slash; a port may not be taken for one.
func (s *scan) urlPassword(i int) (from, to int) {
	if i == s.floor || !alnum(s.in[i-1]) {
		return 0, -1
	}
	start := i + 3
	next := s.next(&s.ats, "@", start)
	if next-start > maxURL {
		return 0, -1
	}
	end := runUntil(s.in, start, isStop, maxURL)
	if next >= end {
		return 0, -1
	}
	rest := s.in[start:end]
	if at := strings.IndexAny(rest, "<>|"); at >= 0 {
		rest = rest[:at]
	}
	slash := strings.IndexAny(rest, "/?#")
	authority := rest
	if slash >= 0 {
		authority = rest[:slash]
	}
	colon := strings.IndexByte(authority, ':')
	at := strings.LastIndexByte(authority, '@')
	if at < 0 {
		if slash < 0 || colon < 0 || run(rest, colon+1, isDigit, slash) == slash { // a port
			return 0, -1
		}
		if at = strings.IndexByte(rest, '@'); at < 0 || at+1 == len(rest) || !alnum(rest[at+1]) {
			return 0, -1
		}
	}
	if colon < 0 || colon > at {
		// A token alone, as in https://TOKEN@host.
		if v := rest[:at]; len(v) >= 20 && random(v) {
			return start, start + at
		}
		return 0, -1
	}
	v := rest[colon+1 : at]
	if len(v) < 3 || trivial(v) || reference(v) || s.masked(start, start+at) || strings.HasPrefix(v, "//") {
		return 0, -1
	}
	return start + colon + 1, start + at
}

// next gives the index of what at or behind s.in[i], or one that is out of reach. It remembers the last answer, so that
// all questions together read the text once.
func (s *scan) next(known *int, what string, i int) int {
	if *known < i {
		at := strings.Index(s.in[i:], what)
		if at < 0 {
			at = len(s.in) + maxRun
		}
		*known = i + at
	}
	return *known
}

// masked reports whether a mask begins in s.in[from:to].
func (s *scan) masked(from, to int) bool { return s.next(&s.masks, maskOpen, from) < to }

// maxURL bounds what is looked at behind a "://".
const maxURL = 512
