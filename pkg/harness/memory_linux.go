package harness

import (
	"context"

	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/unix"
)

// withMemory lets instances have their memory from the kernel, which gives pages when they are
// touched. From Go's heap each instance would take 256 MB that the collector
// must count, and clear before the next one: 30 to 200 ms a restart.
func withMemory(ctx context.Context) context.Context {
	return experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(func(_, max uint64) experimental.LinearMemory {
		b, err := unix.Mmap(-1, 0, int(max), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
		if err != nil {
			return &mapped{}
		}
		// An instance begins with 4 MB of data. In pages of 2 MB instead of 4 KB that is two faults, not a thousand; where
		// the kernel has none it stays as it is.
		_ = unix.Madvise(b, unix.MADV_HUGEPAGE)
		return &mapped{whole: b}
	}))
}

// mapped is one memory, all of it reserved from the start so that it never moves.
type mapped struct{ whole []byte }

// Reallocate implements experimental.LinearMemory. Nil is a failure to grow.
func (m *mapped) Reallocate(size uint64) []byte {
	if size > uint64(len(m.whole)) {
		return nil
	}
	return m.whole[:size]
}

// Free implements experimental.LinearMemory.
func (m *mapped) Free() {
	if m.whole != nil {
		_ = unix.Munmap(m.whole)
	}
	m.whole = nil
}
