package corpus

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/redact"
)

// Masks where there is no secret stay under 1 in 10,000 lines of ordinary source; each one counts as false here,
// also the made-up credentials in tests of the distribution.
func TestMasksInOrdinarySource(t *testing.T) {
	src, err := measureSource(redact.New(), filepath.Join(runtime.GOROOT(), "src"))
	if err != nil {
		t.Fatal(err)
	}
	for _, note := range src.notes() {
		t.Log(note)
	}
	if src.bytes < sourceBytes || src.masks*10_000 >= src.lines {
		t.Errorf("%d masks in %d lines of %d bytes, want fewer than 1 in 10,000 of at least %d bytes", src.masks, src.lines, src.bytes, sourceBytes)
	}
}

// The measure itself sees a leak: of a short secret, of a piece of a long one, and in JSON.
func TestLeak(t *testing.T) {
	for _, tt := range []struct {
		out, secret string
		want        bool
	}{
		{"password=[redacted:password]", "hunter2", false},
		{"password=hunter2", "hunter2", true},
		{"x [redacted:jwt]4Gh6Jk8Lm0Np", "aaaabbbbccccdddd4Gh6Jk8Lm0Np", true},
		{`{"a":"q\"r"}`, `q"r`, true},
		{"-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nabcdefghijklmnopqrstuvwxyz", false},
		{"mnopqrstuvwxyz", "-----BEGIN PRIVATE KEY-----\nabcdefghijklmnopqrstuvwxyz", true},
	} {
		if got := leak(tt.out, tt.secret) != ""; got != tt.want {
			t.Errorf("leak(%q, %q) = %v, want %v", tt.out, tt.secret, got, tt.want)
		}
	}
}
