package tools

import (
	"fmt"
	"strings"
	"testing"
)

const (
	unchanged = "[unchanged: the answer is the same as to your earlier call in this review; use that one, or call once more to get it again]\n"
	remembers = "[unchanged since an earlier call in this session; answered from memory]\n"
)

func TestTheSameReadIsAnsweredFromMemory(t *testing.T) {
	b := newBench(t, map[string]string{"a.txt": "one\n"})
	const one = "a.txt: lines 1-1 of 1\n1\tone\n"
	const call = `{"path":"a.txt"}`
	b.want(t, Read, call, one)
	b.want(t, Read, call, unchanged)
	b.want(t, Read, call, one+remembers)
	b.want(t, Read, `{"filePath":"./a.txt"}`, unchanged) // the same question in other words
	b.want(t, Read, `{"path":"a.txt","limit":5}`, one)   // another question

	b.Cache.NewReview()
	b.Ledger.Reset()
	reads := b.disk.Reads
	b.want(t, Read, call, one+remembers)
	if b.disk.Reads != reads {
		t.Errorf("the file was read %d times more, want none", b.disk.Reads-reads)
	}
	if !b.Ledger.Covers("a.txt", 1, 1) {
		t.Error("what is shown from memory counts as read")
	}
	b.want(t, Read, call, unchanged)

	b.disk.Write("a.txt", "two\n") // the same size, another time
	b.want(t, Read, call, "a.txt: lines 1-1 of 1\n1\ttwo\n")
	b.disk.Remove("a.txt")
	b.want(t, Read, call, `! read: "a.txt" does not exist in the workspace; find the file with glob`)
	b.disk.Write("a.txt", "two\n")
	b.want(t, Read, call, "a.txt: lines 1-1 of 1\n1\ttwo\n")
}

func TestTheSameSearchIsAnsweredFromMemory(t *testing.T) {
	b := newBench(t, map[string]string{"a.txt": "hit\n", "b.txt": "miss\n"})
	const call = `{"pattern":"hit"}`
	const one = "1 matching line in 1 file, 2 files searched\na.txt\n 1: hit\n"
	b.want(t, Grep, call, one)
	reads := b.disk.Reads
	b.want(t, Grep, call, unchanged)
	b.Cache.NewReview()
	b.Ledger.Reset()
	b.want(t, Grep, call, one+remembers)
	if b.disk.Reads != reads || !b.Ledger.Covers("a.txt", 1, 1) {
		t.Errorf("%d files were read again, want none; the hit counts as read: %v", b.disk.Reads-reads, b.Ledger.Covers("a.txt", 1, 1))
	}
	for _, change := range []struct {
		do   func()
		want string
	}{
		{func() { b.disk.Write("b.txt", "hit!\n") }, "2 matching lines in 2 files, 2 files searched\na.txt\n 1: hit\nb.txt\n 1: hit!\n"},
		{func() { b.disk.Write("c/d.txt", "\n\nhit") }, "3 matching lines in 3 files, 3 files searched\na.txt\n 1: hit\nb.txt\n 1: hit!\nc/d.txt\n 3: hit\n"},
		{func() { b.disk.Remove("a.txt") }, "2 matching lines in 2 files, 2 files searched\nb.txt\n 1: hit!\nc/d.txt\n 3: hit\n"},
		{func() { b.disk.Write(".gitignore", "c\n") }, "1 matching line in 1 file, 2 files searched\nb.txt\n 1: hit!\n[left out: 1 name hidden by .gitignore]\n"},
	} {
		change.do()
		b.want(t, Grep, call, change.want)
	}
}

func TestASearchThatStoppedHoldsAsLongAsWhatItSaw(t *testing.T) {
	b := newBench(t, map[string]string{"a": "hit\n", "b": "hit\n", "c": "hit\n"})
	const call = `{"pattern":"hit","limit":1}`
	first := b.run(Grep, call).Text
	b.disk.Write("c", "changed\n") // was never looked at
	b.want(t, Grep, call, unchanged)
	b.disk.Write("a", "changed\n")
	b.want(t, Grep, call, strings.Replace(strings.Replace(first, "a\n 1", "b\n 1", 1), "1 file searched", "2 files searched", 1))
}

func TestTheCacheIsBounded(t *testing.T) {
	b := newBench(t, nil)
	for i := range 3 * maxCached {
		name := fmt.Sprintf("f%d", i)
		b.disk.Write(name, strings.Repeat(name+"\n", 3000))
		b.run(Read, `{"path":"`+name+`"}`)
		if c := b.Cache; len(c.entries) > maxCached || c.bytes > maxCachedBytes || len(c.order) != len(c.entries) {
			t.Fatalf("%d answers of %d bytes are kept, %d in order", len(c.entries), c.bytes, len(c.order))
		}
	}
	b.want(t, Read, fmt.Sprintf(`{"path":"f%d"}`, 3*maxCached-1), unchanged) // the latest is still there
}
