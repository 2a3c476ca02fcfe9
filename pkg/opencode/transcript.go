package opencode

import (
	"fmt"

	"github.com/Kayphoon/opencode-advisor/pkg/redact"
)

// overlap is kept beyond each side of a cut and dropped after redaction. A secret that the cut tears lies
// within it, as long as it is shorter than this.
const overlap = 8 << 10

// excerpt keeps the beginning and the end of a stream, within bounds.
type excerpt struct {
	headSize, tailSize int

	head  []byte
	tail  []byte // a ring once full
	at    int
	total int64
}

func newExcerpt(head, tail int) *excerpt {
	return &excerpt{headSize: head + overlap, tailSize: tail + overlap}
}

func (e *excerpt) write(p []byte) {
	e.total += int64(len(p))
	if room := e.headSize - len(e.head); room > 0 {
		n := min(room, len(p))
		e.head = append(e.head, p[:n]...)
		p = p[n:]
	}
	if len(p) > e.tailSize {
		p = p[len(p)-e.tailSize:]
	}
	if room := e.tailSize - len(e.tail); room > 0 {
		n := min(room, len(p))
		e.tail = append(e.tail, p[:n]...)
		p = p[n:]
	}
	for len(p) > 0 {
		n := copy(e.tail[e.at:], p)
		e.at = (e.at + n) % e.tailSize
		p = p[n:]
	}
}

// parts gives what is kept; gap is how many bytes are missing between the two.
func (e *excerpt) parts() (head, tail []byte, gap int64) {
	tail = append(append(make([]byte, 0, len(e.tail)), e.tail[e.at:]...), e.tail[:e.at]...)
	return e.head, tail, e.total - int64(len(e.head)) - int64(len(tail))
}

// last gives at most n bytes from the end.
func (e *excerpt) last(n int) []byte {
	_, tail, gap := e.parts()
	if gap == 0 {
		tail = append(append([]byte{}, e.head...), tail...)
	}
	return tail[max(0, len(tail)-n):]
}

// redacted gives what is kept without secrets, and a line where something is missing.
func (e *excerpt) redacted(r *redact.Redactor) []byte {
	head, tail, gap := e.parts()
	if gap == 0 {
		return r.Bytes(append(append(make([]byte, 0, len(head)+len(tail)), head...), tail...))
	}
	head, tail = r.Bytes(head), r.Bytes(tail)
	head = head[:max(0, len(head)-overlap)]
	tail = tail[min(len(tail), overlap):]
	out := make([]byte, 0, len(head)+len(tail)+64)
	out = append(out, head...)
	out = fmt.Appendf(out, "\n[%d bytes left out]\n", gap+2*overlap)
	return append(out, tail...)
}
