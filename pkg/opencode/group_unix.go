//go:build unix

package opencode

import (
	"os/exec"
	"syscall"
)

// killGroup kills the process and all that it started in its group. It is harmless after the end: a group
// number is not given away while the group has members.
func killGroup(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // gone already is fine
}
