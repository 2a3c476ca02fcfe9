package safefs

import "sort"

// maxSpans bounds what a ledger keeps of one file; reading every other line of
// a long file is no review.
const maxSpans = 512

// maxLedger bounds the files that one review can have seen.
const maxLedger = 4096

// Ledger remembers which lines of which files one review has been shown, so
// that a citation of a place nobody read can be told from one that was. Paths are
// those of File.Rel; lines count from 1. The zero value is empty.
type Ledger struct {
	seen map[string][]span
}

type span struct{ from, to int }

// Add notes that lines from to to, both included, were shown.
func (l *Ledger) Add(path string, from, to int) {
	if from < 1 {
		from = 1
	}
	if to < from {
		return
	}
	if l.seen == nil {
		l.seen = map[string][]span{}
	}
	spans, known := l.seen[path]
	if !known && len(l.seen) >= maxLedger {
		return
	}
	// All spans that touch the new one melt into it.
	first := sort.Search(len(spans), func(i int) bool { return spans[i].to >= from-1 })
	last := first
	for last < len(spans) && spans[last].from <= to+1 {
		from, to = min(from, spans[last].from), max(to, spans[last].to)
		last++
	}
	if first == last && len(spans) >= maxSpans {
		return
	}
	if first == last {
		spans = append(spans, span{})
		copy(spans[first+1:], spans[first:])
		last++
	}
	spans[first] = span{from, to}
	l.seen[path] = append(spans[:first+1], spans[last:]...)
}

// Covers says whether all lines from to to were shown.
func (l *Ledger) Covers(path string, from, to int) bool {
	spans := l.seen[path]
	i := sort.Search(len(spans), func(i int) bool { return spans[i].to >= from })
	return i < len(spans) && spans[i].from <= from && to <= spans[i].to && from <= to
}

// Saw says whether any line from to to was shown.
func (l *Ledger) Saw(path string, from, to int) bool {
	spans := l.seen[path]
	i := sort.Search(len(spans), func(i int) bool { return spans[i].to >= from })
	return i < len(spans) && spans[i].from <= to
}

// Reset forgets all: a new review begins.
func (l *Ledger) Reset() { clear(l.seen) }
