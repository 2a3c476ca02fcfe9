package protocol

import (
	"math/bits"
	"unicode/utf8"
)

// Eight bytes at a time, in little endian: one in each byte, and the top bit of each.
const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// special sets the top bit of the first byte in w that cannot stand in a JSON string as it is: a
// quote, a backslash, a control character. Bits above it mean nothing. Zero when there is none.
func special(w uint64) uint64 {
	// A byte below x makes the difference borrow into its top bit; the bytes that had the top
	// bit set before are not meant. A borrow comes from a byte that is itself one of those looked for.
	quote, slash := w^ones*'"', w^ones*'\\'
	return ((w-ones*' ')&^w | (quote-ones)&^quote | (slash-ones)&^slash) & tops
}

// textRun gives the length of the longest start of s that may stand in a JSON string as
// it is, apart from UTF-8, and whether there is anything but ASCII in it.
func textRun(s []byte) (n int, wide bool) {
	var seen uint64
	for len(s)-n >= 8 {
		w := load8(s, n)
		if m := special(w); m != 0 {
			k := bits.TrailingZeros64(m) &^ 7
			return n + k>>3, (seen|w&(1<<k-1))&tops != 0
		}
		seen |= w
		n += 8
	}
	for n < len(s) && s[n] >= ' ' && s[n] != '"' && s[n] != '\\' {
		seen |= uint64(s[n])
		n++
	}
	return n, seen&tops != 0
}

// copyRun copies what textRun would find at the start of s to dst[at:], and gives dst back, longer
// when it had to grow; what lies behind the run in it is undefined. At least 8 bytes follow there.
func copyRun(dst []byte, at int, s []byte) (grown []byte, n int, wide bool) {
	var seen uint64
	for {
		if at+n+16 > len(dst) {
			dst = append(dst, make([]byte, len(dst)+64)...)
		}
		if len(s)-n < 8 {
			break
		}
		w := load8(s, n)
		store8(dst, at+n, w)
		if m := special(w); m != 0 {
			k := bits.TrailingZeros64(m) &^ 7
			return dst, n + k>>3, (seen|w&(1<<k-1))&tops != 0
		}
		seen |= w
		n += 8
	}
	for n < len(s) && s[n] >= ' ' && s[n] != '"' && s[n] != '\\' {
		dst[at+n] = s[n]
		seen |= uint64(s[n])
		n++
	}
	return dst, n, seen&tops != 0
}

// appendUTF8 appends s with U+FFFD for each byte that is not part of valid UTF-8.
func appendUTF8(b, s []byte) []byte {
	for len(s) > 0 {
		r, size := utf8.DecodeRune(s)
		b = utf8.AppendRune(b, r)
		s = s[size:]
	}
	return b
}
