package redact

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// hostile texts are made to make a scanner read the same bytes again and again. The figure to look at is
// the rate: it must not fall with the size.
var hostile = map[string]string{
	"prefixes":           "sk-",
	"prefixes, dots":     "eyJ.eyJ",
	"long prefixes":      "github_pat_",
	"names":              "token=",
	"names, colons":      "password: ",
	"names, quotes":      `password="`,
	"names, escaped":     `password=\"`,
	"open strings":       `token='a"b`,
	"expansions":         "TOKEN=${",
	"substitutions":      "PASSWORD=$($(",
	"URLs":               "http://a:b",
	"slashes":            "://",
	"key begins":         "-----BEGIN PRIVATE KEY-----\n",
	"key begins, bodies": "-----BEGIN PRIVATE KEY-----" + "aB1aB1aB1aB1aB1aB1aB1aB1aB1aB1",
	"key ends":           "aB1aB1aB1aB1aB1aB1aB1aB1 -----END PRIVATE KEY----",
	"key ids":            "AKIAZQ3DR7W5N2XK4B6J",
	"bearers":            "Bearer aaaaaaa ",
	"basics":             "Basic YWFhYWFhYWE",
	"masks":              "[redacted:",
	"whole masks":        "[redacted:token]",
	"colours":            "\x1b[31m",
	"tags":               "<password>",
	"flags":              "--password ",
	"curl":               "curl -u ",
	"backslashes":        `\`,
	"queries":            "&sig=aaaa",
	"secrets":            "PASSWORD=hunter2 ",
	"one run":            "a",
	"known beginnings":   "known-va",
}

func BenchmarkHostile(b *testing.B) {
	r := New("known-value-1", "another-known-value-22", strings.Repeat("known-va", 8)+"x")
	for _, size := range []int{1 << 20, 10 << 20} {
		for name, piece := range hostile {
			text := strings.Repeat(piece, size/len(piece))
			b.Run(sizeName(size)+"/"+strings.ReplaceAll(name, " ", "_"), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					r.Text(text)
				}
			})
		}
		random := rand.New(rand.NewPCG(1, 2))
		var mixed strings.Builder
		for mixed.Len() < size {
			mixed.WriteString(pieces[random.IntN(len(pieces))])
		}
		b.Run(sizeName(size)+"/all_pieces_at_random", func(b *testing.B) {
			b.SetBytes(int64(mixed.Len()))
			for b.Loop() {
				r.Text(mixed.String())
			}
		})
	}
}

func sizeName(n int) string {
	if n == 1<<20 {
		return "1MB"
	}
	return "10MB"
}

func BenchmarkSource(b *testing.B) {
	var text strings.Builder
	for _, dir := range []string{"net/http", "crypto/tls", "go/parser", "encoding/json"} {
		files, err := filepath.Glob(filepath.Join(runtime.GOROOT(), "src", dir, "*.go"))
		if err != nil {
			b.Fatal(err)
		}
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				b.Fatal(err)
			}
			text.Write(data)
		}
	}
	r := New("known-value-1", "another-known-value-22")
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		r.Text(text.String())
	}
}
