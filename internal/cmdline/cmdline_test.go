package cmdline

import (
	"flag"
	"io"
	"strings"
	"testing"
)

func TestWhatIsNotKnownIsRefused(t *testing.T) {
	for _, tt := range []struct {
		args, known, says string
		ok                bool
	}{
		{"", "", "", true},
		{"-n 3", "", "", true},
		{"b a", "a b", "", true},
		{"-n 3 c", "a b", `"c" is not known here`, false},
		{"a", "", `"a" is not known here`, false},
		{"-m", "", "flag provided but not defined: -m", false},
		{"--help", "a b", "usage: go run . [names]\nnames: a, b\n  -n", false},
	} {
		set := flag.NewFlagSet("", flag.ContinueOnError)
		set.Int("n", 0, "a number")
		var out strings.Builder
		err := parse(set, strings.Fields(tt.args), &out, "go run . [names]", strings.Fields(tt.known))
		if (err == nil) != tt.ok || !strings.Contains(out.String(), tt.says) || err != nil && !strings.Contains(out.String(), "usage: go run . [names]") {
			t.Errorf("%q: %v, %s", tt.args, err, out.String())
		}
	}
}

func TestHelpIsNoMistake(t *testing.T) {
	if err := parse(flag.NewFlagSet("", flag.ContinueOnError), []string{"-h"}, io.Discard, "", nil); err != flag.ErrHelp {
		t.Errorf("got %v", err)
	}
}
