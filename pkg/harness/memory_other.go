//go:build !linux

package harness

import "context"

// withMemory leaves the instances' memory to wazero.
func withMemory(ctx context.Context) context.Context { return ctx }
