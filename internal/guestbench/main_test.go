package main

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReport(t *testing.T) {
	in := `goos: wasip1
BenchmarkDecode/generated   	     210	   1000 ns/op	  30.96 MB/s	   57592 B/op	     129 allocs/op
BenchmarkDecode/generated   	     210	   9000 ns/op
BenchmarkDecode/generated   	     210	   2000 ns/op
BenchmarkDecode/json        	      28	   8000 ns/op	   3.42 MB/s
BenchmarkAlone              	     357	   500.5 ns/op
PASS
`
	rows := table(in)
	var out bytes.Buffer
	if err := report(&out, rows); err != nil {
		t.Fatal(err)
	}
	want := "      in the guest  median  baseline\n" +
		"  Decode/generated  2.0 us     x 4.0\n" +
		"       Decode/json  8.0 us     x 1.0\n" +
		"             Alone  0.5 us          \n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := check(rows, 4); err != nil {
		t.Errorf("a bar that is met: %v", err)
	}
	if err := check(rows, 4.1); err == nil || err.Error() != "bar missed: Decode/generated is 4.00 times as fast as its baseline, the bar is 4.10" {
		t.Errorf("a bar that is missed: %v", err)
	}
	if rows := table("PASS\n"); len(rows) != 0 {
		t.Errorf("no benchmark gives %v", rows)
	}
}
