//go:build linux

package safefs

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/internal/diskfs"
)

// world is a real workspace with something worth stealing beside it.
type world struct {
	t       *testing.T
	root    string
	outside string
	disk    *diskfs.FS
	fs      *FS
}

func newWorld(t *testing.T) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, root: filepath.Join(base, "work"), outside: filepath.Join(base, "outside")}
	w.write(w.root+"/src/a.txt", "inside a")
	w.write(w.root+"/src/b.txt", "inside b")
	w.write(w.outside+"/plain.txt", "OUTSIDE")
	w.write(w.outside+"/src/a.txt", "OUTSIDE")
	w.disk, err = diskfs.New(w.root)
	w.must(err)
	w.fs, err = New(w.disk, w.root)
	w.must(err)
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) write(name, text string) {
	w.t.Helper()
	w.must(os.MkdirAll(filepath.Dir(name), 0o755))
	w.must(os.WriteFile(name, []byte(text), 0o644))
}

func (w *world) link(target, name string) {
	w.t.Helper()
	w.must(os.Symlink(target, filepath.Join(w.root, name)))
}

func TestPathsOutsideAreRefused(t *testing.T) {
	w := newWorld(t)
	w.link("../outside/plain.txt", "link.txt")
	w.link("../outside", "linkdir")
	w.link(w.outside+"/plain.txt", "abs.txt")
	w.link("link.txt", "twice.txt")
	w.link("/proc/self/environ", "environ")
	w.link("loop2", "loop1")
	w.link("loop1", "loop2")
	w.link("nowhere", "dangling")
	w.must(syscall.Mkfifo(w.root+"/fifo", 0o644))
	socket, err := net.Listen("unix", w.root+"/socket")
	w.must(err)
	defer socket.Close()
	w.link("/dev/null", "null")

	const outside = `is outside the workspace; only files inside it can be read`
	const special = `is a device, FIFO or socket; only regular files can be read`
	const system = `belongs to the operating system; only files inside the workspace can be read`
	tests := []struct{ path, want string }{
		{"../outside/plain.txt", outside},
		{"src/../../outside/plain.txt", outside},
		{"..", outside},
		{"/", outside},
		{"/etc/passwd", outside},
		{"/no/such/file", outside},
		{w.outside + "/plain.txt", outside},
		{w.root + "/../outside/plain.txt", outside},
		{w.root + "side", outside},
		{"link.txt", outside},
		{"twice.txt", outside},
		{"abs.txt", outside},
		{"linkdir", outside},
		{"linkdir/plain.txt", outside},
		{"linkdir/src/a.txt", outside},
		{"environ", outside},
		{"null", outside},
		{"/proc/self/environ", system},
		{"/proc/self/cwd/src/a.txt", system},
		{"/dev/zero", system},
		{"/sys", system},
		{"fifo", special},
		{"socket", special},
		{"loop1", `goes round in a circle of symbolic links`},
		{"dangling", `does not exist in the workspace`},
		{"src/none.txt", `does not exist in the workspace`},
		{"src/a.txt/b", `goes through a file as if it were a folder; use glob to find the right path`},
		{"src\x00/a.txt", `has a NUL character in it; give the plain path`},
		{"src\\a.txt", `has a backslash; write the path with / between the folders`},
		{"..\\outside\\plain.txt", `has a backslash; write the path with / between the folders`},
		{"\xff", `is not valid UTF-8; use glob to see how the file is really named`},
		{"~/.bashrc", `is in the home folder; only files inside the workspace can be read`},
		{"~", `is in the home folder; only files inside the workspace can be read`},
		{"http://127.0.0.1:80/x", `is a URL; only files of the workspace can be read, by their path`},
		{"FILE:///etc/passwd", `is a URL; only files of the workspace can be read, by their path`},
		{strings.Repeat("x", 256), `has a name of 256 bytes in it, more than the 255 that a name can have`},
		{strings.Repeat("x/", 2048) + "y", `is 4097 bytes long, more than the 4096 that a path can have`},
	}
	for _, tt := range tests {
		_, text, err := w.fs.ReadFile(tt.path, 1<<20)
		want := Quote(tt.path) + " " + tt.want
		if err == nil || err.Error() != want {
			t.Errorf("read %.60q: got %q, %v\nwant %s", tt.path, text, err, want)
		}
	}
}

func TestPathsInsideAreRead(t *testing.T) {
	w := newWorld(t)
	w.link("src/a.txt", "link.txt")
	w.link("src", "sources")
	w.must(os.Symlink(w.root, filepath.Join(filepath.Dir(w.root), "alias")))
	alias := filepath.Join(filepath.Dir(w.root), "alias")
	for _, path := range []string{
		"src/a.txt", "./src//a.txt", "src/../src/a.txt", "link.txt", "sources/a.txt", w.root + "/src/a.txt", alias + "/src/a.txt", w.root + "/../work/src/a.txt",
	} {
		file, text, err := w.fs.ReadFile(path, 1<<20)
		if err != nil {
			t.Errorf("read %q: %v", path, err)
			continue
		}
		if file.Rel != "src/a.txt" || string(text) != "inside a" {
			t.Errorf("read %q: got %q from %q", path, text, file.Rel)
		}
	}
	// The host may name the workspace by a symlink, and the model repeat it.
	fs, err := New(w.disk, alias)
	w.must(err)
	for _, path := range []string{alias + "/src/a.txt", w.root + "/src/a.txt"} {
		if _, text, err := fs.ReadFile(path, 100); err != nil || string(text) != "inside a" {
			t.Errorf("read %q of %q: got %q, %v", path, alias, text, err)
		}
	}
}

