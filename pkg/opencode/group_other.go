//go:build !unix

package opencode

import "os/exec"

// There are no process groups here; package sandbox refuses to work on such a system anyway.
func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
