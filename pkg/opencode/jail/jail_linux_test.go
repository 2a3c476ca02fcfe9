package jail

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestMain doubles as the program in the jail: with a deed in its environment it tries that one thing,
// prints how it went and ends.
func TestMain(m *testing.M) {
	if deed := os.Getenv("JAIL_TEST_DEED"); deed != "" {
		fmt.Println(outcome(try(strings.Fields(deed))))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func outcome(err error) string {
	var errno syscall.Errno
	switch {
	case err == nil:
		return "done"
	case errors.As(err, &errno):
		return unix.ErrnoName(errno)
	}
	return err.Error()
}

func try(deed []string) error {
	switch deed[0] {
	case "write":
		return os.WriteFile(deed[1], []byte("x"), 0o600)
	case "read":
		_, err := os.ReadFile(deed[1])
		return err
	case "rename":
		return os.Rename(deed[1], deed[2])
	case "remove":
		return os.Remove(deed[1])
	case "shell":
		return exec.Command("/bin/sh", "-c", "echo x > "+deed[1]).Run()
	case "connect":
		return connect(deed[1], unix.SOCK_STREAM, 0)
	case "mptcp":
		return connect(deed[1], unix.SOCK_STREAM, unix.IPPROTO_MPTCP)
	case "udp":
		return connect(deed[1], unix.SOCK_DGRAM, 0)
	case "raw":
		return connect(deed[1], unix.SOCK_RAW, unix.IPPROTO_ICMP)
	case "listen":
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err == nil {
			l.Close()
		}
		return err
	case "fastopen":
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		return unix.Sendto(fd, []byte("x"), unix.MSG_FASTOPEN, address(deed[1]))
	case "uring":
		_, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, 0, 0)
		return errno
	case "trace":
		pid, _ := strconv.Atoi(deed[1])
		_, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		return err
	}
	return errors.New("unknown deed")
}

func address(port string) *unix.SockaddrInet4 {
	n, _ := strconv.Atoi(port)
	return &unix.SockaddrInet4{Port: n, Addr: [4]byte{127, 0, 0, 1}}
}

func connect(port string, kind, protocol int) error {
	fd, err := unix.Socket(unix.AF_INET, kind, protocol)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Connect(fd, address(port))
}

func listener(t *testing.T) (port uint16) {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return uint16(l.Addr().(*net.TCPAddr).Port)
}

// confined starts the test binary in the jail with a deed, and returns what it printed.
func confined(t *testing.T, p Policy, deed string) (string, error) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p.Read = append(p.Read, exe)
	cmd := exec.Command(exe)
	cmd.Env = []string{"JAIL_TEST_DEED=" + deed}
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	launch, err := Confine(cmd, p)
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	startErr := launch.Started()
	waitErr := cmd.Wait()
	if startErr != nil {
		return "", startErr
	}
	if waitErr != nil {
		t.Fatalf("%s: %v: %s", deed, waitErr, out.String())
	}
	return strings.TrimSpace(out.String()), nil
}

func TestThePolicyHolds(t *testing.T) {
	inside, outside := t.TempDir(), t.TempDir()
	for _, dir := range []string{inside, outside} {
		if err := os.WriteFile(filepath.Join(dir, "f"), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(outside, "f"), filepath.Join(inside, "link")); err != nil {
		t.Fatal(err)
	}
	open, closed := listener(t), listener(t)
	p := Policy{Write: []string{inside}, Connect: []uint16{open}}

	for _, c := range []struct{ deed, want string }{
		{"write " + inside + "/new", "done"},
		{"write " + outside + "/new", "EACCES"},
		{"write " + inside + "/link", "EACCES"},
		{"write " + inside + "/../" + filepath.Base(outside) + "/new", "EACCES"},
		{"shell " + inside + "/byshell", "done"},
		{"shell " + outside + "/byshell", "exit status 2"},
		{"read " + inside + "/f", "done"},
		{"read " + outside + "/f", "EACCES"},
		{"read /etc/hostname", "done"},
		{"rename " + inside + "/f " + inside + "/g", "done"},
		{"rename " + inside + "/g " + outside + "/g", "EACCES"},
		{"remove " + outside + "/f", "EACCES"},
		{fmt.Sprintf("connect %d", open), "done"},
		{fmt.Sprintf("connect %d", closed), "EACCES"},
		{fmt.Sprintf("mptcp %d", closed), "EACCES"},
		{fmt.Sprintf("mptcp %d", open), "EACCES"},
		{fmt.Sprintf("fastopen %d", closed), "EACCES"},
		{"udp 53", "EACCES"},
		{"raw 0", "EACCES"},
		{"listen", "EACCES"},
		{"uring", "ENOSYS"},
		{fmt.Sprintf("trace %d", os.Getpid()), "EACCES"},
	} {
		got, err := confined(t, p, c.deed)
		// On a kernel that cannot confine, the one right outcome is the refusal to start.
		if unsupported := Supported(); unsupported != nil {
			if err == nil || err.Error() != unsupported.Error() {
				t.Errorf("%s: got %q, %v; want the refusal %v", c.deed, got, err, unsupported)
			}
			continue
		}
		if err != nil || got != c.want {
			t.Errorf("%s: got %q, %v; want %q", c.deed, got, err, c.want)
		}
	}
	if _, err := os.Stat(filepath.Join(outside, "new")); err == nil {
		t.Error("a file was written outside")
	}
}

func TestUDPIsAllowedWhenThePolicySaysSo(t *testing.T) {
	got, err := confined(t, Policy{Write: []string{t.TempDir()}, UDP: true}, "udp 53")
	if unsupported := Supported(); unsupported != nil {
		if err == nil || err.Error() != unsupported.Error() {
			t.Errorf("got %q, %v; want the refusal %v", got, err, unsupported)
		}
		return
	}
	if err != nil || got != "done" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestALaunchThatCannotBeConfinedStartsNothing(t *testing.T) {
	dir := t.TempDir()
	proof := filepath.Join(dir, "ran")
	for _, c := range []struct {
		name string
		p    Policy
		want string
	}{
		{"a writable folder is missing", Policy{Write: []string{filepath.Join(dir, "none")}}, "no such file"},
		{"a readable folder is missing", Policy{Write: []string{dir}, Read: []string{filepath.Join(dir, "none")}}, "no such file"},
		{"a relative path", Policy{Write: []string{"work"}}, `path "work" is not absolute`},
	} {
		want := c.want
		if unsupported := Supported(); unsupported != nil {
			want = unsupported.Error()
		}
		_, err := confined(t, c.p, "write "+proof)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "jail: ") {
			t.Errorf("%s: got %v, want %q", c.name, err, want)
		}
	}
	if _, err := os.Stat(proof); err == nil {
		t.Error("the program ran")
	}
}

func TestAMissingProgramIsAnErrorOfStarted(t *testing.T) {
	cmd := exec.Command("/nonexistent/opencode")
	cmd.Stdout = io.Discard
	launch, err := Confine(cmd, Policy{Write: []string{t.TempDir()}})
	if unsupported := Supported(); unsupported != nil {
		if err == nil || err.Error() != unsupported.Error() {
			t.Errorf("got %v, want the refusal %v", err, unsupported)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	err = launch.Started()
	if err == nil || !strings.Contains(err.Error(), "start /nonexistent/opencode") {
		t.Errorf("got %v", err)
	}
	if cmd.Wait() == nil || cmd.ProcessState.ExitCode() != 126 {
		t.Errorf("the launcher ended with %d", cmd.ProcessState.ExitCode())
	}
}
