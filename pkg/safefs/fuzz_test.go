package safefs

import (
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/memfs"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// FuzzResolve looks for a path that resolves to something outside of the
// workspace, to a credential, or to what is neither file nor folder.
func FuzzResolve(f *testing.F) {
	for _, seed := range []string{
		"src/a.go", "../secret", "/work/../secret", "/work/src", "out/secret", "up/work/src/a.go", "src/../.env", ".ENV", "link.env", "src//./a.go", "/proc/1", "a\\b", "\x00", "~/x", "file:///x",
		"up/../up/secret", "/", ".", "", "src/a.go/", "loop/x",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		disk := memfs.New("/work")
		disk.Write("src/a.go", "inside")
		disk.Write(".env", "secret")
		disk.Write("/secret", "secret")
		disk.Write("/work2/secret", "secret")
		disk.Symlink("/", "out")
		disk.Symlink("..", "up")
		disk.Symlink(".env", "link")
		disk.Symlink("loop", "loop")
		disk.Special("pipe")
		fs, err := New(disk, "/work")
		if err != nil {
			t.Fatal(err)
		}
		file, text, err := fs.ReadFile(name, 100)
		if err != nil {
			if err.Error() == "" || string(text) != "" {
				t.Errorf("%q: got %q with error %v", name, text, err)
			}
			return
		}
		if string(text) != "inside" || file.Abs != "/work/"+file.Rel || file.Info.Kind != protocol.KindFile || strings.Contains("/"+file.Rel+"/", "/../") {
			t.Errorf("%q resolved to %+v with text %q", name, file, text)
		}
	})
}
