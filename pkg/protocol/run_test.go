package protocol

import (
	"bytes"
	"testing"
)

// The words of eight bytes are compared with the obvious way, for each byte at each place, and
// behind each kind of neighbour.
func TestRunsEndWhereTheObviousWaySays(t *testing.T) {
	slow := func(s []byte) (n int, wide bool) {
		for n < len(s) && s[n] >= ' ' && s[n] != '"' && s[n] != '\\' {
			wide = wide || s[n] >= 0x80
			n++
		}
		return n, wide
	}
	for _, fill := range []byte{'a', ' ', '!', '#', '[', ']', 0x7f, 0x80, 0xa0, 0xa2, 0xdc, 0xff} {
		for size := range 20 {
			for at := range size {
				for c := range 256 {
					s := bytes.Repeat([]byte{fill}, size)
					s[at] = byte(c)
					wantN, wantWide := slow(s)
					if n, wide := textRun(s); n != wantN || wide != wantWide {
						t.Fatalf("textRun(%q) = %d, %v; want %d, %v", s, n, wide, wantN, wantWide)
					}
					dst, n, wide := copyRun([]byte("ab"), 2, s)
					if n != wantN || wide != wantWide || !bytes.Equal(dst[:2+n], append([]byte("ab"), s[:n]...)) {
						t.Fatalf("copyRun(%q) = %q, %d, %v; want %d, %v", s, dst[:2+n], n, wide, wantN, wantWide)
					}
				}
			}
		}
	}
}
