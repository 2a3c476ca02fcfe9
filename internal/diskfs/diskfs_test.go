//go:build linux

package diskfs

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/pkg/memfs"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// pair is the same tree on disk and in memory.
type pair struct {
	disk *FS
	mem  *memfs.FS
	root string
}

func newPair(t *testing.T) pair {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(base, "work")
	mem := memfs.New(root)
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"a.txt": "hello", "dir/b.txt": "", "dir/sub/c.txt": "c", "../outside.txt": "out"} {
		full := filepath.Join(root, name)
		must(os.MkdirAll(filepath.Dir(full), 0o755))
		must(os.WriteFile(full, []byte(text), 0o644))
		mem.Write(full, text)
	}
	for link, target := range map[string]string{
		"tofile": "a.txt", "todir": "dir", "abs": root + "/a.txt", "out": "../outside.txt", "up": "..", "loop": "loop", "gone": "nowhere", "chain": "tofile", "dir/back": "../a.txt",
	} {
		must(os.Symlink(target, filepath.Join(root, link)))
		mem.Symlink(target, link)
	}
	must(syscall.Mkfifo(root+"/fifo", 0o644))
	mem.Special("fifo")
	disk, err := New(root)
	must(err)
	return pair{disk, mem, root}
}

// TestDiskAndMemoryAnswerAlike asks both every question about every path.
func TestDiskAndMemoryAnswerAlike(t *testing.T) {
	p := newPair(t)
	type answer struct {
		Kind      protocol.Kind
		Size      int64
		Stat      protocol.Errno
		Real      string
		RealErrno protocol.Errno
		Text      string
		Read      protocol.Errno
		Tail      string
		List      []protocol.Entry
		ListErrno protocol.Errno
	}
	ask := func(f protocol.Files, path string) answer {
		var a answer
		info, e := f.Stat(path)
		a.Kind, a.Stat = info.Kind, e
		if info.Kind == protocol.KindFile {
			a.Size = info.Size
		}
		a.Real, a.RealErrno = f.Real(path)
		if e != protocol.OK || info.Kind == protocol.KindSymlink || info.Kind == protocol.KindOther {
			return a // what is never opened
		}
		buf := make([]byte, 10)
		n, e := f.Read(path, info, 0, buf)
		a.Text, a.Read = string(buf[:n]), e
		n, _ = f.Read(path, info, 3, buf)
		a.Tail = string(buf[:n])
		a.List, a.ListErrno = f.List(path, info)
		return a
	}
	for _, rel := range []string{
		"", "a.txt", "dir", "dir/b.txt", "dir/sub", "dir/sub/c.txt", "tofile", "todir", "todir/b.txt", "todir/sub/c.txt", "abs", "out", "up", "up/outside.txt", "up/work/a.txt",
		"loop", "loop/x", "gone", "chain", "dir/back", "fifo", "none", "a.txt/x", "none/x", strings.Repeat("n", 256), strings.Repeat("d/", 2500) + "x", "nul\x00", "dir/", "./a.txt",
	} {
		path := p.root
		if rel != "" {
			path += "/" + rel
		}
		if diff := cmp.Diff(ask(p.disk, path), ask(p.mem, path)); diff != "" {
			t.Errorf("%.60q (-disk +memory):\n%s", rel, diff)
		}
	}
	for _, path := range []string{"relative", filepath.Dir(p.root), filepath.Dir(p.root) + "/outside.txt", "/"} {
		_, disk := p.disk.Real(path)
		_, mem := p.mem.Real(path)
		if disk == protocol.OK || disk != mem {
			t.Errorf("real %q: disk says %v, memory %v; want the same refusal", path, disk, mem)
		}
	}
}

func TestWhatIsOpenedMustBeWhatWasSeen(t *testing.T) {
	p := newPair(t)
	other, _ := p.disk.Stat(p.root + "/dir/b.txt")
	buf := make([]byte, 10)
	if n, e := p.disk.Read(p.root+"/a.txt", other, 0, buf); e != protocol.ErrnoChanged || n != 0 {
		t.Errorf("read a.txt with the identity of b.txt: %d bytes, %v; want none, changed", n, e)
	}
	if _, e := p.disk.List(p.root+"/dir", other); e != protocol.ErrnoChanged {
		t.Errorf("list dir with the identity of b.txt: %v, want changed", e)
	}
	seen, _ := p.disk.Stat(p.root + "/a.txt")
	if _, e := p.disk.Read(p.root+"/tofile", seen, 0, buf); e != protocol.ErrnoChanged {
		t.Errorf("read through a link: %v, want changed, because the check saw a file", e)
	}
	if _, e := p.disk.Read(p.root+"/a.txt", seen, -1, buf); e != protocol.ErrnoInvalid {
		t.Errorf("read from before the start: %v, want invalid", e)
	}
	outside := filepath.Dir(p.root) + "/outside.txt"
	info, e := p.disk.Stat(outside)
	if e != protocol.OK {
		t.Fatal(e)
	}
	if n, e := p.disk.Read(outside, info, 0, buf); e != protocol.ErrnoOutside || n != 0 {
		t.Errorf("read outside, rightly identified: %d bytes, %v; want none, outside", n, e)
	}
}

func TestSpecialFilesNeitherBlockNorOpen(t *testing.T) {
	p := newPair(t)
	socket, err := net.Listen("unix", p.root+"/socket")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	for _, name := range []string{"fifo", "socket"} {
		info, e := p.disk.Stat(p.root + "/" + name)
		if e != protocol.OK || info.Kind != protocol.KindOther {
			t.Errorf("stat %s: kind %d, %v", name, info.Kind, e)
		}
		if _, e := p.disk.Read(p.root+"/"+name, info, 0, make([]byte, 1)); e != protocol.ErrnoNotRegular {
			t.Errorf("read %s: %v, want not regular", name, e)
		}
	}
	info, _ := p.disk.Stat("/dev/zero")
	if _, e := p.disk.Read("/dev/zero", info, 0, make([]byte, 1)); e != protocol.ErrnoNotRegular {
		t.Errorf("read a device: %v, want not regular", e)
	}
}

func TestTheRootMustBeAFolder(t *testing.T) {
	p := newPair(t)
	for _, root := range []string{p.root + "/a.txt", p.root + "/none"} {
		if _, err := New(root); err == nil || !strings.Contains(err.Error(), root) {
			t.Errorf("New(%q): got %v, want an error that names it", root, err)
		}
	}
}
