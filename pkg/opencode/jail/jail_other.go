//go:build !linux

package jail

import (
	"errors"
	"os/exec"
)

var errPlatform = errors.New("jail: confinement needs Linux 6.7 or newer: run without confinement")

// Supported reports why this system cannot confine programs, or nil.
func Supported() error { return errPlatform }

// Launch is a command that will start confined.
type Launch struct{}

// Confine fails: only Linux can confine a program.
func Confine(*exec.Cmd, Policy) (*Launch, error) { return nil, errPlatform }

// Started fails.
func (*Launch) Started() error { return errPlatform }

// Close does nothing.
func (*Launch) Close() {}
