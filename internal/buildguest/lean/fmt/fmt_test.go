package fmt

import (
	"errors"
	"testing"
)

func TestSprintf(t *testing.T) {
	for _, c := range []struct {
		format string
		args   []any
		want   string
	}{
		{"plain", nil, "plain"},
		{"", nil, ""},
		{"not a string: %s", []any{"[1]"}, "not a string: [1]"},
		{"%d of %v", []any{1, 20}, "1 of 20"},
		{"100%% of %q", []any{"a"}, "100% of a"},
		{"invalid byte: %#U", []any{'g'}, "invalid byte: 'g'"},
		{"%v: %w", []any{"read", errors.New("no")}, "read: no"},
		{"%v", []any{struct{}{}}, "?"},
		{"%s and %s", []any{"one"}, "one and "},
		{"ends in %", nil, "ends in "},
	} {
		if got := Sprintf(c.format, c.args...); got != c.want {
			t.Errorf("%q: got %q, want %q", c.format, got, c.want)
		}
		if got := Errorf(c.format, c.args...).Error(); got != c.want {
			t.Errorf("Errorf %q: got %q, want %q", c.format, got, c.want)
		}
	}
}