// TestSwapsBetweenCheckAndOpen plays the attacker who runs beside us: the
// workspace changes after the check and before, or just after, the open.
func TestSwapsBetweenCheckAndOpen(t *testing.T) {
	swapFile := func(w *world, target string) func() {
		return func() {
			w.must(os.Remove(w.root + "/src/a.txt"))
			w.must(os.Symlink(target, w.root+"/src/a.txt"))
		}
	}
	swapDir := func(w *world) func() {
		return func() {
			w.must(os.Rename(w.root+"/src", w.root+"/was"))
			w.must(os.Symlink(w.outside+"/src", w.root+"/src"))
		}
	}
	tests := []struct {
		name   string
		before func(*world) func()
		after  func(*world) func()
		want   string
	}{
		{"a link to a file outside",
			func(w *world) func() { return swapFile(w, w.outside+"/plain.txt") }, nil, `"src/a.txt" changed while it was being opened; try again`},
		{"a link to another file inside",
			func(w *world) func() { return swapFile(w, w.root+"/src/b.txt") }, nil, `"src/a.txt" changed while it was being opened; try again`},
		{"a folder above becomes a link",
			func(w *world) func() { return swapDir(w) }, nil, `"src/a.txt" changed while it was being opened; try again`},
		{"another file of the same name",
			func(w *world) func() {
				return func() {
					w.write(w.root+"/src/new", "inside n")
					w.must(os.Rename(w.root+"/src/new", w.root+"/src/a.txt"))
				}
			}, nil, `"src/a.txt" changed while it was being opened; try again`},
		{"a FIFO, which must not block",
			func(w *world) func() {
				return func() {
					w.must(syscall.Mkfifo(w.root+"/src/pipe", 0o644))
					w.must(os.Rename(w.root+"/src/pipe", w.root+"/src/a.txt"))
				}
			}, nil, `"src/a.txt" changed while it was being opened; try again`},
		{"gone",
			func(w *world) func() { return func() { w.must(os.Remove(w.root + "/src/a.txt")) } }, nil, `"src/a.txt" does not exist in the workspace`},
		{"the same file, moved out of the workspace",
			func(w *world) func() {
				return func() {
					w.must(os.Rename(w.root+"/src", w.outside+"/moved"))
					w.must(os.Symlink(w.outside+"/moved", w.root+"/src"))
				}
			}, nil, `"src/a.txt" is outside the workspace; only files inside it can be read`},
		{"a folder swapped once it is open", nil,
			func(w *world) func() { return swapDir(w) }, `"src/a.txt" is outside the workspace; only files inside it can be read`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			file, err := w.fs.Resolve("src/a.txt")
			w.must(err)
			if tt.before != nil {
				swap := tt.before(w)
				w.disk.BeforeOpen = func(_, _ string) { swap() }
			}
			if tt.after != nil {
				swap := tt.after(w)
				w.disk.AfterOpen = func(_, _ string) { swap() }
			}
			text, err := w.fs.Read(file, 1<<20)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got %q, %v\nwant %s", text, err, tt.want)
			}
		})
	}
}

// TestSwapAndBack is the hardest: outside while it is opened, inside again when
// it is checked.
func TestSwapAndBack(t *testing.T) {
	w := newWorld(t)
	outside, err := New(w.diskAt(w.outside), w.outside)
	w.must(err)
	secret, err := outside.Resolve("src/a.txt")
	w.must(err)
	// The attacker has also got the check to see the outer file's identity.
	file, err := w.fs.Resolve("src/a.txt")
	w.must(err)
	file.Info = secret.Info
	w.disk.BeforeOpen = func(_, _ string) {
		w.must(os.Rename(w.root+"/src", w.root+"/was"))
		w.must(os.Symlink(w.outside+"/src", w.root+"/src"))
	}
	w.disk.AfterOpen = func(_, _ string) {
		w.must(os.Remove(w.root + "/src"))
		w.must(os.Rename(w.root+"/was", w.root+"/src"))
	}
	text, err := w.fs.Read(file, 1<<20)
	if KindOf(err) != KindChanged {
		t.Errorf("got %q, %v; want a refusal, because the open file is not the one in its place", text, err)
	}
}

func (w *world) diskAt(root string) *diskfs.FS {
	disk, err := diskfs.New(root)
	w.must(err)
	return disk
}

func TestFoldersSwappedDuringAWalkShowNothing(t *testing.T) {
	w := newWorld(t)
	root, err := w.fs.Resolve(".")
	w.must(err)
	w.disk.BeforeOpen = func(op, path string) {
		if op == "list" && path == w.root+"/src" {
			w.must(os.Rename(w.root+"/src", w.root+"/was"))
			w.must(os.Symlink(w.outside, w.root+"/src"))
		}
	}
	var got []string
	seen, err := w.fs.Walk(root, nil, func(e Entry) bool { got = append(got, e.Rel); return true })
	w.must(err)
	if diff := cmp.Diff([]string{"src"}, got); diff != "" || seen.Failed != 1 {
		t.Errorf("failed folders %d, want 1; (-want +got):\n%s", seen.Failed, diff)
	}
}

func TestTheKernelsFoldersStayClosedEvenInAWorkspaceAtTheTop(t *testing.T) {
	disk, err := diskfs.New("/")
	if err != nil {
		t.Fatal(err)
	}
	fs, err := New(disk, "/")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/proc/self/environ", "/dev/zero", "proc/self/environ", "dev/zero", "/proc/self/cwd/path.go"} {
		if file, err := fs.Resolve(path); err == nil {
			t.Errorf("%q resolved to %q", path, file.Rel)
		}
	}
}
