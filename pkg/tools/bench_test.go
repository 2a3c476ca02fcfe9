//go:build linux

package tools

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"

	"github.com/Kayphoon/opencode-advisor/internal/diskfs"
	"github.com/Kayphoon/opencode-advisor/pkg/pattern"
	"github.com/Kayphoon/opencode-advisor/pkg/safefs"
)

// sources is the Go distribution's own code: about 100 MB in 10,000 files.
func sources(b *testing.B) (*Env, string) {
	b.Helper()
	root := filepath.Join(runtime.GOROOT(), "src")
	disk, err := diskfs.New(root)
	if err != nil {
		b.Fatal(err)
	}
	files, err := safefs.New(disk, root)
	if err != nil {
		b.Fatal(err)
	}
	return &Env{Files: files, Scratch: &Scratch{}}, disk.Root()
}

// obviousGrep is the baseline: every file whole, every line to the standard library.
func obviousGrep(b *testing.B, root string, re *regexp.Regexp) (matches int, size int64) {
	b.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || bytes.IndexByte(text[:min(len(text), sniff)], 0) >= 0 {
			return err
		}
		size += int64(len(text))
		for line := range bytes.Lines(text) {
			if re.Match(bytes.TrimRight(line, "\r\n")) {
				matches++
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return matches, size
}

// BenchmarkSearch measures the search with no bound on its matches.
func BenchmarkSearch(b *testing.B) {
	env, root := sources(b)
	for _, bench := range []struct{ name, expr string }{
		{"rare-literal", `errServerClosedIdle`},
		{"func", `func (\w+)`},
		{"inner-literal", `(\w+\.)+\w+\(ctx`},
		{"range", `\b(\w+)\s*:=\s*range\b`},
		{"ignore-case", `(?i)unexpected eof`},
		{"no-match", `zzz_never_there`},
		{"lookbehind", `(?<=func )\w+`},
		{"every-line", `^`},
	} {
		b.Run(bench.name, func(b *testing.B) {
			hits := 0
			for b.Loop() {
				s := &search{env: env, stamp: newStamper()}
				if err := s.prepare(bench.expr, pattern.Flags{}, ""); err != nil {
					b.Fatal(err)
				}
				start, err := env.Files.Resolve(".")
				if err != nil {
					b.Fatal(err)
				}
				hits = 0
				s.matched = func(match) bool { hits++; return true }
				if err := s.run(start); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(hits), "lines")
		})
		re, err := regexp.Compile(bench.expr)
		if err != nil {
			continue
		}
		b.Run(bench.name+"/baseline", func(b *testing.B) {
			for b.Loop() {
				_, size := obviousGrep(b, root, re)
				b.SetBytes(size)
			}
		})
	}
}

// BenchmarkTools measures whole calls, as a model makes them.
func BenchmarkTools(b *testing.B) {
	env, _ := sources(b)
	for _, bench := range []struct {
		name string
		tool Tool
		args string
	}{
		{"grep-bounded", Grep, `{"pattern":"func (\\w+)"}`},
		{"grep-folder", Grep, `{"pattern":"errServerClosedIdle","path":"net/http"}`},
		{"glob", Glob, `{"pattern":"**/*_test.go"}`},
		{"read", Read, `{"path":"net/http/server.go","offset":1000}`},
		{"read-missing", Read, `{"path":"net/http/sever.go"}`},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if r := bench.tool.Run(env, []byte(bench.args)); r.Error && bench.name != "read-missing" {
					b.Fatal(r.Text)
				}
			}
		})
	}
}
