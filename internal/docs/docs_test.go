package docs

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the parts of README.md that come from code")

func TestREADMEShowsWhatTheCodeHas(t *testing.T) {
	const path = "../../README.md"
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Fill(string(got), "../../testdata/bench")
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Errorf("README.md is stale; run: go test ./internal/docs -update\n%s", d)
	}
}
