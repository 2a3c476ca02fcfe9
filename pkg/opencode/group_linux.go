package opencode

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the process into a group of its own, and has the kernel kill it when we die.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
