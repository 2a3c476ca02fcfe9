package fmt_test

import (
	"errors"
	real "fmt"
	"strings"
	"testing"

	lean "github.com/Kayphoon/opencode-advisor/internal/buildguest/lean/fmt"
)

// token formats itself with either package, as a shell parser's tokens do.
type token string

func (t token) Format(f real.State, verb rune) {
	real.Fprintf(f, real.FormatString(f, verb), string(t))
}

type leanToken string

func (t leanToken) Format(f lean.State, verb rune) {
	lean.Fprintf(f, lean.FormatString(f, verb), string(t))
}

type named struct{}

func (named) String() string { return "named" }

func TestWritesAsTheRealOne(t *testing.T) {
	for _, c := range []struct {
		format string
		args   []any
	}{
		{"plain", nil},
		{"", nil},
		{"100%% of %q", []any{"a\n"}},
		{"not a string: %s", []any{"[1]"}},
		{"%#q must be followed by %#q", []any{"if", "a`b"}},
		{"%d of %v, %03d, %4d", []any{1, 20, 7, int64(-7)}},
		{"%s %v %s", []any{errors.New("no"), named{}, []byte("bytes")}},
		{"%c %q %x %X %02x %04x %08x", []any{'ä', 'ä', 255, 255, byte(7), 'ä', uint32(0x1f600)}},
		{"%6s|%6s", []any{"wide", "größer"}},
		{"%s and %s", []any{"one"}},
		{"ends in %", nil},
		{"ends in %0", nil},
	} {
		want := real.Sprintf(c.format, c.args...)
		if got := lean.Sprintf(c.format, c.args...); got != want {
			t.Errorf("%q: got %q, want %q", c.format, got, want)
		}
		if got := lean.Errorf(c.format, c.args...).Error(); got != want {
			t.Errorf("Errorf %q: got %q, want %q", c.format, got, want)
		}
		var b strings.Builder
		if n, err := lean.Fprintf(&b, c.format, c.args...); b.String() != want || n != len(want) || err != nil {
			t.Errorf("Fprintf %q: wrote %q, %d, %v", c.format, b.String(), n, err)
		}
	}
	for _, format := range []string{"%s", "%q", "%#q", "%8s", "%v"} {
		if got, want := lean.Sprintf(format, leanToken("fi")), real.Sprintf(format, token("fi")); got != want {
			t.Errorf("%q: got %q, want %q", format, got, want)
		}
	}
	if got := lean.Sprintf("%v", struct{}{}); got != "?" {
		t.Errorf("a struct is %q, want ?", got)
	}
}
