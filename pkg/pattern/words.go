package pattern

import (
	"encoding/binary"
	"math/bits"
)

// The guest has no vector instructions, and bytes.Count goes byte by byte there; eight at a time are
// four times as fast.

const (
	lows   = 0x7f7f7f7f7f7f7f7f // all but the high bit of each byte
	breaks = 0x0a0a0a0a0a0a0a0a // eight line breaks
)

// zeros has the high bit of each byte that is zero in x, and no other.
func zeros(x uint64) uint64 { return ^(x&lows + lows | x | lows) }

// Breaks counts the line breaks of a text.
func Breaks(text []byte) int {
	n := 0
	for len(text) >= 32 {
		n += bits.OnesCount64(zeros(binary.LittleEndian.Uint64(text)^breaks)>>3 |
			zeros(binary.LittleEndian.Uint64(text[8:])^breaks)>>2 |
			zeros(binary.LittleEndian.Uint64(text[16:])^breaks)>>1 |
			zeros(binary.LittleEndian.Uint64(text[24:])^breaks))
		text = text[32:]
	}
	for _, c := range text {
		if c == '\n' {
			n++
		}
	}
	return n
}

// HasZero says whether a text has a NUL in it.
func HasZero(text []byte) bool {
	for len(text) >= 32 {
		if zeros(binary.LittleEndian.Uint64(text))|zeros(binary.LittleEndian.Uint64(text[8:]))|
			zeros(binary.LittleEndian.Uint64(text[16:]))|zeros(binary.LittleEndian.Uint64(text[24:])) != 0 {
			return true
		}
		text = text[32:]
	}
	for _, c := range text {
		if c == 0 {
			return true
		}
	}
	return false
}
