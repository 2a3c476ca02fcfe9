package tools

import (
	"strconv"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

const (
	// maxCached and maxCachedBytes bound what a session keeps of earlier answers.
	maxCached      = 64
	maxCachedBytes = 512 << 10
)

// Cache keeps a session's answers, so that the same question about the same
// bytes is not read again. An answer holds as long as the files it came from
// have the size, time and inode they had.
type Cache struct {
	review  int
	entries map[string]*cached
	order   []string // least recently used first
	bytes   int
}

type cached struct {
	text   string
	stamp  uint64 // of the files the answer came from
	files  int    // how many those were
	spans  []seenSpan
	review int  // in which the model saw it last
	full   bool // the model got the whole text then
}

// seenSpan is what an answer shows of a file: a run of lines that follow each other in both.
type seenSpan struct {
	path     string
	from, to int
	at       int // how many lines of the answer stand before it
}

// NewReview says that a new conversation begins: its model has seen nothing yet.
func (c *Cache) NewReview() { c.review++ }

func (c *Cache) get(key string) *cached {
	if c == nil {
		return nil
	}
	e := c.entries[key]
	if e != nil {
		c.touch(key)
	}
	return e
}

func (c *Cache) drop(key string) {
	if e := c.entries[key]; e != nil {
		c.bytes -= len(e.text)
		delete(c.entries, key)
	}
	for i, k := range c.order {
		if k == key {
			c.order = append(c.order[:i], c.order[i+1:]...)
			return
		}
	}
}

func (c *Cache) touch(key string) {
	for i, k := range c.order {
		if k == key {
			c.order = append(append(c.order[:i], c.order[i+1:]...), key)
			return
		}
	}
}

// put remembers an answer, and gives it.
func (c *Cache) put(key string, e *cached) Result {
	r := Result{Text: e.text, spans: e.spans, entry: e}
	if c == nil {
		return r
	}
	c.drop(key)
	if c.entries == nil {
		c.entries = map[string]*cached{}
	}
	e.review = c.review
	c.entries[key] = e
	c.order = append(c.order, key)
	c.bytes += len(e.text)
	for len(c.order) > maxCached || c.bytes > maxCachedBytes {
		c.drop(c.order[0])
	}
	return r
}

// answer gives a remembered answer that still holds. Within one review the
// model has the text already, and is told so; asked a third time, it gets the text
// again, because its conversation may have been shortened.
func (e *cached) answer(c *Cache) Result {
	again := e.review == c.review && e.full
	e.review, e.full = c.review, false
	if again {
		return Result{Text: "[unchanged: the answer is the same as to your earlier call in this review; use that one, or call once more to get it again]\n"}
	}
	return Result{Text: e.text + "[unchanged since an earlier call in this session; answered from memory]\n", spans: e.spans, entry: e}
}

// stamper folds the identity of files into one number (FNV-1a).
type stamper struct {
	sum   uint64
	files int
}

func newStamper() stamper { return stamper{sum: 14695981039346656037} }

func (s *stamper) add(rel string, info protocol.Info) {
	s.files++
	for i := range len(rel) {
		s.sum = (s.sum ^ uint64(rel[i])) * 1099511628211
	}
	for _, n := range [...]uint64{uint64(info.Size), uint64(info.MTimeNS), info.Ino, info.Dev} {
		for range 8 {
			s.sum = (s.sum ^ n&0xff) * 1099511628211
			n >>= 8
		}
	}
}

// cacheKey joins a tool's name and arguments; each is closed by its length, so
// that no two lists of arguments give the same key.
func cacheKey(parts ...string) string {
	key := ""
	for _, p := range parts {
		key += strconv.Itoa(len(p)) + ":" + p
	}
	return key
}
