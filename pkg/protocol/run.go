package protocol

import "unicode/utf8"

// Eight bytes at a time: one in each byte, and the top bit of each.
const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// textRun gives the length of the longest start of s that may stand in a JSON string as
// it is, apart from UTF-8, and whether there is anything but ASCII in it.
func textRun(s []byte) (n int, wide bool) {
	var seen uint64
	for len(s)-n >= 8 {
		w := load8(s, n)
		// A byte below x makes the difference borrow into its top bit; the bytes that had the
		// top bit set before are not meant. A borrow from below changes nothing: it comes
		// from a byte that is itself one of those looked for.
		quote, slash := w^ones*'"', w^ones*'\\'
		if ((w-ones*' ')&^w|(quote-ones)&^quote|(slash-ones)&^slash)&tops != 0 {
			break
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

// appendUTF8 appends s with U+FFFD for each byte that is not part of valid UTF-8.
func appendUTF8(b, s []byte) []byte {
	for len(s) > 0 {
		r, size := utf8.DecodeRune(s)
		b = utf8.AppendRune(b, r)
		s = s[size:]
	}
	return b
}
