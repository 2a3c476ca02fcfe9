// Package digest names things by what they are made of. The names do not
// collide by accident or by an attacker's choice, and every process derives the same ones.
//
// It uses BLAKE2s: crypto/sha256 brings the whole of Go's FIPS module and os
// into a WebAssembly module, more than half a megabyte.
package digest

import (
	"encoding/hex"

	"golang.org/x/crypto/blake2s"
)

// Hex gives the first n hex digits, at most 64, of the digest of the parts. Parts are
// told apart by their lengths, so ("a", "bc") and ("ab", "c") differ.
func Hex(n int, parts ...string) string {
	var b []byte
	for _, p := range parts {
		size := uint64(len(p))
		for shift := 0; shift < 64; shift += 8 {
			b = append(b, byte(size>>shift))
		}
		b = append(b, p...)
	}
	sum := blake2s.Sum256(b)
	return hex.EncodeToString(sum[:])[:n]
}
