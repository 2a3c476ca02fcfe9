package opencode

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestProviderConfig(t *testing.T) {
	for _, c := range []struct {
		name string
		a    Adapter
		key  string
		base string
		want string
	}{
		{
			"defaults", Adapter{Lane: "heal"}, "k1", "https://inference.example.com",
			`{"autoupdate":false,"model":"forge/heal","provider":{"forge":{"models":{"heal":{"id":"heal","limit":{"context":128000,"output":4096},"name":"heal","tool_call":true}},"name":"forge","npm":"@ai-sdk/openai-compatible","options":{"apiKey":"k1","baseURL":"https://inference.example.com/v1"}}},"share":"disabled","small_model":"forge/heal"}`,
		},
		{
			"everything set, and no key", Adapter{
				Lane: "heal", Model: CodeAuthoringModel, Provider: "p", MaxOutputTokens: 10, MaxContextTokens: 20,
				Plugins: []any{"x@1"}, Config: map[string]any{"permission": map[string]string{"edit": "ask"}, "model": "other/one"},
			}, "", "http://127.0.0.1:8080/api/v1/",
			`{"autoupdate":false,"model":"p/heal","permission":{"edit":"ask"},"plugin":["x@1"],"provider":{"p":{"models":{"heal":{"id":"coding","limit":{"context":20,"output":10},"name":"heal","tool_call":true}},"name":"p","npm":"@ai-sdk/openai-compatible","options":{"baseURL":"http://127.0.0.1:8080/api/v1"}}},"share":"disabled","small_model":"p/heal"}`,
		},
	} {
		got, err := c.a.ProviderConfig(c.key, c.base)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if !json.Valid([]byte(got)) {
			t.Errorf("%s: no JSON", c.name)
		}
	}
}

func TestProviderConfigErrorsDoNotRepeatTheAddress(t *testing.T) {
	for _, c := range []struct {
		a          Adapter
		base, want string
	}{
		{Adapter{}, "https://x", "Lane is empty"},
		{Adapter{Lane: "l", Provider: "a/b"}, "https://x", "contains a slash"},
		{Adapter{Lane: "l"}, "", "want an http or https URL"},
		{Adapter{Lane: "l"}, "ftp://s3cret.example.com", "want an http or https URL"},
		{Adapter{Lane: "l"}, "https://me:s3cret@example.com", "user, query and fragment are not supported"},
		{Adapter{Lane: "l"}, "https://example.com?key=s3cret", "user, query and fragment are not supported"},
	} {
		_, err := c.a.ProviderConfig("k", c.base)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: got %v, want %q", c.base, err, c.want)
		}
	}
}

func TestRequestedModel(t *testing.T) {
	for _, c := range []struct {
		a          Adapter
		model      string
		overridden bool
	}{
		{Adapter{Lane: "heal"}, "heal", false},
		{Adapter{Lane: "heal", Model: CodeAuthoringModel}, "coding", true},
	} {
		if model, overridden := c.a.RequestedModel(); model != c.model || overridden != c.overridden {
			t.Errorf("got %q, %v; want %q, %v", model, overridden, c.model, c.overridden)
		}
	}
}

func TestReachOfAConfinedRun(t *testing.T) {
	for _, c := range []struct {
		base   string
		port   uint16
		lookup bool
	}{
		{"https://api.example.com", 443, true},
		{"http://api.example.com:8080", 8080, true},
		{"http://127.0.0.1:9", 9, false},
		{"http://[::1]", 80, false},
		{"http://localhost:11434/v1", 11434, false},
	} {
		u, err := endpoint(c.base)
		if err != nil {
			t.Fatal(err)
		}
		if port, lookup := reach(u); port != c.port || lookup != c.lookup {
			t.Errorf("%s: got %d, %v; want %d, %v", c.base, port, lookup, c.port, c.lookup)
		}
	}
}
