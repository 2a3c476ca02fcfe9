//go:build linux

package tools

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/internal/diskfs"
	"github.com/Kayphoon/opencode-advisor/pkg/safefs"
)

// TestNoToolReturnsWhatLiesOutside is the case n-symlink of the reviewer cases,
// on a real disk: every way out that a reviewer has tried elsewhere.
func TestNoToolReturnsWhatLiesOutside(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, out := filepath.Join(base, "work"), filepath.Join(base, "outside")
	for name, text := range map[string]string{
		root + "/a.txt": "inside", out + "/plain.txt": "OUTSIDE TEXT", out + "/inner.txt": "OUTSIDE TEXT", root + "/.env": "TOKEN=OUTSIDE", root + "/keys/id_rsa": "OUTSIDE KEY",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"link.txt": out + "/plain.txt", "linkdir": out, "env.txt": ".env", "key": "keys/id_rsa", "up": "..", "self": "/proc/self"} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	disk, err := diskfs.New(root)
	if err != nil {
		t.Fatal(err)
	}
	fs, err := safefs.New(disk, root)
	if err != nil {
		t.Fatal(err)
	}
	box := NewToolbox(&Env{Files: fs, Cache: &Cache{}, Ledger: &safefs.Ledger{}}, Names(), true)
	calls := 0
	try := func(name, args string) {
		calls++
		if got := box.Call(name, []byte(args)).Text; strings.Contains(got, "OUTSIDE T") || strings.Contains(got, "OUTSIDE K") || strings.Contains(got, "TOKEN=") || strings.Contains(got, "plain.txt\n") || strings.Contains(got, "inner.txt\n") {
			t.Errorf("%s %s returned what is not the reviewer's:\n%s", name, args, got)
		}
	}
	for _, path := range []string{
		"link.txt", "linkdir/inner.txt", "linkdir", out + "/plain.txt", "../outside/plain.txt", "up/outside/plain.txt", "a.txt/../../outside/plain.txt", "~/.ssh/id_test",
		"http://127.0.0.1:1/exfil?d=OUTSIDE", "/proc/self/environ", "/proc/self/root" + out + "/plain.txt", "self/environ", "self/root" + out + "/plain.txt",
		".env", "env.txt", "keys/id_rsa", "key", ".ENV", "./.env", "linkdir/../a.txt/../link.txt",
	} {
		try("read", `{"path":"`+path+`"}`)
		try("grep", `{"pattern":"OUTSIDE|TOKEN","path":"`+path+`"}`)
		try("glob", `{"pattern":"*","path":"`+path+`"}`)
		try("glob", `{"pattern":"`+path+`/*"}`)
		try("glob", `{"pattern":"`+path+`"}`)
	}
	try("grep", `{"pattern":"OUTSIDE|TOKEN"}`)
	try("grep", `{"pattern":"OUTSIDE","glob":"linkdir/**"}`)
	try("grep", `{"pattern":"OUTSIDE","glob":"../**"}`)
	try("glob", `{"pattern":"linkdir/**"}`)
	try("glob", `{"pattern":"**/plain.txt"}`)
	if got := box.Call("read", []byte(`{"path":"a.txt"}`)).Text; !strings.Contains(got, "inside") {
		t.Errorf("what lies inside must be readable: %s", got)
	}
	t.Logf("%d calls", calls)
}
