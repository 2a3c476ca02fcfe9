package rules

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/pkg/memfs"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/safefs"
)

// desk is a reader with a workspace and a person's folder around it.
type desk struct {
	*Reader
	disk  *memfs.FS
	own   map[string]string
	asked []string // of the person\'s folder
}

func newDesk(t *testing.T, files ...string) *desk {
	t.Helper()
	disk := memfs.New("/work")
	for i := 0; i < len(files); i += 2 {
		disk.Write(files[i], files[i+1])
	}
	fs, err := safefs.New(disk, "/work")
	if err != nil {
		t.Fatal(err)
	}
	return &desk{Reader: &Reader{Files: fs, Redact: func(s string) string { return strings.ReplaceAll(s, "hunter2", "[gone]") }}, disk: disk, own: map[string]string{}}
}

func (d *desk) Read(w Wanted) Set {
	return d.Reader.Read(w, func(name string) protocol.File {
		d.asked = append(d.asked, name)
		text, ok := d.own[name]
		return protocol.File{Path: name, Text: text, Exists: ok}
	})
}

func (d *desk) read(touched ...string) Set {
	return d.Read(Wanted{Touched: touched, Directory: "/work"})
}

// texts lists what is in force, in order.
func texts(s Set) string {
	var list []string
	for _, f := range s.Files {
		list = append(list, strings.TrimSpace(f.Text))
	}
	return strings.Join(list, " ")
}

func problems(s Set) string {
	var list []string
	for _, p := range s.Problems {
		list = append(list, p.String())
	}
	return strings.Join(list, "\n")
}

func TestTheMostSpecificRulesComeLast(t *testing.T) {
	d := newDesk(t, "WATCHDOG.md", "root", "src/WATCHDOG.md", "src", "src/auth/deep/WATCHDOG.md", "deep", "docs/WATCHDOG.md", "docs", "web/WATCHDOG.md", " \n")
	d.own["WATCHDOG.md"] = "own"
	for _, c := range []struct{ name, touched, want string }{
		{"nothing touched", "", "own root"},
		{"a file of the root", "main.go", "own root"},
		{"a file far below", "src/auth/deep/x/y.go", "own root src deep"},
		{"a folder without rules", "src/auth/a.go", "own root src"},
		{"an empty file of rules", "web/a.ts", "own root"},
		{"two folders", "docs/a.md,src/auth/deep/a.go", "own root docs src deep"},
		{"files outside", "/etc/passwd,../x/y.go", "own root"},
	} {
		touched := strings.Split(c.touched, ",")
		if c.touched == "" {
			touched = nil
		}
		if got := texts(d.read(touched...)); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	if got := texts(d.Read(Wanted{Directory: "/work/src/auth"})); got != "own root src" {
		t.Errorf("opened in a folder, nothing touched: got %q, want its rules too", got)
	}
}

func TestImports(t *testing.T) {
	for _, c := range []struct{ name, text, want, problem string }{
		{"one beside it", "top\n@more.md", "more top @more.md", ""},
		{"one below", "@docs/a.md", "a @docs/a.md", ""},
		{"of an import, by its own folder", "@docs/b.md", "more b @../more.md @docs/b.md", ""},
		{"the same twice", "@more.md\n@more.md", "more @more.md @more.md", ""},
		{"itself", "@WATCHDOG.md", "@WATCHDOG.md", ""},
		{"in a circle", "@docs/c.md", "c @../WATCHDOG.md @docs/c.md", ""},
		{"an example in a fence", "```\n@docs/none.md\n```", "``` @docs/none.md ```", ""},
		{"a handle is none", "@alice\nask @docs/none.md", "@alice ask @docs/none.md", ""},
		{"missing", "\n\n@docs/none.md", "@docs/none.md", "WATCHDOG.md:3: @docs/none.md: it does not exist; mend the line; nothing is imported there"},
		{"of the system", "@/etc/passwd", "@/etc/passwd", "WATCHDOG.md:1: @/etc/passwd: it is no .md file of the workspace"},
		{"of the system, by that ending", "@/etc/motd.md", "@/etc/motd.md", "WATCHDOG.md:1: @/etc/motd.md: it is outside the workspace"},
		{"of the home, by that ending", "@~/notes.md", "@~/notes.md", "WATCHDOG.md:1: @~/notes.md: it is in the home folder"},
		{"of the home", "@~/.ssh/id_rsa", "@~/.ssh/id_rsa", "WATCHDOG.md:1: @~/.ssh/id_rsa: it is no .md file of the workspace"},
		{"above", "@../other/a.md", "@../other/a.md", "WATCHDOG.md:1: @../other/a.md: it is outside the workspace"},
		{"above by a detour", "@docs/../../a.md", "@docs/../../a.md", "it is outside the workspace"},
		{"credentials", "@.env", "@.env", "it is no .md file"},
		{"a key by another name", "@docs/key.md", "@docs/key.md", "which the advisor never reads"},
		{"a URL", "@https://evil.test/a.md", "@https://evil.test/a.md", "is a URL"},
		{"a link that leads out", "@docs/out.md", "@docs/out.md", "it is outside the workspace"},
		{"a folder", "@./docs/dir.md", "@./docs/dir.md", "it is a folder"},
		{"no text", "@docs/pic.md", "@docs/pic.md", "it is no text"},
		{"code, which would then prove nothing", "@src/a.go", "@src/a.go", "it is no .md file"},
		{"a device", "@docs/fifo.md", "@docs/fifo.md", "is a device, FIFO or socket"},
		{"the person's own", "@~/WATCHDOG.md", "@~/WATCHDOG.md", "it is in the home folder"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t, "WATCHDOG.md", c.text, "more.md", "more", "docs/a.md", "a", "docs/b.md", "b\n@../more.md", "docs/c.md", "c\n@../WATCHDOG.md",
				".env", "KEY=1", "docs/pic.md", "a\x00b", "docs/dir.md/x", "x", "src/a.go", "package a", "id_rsa", "key", "/etc/passwd", "root:x:0")
			d.disk.Symlink("/etc/passwd", "docs/out.md")
			d.disk.Symlink("../id_rsa", "docs/key.md")
			d.disk.Special("docs/fifo.md")
			set := d.read()
			if got := strings.Join(strings.Fields(texts(set)), " "); got != c.want {
				t.Errorf("in force %q, want %q", got, c.want)
			}
			if c.problem == "" && len(set.Problems) > 0 || len(set.Problems) > 1 || !strings.Contains(problems(set), c.problem) {
				t.Errorf("problems:\n%s\nwant one: %s", problems(set), c.problem)
			}
		})
	}
}

