//go:build wasip1

package main

import "unsafe"

// maxBuffer bounds one buffer. The largest batch is a history of some
// megabytes; a loader that asks for more has lost its way.
const maxBuffer = 64 << 20

// leastBuffer holds most batches.
const leastBuffer = 64 << 10

// spare is a buffer that was given back, for the next batch: nothing of a batch is held after its call, and a
// fresh one would have to be cleared.
var spare []byte

// buffers keeps alive what the loader has been given, by address.
var buffers = map[uint32][]byte{}

//go:wasmexport alloc
func alloc(size uint32) uint32 {
	if size > maxBuffer {
		return 0
	}
	b := spare
	if spare = nil; uint32(len(b)) < max(size, 1) { // no two buffers may share an address
		b = make([]byte, max(size, leastBuffer))
	}
	ptr := address(b)
	buffers[ptr] = b[:size]
	return ptr
}

//go:wasmexport free
func free(ptr uint32) {
	if b := buffers[ptr]; cap(b) <= keptBuffer && cap(b) > len(spare) {
		spare = b[:cap(b)]
	}
	delete(buffers, ptr)
}

// buffer gives the first size bytes of the buffer at ptr.
func buffer(ptr, size uint32) ([]byte, bool) {
	b := buffers[ptr]
	if b == nil || uint32(len(b)) < size {
		return nil, false
	}
	return b[:size], true
}

func address(b []byte) uint32 { return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }
