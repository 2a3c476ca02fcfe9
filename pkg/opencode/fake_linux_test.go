package opencode

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/Kayphoon/opencode-advisor/pkg/opencode/sandbox"
)

// worktree makes a sandbox of a fresh repository with one file.
func worktree(t *testing.T) *sandbox.Worktree {
	t.Helper()
	repo := t.TempDir()
	if err := os.WriteFile(filepath.Join(repo, "a.txt"), []byte("hello\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-qm", "first"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = repo
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	wt, err := sandbox.New(context.Background(), repo, sandbox.Options{Root: filepath.Join(t.TempDir(), "root")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := wt.Close(); err != nil {
			t.Error(err)
		}
	})
	return wt
}

// fake is an opencode executable made of a shell script. It counts its starts in $N and keeps what it was
// given beside itself.
type fake struct {
	dir string
	*Adapter
}

func newFake(t *testing.T, script string) fake {
	t.Helper()
	dir := t.TempDir()
	bin := filepath.Join(dir, "opencode")
	body := `#!/bin/sh
D='` + dir + `'
echo x >> "$D/starts"
N=$(wc -l < "$D/starts" | tr -d ' ')
cat > "$D/task.$N"
printf '%s\n' "$@" > "$D/args.$N"
env > "$D/env.$N"
` + script
	if err := os.WriteFile(bin, []byte(body), 0o755); err != nil {
		t.Fatal(err)
	}
	return fake{dir, &Adapter{Bin: bin, Lane: "heal", ForgeBaseURL: "http://127.0.0.1:1"}}
}

func (f fake) file(name string) string {
	data, _ := os.ReadFile(filepath.Join(f.dir, name))
	return string(data)
}

func (f fake) starts() int { return strings.Count(f.file("starts"), "x") }

// instant makes every wait end at once, and notes how long each was.
func instant(a *Adapter) *[]time.Duration {
	var waits []time.Duration
	a.after = func(d time.Duration) <-chan time.Time {
		if d == defaultInvokeTimeout { // the deadline itself never comes
			return nil
		}
		waits = append(waits, d)
		done := make(chan time.Time, 1)
		done <- time.Time{}
		return done
	}
	return &waits
}

func line(event string) string { return "printf '%s\\n' '" + strings.TrimSuffix(event, "\n") + "'\n" }

// brood is a fake whose process starts a child in its group and one that leaves the group for a session of its
// own. Each says its number through a named pipe, so that both ends wait for each other.
type brood struct {
	fake
	pids chan map[string]*process
}

const children = `sleep 600 & echo $! > "$D/child"
setsid sh -c 'echo $$ > "'"$D"'/runaway"; exec sleep 600' &
echo $$ > "$D/leader"
`

var brothers = []string{"child", "runaway", "leader"}

func newBrood(t *testing.T, then string) brood {
	t.Helper()
	f := brood{newFake(t, children+then), make(chan map[string]*process, 1)}
	for _, name := range brothers {
		if err := syscall.Mkfifo(filepath.Join(f.dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// born waits until the named ones run; the leader comes last, for it may end once it was heard.
func (f brood) born(t *testing.T, names ...string) map[string]*process {
	out := map[string]*process{}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(f.dir, name)) // waits for the writer
		if err != nil {
			t.Error(err)
		}
		out[name] = openProcess(t, strings.TrimSpace(string(data)))
	}
	return out
}

// process is a handle of a process: it keeps meaning that one when the number is given away.
type process struct{ fd int }

func openProcess(t *testing.T, pid string) *process {
	n, err := strconv.Atoi(pid)
	if err != nil {
		t.Errorf("process number %q: %v", pid, err)
	}
	fd, err := unix.PidfdOpen(n, 0)
	if err != nil {
		t.Errorf("open process %q: %v", pid, err)
	}
	t.Cleanup(func() {
		unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
		unix.Close(fd)
	})
	return &process{fd}
}

// ended reports whether the process has ended, waiting for it up to a time.
func (p *process) ended(wait time.Duration) bool {
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(p.fd), Events: unix.POLLIN}}, int(wait.Milliseconds()))
	return err == nil && n == 1
}

func checkEnded(t *testing.T, pids map[string]*process) {
	t.Helper()
	for name, p := range pids {
		if !p.ended(0) {
			t.Errorf("the %s still runs", name)
		}
	}
}