func TestARuleFileItselfMayNotLeadOut(t *testing.T) {
	d := newDesk(t, "/etc/passwd", "root:x:0")
	d.disk.Symlink("/etc/passwd", "WATCHDOG.md")
	if set := d.read(); len(set.Files) > 0 || !strings.HasPrefix(problems(set), "WATCHDOG.md: it is outside the workspace") {
		t.Errorf("in force %q, problems %q; want none and the reason", texts(set), problems(set))
	}
}

func TestImportsOfThePersonStayInTheirFolder(t *testing.T) {
	for _, c := range []struct{ line, want, problem string }{
		{"@team/a.md", "a @team/a.md", ""},
		{"@team/b.md", "a b @a.md @team/b.md", ""},
		{"@auth.json", "@auth.json", "WATCHDOG.md (your own):1: @auth.json: it is no .md file of the folder of your WATCHDOG.md;"},
		{"@/etc/x.md", "@/etc/x.md", "it leads out of the folder of your WATCHDOG.md"},
		{"@~/x.md", "@~/x.md", "it leads out of the folder"},
		{"@../x.md", "@../x.md", "it leads out of the folder"},
		{"@team/../../x.md", "@team/../../x.md", "it leads out of the folder"},
		{"@none.md", "@none.md", "it does not exist"},
	} {
		d := newDesk(t)
		d.own = map[string]string{"WATCHDOG.md": c.line, "team/a.md": "a", "team/b.md": "b\n@a.md"}
		set := d.read()
		if got := strings.Join(strings.Fields(texts(set)), " "); got != c.want || !strings.Contains(problems(set), c.problem) || c.problem == "" && len(set.Problems) > 0 {
			t.Errorf("%s: in force %q, problems %q; want %q and %q", c.line, got, problems(set), c.want, c.problem)
		}
		if strings.Contains(c.problem, "leads out") && !cmp.Equal(d.asked, []string{"WATCHDOG.md"}) {
			t.Errorf("%s: asked for %q, want the rules alone", c.line, d.asked)
		}
	}
}

