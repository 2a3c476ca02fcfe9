package llm

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestURLs(t *testing.T) {
	for _, tt := range []struct {
		base string
		want []string
	}{
		{"https://api.openai.com/v1", []string{"https://api.openai.com/v1/chat/completions"}},
		{"https://api.openai.com/v1/", []string{"https://api.openai.com/v1/chat/completions"}},
		{"https://api.deepseek.com", []string{"https://api.deepseek.com/v1/chat/completions", "https://api.deepseek.com/chat/completions"}},
		{"https://api.deepseek.com/", []string{"https://api.deepseek.com/v1/chat/completions", "https://api.deepseek.com/chat/completions"}},
		{"http://127.0.0.1:8084/v1/chat/completions", []string{"http://127.0.0.1:8084/v1/chat/completions"}},
		{"http://127.0.0.1:8084/v1/chat/completions/", []string{"http://127.0.0.1:8084/v1/chat/completions"}},
		{"https://generativelanguage.googleapis.com/v1beta/openai/", []string{"https://generativelanguage.googleapis.com/v1beta/openai/chat/completions"}},
		{"HTTPS://OpenRouter.AI:443/api/v1", []string{"https://openrouter.ai/api/v1/chat/completions"}},
		{"http://[::1]:11434", []string{"http://[::1]:11434/v1/chat/completions", "http://[::1]:11434/chat/completions"}},
		{" http://localhost:1234/v1\n", []string{"http://localhost:1234/v1/chat/completions"}},
	} {
		got, err := URLs(tt.base)
		if err != nil {
			t.Errorf("%q: %v", tt.base, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q: %s", tt.base, diff)
		}
	}
}

func TestURLsRefused(t *testing.T) {
	for base, why := range map[string]string{
		"":                              "no base URL",
		"api.openai.com/v1":             "http:// or https://",
		"file:///etc/passwd":            "http:// or https://",
		"javascript:alert(1)":           "http:// or https://",
		"https://user:pw@api.x.com/v1":  "user name or password",
		"https://api.x.com@evil.com/v1": "user name or password",
		"https://good.com\\@evil.com/":  "cannot have",
		"https://good.com\t.evil.com/":  "cannot have",
		"https://g%6fod.com/v1":         "malformed",
		"https://gööd.com/v1":           "cannot have",
		"https:///v1":                   "malformed",
		"https://api.x.com:99999/v1":    "port",
		"https://api.x.com:/v1":         "port",
		"https://api.x.com:80a/v1":      "port",
		"https://[::1/v1":               "malformed",
		"https://[api]/v1":              "malformed",
		"https://[1:2]/v1":              "malformed",
		"https://[1::2::3]/v1":          "malformed",
		"https://[fe80::1%25en0]/v1":    "malformed",
		"https://[12345::]/v1":          "malformed",
		"https://api.x.com/v1?k=1":      "query",
		"https://api.x.com/v1#x":        "fragment",
		"https://api.x.com/%0X":         "hex digits",
		"https://api.x.com/a/../v1":     ". or ..",
		"https://api.x.com/a/%2e./v1":   ". or ..",
	} {
		if got, err := URLs(base); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("URLs(%q) = %v, %v; want an error about %q", base, got, err, why)
		}
	}
}

func TestOrigin(t *testing.T) {
	for base, want := range map[string]string{
		"https://API.x.com:443/v1": "https://api.x.com",
		"http://a.b:80":            "http://a.b",
		"http://a.b:0080/x":        "http://a.b",
		"http://a.b:443/x":         "http://a.b:443",
		"http://[FE80::1]:8080/v1": "http://[fe80::1]:8080",
		"http://[::]:1":            "http://[::]:1",
		"http://[1:2:3:4:5:6:7:8]": "http://[1:2:3:4:5:6:7:8]",
	} {
		if got, err := Origin(base); err != nil || got != want {
			t.Errorf("Origin(%q) = %q, %v; want %q", base, got, err, want)
		}
	}
}

// What is accepted must mean the same to another parser, or a key goes where nobody looked.
func FuzzURLs(f *testing.F) {
	for _, s := range []string{"https://api.x.com/v1", "http://[::1]:80/", "HTTP://A:1//x", "https://a/..", "https://a@b", "https://a:0", "http://a.b:00080"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, base string) {
		urls, err := URLs(base)
		if err != nil {
			return
		}
		origin, err := Origin(base)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range urls {
			u, err := url.Parse(s)
			if err != nil {
				t.Fatalf("%q became %q, which net/url refuses: %v", base, s, err)
			}
			if got := u.Scheme + "://" + u.Host; got != origin || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
				t.Fatalf("%q: origin %q, but net/url reads %q as %q", base, origin, s, got)
			}
			if !strings.HasSuffix(s, completions) {
				t.Fatalf("%q became %q", base, s)
			}
		}
	})
}
