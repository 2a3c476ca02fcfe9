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
	var out bytes.Buffer
	if err := report(&out, in); err != nil {
		t.Fatal(err)
	}
	want := "      in the guest  median  baseline\n" +
		"  Decode/generated  2.0 us     x 4.0\n" +
		"       Decode/json  8.0 us     x 1.0\n" +
		"             Alone  0.5 us          \n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := report(&out, "PASS\n"); err == nil {
		t.Error("no benchmark is no error")
	}
}
