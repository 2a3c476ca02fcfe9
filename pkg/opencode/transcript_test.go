package opencode

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/redact"
)

func TestExcerptKeepsBothEnds(t *testing.T) {
	e := newExcerpt(100, 200)
	var all bytes.Buffer
	for i := 0; all.Len() < 100_000; i++ {
		line := fmt.Sprintf("line %d\n", i)
		all.WriteString(line)
		e.write([]byte(line))
	}
	head, tail, gap := e.parts()
	whole := all.Bytes()
	if !bytes.Equal(head, whole[:100+overlap]) || !bytes.Equal(tail, whole[len(whole)-200-overlap:]) {
		t.Error("head or tail is wrong")
	}
	if want := int64(len(whole) - len(head) - len(tail)); gap != want {
		t.Errorf("gap %d, want %d", gap, want)
	}
	got := e.redacted(redact.New())
	if len(got) > 400 || !bytes.HasPrefix(got, whole[:100]) || !bytes.HasSuffix(got, whole[len(whole)-200:]) {
		t.Errorf("excerpt: %q", got)
	}
	if !bytes.HasSuffix(whole, e.last(50)) || len(e.last(50)) != 50 {
		t.Errorf("last: %q", e.last(50))
	}
}

func TestExcerptIsWholeWhenItFits(t *testing.T) {
	e := newExcerpt(10, 10)
	want := strings.Repeat("ab", overlap-10)
	e.write([]byte(want[:33]))
	e.write([]byte(want[33:]))
	if got := e.redacted(redact.New()); string(got) != want {
		t.Errorf("%d bytes, want %d", len(got), len(want))
	}
	if got := e.last(1 << 20); string(got) != want {
		t.Errorf("last gives %d bytes", len(got))
	}
}

// A secret that lies across a cut must not leave a piece behind, wherever the cut is.
func TestNoPieceOfASecretSurvivesACut(t *testing.T) {
	const key = "run-key-0123456789-abcdefghijklmnopqrstuvwxyz"
	r := redact.New(key)
	for shift := range len(key) + 2 {
		e := newExcerpt(64, 64)
		e.write(bytes.Repeat([]byte{'x'}, 64+overlap-shift)) // the head ends within the key
		e.write([]byte(key))
		e.write(bytes.Repeat([]byte{'y'}, 50_000))
		e.write([]byte(key))
		e.write(bytes.Repeat([]byte{'z'}, 64+overlap-shift)) // the tail starts within the key
		got := string(e.redacted(r))
		for i := 0; i+6 <= len(key); i++ {
			if strings.Contains(got, key[i:i+6]) {
				t.Fatalf("shift %d: the excerpt holds %q", shift, key[i:i+6])
			}
		}
	}
}
