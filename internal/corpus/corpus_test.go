package corpus

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBars(t *testing.T) {
	for _, test := range []struct {
		bar  Bar
		want bool
	}{
		{Bar{Count: 0, Of: 50}, true},
		{Bar{Count: 1, Of: 50}, false},
		{Bar{Count: 1, Of: 50, MaxPercent: 2}, true},
		{Bar{Count: 2, Of: 99, MaxPercent: 2}, false},
		{Bar{Count: 0, Of: 0, MaxPercent: 100}, false},
	} {
		if got := test.bar.Held(); got != test.want {
			t.Errorf("%+v held: %t", test.bar, got)
		}
	}
}

func TestPrint(t *testing.T) {
	r := Report{
		Head: []string{"class", "cases"}, Rows: [][]string{{"true", "120"}, {"invented line", "7"}},
		Notes: []string{"3 languages"},
		Bars:  []Bar{{What: "missed", Count: 1, Of: 4, MaxPercent: 30}, {What: "false", Count: 1, Of: 4}},
		Wrong: []string{"case x: nit, want blocker"},
	}
	var out strings.Builder
	r.Print(&out, "citations")
	want := `citations
  class          cases
  true             120
  invented line      7
  3 languages
  missed: 1 of 4 (25.0 %), bar 30 %: held
  false: 1 of 4 (25.0 %), bar 0 %: FAILED
  wrong: case x: nit, want blocker
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if r.Passed() {
		t.Error("passed with a bar that failed")
	}
}

// Every corpus keeps its bars, and every case comes out as it is labelled.
func TestCorpora(t *testing.T) {
	for _, suite := range Suites() {
		t.Run(suite.Name, func(t *testing.T) {
			report, err := suite.Run("../../testdata/corpus")
			if err != nil {
				t.Fatal(err)
			}
			if !report.Passed() {
				var out strings.Builder
				report.Print(&out, suite.Name)
				t.Error(out.String())
			}
		})
	}
}
