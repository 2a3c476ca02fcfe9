package redact

import (
	"strings"
	"testing"
)

// Redacting twice is redacting once, whatever the text; and what is around the masks is the text.
func FuzzText(f *testing.F) {
	gh := key("gh", "p_", strings.Repeat("aB1", 12))
	for _, s := range []string{
		"PASSWORD=hunter2;x=" + gh, "password: \"a" + gh + "b\"", "Bearer " + gh + "." + gh, "http://a:b" + gh + "@h", "token=" + gh + "&token=abcdefgh",
		"-----BEGIN PRIVATE KEY-----\n" + strings.Repeat("aB1", 20) + "\n-----END PRIVATE KEY-----", strings.Repeat("aB1", 20) + "-----END PRIVATE KEY-----",
		"AKIAZQ3DR7W5N2XK4B6J wJa9rXUtnFEMIK7MDENGbPxRfiCYz8Q2vLs5dHtG", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefgh", "machine a login b password c1d2",
		"<password>hunter2</password>", "curl -u a:b1c2 x", "Authorization: Basic YTpiY2RlZmc=", "[redacted:x]known-value-1[redacted:", `\u0026token=abc123\n'password' =\u003e 'abc1234'`,
		"password: string = \"x1y2z3\"", "A_PASSWORD=${X:-a1}$(b)", "xoxb-1234567890-abcdef",
	} {
		f.Add(s)
	}
	r := New("known-value-1", "]abcdefg", "abcdefg[")
	f.Fuzz(func(t *testing.T, s string) {
		once, report := r.Hide(s)
		if twice := r.Text(once); twice != once {
			t.Fatalf("%q became\n%q and then\n%q", s, once, twice)
		}
		if (report.Count == 0) != (once == s) || len(report.Kinds) > report.Count {
			t.Fatalf("%q became %q, with %+v", s, once, report)
		}
		if a, b := strings.Count(s, "\n"), strings.Count(once, "\n"); a != b {
			t.Fatalf("%q has %d lines and became %q with %d", s, a, once, b)
		}
		for part := range strings.SplitSeq(once, maskOpen) {
			if at := strings.IndexByte(part, ']'); at >= 0 && part != once {
				part = strings.TrimLeft(part[at+1:], "\n") // line breaks of what was hidden
			}
			if !strings.Contains(s, part) && !strings.Contains(s, maskOpen) {
				t.Fatalf("%q is in %q, but not in %q", part, once, s)
			}
		}
	})
}

// Every form of a known value vanishes, also at the edges and beside others.
func FuzzExact(f *testing.F) {
	f.Add("known-value-1", "a", "b")
	f.Add("k/9+\"w$ q~é=7", "\\", "\"")
	f.Fuzz(func(t *testing.T, value, before, after string) {
		r := New(value)
		if r.exact.forms == nil {
			return
		}
		value = strings.TrimSpace(value)
		out := r.Text(before + value + after)
		if strings.Contains(out, value) && !strings.Contains(before, maskOpen) && !strings.Contains("[redacted:known-key]", value) {
			t.Fatalf("%q is still in %q", value, out)
		}
	})
}
