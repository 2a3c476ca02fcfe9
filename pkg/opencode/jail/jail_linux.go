package jail

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// launcherName is argv[0] of the re-executed program: by it, init below knows what to do.
const launcherName = "opencode-jail"

// Supported reports why this system cannot confine programs, or nil.
func Supported() error {
	abi, err := ll.LandlockGetABIVersion()
	if err != nil {
		abi = 0
	}
	return support(abi)
}

// Launch is a command that will start confined.
type Launch struct {
	reader, writer *os.File
}

// Confine changes the command so that it starts confined. Call Started right after cmd.Start, and Close if
// cmd.Start is never called. Policy paths that do not exist are an error.
func Confine(cmd *exec.Cmd, p Policy) (*Launch, error) {
	if err := Supported(); err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	if cmd.Err != nil {
		return nil, fmt.Errorf("jail: %w", cmd.Err)
	}
	policy, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("jail: encode policy: %w", err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("jail: %w", err)
	}
	cmd.ExtraFiles = append(cmd.ExtraFiles, w)
	report := 2 + len(cmd.ExtraFiles) // the first extra file is descriptor 3
	cmd.Args = append([]string{launcherName, strconv.Itoa(report), string(policy), cmd.Path}, cmd.Args...)
	cmd.Path = "/proc/self/exe"
	return &Launch{reader: r, writer: w}, nil
}

// Started waits until the program runs confined, and returns why it does not. The launcher says what went
// wrong through a pipe that closes by itself when it becomes the real program.
func (l *Launch) Started() error {
	l.writer.Close()
	defer l.reader.Close()
	said, err := io.ReadAll(io.LimitReader(l.reader, 4096))
	switch {
	case err != nil:
		return fmt.Errorf("jail: read the launcher's report: %w", err)
	case len(said) > 0:
		return errors.New(string(said))
	}
	return nil
}

// Close gives up a launch whose command was never started.
func (l *Launch) Close() {
	l.writer.Close()
	l.reader.Close()
}

func init() {
	if len(os.Args) < 5 || os.Args[0] != launcherName {
		return
	}
	// The seccomp filter and the dropped capabilities hold for one thread, and exec keeps the thread that calls it.
	runtime.LockOSThread()
	report, err := strconv.Atoi(os.Args[1])
	if err != nil {
		os.Exit(126)
	}
	unix.CloseOnExec(report)
	err = become(os.Args[2], os.Args[3], os.Args[4:])
	fmt.Fprint(os.NewFile(uintptr(report), "report"), err)
	os.Exit(126) // what shells say of a command that cannot be run
}

// become restricts this process and turns it into the program. It returns only with an error.
func become(policy, path string, args []string) error {
	var p Policy
	if err := json.Unmarshal([]byte(policy), &p); err != nil {
		return fmt.Errorf("jail: decode policy: %w", err)
	}
	if err := restrict(p); err != nil {
		return err
	}
	if err := filterSockets(p.UDP); err != nil {
		return err
	}
	if err := dropCapabilities(); err != nil {
		return err
	}
	err := syscall.Exec(path, args, os.Environ())
	return fmt.Errorf("jail: start %s: %w", path, err)
}

// dropCapabilities gives up what root may do beyond its own files: reading the environment of any process, for
// one, which Landlock does not stop. Under no_new_privs, set before, exec does not give it back.
func dropCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData // version 3 takes two words of each set
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("jail: drop capabilities: %w", err)
	}
	return nil
}

// System folders that nearly every program reads. Missing ones are fine: distributions differ.
var (
	systemDirs = []string{
		"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/nix/store", "/etc",
		"/proc", "/sys/devices/system/cpu", "/sys/fs/cgroup", "/run/systemd/resolve", "/run/resolvconf",
	}
	devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}
)

func restrict(p Policy) error {
	abi, err := ll.LandlockGetABIVersion()
	if err != nil {
		abi = 0
	}
	if err := support(abi); err != nil {
		return err
	}
	rules := []landlock.Rule{
		landlock.RODirs(systemDirs...).IgnoreIfMissing(),
		landlock.RWFiles(devices...).IgnoreIfMissing(),
		landlock.RWDirs(p.Write...).WithRefer(),
	}
	for _, path := range p.Read {
		info, err := os.Stat(path)
		if err != nil {
			return fmt.Errorf("jail: %w", err)
		}
		if info.IsDir() {
			rules = append(rules, landlock.RODirs(path))
		} else {
			rules = append(rules, landlock.ROFiles(path))
		}
	}
	for _, port := range p.Connect {
		rules = append(rules, landlock.ConnectTCP(port))
	}
	config := configFor(abi)
	if p.UDP && abi >= 10 {
		rules = append(rules, landlock.BindUDP(0), landlock.ConnectSendUDP(53))
	}
	if err := config.Restrict(rules...); err != nil {
		return fmt.Errorf("jail: restrict by Landlock (version %d): %w", abi, err)
	}
	return nil
}

// configFor picks the strictest configuration that this kernel and this library both know.
func configFor(abi int) landlock.Config {
	configs := []landlock.Config{
		landlock.V4, landlock.V5, landlock.V6, landlock.V7, landlock.V8, landlock.V9, landlock.V10, landlock.V11,
	}
	return configs[min(abi-minABI, len(configs)-1)]
}
