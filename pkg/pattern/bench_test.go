package pattern

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// source is real code: the http package of the Go distribution in use.
func source(b *testing.B) []byte {
	b.Helper()
	files, err := filepath.Glob(filepath.Join(runtime.GOROOT(), "src/net/http/*.go"))
	if err != nil || len(files) == 0 {
		b.Fatalf("the Go distribution's sources are not at %s: %v", runtime.GOROOT(), err)
	}
	var all []byte
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, text...)
	}
	return all
}

// BenchmarkLines measures each pattern beside the obvious way: each line
// through the standard library.
func BenchmarkLines(b *testing.B) {
	text := source(b)
	for _, bench := range []struct{ name, expr string }{
		{"rare-literal", `errServerClosedIdle`},
		{"func", `func (\w+)`},
		{"inner-literal", `(\w+\.)+\w+\(ctx`},
		{"range", `\b(\w+)\s*:=\s*range\b`},
		{"ignore-case", `(?i)unexpected eof`},
		{"no-literal", `[A-Z]\w+\([^)]*\) \(`},
		{"no-match", `zzz_never_there`},
		{"lookbehind", `(?<=func )\w+`},
		{"every-line", `^`},
	} {
		b.Run(bench.name, func(b *testing.B) {
			p := compile(b, bench.expr, Flags{})
			b.SetBytes(int64(len(text)))
			n := 0
			for b.Loop() {
				n = 0
				if err := p.Lines(text, func(_, _, _ int) bool { n++; return true }); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n), "lines")
		})
		std, err := regexp.Compile(bench.expr)
		if err != nil {
			continue
		}
		b.Run(bench.name+"/baseline", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				for line := range bytes.Lines(text) {
					std.Match(bytes.TrimRight(line, "\r\n"))
				}
			}
		})
	}
}

// BenchmarkGlob measures the pattern shapes of a usual .gitignore on one path.
func BenchmarkGlob(b *testing.B) {
	path := strings.Repeat("folder/", 6) + "component.test.tsx"
	for _, glob := range []string{"*.test.tsx", "**/fixtures/**/*.json", "src/*/x/**", "[Tt]humbs.d?b"} {
		b.Run(strings.ReplaceAll(glob, "/", "_"), func(b *testing.B) {
			g, err := CompileGlob(glob)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				g.Match(path)
			}
		})
	}
}
