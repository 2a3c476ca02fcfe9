package protocol

import "unsafe"

// load8 reads 8 bytes at s[i:] in one instruction; the compiler does not join
// the loads of encoding/binary on wasm. The caller has checked the bound.
func load8(s []byte, i int) uint64 {
	return *(*uint64)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(s)), i))
}

// store8 writes 8 bytes at s[i:]. The caller has checked the bound.
func store8(s []byte, i int, w uint64) {
	*(*uint64)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(s)), i)) = w
}
