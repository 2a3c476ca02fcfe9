//go:build wasip1

// Command wasm is the guest: the engine as a WebAssembly module. It turns the
// module's exports into calls of the engine and the engine's port into the
// module's imports, and owns the memory that crosses between them. It decides
// nothing.
//
// It exports memory, and
//
//	_initialize()                            called first
//	abi_version() -> i32                     protocol.ABIVersion
//	alloc(size i32) -> ptr i32               a buffer of size bytes, 0 when there can be none
//	free(ptr i32)                            gives a buffer back; any other pointer is ignored
//	call(ptr i32, len i32) -> ptr<<32|len    a batch in, an outcome back
//
// The loader writes the batch into a buffer of alloc and frees it after the
// call. The outcome stays where it is until the next call.
package main

import (
	_ "unsafe" // for go:linkname

	"github.com/Kayphoon/opencode-advisor/pkg/engine"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// softLimit makes the collector work harder before the module's maximum of
// 256 MB is reached, at which the runtime could only die. The rest is for what
// the collector does not count and for the heap to be fragmented.
const softLimit = 192 << 20

// gcPercent is half of Go's own: linear memory never shrinks, so what the heap takes between two collections
// is taken for good. The heap is small, and a collection costs less than a millisecond of a turn.
const gcPercent = 50

var (
	core   *engine.Engine
	result []byte // of the last call
)

// setMemoryLimit is debug.SetMemoryLimit without its package, which imports os and time.
//
//go:linkname setMemoryLimit runtime/debug.setMemoryLimit
func setMemoryLimit(bytes int64) (before int64)

// setGCPercent is debug.SetGCPercent, for the same reason.
//
//go:linkname setGCPercent runtime/debug.setGCPercent
func setGCPercent(percent int32) (before int32)

// reseed draws the runtime's random numbers anew, see internal/buildguest.
//
//go:linkname reseed
func reseed()

// tidy collects what nothing refers to, and clears it, see internal/buildguest.
//
//go:linkname tidy
func tidy()

func init() {
	setGCPercent(gcPercent)
	setMemoryLimit(softLimit)
	tidy() // the last of all packages is this one
}

// resume is called first: the file holds the module as it is after the start of Go's runtime and
// all init functions (internal/snapshot), in which nothing may be that differs from one instance to the next.
//
//go:wasmexport resume
func resume() {
	reseed()
	core = engine.New(host{})
}

func main() {} // never runs: the module is a reactor

//go:wasmexport abi_version
func abiVersion() int32 { return protocol.ABIVersion }

//go:wasmexport call
func call(ptr, size uint32) uint64 {
	batch, ok := buffer(ptr, size)
	if !ok {
		// An empty batch is answered, and its failure told, like any other bad one.
		batch = nil
	}
	result = core.Call(batch)
	return uint64(address(result))<<32 | uint64(len(result))
}
