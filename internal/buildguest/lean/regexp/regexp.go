// Package regexp stands in for the standard one in the guest, where patterns go
// through pkg/pattern. A shell parser's package makes two when it starts and uses
// them when it prints, which the guest never does.
package regexp

// Regexp is a pattern that must not be used.
type Regexp struct{}

const absent = "regexp: the guest is built without it; use pkg/pattern"

// MustCompile gives a pattern that must not be used.
func MustCompile(string) *Regexp { return nil }

// MatchString panics.
func (*Regexp) MatchString(string) bool { panic(absent) }

// Match panics.
func (*Regexp) Match([]byte) bool { panic(absent) }

// FindSubmatch panics.
func (*Regexp) FindSubmatch([]byte) [][]byte { panic(absent) }
