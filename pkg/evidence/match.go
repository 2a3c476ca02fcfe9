package evidence

import "strings"

// Bounds of matching.
const (
	maxPlaces      = 20 // a quote that stands in more places proves nothing
	maxQuoteLines  = 12
	maxQuoteRunes  = 4000 // twelve lines of 300 characters, and some room
	minSubstance   = 2    // letters or digits: "}" and "x;" prove nothing
	minPiece       = 3    // the same for a piece of an elided quote ...
	minElided      = 8    // ... and for its pieces together
	maxElidedLines = 40   // from the first to the last line of an elided quote
)

// span is a match: byte offsets into a normal form, end not included.
type span struct{ from, to int }

// places finds where pieces stand in the text in order, each place within
// maxElidedLines. It stops after maxPlaces+1. One piece is a plain search.
func (n *normal) places(pieces []string) []span {
	var found []span
	next := make([]int, len(pieces)) // where piece i was found last
	for i := range next {
		next[i] = -1
	}
	for at := 0; len(found) <= maxPlaces; {
		first := strings.Index(n.text[at:], pieces[0])
		if first < 0 {
			return found
		}
		first += at
		end := first + len(pieces[0])
		whole := true
		for i, piece := range pieces[1:] {
			// Each piece's place only moves forward, so the whole is linear.
			if next[i+1] < end {
				offset := strings.Index(n.text[end:], piece)
				if offset < 0 {
					return found
				}
				next[i+1] = end + offset
			}
			end = next[i+1] + len(piece)
			if last := n.line(end - 1); last-n.line(first) >= maxElidedLines {
				// No piece comes sooner behind a later beginning: where this one is within reach, the next may begin.
				whole, at = false, max(first+1, int(n.starts[last-maxElidedLines]))
				break
			}
		}
		if whole {
			found = append(found, span{first, end})
			at = first + 1
		}
	}
	return found
}

// nearest picks the place whose lines are closest to the claimed line; the
// first when no line is claimed.
func (n *normal) nearest(found []span, line int) (from, to int) {
	best := -1
	for _, s := range found {
		first, last := n.line(s.from), n.line(s.to-1)
		distance := 0
		switch {
		case line <= 0:
		case line < first:
			distance = first - line
		case line > last:
			distance = line - last
		}
		if best < 0 || distance < best {
			best, from, to = distance, first, last
		}
	}
	return from, to
}
