package opencode

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

func TestAHangIsKilledWithAllItsChildrenAndNotRepeated(t *testing.T) {
	f := newBrood(t, "wait\n")
	deadline := make(chan time.Time)
	f.after = func(time.Duration) <-chan time.Time { return deadline }
	go func() {
		f.pids <- f.born(t, brothers...)
		close(deadline)
	}()
	res, err := f.Invoke(context.Background(), worktree(t), testKey, "task")
	if err != nil || !res.TimedOut || res.Verdict != TimedOut || res.ExitCode != -1 || f.starts() != 1 {
		t.Errorf("%+v, %v, %d starts", res, err, f.starts())
	}
	checkEnded(t, <-f.pids)
}

func TestChildrenLeftByAGoodRunAreKilledToo(t *testing.T) {
	f := newBrood(t, "exit 0\n")
	go func() {
		pids := f.born(t, "child", "runaway")
		_, _ = os.ReadFile(filepath.Join(f.dir, "leader")) // let it end
		f.pids <- pids
	}()
	res, err := f.Invoke(context.Background(), worktree(t), testKey, "task")
	if err != nil || res.ExitCode != 0 {
		t.Errorf("exit code %d, %v", res.ExitCode, err)
	}
	checkEnded(t, <-f.pids)
}

func TestCancellingSurfacesAtOnce(t *testing.T) {
	b := newBrood(t, "wait\n")
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		b.pids <- b.born(t, brothers...)
		cancel()
	}()
	_, err := b.Invoke(ctx, worktree(t), testKey, "task")
	if !errors.Is(err, context.Canceled) || b.starts() != 1 {
		t.Errorf("got %v after %d starts", err, b.starts())
	}
	checkEnded(t, <-b.pids)

	// In the pause between two attempts, too.
	f := newFake(t, line(downLine)+"exit 1\n")
	ctx, cancel = context.WithCancel(context.Background())
	f.after = func(d time.Duration) <-chan time.Time {
		if d == defaultRetryBackoff {
			cancel()
		}
		return nil
	}
	res, err := f.Invoke(ctx, worktree(t), testKey, "task")
	if !errors.Is(err, context.Canceled) || f.starts() != 1 || res.Verdict != Failed {
		t.Errorf("got %v, %s after %d starts", err, res.Verdict, f.starts())
	}
}

func TestOpenCodeDiesWithItsDriver(t *testing.T) {
	if dir := os.Getenv("DRIVER_DIR"); dir != "" { // the driver, in a process of its own
		f := fake{dir, &Adapter{Bin: filepath.Join(dir, "opencode"), Lane: "heal", ForgeBaseURL: "http://127.0.0.1:1"}}
		f.Invoke(context.Background(), worktree(t), testKey, "task")
		return
	}
	f := newBrood(t, "wait\n")
	driver := exec.Command(os.Args[0], "-test.run=^TestOpenCodeDiesWithItsDriver$")
	driver.Env = append(os.Environ(), "DRIVER_DIR="+f.dir, "TMPDIR="+t.TempDir())
	if err := driver.Start(); err != nil {
		t.Fatal(err)
	}
	pids := f.born(t, brothers...)
	if err := driver.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	driver.Wait()
	if !pids["leader"].ended(time.Minute) {
		t.Error("OpenCode outlives its driver")
	}
	// What the leader leaves behind ends with the next sweep of the sandboxes; here, with the test.
}
