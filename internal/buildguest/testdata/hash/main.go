// Command hash prints the sizes of keys whose hash takes half of its seed alone.
package main

import (
	"fmt"
	"unsafe"
)

//go:linkname memhash runtime.memhash
func memhash(key unsafe.Pointer, seed, size uintptr) uintptr

//go:linkname memhash32 runtime.memhash32
func memhash32(key unsafe.Pointer, seed uintptr) uintptr

//go:linkname memhash64 runtime.memhash64
func memhash64(key unsafe.Pointer, seed uintptr) uintptr

func main() {
	var bytes [100]byte
	key := unsafe.Pointer(&bytes)
	const low, high = 1, 1 | 1<<32
	for size := range uintptr(len(bytes)) {
		if memhash(key, low, size) == memhash(key, high, size) {
			fmt.Println("string", size)
		}
	}
	if memhash32(key, low) == memhash32(key, high) {
		fmt.Println("uint32")
	}
	if memhash64(key, low) == memhash64(key, high) {
		fmt.Println("uint64")
	}
}