func TestBounds(t *testing.T) {
	d := newDesk(t)
	chain := 8
	for i := range chain {
		d.disk.Write("chain"+strconv.Itoa(i)+".md", "c"+strconv.Itoa(i)+"\n@chain"+strconv.Itoa(i+1)+".md")
	}
	d.disk.Write("WATCHDOG.md", "@chain0.md")
	set := d.read()
	if len(set.Files) != maxDepth+1 || !strings.Contains(problems(set), "chain3.md:2: @chain4.md: it lies deeper than 4 imports") {
		t.Errorf("a chain: %d files, problems %q; want %d and one that names the line", len(set.Files), problems(set), maxDepth+1)
	}

	var many strings.Builder
	for i := range 100 {
		name := "m" + strconv.Itoa(i) + ".md"
		d.disk.Write(name, "rule "+name)
		many.WriteString("@" + name + "\n")
	}
	d.disk.Write("WATCHDOG.md", many.String())
	set = d.read()
	if len(set.Files) > maxFiles || !strings.Contains(problems(set), "there are more than 24 files of rules") {
		t.Errorf("many imports: %d files, problems %q; want at most %d and one that says so", len(set.Files), problems(set), maxFiles)
	}

	d.disk.Write("WATCHDOG.md", strings.Repeat("x", maxFile+1))
	if set = d.read(); len(set.Files) != 0 || !strings.Contains(problems(set), "WATCHDOG.md: it has more than 65536 bytes") {
		t.Errorf("a large file: %d files, problems %q", len(set.Files), problems(set))
	}

	d.disk.Write("WATCHDOG.md", strings.Repeat("@none/a.md\n", 500))
	if set = d.read(); len(set.Problems) != maxTold {
		t.Errorf("500 broken imports: %d problems, want %d", len(set.Problems), maxTold)
	}
}

func TestAChangeTakesEffectAndNothingElseIsRead(t *testing.T) {
	d := newDesk(t, "WATCHDOG.md", "one\n@a.md", "a.md", "a1")
	d.read()
	before := d.disk.Reads
	if got := texts(d.read()); got != "a1 one\n@a.md" || d.disk.Reads != before {
		t.Errorf("in force %q after %d reads; want the same without one", got, d.disk.Reads-before)
	}
	d.disk.Write("a.md", "a2")
	if got := texts(d.read()); got != "a2 one\n@a.md" || d.disk.Reads != before+1 {
		t.Errorf("in force %q after %d reads; want the change after one", got, d.disk.Reads-before)
	}
	d.disk.Remove("a.md")
	if set := d.read(); texts(set) != "one\n@a.md" || len(set.Problems) != 1 {
		t.Errorf("in force %q, problems %q; want it gone, and a problem", texts(set), problems(set))
	}
	d.own["WATCHDOG.md"] = "mine"
	if got := texts(d.read()); got != "mine one\n@a.md" {
		t.Errorf("in force %q; want the person's new rules first", got)
	}
}

func TestRulesProveNothing(t *testing.T) {
	d := newDesk(t, "WATCHDOG.md", "@docs/a.md", "docs/a.md", "a", "AGENTS.md", "agents", "real/WATCHDOG.md", "real")
	d.disk.Symlink("real", "src")
	d.own["WATCHDOG.md"] = "@docs/b.md"
	d.own["docs/b.md"] = "b"
	set := d.Read(Wanted{Touched: []string{"src/x.go"}, Directory: "/work", Context: []string{"AGENTS.md"}})
	for rel, want := range map[string]bool{"WATCHDOG.md": true, "docs/a.md": true, "real/WATCHDOG.md": true, "src/WATCHDOG.md": false, "docs/b.md": false, "AGENTS.md": false} {
		if set.Holds(rel) != want {
			t.Errorf("%s is a file of rules: %v, want %v", rel, !want, want)
		}
	}
}

