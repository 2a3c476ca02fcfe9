package bench

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/tools/txtar"
)

func TestASessionThatDoesNotHoldIsRefused(t *testing.T) {
	const files = "What it is about.\n-- files/a.go --\none\ntwo\n-- script --\n"
	for _, test := range []struct{ name, text, want string }{
		{"no prose", strings.TrimPrefix(files, "What it is about.\n") + "> go\n: ok\n", "no prose"},
		{"another section", files + "> go\n: ok\n-- notes --\n", "unknown section notes"},
		{"an edit of lines that are not there", files + "> go\n~ a.go\n-three\n+four\n", "the old lines are there 0 times"},
		{"a read of no file", files + "> go\n? b.go\n", "there is no such file"},
		{"a label whose quote is elsewhere", files + "> go\n: ok\n! defect x concern bug a.go\n|three\n! why so it is\n", "does not have these lines"},
		{"a label without a reason", files + "> go\n: ok\n! defect x concern bug a.go\n|one\n", "nothing says why"},
		{"a label that is gone at the end of the turn", files + "> go\n: ok\n! defect x concern bug a.go\n|one\n! why so it is\n~ a.go\n-one\n+eins\n", "its quote is gone"},
		{"a mending that mends nothing", files + "> go\n: ok\n! stale x concern bug a.go\n|one\n! why so it is\n! mended x\n", "not mended"},
		{"a stale label that stays", files + "> go\n: ok\n! stale x concern bug a.go\n|one\n! why so it is\n", "never mended"},
		{"a temptation that nothing refutes", files + "> go\n: ok\n! tempt x concern bug a.go\n|one\n! why so it is\n", "what refutes it"},
		{"a dismissal of nothing", files + "> go\n: ok\n! dismiss x\n> on\n: ok\n", "no open defect"},
		{"a command that does not print it", files + "> go\n$ ls\n| a.go\n! defect x concern bug $\n|b.go\n! why so it is\n", "does not print that"},
		{"an idle agent", files + "> go\n> on\n", "the agent does nothing"},
		{"a mark that nobody knows", files + "> go\n: ok\n! wait 5\n", "unknown mark"},
		{"code after no edit", files + "> go\n: ok\n+one\n", "follows no edit"},
		{"words before the person's", files + ": ok\n", "nobody has spoken"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := Parse("x", test.text)
			if err == nil {
				err = s.Check()
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}

// The library is the reference.
func TestAnArchiveIsReadAsTheLibraryDoes(t *testing.T) {
	texts := []string{"", "a", "-- a --\n", "-- --\n--  --\n-- b --", "x\r\n-- a --\r\ny\r\nz", "-- a--\n -- b --\n-- c -- \n--d --\n"}
	paths, err := filepath.Glob("../../testdata/corpus/sessions/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(data))
	}
	for _, text := range texts {
		want := txtar.Parse([]byte(text))
		comment, files := archive(text)
		if comment != string(want.Comment) || len(files) != len(want.Files) {
			t.Errorf("%.200q: comment %q and %d files, want %q and %d", text, comment, len(files), want.Comment, len(want.Files))
			continue
		}
		for i, f := range files {
			if f.name != want.Files[i].Name || f.text != string(want.Files[i].Data) {
				t.Errorf("%.200q: file %d is %q, want %q", text, i, f, want.Files[i])
			}
		}
	}
}

func TestWhatADeliveredTextCites(t *testing.T) {
	text := "[advisor] blocker\nIt crashes.\nSeen at src/db.ts:25: `return null` (it gives null)\n" +
		"Seen at a: `b.go:7-9: `x := 'y' (z) ...`\nSeen at none: `x`\nSeen at a.go:1: `open\nCommand output: `FAIL` (run)\nNot Seen at b.go:1: `x`"
	want := []cite{{"src/db.ts", 25, "return null"}, {"a: `b.go", 7, "x := 'y' (z) "}, {"$", 0, "FAIL"}}
	if d := cmp.Diff(want, citesOf(text), cmp.AllowUnexported(cite{})); d != "" {
		t.Error(d)
	}
}

// Each field of a row is kept under its own key.
func TestAResultComesBackAsItWas(t *testing.T) {
	want := Result{Rows: []Row{{}}, Judge: []Error{{"what \"is\" wrong", 1, 2}}}
	v := reflect.ValueOf(&want.Rows[0]).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); {
		case !f.CanSet():
		case f.CanInt():
			f.SetInt(int64(100 + i))
		case f.CanFloat():
			f.SetFloat(float64(i) + 0.125)
		case f.Kind() == reflect.String:
			f.SetString("honest, second look")
		default:
			f.SetBool(true)
		}
	}
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Result
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Row{})); d != "" {
		t.Errorf("%s\n%s", d, data)
	}
}
