package guard

import (
	"encoding/hex"
	"hash/fnv"
	"math/bits"
	"slices"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Bounds of what is kept of a note.
const (
	maxPlaces  = 3
	maxSymbols = 4
)

// fingerprint is what is remembered of a note's matter. Hashes are 0 for none.
type fingerprint struct {
	places   [maxPlaces]spot
	category uint32
	strict   uint64 // text without numbers, hashes, counters and filling words
	loose    uint64 // the same without quoted parts
	words    uint8  // how many words the SimHash stands on, at most 255
	sim      [2]uint64
	symbols  [maxSymbols]uint32 // functions that the text names
}

// spot is a place in a file.
type spot struct {
	path  uint64
	line  uint32
	lines uint64 // the cited lines themselves, as matched by pkg/evidence
}

// fingerprintOf makes the fingerprint of a cleaned note. names are the paths that it is
// about: those of its citations, or else the first in its text.
func fingerprintOf(note protocol.Note) (f fingerprint, names []string) {
	t := tokenize(note.Text)
	spots := f.places[:0]
	for _, c := range note.Citations {
		if c.Path == "" {
			continue
		}
		name := cleanPath(c.Path)
		names = append(names, name)
		s := spot{path: hash64(name), line: uint32(max(c.Line, 0))}
		if c.Hash != "" {
			s.lines = hash64(c.Hash)
		}
		if len(spots) < maxPlaces && !slices.Contains(spots, s) {
			spots = append(spots, s)
		}
	}
	if len(names) == 0 && t.path != "" {
		names = append(names, cleanPath(t.path))
		f.places[0] = spot{path: hash64(names[0]), line: t.line}
	}
	f.category = uint32(hash64(family(fold(note.Category))))
	f.strict, f.loose = hash64(strings.Join(t.strict, " ")), hash64(strings.Join(t.loose, " "))
	if len(t.strict) == 0 { // numbers and filling words alone
		f.strict = hash64(fold(note.Text))
		f.loose = f.strict
	}
	f.words, f.sim = uint8(min(len(t.strict), 255)), simHash(t.weighty)
	for i, name := range t.symbols {
		if i < maxSymbols {
			f.symbols[i] = uint32(hash64(name))
		}
	}
	return f, names
}

// faults are words that reviewers take for one another: what is a bug in one review is a
// matter of correctness, or of the goal, in the next.
var faults = [...]string{"correctness", "logic", "goal", "requirement", "error", "defect", "robustness", "reliability", "race", "concurrency", "crash", "data"}

// family gives a category the name of its kin.
func family(category string) string {
	if slices.Contains(faults[:], category) {
		return "bug"
	}
	return category
}

// hash64 hashes text; the empty text gives 0.
func hash64(text string) uint64 {
	if text == "" {
		return 0
	}
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}

// noteID names a matter within a session: "n_" and 12 hex digits.
func noteID(session string, f fingerprint) string {
	h := fnv.New128a()
	h.Write([]byte(session))
	h.Write([]byte{0})
	h.Write(appendFingerprint(nil, f))
	return "n_" + hex.EncodeToString(h.Sum(nil)[:6])
}

// simHash is a SimHash of 128 bits over words: similar word sets differ in few
// bits. 64 bits would be too coarse for notes of five words.
func simHash(words []string) [2]uint64 {
	var sums [128]int
	for _, word := range words {
		h := hash64(word)
		for half := range 2 {
			h = mix(h + uint64(half+1)*0x9e3779b97f4a7c15)
			for bit := range 64 {
				sums[64*half+bit] += int(h>>bit&1)*2 - 1
			}
		}
	}
	var sim [2]uint64
	for i, sum := range sums {
		if sum > 0 {
			sim[i/64] |= 1 << (i % 64)
		}
	}
	return sim
}

// mix spreads every bit over all of them (the finaliser of MurmurHash3). FNV alone leaves the upper bits of short words
// alike, and texts without a word in common would look related.
func mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// Nearness of SimHashes, in bits of 128 that differ. Unrelated texts differ in 64, texts
// that share nine of ten words in about 18, half of their words in about 43.
const (
	simNear    = 18
	simRelated = 44
	simWords   = 5 // fewer words make no SimHash worth comparing
)

func (f fingerprint) distance(g fingerprint) int {
	if f.words < simWords || g.words < simWords {
		return 128
	}
	return bits.OnesCount64(f.sim[0]^g.sim[0]) + bits.OnesCount64(f.sim[1]^g.sim[1])
}

// same tells whether f and g are one matter; see the package comment.
// together: both are of the same review.
func (f fingerprint) same(g fingerprint, together bool) bool {
	if !f.filesMeet(g) {
		return false
	}
	if f.strict == g.strict {
		return true
	}
	distance := f.distance(g)
	if (f.loose == g.loose || distance <= simNear) && f.near(g) {
		return true
	}
	if together || f.places[0].path == 0 || g.places[0].path == 0 {
		return false
	}
	if f.category != g.category && f.category != 0 && g.category != 0 {
		return false
	}
	return f.samePlace(g, distance)
}

// filesMeet tells whether the notes have a file in common, or one has none.
func (f fingerprint) filesMeet(g fingerprint) bool {
	if f.places[0].path == 0 || g.places[0].path == 0 {
		return true
	}
	return f.anySpot(g, func(a, b spot) bool { return true })
}

// near tells whether the notes may be about the same place.
func (f fingerprint) near(g fingerprint) bool {
	if f.shareSymbol(g) || f.places[0].path == 0 || g.places[0].path == 0 {
		return true
	}
	return f.anySpot(g, func(a, b spot) bool {
		return a.line == 0 || b.line == 0 || closeLines(a, b) || a.lines != 0 && a.lines == b.lines
	})
}

// samePlace tells whether the notes are about the same place for certain: the
// same lines, the same function, or the same ten lines. Two different quotes within ten
// lines are one place only if the texts are related.
func (f fingerprint) samePlace(g fingerprint, distance int) bool {
	if f.shareSymbol(g) {
		return true
	}
	return f.anySpot(g, func(a, b spot) bool {
		switch {
		case a.lines != 0 && a.lines == b.lines:
			return true
		case !closeLines(a, b):
			return false
		}
		return a.lines == 0 || b.lines == 0 || distance <= simRelated
	})
}

// overlaps tells whether the notes cite the same lines, or lines that begin at the same place but for one
// line. It asks neither for words nor for the category: what the person does not want to hear about a place comes
// back under any name.
func (f fingerprint) overlaps(g fingerprint) bool {
	return f.anySpot(g, func(a, b spot) bool {
		return a.lines != 0 && a.lines == b.lines || a.line != 0 && b.line != 0 && max(a.line, b.line)-min(a.line, b.line) <= 1
	})
}

// bucket is how many lines apart two citations of one place may be.
const bucket = 10

func closeLines(a, b spot) bool {
	return a.line != 0 && b.line != 0 && max(a.line, b.line)-min(a.line, b.line) < bucket
}

func (f fingerprint) anySpot(g fingerprint, ok func(a, b spot) bool) bool {
	for _, a := range f.places {
		for _, b := range g.places {
			if a.path != 0 && a.path == b.path && ok(a, b) {
				return true
			}
		}
	}
	return false
}

func (f fingerprint) shareSymbol(g fingerprint) bool {
	for _, a := range f.symbols {
		if a != 0 && slices.Contains(g.symbols[:], a) {
			return true
		}
	}
	return false
}
