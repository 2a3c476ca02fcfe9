package transcript

import (
	"hash/fnv"
	"slices"
)

// learn remembers an id and reports whether it is new. Without an id all is new.
func (l *Log) learn(space, id string) bool {
	if id == "" {
		return true
	}
	k := hash(space, id)
	if _, seen := l.known[k]; seen {
		return false
	}
	l.remember(k)
	return true
}

func (l *Log) remember(k uint64) {
	l.known[k] = struct{}{}
	if l.ring = append(l.ring, k); len(l.ring) > maxKnown {
		// A quarter at once, so that the copy is rare.
		for _, old := range l.ring[:maxKnown/4] {
			delete(l.known, old)
		}
		l.ring = slices.Delete(l.ring, 0, maxKnown/4)
	}
}

func (l *Log) knows(space, id string) bool {
	_, ok := l.known[hash(space, id)]
	return id != "" && ok
}

func hash(space, id string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(space))
	h.Write([]byte{0})
	h.Write([]byte(id))
	return h.Sum64()
}
