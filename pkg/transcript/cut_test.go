package transcript

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

var marked = regexp.MustCompile(`^((?s:.*))\n\[advisor cut ([0-9,]+) bytes here\]\n((?s:.*))$`)

func TestMiddle(t *testing.T) {
	long := strings.Repeat("0123456789", 200)
	tests := []struct {
		name, in string
		limit    int
		want     string
	}{
		{"short enough", "hello", 5, "hello"},
		{"empty", "", 0, ""},
		{"room for both ends", long, 60, "01234567890123\n[advisor cut 1,972 bytes here]\n67890123456789"},
		{"no room but for the mark", long, 20, "[advisor cut 2,000 bytes here]"},
		{"runes of three bytes stay whole", strings.Repeat("中", 100), 60, "中中中中中\n[advisor cut 270 bytes here]\n中中中中中"},
	}
	for _, tt := range tests {
		if got := Middle(tt.in, tt.limit); got != tt.want {
			t.Errorf("%s: got %q", tt.name, got)
		}
	}
}

func FuzzMiddle(f *testing.F) {
	f.Add("日本語 text with 🙂 emoji and\x00bytes", 50)
	f.Add(strings.Repeat("\xff", 300), 60)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		if limit < 0 || limit > 1<<20 {
			return
		}
		got := Middle(s, limit)
		if len(s) <= limit {
			if got != s {
				t.Fatalf("it fits, and was changed: %q", got)
			}
			return
		}
		if len(got) > max(limit, len(mark(len(s)))) {
			t.Fatalf("%d bytes, limit %d", len(got), limit)
		}
		if utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Fatalf("a rune was cut: %q", got)
		}
		m := marked.FindStringSubmatch(got)
		if m == nil {
			if got != mark(len(s)) {
				t.Fatalf("no mark: %q", got)
			}
			return
		}
		n, err := strconv.Atoi(strings.ReplaceAll(m[2], ",", ""))
		if err != nil || len(m[1])+n+len(m[3]) != len(s) || !strings.HasPrefix(s, m[1]) || !strings.HasSuffix(s, m[3]) {
			t.Fatalf("%d + %d + %d bytes of %d", len(m[1]), n, len(m[3]), len(s))
		}
	})
}
