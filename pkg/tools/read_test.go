package tools

import (
	"fmt"
	"math/rand"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/memfs"
	"github.com/Kayphoon/opencode-advisor/pkg/safefs"
)

func TestReadShowsWhatIsThere(t *testing.T) {
	b := newBench(t, map[string]string{
		"empty.txt": "", "noend.txt": "one\ntwo", "crlf.txt": "one\r\ntwo\r\n", "bom.txt": "\xef\xbb\xbfone\n", "latin.txt": "caf\xe9\n",
		"blank.txt": "\n\n", "bin.dat": "\x7fELF\x00\x01", "wide.txt": "\xff\xfeo\x00", "long.js": strings.Repeat("x", 5000) + "\nshort\n",
		"\u00fcber.txt": "u\n", "tab.go": "\tx := 1\n",
	})
	b.disk.Special("pipe")
	tests := []struct{ args, want string }{
		{`{"path":"empty.txt"}`, "empty.txt: empty (0 bytes)\n"},
		{`{"path":"noend.txt"}`, "noend.txt: lines 1-2 of 2\n1\tone\n2\ttwo\n"},
		{`{"path":"crlf.txt"}`, "crlf.txt: lines 1-2 of 2 (CRLF line endings)\n1\tone\n2\ttwo\n"},
		{`{"path":"bom.txt"}`, "bom.txt: lines 1-1 of 1 (byte order mark left out)\n1\tone\n"},
		{`{"path":"latin.txt"}`, "latin.txt: lines 1-1 of 1\n1\tcaf\ufffd\n"},
		{`{"path":"blank.txt"}`, "blank.txt: lines 1-2 of 2\n1\t\n2\t\n"},
		{`{"path":"tab.go"}`, "tab.go: lines 1-1 of 1\n1\t\tx := 1\n"},
		{`{"path":"\u00fcber.txt"}`, "\u00fcber.txt: lines 1-1 of 1\n1\tu\n"},
		{`{"path":"long.js"}`, "long.js: lines 1-2 of 2\n1\t" + strings.Repeat("x", 2000) + " [cut: 3,000 more bytes in this line]\n2\tshort\n[cut by this tool: lines longer than 2,000 bytes; grep shows the part around a match]\n"},
		{`{"path":"bin.dat"}`, `! read: "bin.dat" is a binary file of 6 bytes, which is not shown; judge by the code that uses it`},
		{`{"path":"wide.txt"}`, `! read: "wide.txt" is UTF-16 text of 4 bytes, which is not shown; judge by the code that uses it`},
		{`{"path":"noend.txt","offset":3}`, `! read: "noend.txt" has only 2 lines; read again with an offset in that range`},
		{`{"path":"noend.txt","offset":-5,"limit":1}`, "noend.txt: lines 1-1 of 2\n1\tone\n[1 line follows; read on with offset 2]\n"},
		{`{"path":"pipe"}`, `! read: "pipe" is a device, FIFO or socket; only regular files can be read`},
	}
	for _, tt := range tests {
		b.want(t, Read, tt.args, tt.want)
	}
}

func TestReadAnswersAFolderWithItsNames(t *testing.T) {
	b := newBench(t, map[string]string{"src/b.go": "", "src/a.go": "", "src/sub/x": "", "src/odd\nname": "", "src/.env": "KEY=1"})
	b.disk.Mkdir("hollow")
	b.disk.Symlink("a.go", "src/link")
	b.want(t, Read, `{"path":"src"}`, "src/: a folder with 6 entries\n.env\na.go\nb.go\nlink@\n\"odd\\nname\"\nsub/\n")
	b.want(t, Read, `{"path":"hollow"}`, "hollow/: an empty folder\n")
	for i := range 1500 {
		b.disk.Write(fmt.Sprintf("many/f%04d", i), "")
	}
	got := b.run(Read, `{"path":"many/"}`).Text
	if !strings.HasPrefix(got, "many/: a folder with 1,500 entries\nf0000\n") || !strings.HasSuffix(got, "f0199\n[cut by this tool at 200 names; glob with a pattern such as \"many/a*\" shows the rest]\n") {
		t.Errorf("got %s", got)
	}
}

