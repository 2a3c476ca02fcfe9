package digest

import "testing"

func TestHex(t *testing.T) {
	// Known answer: BLAKE2s-256 of the empty message.
	if got, want := Hex(64), "69217a3079908094e11121d042354a7c1f55b6482ca1a51e1b250dfd1ed0eef9"; got != want {
		t.Errorf("Hex(64) = %s, want %s", got, want)
	}
	seen := map[string][]string{}
	for _, parts := range [][]string{{}, {""}, {"", ""}, {"a", "bc"}, {"ab", "c"}, {"abc"}, {"a", "b", "c"}} {
		h := Hex(16, parts...)
		if len(h) != 16 {
			t.Errorf("Hex(16, %q) = %q", parts, h)
		}
		if other, ok := seen[h]; ok {
			t.Errorf("%q and %q have one name", parts, other)
		}
		seen[h] = parts
	}
}
