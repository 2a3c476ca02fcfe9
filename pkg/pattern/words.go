package pattern

// What goes over whole texts. The build gives these functions bodies with vector instructions in the guest (internal/vector);
// what they do there is what stands here, and the tests of this package run on both.

// Breaks counts the line breaks of a text.
//
//go:noinline
func Breaks(text []byte) int {
	n := 0
	for _, c := range text {
		if c == '\n' {
			n++
		}
	}
	return n
}

// pairBytes are two bytes to look for: the first, the bits that do not matter in it and are set in it, and the same of the second, from the
// lowest byte up. A letter that may stand in either case is lower case with 0x20 for its bits.
type pairBytes uint32

func newPair(first, bits1, second, bits2 byte) pairBytes {
	return pairBytes(first) | pairBytes(bits1)<<8 | pairBytes(second)<<16 | pairBytes(bits2)<<24
}

// findPair gives the first place of the first byte behind which, gap bytes on, the second stands, or -1. Gap is at least 1.
//
//go:noinline
func findPair(text []byte, gap int, want pairBytes) int {
	if gap >= len(text) {
		return -1
	}
	behind := text[gap:]
	for i, second := range behind {
		if text[i]|byte(want>>8) == byte(want) && second|byte(want>>24) == byte(want>>16) {
			return i
		}
	}
	return -1
}
