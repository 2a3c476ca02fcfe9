package sandbox

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// killStrays kills every process whose environment names the sandbox. It goes round until it finds none, as
// a process may start another meanwhile; each round ends all that it saw.
func killStrays(home string) {
	want := []byte(marker + "=" + home + "\x00")
	const maxRounds = 50 // a fork bomb must not hold us for ever
	for range maxRounds {
		if !killOnce(want) {
			return
		}
	}
}

func killOnce(want []byte) (found bool) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return false
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		// The handle comes before the look at the environment: it keeps meaning the process that was looked
		// at, though the number may be given to another.
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			continue
		}
		env, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if err == nil && (bytes.HasPrefix(env, want) || bytes.Contains(env, append([]byte{0}, want...))) {
			if unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) == nil {
				waitGone(fd)
				found = true
			}
		}
		unix.Close(fd)
	}
	return found
}

// waitGone waits until a killed process has ended: its handle becomes readable. A second is plenty.
func waitGone(fd int) {
	_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 1000)
}
