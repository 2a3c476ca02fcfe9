package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/internal/e2e"
)

// steady is a clock that goes on by half a second each time it is asked.
func steady() func() time.Time {
	now := time.Unix(100, 0)
	return func() time.Time {
		now = now.Add(500 * time.Millisecond)
		return now
	}
}

func TestTimelineIsReadable(t *testing.T) {
	var out bytes.Buffer
	s := &screen{w: &out, now: steady()}
	at := func(ms int) time.Time { return time.Unix(1000, 0).Add(time.Duration(ms) * time.Millisecond) }
	s.act(4, 5, "a blocker")
	s.entries([]e2e.Entry{
		{At: at(0), Who: e2e.Person, Text: "Add currentUser(token)."},
		{At: at(400), Who: e2e.Agent, Tool: "write src/session.ts", Text: "Wrote file successfully."},
		{At: at(1250), Who: e2e.Reviewer, Tool: "read src/db.ts", Text: "src/db.ts: lines 1-32 of 32"},
		{At: at(1300), Who: e2e.Advisor, Woke: true, Text: "[advisor blocker] src/db.ts:25\n" +
			"currentUser crashes for an unknown token: findSession gives null there, and session.userId is read without a check. Check it.\n   return x\n"},
		{At: at(2000), Who: e2e.Screen, Text: "Advisor blocker at src/db.ts:25"},
		{At: at(2500), Who: e2e.Dropped, Text: "duplicate", Cites: "src/db.ts:25 has return null"},
	})
	s.point("it woke the agent once")
	want := `
4 of 5: a blocker
   0.0 s  person   Add currentUser(token).
   0.4 s  agent    write src/session.ts       Wrote file successfully.
   1.2 s  reviewer read src/db.ts             src/db.ts: lines 1-32 of 32
   1.3 s  advisor  [advisor blocker] src/db.ts:25
                   currentUser crashes for an unknown token: findSession gives
                   null there, and session.userId is read without a check. Check
                   it.
                      return x
                   -> this wakes the agent
   2.0 s  toast    Advisor blocker at src/db.ts:25
   2.5 s  dropped  not said: the same matter was said before (duplicate)
                   src/db.ts:25 has return null
                   ok it woke the agent once
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestStepsTellTheirTimeAndTheirFailure(t *testing.T) {
	var out bytes.Buffer
	s := &screen{w: &out, now: steady()}
	if err := s.step(1, 2, "pack", func() (string, error) { return "1.20 MB", nil }); err != nil {
		t.Fatal(err)
	}
	err := s.step(2, 2, "start", func() (string, error) { return "", errors.New("no room") })
	if err == nil || err.Error() != "start: no room" {
		t.Errorf("got the error %v", err)
	}
	want := "[1/2] pack                                                 ok   0.5 s  1.20 MB\n" +
		"[2/2] start                                                failed\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestOutputToAFileHasNoColours(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	newScreen(f, time.Now).failed(errors.New("no room"))
	got, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	if want := "\nThe demo failed.\nno room\n"; string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
	s := &screen{colours: true}
	if got, want := s.paint(red, "x"), "\x1b[31mx\x1b[0m"; got != want {
		t.Errorf("on a terminal: got %q, want %q", got, want)
	}
}

func TestToolsAreInstalledAgainWhenTheLockFileIsNewer(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, age time.Duration) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		at := time.Unix(5000, 0).Add(-age)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		return path
	}
	installed, lock := write("installed", time.Minute), write("lock", time.Hour)
	if !newer(installed, lock) {
		t.Error("an older lock file: want nothing to do")
	}
	if lock = write("lock", 0); newer(installed, lock) {
		t.Error("a newer lock file: want an install")
	}
	if newer(filepath.Join(dir, "none"), lock) {
		t.Error("nothing is installed: want an install")
	}
}
