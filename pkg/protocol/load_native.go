//go:build !wasm

package protocol

import "encoding/binary"

// load8 reads 8 bytes at s[i:].
func load8(s []byte, i int) uint64 { return binary.LittleEndian.Uint64(s[i:]) }
