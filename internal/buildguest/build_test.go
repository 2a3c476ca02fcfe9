package main

import (
	"strings"
	"testing"
)

func TestTheGuestMayNotHoldWhatReachesOut(t *testing.T) {
	for _, tt := range []struct{ packages, want string }{
		{"fmt regexp/syntax github.com/Kayphoon/opencode-advisor/pkg/pattern", ""},
		{"fmt net", "the guest imports net: HTTP goes through the loader"},
		{"os/exec", "the guest imports os/exec: the guest runs nothing"},
		{"github.com/dlclark/regexp2/v2", "the guest imports github.com/dlclark/regexp2/v2: its time limit never fires"},
	} {
		got := ""
		if err := findBarred(strings.Fields(tt.packages)); err != nil {
			got = err.Error()
		}
		if got != tt.want && (tt.want == "" || !strings.HasPrefix(got, tt.want)) {
			t.Errorf("%s: got %q, want %q", tt.packages, got, tt.want)
		}
	}
}