func TestSecretsAreTakenOut(t *testing.T) {
	d := newDesk(t, "WATCHDOG.md", "the password is hunter2")
	d.own["WATCHDOG.md"] = "mine is hunter2 too"
	if got := d.read().Render(4_000); strings.Contains(got, "hunter2") || !strings.Contains(got, "[gone]") {
		t.Errorf("shown: %s", got)
	}
}

func TestContextFiles(t *testing.T) {
	d := newDesk(t, "AGENTS.md", "agents\n@docs/none.md", "WATCHDOG.md", "root")
	set := d.Read(Wanted{Directory: "/work", Context: []string{"AGENTS.md", "REVIEW.md", "WATCHDOG.md"}})
	if got := texts(set); got != "root agents\n@docs/none.md" || len(set.Problems) > 0 || len(set.Absent) != 1 || set.Absent[0].Field != "REVIEW.md" {
		t.Errorf("in force %q, problems %q, absent %v; want both once, nothing imported, one absent", got, problems(set), set.Absent)
	}
}

func TestRulesShareTheirRoom(t *testing.T) {
	long := strings.Repeat("a long rule\n", 1_000)
	set := Set{Files: []File{{"WATCHDOG.md", Person, "short own"}, {"WATCHDOG.md", Project, long}, {"src/WATCHDOG.md", Project, "short \"src\""}}}
	got := set.Render(6_144)
	if len(got) > 6_144+3*80+len(long)/10 {
		t.Errorf("%d bytes, want about 6144", len(got))
	}
	lines := strings.Split(strings.TrimSpace(got), "\n")
	if len(lines) != 3 || lines[0] != `{"file":"WATCHDOG.md","of":"person","text":"short own"}` || lines[2] != `{"file":"src/WATCHDOG.md","of":"project","text":"short \"src\""}` {
		t.Errorf("the short ones are not whole:\n%s", got)
	}
	if !strings.Contains(lines[1], "[advisor cut ") || len(lines[1]) < 5_000 {
		t.Errorf("the long one has %d bytes, want nearly all of the room, and a mark where it was cut", len(lines[1]))
	}
	if (Set{}).Render(6_144) != "" {
		t.Error("no rules are shown as something")
	}
}

// Whoever writes the repository writes as many imports as they like, and none of them need lead anywhere.
func TestImportsThatLeadNowhereAreBounded(t *testing.T) {
	text := strings.Repeat("@x/y.md\n", 8_000)
	d := newDesk(t, Name, text, "sub/"+Name, text)
	looked := 0
	count := &counting{FS: d.disk, looked: &looked}
	fs, err := safefs.New(count, "/work")
	if err != nil {
		t.Fatal(err)
	}
	d.Files, looked = fs, 0
	s := d.read("sub/a.go")
	if looked > 20*maxLooked {
		t.Errorf("the disk is asked %d times", looked)
	}
	if told := problems(s); !strings.Contains(told, "does not exist") || len(s.Problems) > maxTold || len(s.Files) != 2 {
		t.Errorf("%d problems, %d files: %s", len(s.Problems), len(s.Files), told)
	}
}

// counting is a disk that counts what it is asked.
type counting struct {
	*memfs.FS
	looked *int
}

func (c *counting) Stat(path string) (protocol.Info, protocol.Errno) {
	*c.looked++
	return c.FS.Stat(path)
}

func (c *counting) Real(path string) (string, protocol.Errno) {
	*c.looked++
	return c.FS.Real(path)
}

// What is written into the prompt counts, and not what stands in the file.
func TestRulesTakeTheirRoomAndNoMore(t *testing.T) {
	deep := strings.Repeat(strings.Repeat("d", 200)+"/", 10)
	for name, text := range map[string]string{
		"control characters": strings.Repeat("\x01", 20_000), "quotes": strings.Repeat(`"\`, 10_000), "words": strings.Repeat("word ", 4_000),
	} {
		d := newDesk(t, Name, text, deep+Name, text)
		const room = 4_000
		got := d.read(deep + "a.go").Render(room)
		if len(got) > room+2*(maxName+100) || len(got) < room/2 {
			t.Errorf("%s: %d bytes in a room of %d", name, len(got), room)
		}
	}
}
