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

func TestWhatRunsOverEveryByteIsNotCold(t *testing.T) {
	const ours = "github.com/Kayphoon/opencode-advisor/pkg/"
	for name, want := range map[string]bool{
		ours + "judge.Floor":              true,
		ours + "engine.(*Engine).Call":    true,
		ours + "protocol.(*decoder).text": false,
		ours + "pattern.(*Regexp).Match":  false,
		ours + "patterns.Match":           true, // no such package, and not a hot one's
		"mvdan.cc/sh/v3/syntax.Parse":     true,
		"regexp/syntax.Parse":             true,
		"runtime.printstring":             true,
		"runtime.mallocgc":                false,
		"strings.Index":                   false,
	} {
		if got := cold(name); got != want {
			t.Errorf("%s: cold is %t, want %t", name, got, want)
		}
	}
}