func TestReadSaysWhatItCut(t *testing.T) {
	var text strings.Builder
	for i := 1; i <= 1000; i++ {
		fmt.Fprintf(&text, "line %d\n", i)
	}
	wide := strings.Repeat(strings.Repeat("w", 999)+"\n", 100)
	b := newBench(t, map[string]string{"many.txt": text.String(), "wide.txt": wide})
	tests := []struct{ args, head, tail string }{
		{`{"path":"many.txt"}`, "many.txt: lines 1-400 of 1000\n1\tline 1\n", "400\tline 400\n[600 lines follow; read on with offset 401]\n"},
		{`{"path":"many.txt","limit":900}`, "many.txt: lines 1-400 of 1000\n", "400\tline 400\n[cut by this tool at 400 lines: 600 lines follow; read on with offset 401]\n"},
		{`{"path":"many.txt","offset":990,"limit":900}`, "many.txt: lines 990-1000 of 1000\n", "1000\tline 1000\n"},
		{`{"path":"wide.txt"}`, "wide.txt: lines 1-32 of 100\n1\tw", "w\n[cut by this tool at 32 KB: 68 lines follow; read on with offset 33]\n"},
	}
	for _, tt := range tests {
		got := b.run(Read, tt.args).Text
		if !strings.HasPrefix(got, tt.head) || !strings.HasSuffix(got, tt.tail) || len(got) > MaxAnswer {
			t.Errorf("%s: %d bytes, %.60q ... %q\nwant %q ... %q", tt.args, len(got), got, got[max(0, len(got)-100):], tt.head, tt.tail)
		}
	}
	if !b.Ledger.Covers("many.txt", 1, 400) || b.Ledger.Saw("many.txt", 401, 989) || !b.Ledger.Covers("wide.txt", 1, 32) || b.Ledger.Saw("wide.txt", 33, 100) {
		t.Error("the ledger must hold the lines that were shown, and no others")
	}
}

func TestReadOfAMissingPathNamesWhatIsNear(t *testing.T) {
	b := newBench(t, map[string]string{"src/db.ts": "", "src/users.ts": "", "lib/db.js": "", "lib/deep/config.yaml": "", "README.md": "", "node_modules/db.js": ""})
	tests := []struct{ path, want string }{
		{"src/db.js", `! read: "src/db.js" does not exist in the workspace; did you mean "lib/db.js" or "src/db.ts"?`},
		{"db.ts", `! read: "db.ts" does not exist in the workspace; did you mean "src/db.ts" or "lib/db.js"?`},
		{"src/user.ts", `! read: "src/user.ts" does not exist in the workspace; did you mean "src/users.ts"?`},
		{"config.yml", `! read: "config.yml" does not exist in the workspace; did you mean "lib/deep/config.yaml"?`},
		{"readme.md", `! read: "readme.md" does not exist in the workspace; did you mean "README.md"?`},
		{"src/nothing/like/it.rs", `! read: "src/nothing/like/it.rs" does not exist in the workspace; find the file with glob`},
	}
	for _, tt := range tests {
		b.want(t, Read, `{"path":"`+tt.path+`"}`, tt.want)
	}
}

// TestReadAgreesWithTheObviousWay reads random texts through a buffer of a
// few bytes, so that every border falls everywhere.
func TestReadAgreesWithTheObviousWay(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	for range 3000 {
		var text strings.Builder
		for range rng.Intn(30) {
			text.WriteString([]string{"a", "bc", "\n", "\n", "\r\n", "\u00e9"}[rng.Intn(6)])
		}
		b := newBench(t, map[string]string{"f": text.String()})
		b.Scratch = &Scratch{make([]byte, 1+rng.Intn(9))}
		first, limit := 1+rng.Intn(8), 1+rng.Intn(8)

		lines := strings.Split(text.String(), "\n")
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		want := ""
		for i := first; i < first+limit && i <= len(lines); i++ {
			line := lines[i-1]
			if i < len(lines) || strings.HasSuffix(text.String(), "\n") {
				line = strings.TrimSuffix(line, "\r")
			}
			want += strconv.Itoa(i) + "\t" + line + "\n"
		}
		got := b.run(Read, fmt.Sprintf(`{"path":"f","offset":%d,"limit":%d}`, first, limit))
		if want == "" {
			if !got.Error && text.Len() > 0 {
				t.Fatalf("%q from %d: got %q, want a refusal", text.String(), first, got.Text)
			}
			continue
		}
		head, body, _ := strings.Cut(got.Text, "\n")
		body, _, _ = strings.Cut(body, "[")
		if body != want || !strings.Contains(head, fmt.Sprintf(" of %d", len(lines))) {
			t.Fatalf("%q from %d, %d lines: got %q\nwant %q of %d", text.String(), first, limit, got.Text, want, len(lines))
		}
	}
}

func TestReadFarIntoAHugeFileKeepsMemoryFlat(t *testing.T) {
	disk := memfs.New("/work")
	line := strings.Repeat("x", 499) + "\n"
	disk.Write("huge.log", strings.Repeat(line, 100_000)) // 50 MB
	fs, err := safefs.New(disk, "/work")
	if err != nil {
		t.Fatal(err)
	}
	env := &Env{Files: fs}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := Read.Run(env, []byte(`{"path":"huge.log","offset":90000,"limit":201}`))
	runtime.ReadMemStats(&after)
	if got.Error || !strings.HasPrefix(got.Text, "huge.log: lines 90000-90") {
		t.Fatalf("got %.200s", got.Text)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used >= 1<<20 {
		t.Errorf("allocated %d bytes, want less than 1 MB", used)
	} else {
		t.Logf("allocated %d bytes, read %d of 50,000,000", used, disk.Bytes)
	}
}
