package tools

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/pkg/memfs"
	"github.com/Kayphoon/opencode-advisor/pkg/safefs"
)

// bench is a workspace with all that a tool needs.
type bench struct {
	*Env
	disk *memfs.FS
}

func newBench(t testing.TB, files map[string]string) bench {
	t.Helper()
	disk := memfs.New("/work")
	for name, text := range files {
		disk.Write(name, text)
	}
	fs, err := safefs.New(disk, "/work")
	if err != nil {
		t.Fatal(err)
	}
	return bench{&Env{Files: fs, Cache: &Cache{}, Ledger: &safefs.Ledger{}}, disk}
}

// run gives an answer that reaches the model whole.
func (b bench) run(tool Tool, args string) Result {
	r := tool.Run(b.Env, []byte(args))
	b.Shown(r, strings.Count(r.Text, "\n"))
	return r
}

// want checks an answer as a whole; a refusal begins with "! ".
func (b bench) want(t testing.TB, tool Tool, args, want string) {
	t.Helper()
	got := b.run(tool, args)
	text := got.Text
	if got.Error {
		text = "! " + text
	}
	if diff := cmp.Diff(want, text); diff != "" {
		t.Errorf("%s %s (-want +got):\n%s", tool.Name, args, diff)
	}
}

func TestOnlyGrantedToolsRun(t *testing.T) {
	b := newBench(t, map[string]string{"a.txt": "one\n"})
	box := NewToolbox(b.Env, []string{"grep", "read", "bash"}, true)
	tests := []struct {
		name, args, want string
		fails            bool
	}{
		{"read", `{"path":"a.txt"}`, "a.txt: lines 1-1 of 1\n1\tone\n", false},
		{"bash", `{"command":"touch /tmp/pwned"}`, `"bash" is not one of your tools: you have read, grep, advise, and nothing was run`, true},
		{"glob", `{"pattern":"*"}`, `"glob" is not granted to you: you have read, grep, advise, and nothing was run`, true},
		{"Read", `{"path":"a.txt"}`, `"Read" is not one of your tools: you have read, grep, advise, and nothing was run`, true},
	}
	for _, tt := range tests {
		if got := box.Call(tt.name, []byte(tt.args)); got.Text != tt.want || got.Error != tt.fails {
			t.Errorf("%s: got %q, error %v\nwant %q, %v", tt.name, got.Text, got.Error, tt.want, tt.fails)
		}
	}
	none := NewToolbox(b.Env, nil, false)
	if got, want := none.Call("read", nil).Text, `"read" is not granted to you: you have none; answer with what you know`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What the ledger has of an answer that was cut after any of its lines are the lines that it shows up to there.
func TestOnlyWhatReachesTheModelCountsAsRead(t *testing.T) {
	text := ""
	for i := 1; i <= 30; i++ {
		text += "line " + strconv.Itoa(i) + map[bool]string{true: " hit"}[i%7 < 2] + "\n"
	}
	files := map[string]string{"a.txt": text, "b.txt": text}
	shows := regexp.MustCompile(`^ ?(\d+)[\t:-]`)
	for _, call := range []struct {
		tool Tool
		args string
	}{{Read, `{"path":"a.txt"}`}, {Read, `{"path":"a.txt","offset":7,"limit":9}`}, {Grep, `{"pattern":"hit"}`}, {Grep, `{"pattern":"hit","context":1}`}, {Grep, `{"pattern":"hit(","context":2}`}} {
		for n := range 100 {
			b := newBench(t, files)
			for _, round := range []string{"first", "from memory"} {
				b.Cache.NewReview()
				b.Ledger.Reset()
				r := call.tool.Run(b.Env, []byte(call.args))
				if b.Ledger.Saw("a.txt", 1, 99) || b.Ledger.Saw("b.txt", 1, 99) {
					t.Fatalf("%s %s, %s: something counts as read before it was sent", call.tool.Name, call.args, round)
				}
				b.Shown(r, n)
				seen, file := map[string]bool{}, "a.txt"
				for i, line := range strings.Split(r.Text, "\n") {
					if line == "b.txt" {
						file = line
					}
					if m := shows.FindStringSubmatch(line); m != nil && i < n {
						seen[file+m[1]] = true
					}
				}
				for name := range files {
					for i := 1; i <= 30; i++ {
						if got, want := b.Ledger.Covers(name, i, i), seen[name+strconv.Itoa(i)]; got != want {
							t.Fatalf("%s %s, %s, after %d lines: line %d of %s counts as read: %v, want %v in\n%s", call.tool.Name, call.args, round, n, i, name, got, want, r.Text)
						}
					}
				}
			}
		}
	}
}

func TestAnAnswerThatWasCutIsGivenAgain(t *testing.T) {
	b := newBench(t, map[string]string{"a.txt": "one\ntwo\nthree\n"})
	r := Read.Run(b.Env, []byte(`{"path":"a.txt"}`))
	b.Shown(r, 2)
	const all = "a.txt: lines 1-3 of 3\n1\tone\n2\ttwo\n3\tthree\n"
	b.want(t, Read, `{"path":"a.txt"}`, all+remembers)
	b.want(t, Read, `{"path":"a.txt"}`, unchanged)
}

func TestTheLastRoundOffersOnlyAdvise(t *testing.T) {
	b := newBench(t, nil)
	names := func(box *Toolbox, last bool) string {
		var got []string
		for _, tool := range box.Offer(last) {
			got = append(got, tool.Name)
			if !json.Valid(tool.Schema) {
				t.Errorf("the schema of %s is not JSON: %s", tool.Name, tool.Schema)
			}
			if len(tool.Description) < 100 {
				t.Errorf("the description of %s is missing", tool.Name)
			}
		}
		return strings.Join(got, " ")
	}
	review := NewToolbox(b.Env, Names(), true)
	consult := NewToolbox(b.Env, Names(), false)
	for _, tt := range []struct{ got, want string }{
		{names(review, false), "read grep glob advise"},
		{names(review, true), "advise"},
		{names(consult, false), "read grep glob"},
		{names(consult, true), "read grep glob"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

func TestArgumentsAreTakenAsModelsSendThem(t *testing.T) {
	b := newBench(t, map[string]string{"src/a.txt": "one\ntwo\nthree\nfour\n"})
	const two = "src/a.txt: lines 2-3 of 4\n2\ttwo\n3\tthree\n[1 line follows; read on with offset 4]\n"
	for _, args := range []string{
		`{"path":"src/a.txt","offset":2,"limit":2}`,
		`{"file_path":"src/a.txt","offset":"2","limit":"2"}`,
		`{"filePath":"/work/src/a.txt","offset":2.0,"limit":2,"explanation":"to see"}`,
		`{"FILE":"./src/a.txt","start_line":2,"end_line":3}`,
		`{"path":["src/a.txt"],"line":2,"count":2,"x":null}`,
		`{"path":"src/a.txt:2-3"}`,
		`{"path":"src/a.txt#L2-L3","offset":null}`,
		`{"path":"src/a.txt","lines":"2-3"}`,
		`"{\"path\":\"src/a.txt\",\"offset\":2,\"limit\":2}"`,
	} {
		b.Cache = &Cache{}
		b.want(t, Read, args, two)
	}
	tests := []struct {
		tool       Tool
		args, want string
	}{
		{Read, ``, `! read: "path" is missing; name the file to read`},
		{Read, `{}`, `! read: "path" is missing; name the file to read`},
		{Read, `{"path":"  "}`, `! read: "path" is missing; name the file to read`},
		{Read, `{"path":7}`, `! read: "7" does not exist in the workspace; find the file with glob`},
		{Read, `{"path":{"a":1}}`, `! read: "path" must be a text, and is an object`},
		{Read, `{"filePath":["a","b"]}`, `! read: "filePath" must be one text, and is a list of 2`},
		{Read, `{"path":"src/a.txt","offset":"two"}`, `! read: "offset" must be a number, and is "two"`},
		{Read, `{"path":"src/a.txt","limit":[1]}`, `! read: "limit" must be a number, and is a list`},
		{Read, `{"path":"src/a.txt","limit":0}`, `! read: the range of lines is empty; give an offset of 1 or more and a limit from 1 to 400`},
		{Read, `{"path":"src/a.txt"`, `! read: the arguments are not valid JSON; send the call again with a JSON object`},
		{Read, `[1]`, `! read: the arguments must be a JSON object`},
		{Grep, `{}`, `! grep: "pattern" is missing; give the regular expression to search for`},
		{Grep, `{"pattern":"x","ignoreCase":"perhaps"}`, `! grep: "ignoreCase" must be true or false, and is "perhaps"`},
		{Grep, `{"pattern":"x","context":{}}`, `! grep: "context" must be a number, and is an object`},
		{Glob, `{}`, `! glob: "pattern" is missing; give a pattern such as *.ts or src/**/*.go`},
	}
	for _, tt := range tests {
		b.want(t, tt.tool, tt.args, tt.want)
	}
}

func FuzzArguments(f *testing.F) {
	for _, seed := range []string{`{"path":"a.txt","offset":"1"}`, `"{}"`, `{"pattern":["x"],"context":1e99}`, `{"path":"a.txt:1-2"}`, `{"note":{"note":"x"},"evidence":"[{]"}`, "{\"\\ud800\":\"\\u0000\"}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, args string) {
		b := newBench(t, map[string]string{"a.txt": "one\ntwo\n", "b/c.go": "package c\n"})
		for _, tool := range all {
			if got := b.run(tool, args); got.Text == "" || len(got.Text) > MaxAnswer {
				t.Errorf("%s %q: an answer of %d bytes", tool.Name, args, len(got.Text))
			}
		}
		if n, err := ParseAdvise([]byte(args)); err == nil && (n.Severity.Rank() == 0 || len(n.Citations) > MaxCitations) {
			t.Errorf("advise %q: got %+v", args, n)
		}
	})
}
