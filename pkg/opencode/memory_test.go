//go:build realhost

package opencode

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/Kayphoon/opencode-advisor/pkg/redact"
)

// A run that prints a gigabyte, a hundred megabytes of it in one line, must not cost a gigabyte.
func TestAGigabyteOfOutputStaysUnder64MB(t *testing.T) {
	const total, limit = 1 << 30, 64 << 20
	s := newSink(make(chan struct{}, 1))
	out := s.out()
	var peak uint64
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	before := stats.HeapAlloc
	written, events := 0, 0
	send := func(p []byte) {
		out(p)
		if written += len(p); written/(32<<20) != (written-len(p))/(32<<20) {
			runtime.ReadMemStats(&stats)
			peak = max(peak, stats.HeapAlloc-min(before, stats.HeapAlloc))
		}
	}
	began := time.Now()
	// One line of 100 MB: a write of a huge file, its path behind the content.
	send([]byte(`{"type":"tool_use","part":{"tool":"write","state":{"status":"completed","input":{"content":"`))
	filler := bytes.Repeat([]byte(`line of text, escaped: \n\u00e9 `), 1000)
	for written < 100<<20 {
		send(filler)
	}
	send([]byte(`","filePath":"huge.txt"}}}}` + "\n"))
	for written < total {
		send(fmt.Appendf(nil, `{"type":"tool_use","part":{"tool":"write","state":{"status":"completed","input":{"content":"%s","filePath":"f%d.go"}}}}`+"\nplain text\n",
			filler[:20000], events))
		send([]byte(`{"type":"text","part":{"text":"` + strings.Repeat("word ", 2000) + `"}}` + "\n"))
		events++
	}
	took := time.Since(began)
	transcript := s.stdout.redacted(redact.New(testKey))
	runtime.ReadMemStats(&stats)
	peak = max(peak, stats.HeapAlloc-min(before, stats.HeapAlloc))
	t.Logf("%d MB in %.1fs (%.0f MB/s), peak heap %.1f MB, %d files, %d bytes of transcript",
		written>>20, took.Seconds(), float64(written)/1e6/took.Seconds(), float64(peak)/1e6, len(s.stream.written.list), len(transcript))
	if peak > limit {
		t.Errorf("the heap grew by %d bytes, more than %d", peak, limit)
	}
	if got := s.stream.written.list; got[0] != "huge.txt" || len(got) != min(events+1, maxFiles) {
		t.Errorf("%d files, the first %q", len(got), got[0])
	}
	if len(transcript) > outHead+outTail+1024 {
		t.Errorf("the transcript has %d bytes", len(transcript))
	}
}
