package main

import (
	"slices"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/cli"
)

// superadvisor doctor holds the file that it runs against the same list.
func TestTheDoctorHasThisList(t *testing.T) {
	var want []string
	for _, a := range imports {
		want = append(want, a.module+"."+a.name)
	}
	if got := cli.Imports(); !slices.Equal(got, want) {
		t.Errorf("pkg/cli has\n%q, want\n%q", got, want)
	}
}
