package tools

import (
	"fmt"
	"math/rand"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

func TestGrepShowsLinesByFile(t *testing.T) {
	b := newBench(t, map[string]string{
		"src/db.ts":   "import x\r\n\r\nexport function find(id) {\r\n  throw new NotFound(id)\r\n}\r\n",
		"src/api.ts":  "const a = find(1)\nconst b = find(2)\nlast",
		"README.md":   "\xef\xbb\xbfFind things\n",
		"logo.png":    "\x89PNG\x00find",
		".env":        "find=secret",
		"dist/out.js": "find()",
	})
	tests := []struct{ args, want string }{
		{`{"pattern":"find\\("}`, "3 matching lines in 2 files, 3 files searched\nsrc/api.ts\n 1: const a = find(1)\n 2: const b = find(2)\nsrc/db.ts\n 3: export function find(id) {\n[not searched: 1 binary file]\n[left out: dist/; 1 credential file]\n"},
		{`{"query":"FIND","-i":true,"include":"*.md"}`, "1 matching line in 1 file, 1 file searched matching \"*.md\"\nREADME.md\n 1: Find things\n[left out: dist/; 1 credential file]\n"},
		{`{"pattern":"^Find","path":"README.md"}`, "1 matching line in 1 file, 1 file searched in README.md\nREADME.md\n 1: Find things\n"},
		{`{"pattern":"find","path":"dist"}`, "1 matching line in 1 file, 1 file searched in dist\ndist/out.js\n 1: find()\n"},
		{`{"pattern":"nowhere","path":"src"}`, "no matches for \"nowhere\": 2 files searched in src\n"},
		{`{"pattern":"(?<=throw new )\\w+","path":"src"}`, "1 matching line in 1 file, 2 files searched in src\nsrc/db.ts\n 4:   throw new NotFound(id)\n"},
		{`{"pattern":"throw","path":"src","context":"1"}`, "1 matching line in 1 file, 2 files searched in src\nsrc/db.ts\n 3- export function find(id) {\n 4:   throw new NotFound(id)\n 5- }\n"},
		{`{"pattern":"last|x$","path":"src","-B":1}`, "2 matching lines in 2 files, 2 files searched in src\nsrc/api.ts\n 2- const b = find(2)\n 3: last\nsrc/db.ts\n 1: import x\n"},
		{`{"pattern":"find(","path":"src"}`, "3 matching lines in 2 files, 2 files searched in src\n[the pattern has a ( without its ), or the other way round; write \\( for the character itself; searched for it as plain text]\nsrc/api.ts\n 1: const a = find(1)\n 2: const b = find(2)\nsrc/db.ts\n 3: export function find(id) {\n"},
		{`{"pattern":"find(1)","literal":true}`, "1 matching line in 1 file, 3 files searched\nsrc/api.ts\n 1: const a = find(1)\n[not searched: 1 binary file]\n[left out: dist/; 1 credential file]\n"},
		{`{"pattern":"find","path":"src","limit":1}`, "1 matching line in 1 file, 1 file searched in src\nsrc/api.ts\n 1: const a = find(1)\n[cut by this tool: stopped after 1 match, there may be more; narrow the search by path, glob or pattern]\n"},
		{`{"pattern":"import","path":"src","glob":"src/*.ts"}`, "1 matching line in 1 file, 2 files searched in src matching \"src/*.ts\"\nsrc/db.ts\n 1: import x\n"},
		{`{"pattern":"import","path":"src","glob":"**/*.ts"}`, "1 matching line in 1 file, 2 files searched in src matching \"**/*.ts\"\nsrc/db.ts\n 1: import x\n"},
		{`{"pattern":"import","glob":"/work/src/*.ts"}`, "1 matching line in 1 file, 2 files searched matching \"/work/src/*.ts\"\nsrc/db.ts\n 1: import x\n[left out: dist/; 1 credential file]\n"},
		{`{"pattern":"a\\nb"}`, "! grep: the pattern asks for a line break (\\n), and the search looks at one line at a time; search for one of the lines instead"},
		{`{"pattern":"x","path":"../other"}`, `! grep: "../other" is outside the workspace; only files inside it can be read`},
		{`{"pattern":"x","path":".env"}`, `! grep: ".env" is an environment file, which the advisor never reads; judge by the code that uses it`},
		{`{"pattern":"x","path":"scr"}`, `! grep: "scr" does not exist in the workspace; find the file with glob`},
		{`{"pattern":"x","glob":"[a"}`, `! grep: glob has a [ without its ]; write \[ for the bracket itself`},
	}
	for _, tt := range tests {
		b.want(t, Grep, tt.args, tt.want)
	}
}

func TestGrepContextsMeetAndPart(t *testing.T) {
	b := newBench(t, map[string]string{"f": "1\nhit 2\n3\n4\nhit 5\n6\n7\n8\n9\nhit 10\n11\n"})
	b.want(t, Grep, `{"pattern":"hit","context":1}`, "3 matching lines in 1 file, 1 file searched\nf\n 1- 1\n 2: hit 2\n 3- 3\n 4- 4\n 5: hit 5\n 6- 6\n--\n 9- 9\n 10: hit 10\n 11- 11\n")
	for n := range 11 {
		line := n + 1
		if want := line != 7 && line != 8; b.Ledger.Covers("f", line, line) != want {
			t.Errorf("line %d: the ledger says %v, want %v", line, !want, want)
		}
	}
}

func TestGrepIsBounded(t *testing.T) {
	b := newBench(t, map[string]string{
		"many.txt": strings.Repeat("hit\n", 500),
		"wide.txt": strings.Repeat(strings.Repeat("y", 5000)+"needle"+strings.Repeat("z", 5000)+"\n", 2),
		"fat.txt":  strings.Repeat(strings.Repeat("fat \u00e9", 60)+"\n"+strings.Repeat(strings.Repeat("thin ", 70)+"\n", 4), 99),
	})
	got := b.run(Grep, `{"pattern":"hit"}`).Text
	if strings.Count(got, ": hit\n") != 100 || !strings.HasSuffix(got, "100: hit\n[cut by this tool: stopped after 100 matches, there may be more; narrow the search by path, glob or pattern]\n") {
		t.Errorf("100 matches: got %d, ending %q", strings.Count(got, ": hit\n"), got[max(0, len(got)-150):])
	}
	got = b.run(Grep, `{"pattern":"needle"}`).Text
	if len(got) > 1000 || strings.Count(got, "needle") != 2 || !strings.Contains(got, " 1: ...yyy") || !strings.Contains(got, "zzz...\n") {
		t.Errorf("long lines: %d bytes: %s", len(got), got)
	}
	got = b.run(Grep, `{"pattern":"fat","context":5}`).Text
	if len(got) > MaxAnswer || !strings.Contains(got, "[cut by this tool: stopped at 32 KB; narrow the search by path, glob or pattern]\n") {
		t.Errorf("long answer: %d bytes, ending %q", len(got), got[max(0, len(got)-200):])
	}
	if shown := strings.Count(got, ": fat"); !strings.HasPrefix(got, fmt.Sprintf("%d matching lines in 1 file", shown)) {
		t.Errorf("%d matching lines are shown, and the answer begins %.40q", shown, got)
	}
}

func TestGrepGivesUpOnAPatternThatRunsAway(t *testing.T) {
	b := newBench(t, map[string]string{"f": strings.Repeat("a", 3000) + "!\nab\n"})
	got := b.run(Grep, `{"pattern":"(a*)*\\1$"}`).Text
	if !strings.Contains(got, "[the pattern took too long on 1 line, counted as no match; make it simpler]\n") {
		t.Errorf("got %s", got)
	}
}

func TestGrepEndsBeforeItTakesTooLong(t *testing.T) {
	b := newBench(t, nil)
	line := strings.Repeat("a", 2000) + "!\n"
	for i := range 40 {
		b.disk.Write(fmt.Sprintf("f%02d", i), strings.Repeat(line, 10))
	}
	got := b.run(Grep, `{"pattern":"(a*)*\\1$"}`).Text
	if !strings.HasPrefix(got, "no matches for ") || !strings.Contains(got, "[cut by this tool: stopped early, the search takes too long; make the pattern simpler, or search fewer files by path or glob]\n") {
		t.Errorf("got %s", got)
	}
}

func TestGrepGoesOnPastFilesItCannotRead(t *testing.T) {
	b := newBench(t, map[string]string{"a": "hit", "b": "hit", "c": "hit"})
	b.disk.Fail("b", protocol.ErrnoPermission)
	b.want(t, Grep, `{"pattern":"hit"}`, "2 matching lines in 2 files, 2 files searched\na\n 1: hit\nc\n 1: hit\n[not searched: 1 file that could not be read]\n")
}

// TestGrepAgreesWithTheObviousWay searches random trees through a buffer of a
// few bytes and compares with a loop over lines.
func TestGrepAgreesWithTheObviousWay(t *testing.T) {
	rng := rand.New(rand.NewSource(5))
	exprs := []string{"ab", "b$", "^a", "a.*b", "^$", "(?i)AB", "\u00e9", "ab|ba", "x"}
	for range 2000 {
		files := map[string]string{}
		for _, name := range []string{"a", "b/c", "d"} {
			var text strings.Builder
			for range rng.Intn(12) {
				text.WriteString([]string{"a", "ab", "b", "\u00e9", ""}[rng.Intn(5)] + []string{"a", "b", ""}[rng.Intn(3)] + []string{"\n", "\r\n", ""}[rng.Intn(3)])
			}
			files[name] = text.String()
		}
		b := newBench(t, files)
		longest := 0
		for _, text := range files {
			for line := range strings.SplitSeq(text, "\n") {
				longest = max(longest, len(line)+1)
			}
		}
		b.Scratch = &Scratch{make([]byte, longest+rng.Intn(12))}
		expr := exprs[rng.Intn(len(exprs))]
		re := regexp.MustCompile(expr)
		var want []Hit
		for _, name := range []string{"a", "b/c", "d"} {
			lines := strings.Split(files[name], "\n")
			for i, line := range lines {
				if line = strings.TrimSuffix(line, "\r"); re.MatchString(line) && (i < len(lines)-1 || lines[i] != "") {
					want = append(want, Hit{name, i + 1, line})
				}
			}
		}
		got, err := Search(b.Env, expr, "", 1000)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(Found{want, 3, true}, got); diff != "" {
			t.Fatalf("%q in %q, buffer %d (-obvious +ours):\n%s", expr, files, len(b.Scratch.buf), diff)
		}
	}
}

func TestSearchSaysWhatItProves(t *testing.T) {
	b := newBench(t, map[string]string{"a.go": "x\ny\nx\n", "b.ts": "x\n", ".env": "x"})
	tests := []struct {
		expr, glob string
		max        int
		want       Found
	}{
		{"x", "", 10, Found{[]Hit{{"a.go", 1, "x"}, {"a.go", 3, "x"}, {"b.ts", 1, "x"}}, 2, true}},
		{"x", "*.go", 1, Found{[]Hit{{"a.go", 1, "x"}}, 1, true}},
		{"z", "*.go", 10, Found{nil, 1, true}},
		{"z", "*.rs", 10, Found{nil, 0, true}},
	}
	for _, tt := range tests {
		got, err := Search(b.Env, tt.expr, tt.glob, tt.max)
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%q in %q: err %v (-want +got):\n%s", tt.expr, tt.glob, err, diff)
		}
	}
	b.disk.Fail("a.go", protocol.ErrnoIO)
	if got, err := Search(b.Env, "z", "", 10); err != nil || got.Complete {
		t.Errorf("with a file that cannot be read: got %+v, %v; want an incomplete search", got, err)
	}
	if _, err := Search(b.Env, "z(", "", 10); err == nil {
		t.Error("a malformed pattern must be an error, not an absence")
	}
}
