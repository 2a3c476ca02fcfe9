//go:build !wasm

package protocol

import "encoding/binary"

// load8 reads 8 bytes at s[i:].
func load8(s []byte, i int) uint64 { return binary.LittleEndian.Uint64(s[i:]) }

// store8 writes 8 bytes at s[i:].
func store8(s []byte, i int, w uint64) { binary.LittleEndian.PutUint64(s[i:], w) }
