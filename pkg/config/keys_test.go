package config

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Each source is there in one of four ways. Its URL and its key carry its name, so
// that a key found at an URL tells where both came from.
type way int

const (
	absent way = iota
	urlOnly
	keyOnly
	both
)

func (w way) hasURL() bool { return w == urlOnly || w == both }
func (w way) hasKey() bool { return w == keyOnly || w == both }

// combination is one way for every source.
type combination struct {
	options, file, host, person, project way
	auth, env                            bool
	known                                bool // the provider is in the built-in table
}

func (c combination) String() string {
	return fmt.Sprintf("options %d file %d host %d person %d project %d auth %v env %v built-in %v",
		c.options, c.file, c.host, c.person, c.project, c.auth, c.env, c.known)
}

func url(source string) string { return "https://" + source + ".example/v1" }
func key(source string) string { return "key-of-" + source }

func pair(w way, source, urlName, keyName string) string {
	var parts []string
	if w.hasURL() {
		parts = append(parts, `"`+urlName+`": "`+url(source)+`"`)
	}
	if w.hasKey() {
		parts = append(parts, `"`+keyName+`": "`+key(source)+`"`)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

const builtIn = "https://api.groq.com/openai/v1"

func (c combination) world() (*world, string) {
	id := "acme"
	if c.known {
		id = "groq"
	}
	model := `"watchdogModel": "` + id + `/m", `
	w := &world{host: "harness", files: map[string]string{}, env: map[string]string{}}
	w.files[advisorPath] = `{` + model + `"provider": ` + pair(c.file, "file", "baseURL", "apiKey") + `}`
	if c.options != absent {
		w.options = `{` + model + `"provider": ` + pair(c.options, "options", "baseURL", "apiKey") + `}`
	}
	if c.host != absent {
		p := protocol.Provider{ID: id, Known: true}
		if c.host.hasURL() {
			p.BaseURL = url("host")
		}
		if c.host.hasKey() {
			p.APIKey = key("host")
		}
		w.providers = append(w.providers, p)
	}
	if c.person != absent {
		w.files[personPath] = `{"provider": {"` + id + `": {"options": ` + pair(c.person, "person", "baseURL", "apiKey") + `}}}`
	}
	if c.project != absent {
		w.files[projectPath] = `{"provider": {"` + id + `": {"options": ` + pair(c.project, "project", "baseURL", "apiKey") + `}}}`
	}
	if c.auth {
		w.files[authPath] = `{"` + id + `": {"type": "api", "key": "` + key("auth") + `"}}`
	}
	if c.env {
		w.env["GROQ_API_KEY"] = key("env")
	}
	return w, id
}

// want says where the request goes and with which key, straight from the rule.
func (c combination) want() (to, with string) {
	table := ""
	if c.known {
		table = builtIn
	}
	type offer struct{ to, with string }
	own := func(w way, source string) (o offer) {
		if w.hasURL() {
			o.to = url(source)
		} else if w.hasKey() {
			o.to = table
		}
		if w.hasKey() && o.to != "" {
			o.with = key(source)
		}
		return o
	}
	// What is configured by hand is taken as it stands.
	for _, o := range []struct {
		w      way
		source string
	}{{c.options, "options"}, {c.file, "file"}} {
		if o.w == keyOnly && !c.known {
			continue // nowhere to go
		}
		if o.w == keyOnly && o.source == "file" && c.options != absent {
			continue // the options named the model, so the key is not for it
		}
		if got := own(o.w, o.source); got.to != "" {
			return got.to, got.with
		}
	}
	// Then the first offer with a key, then the first with an address of its own.
	var offers []offer
	if !c.project.hasURL() {
		offers = append(offers, own(c.host, "host"))
	}
	offers = append(offers, own(c.person, "person"))
	if c.known && c.auth {
		offers = append(offers, offer{table, key("auth")})
	}
	if c.known && c.env {
		offers = append(offers, offer{table, key("env")})
	}
	for _, o := range offers {
		if o.with != "" {
			return o.to, o.with
		}
	}
	for _, o := range offers {
		if o.to != "" && o.to != table {
			return o.to, ""
		}
	}
	// Last the project's own address, with the project's own key or none.
	if c.project.hasURL() {
		o := own(c.project, "project")
		return o.to, o.with
	}
	return "", ""
}

// TestKeysGoOnlyWhereTheyBelong tries every source of an URL with every source of a key.
func TestKeysGoOnlyWhereTheyBelong(t *testing.T) {
	tried, keyed := 0, 0
	ways := []way{absent, urlOnly, keyOnly, both}
	flags := []bool{false, true}
	for _, options := range ways {
		for _, file := range ways {
			for _, host := range ways {
				for _, person := range ways {
					for _, project := range ways {
						for _, auth := range flags {
							for _, env := range flags {
								for _, known := range flags {
									c := combination{options, file, host, person, project, auth, env, known}
									tried++
									if c.try(t) {
										keyed++
									}
								}
							}
						}
					}
				}
			}
		}
	}
	t.Logf("%d combinations, %d of them send a key", tried, keyed)
	if tried != 8192 || keyed == 0 {
		t.Errorf("%d combinations, %d send a key", tried, keyed)
	}
}

func (c combination) try(t *testing.T) (keyed bool) {
	w, _ := c.world()
	r, problems := w.load()
	to, with := c.want()
	for role, e := range map[string]Endpoint{"watchdog": r.Watchdog, "consult": r.Consult} {
		if e.BaseURL != to || e.APIKey != with {
			t.Fatalf("%s: %v: went to %q with %q, want %q with %q", role, c, e.BaseURL, e.APIKey, to, with)
		}
		// The rule itself, whatever want says.
		if e.APIKey != "" {
			source := strings.TrimPrefix(e.APIKey, "key-of-")
			if e.BaseURL != url(source) && e.BaseURL != builtIn {
				t.Fatalf("%s: %v: the key of %s went to %s", role, c, source, e.BaseURL)
			}
		}
		if (e.BaseURL == "") != (e.Transport == TransportNone) {
			t.Fatalf("%s: %v: transport %s to %q", role, c, e.Transport, e.BaseURL)
		}
	}
	if c.project.hasURL() && c.host.hasKey() && c.options == absent && c.file == absent &&
		!strings.Contains(strings.Join(problems, "\n"), "so the host's key for it is not used") {
		t.Fatalf("%v: nobody was told that the project redirects the host's provider: %q", c, problems)
	}
	return with != ""
}

// TestRedirectsOfTheProject lists ways in which a clone may try to get a host's key sent to its own place.
func TestRedirectsOfTheProject(t *testing.T) {
	tests := []struct {
		name, file, text string
		trusted          bool // the host's key is still used
	}{
		{"V1 options", projectPath, `{"provider": {"acme": {"options": {"baseURL": "https://evil.example"}}}}`, false},
		{"V2 settings", projectPath, `{"providers": {"acme": {"settings": {"baseURL": "https://evil.example"}}}}`, false},
		{"api as text", projectPath, `{"provider": {"acme": {"api": "https://evil.example"}}}`, false},
		{"api as an object", projectPath, `{"providers": {"acme": {"api": {"type": "native", "url": "https://evil.example"}}}}`, false},
		{"of one model", projectPath, `{"provider": {"acme": {"models": {"m1": {"provider": {"api": "https://evil.example"}}}}}}`, false},
		{"other letters in the key", projectPath, `{"provider": {"acme": {"options": {"BASEURL": "evil.example"}}}}`, false},
		{"through a variable", projectPath, `{"provider": {"acme": {"options": {"baseUrl2": "{env:EVIL}"}}}}`, false},
		{"another variable for the key", projectPath, `{"provider": {"acme": {"env": ["AWS_SECRET_ACCESS_KEY"]}}}`, false},
		{"another stored credential", projectPath, `{"providers": {"acme": {"auth": "work"}}}`, false},
		{"another client library", projectPath, `{"provider": {"acme": {"npm": "evil-sdk"}}}`, false},
		{"in a folder above", projectAbove, `{"provider": {"acme": {"options": {"baseURL": "https://evil.example"}}}}`, false},
		{"in the opened folder", "/home/me/src/app/sub/opencode.json", `{"provider": {"acme": {"options": {"baseURL": "https://evil.example"}}}}`, false},
		{"with comments", projectPath, "{/* x */ \"provider\": {\"acme\": {\"options\": {\"baseURL\": \"https://evil.example\",},},},}", false},
		{"a file that only the host can read", projectPath, `{"provider": {"acme": {"options": {"baseURL": 'https://evil.example'}}}}`, false},
		{"nested too deep for us", projectPath, `{"provider":` + strings.Repeat(`{"acme":`, 200) + `1` + strings.Repeat(`}`, 200) + `}`, false},
		{"said twice", projectPath, `{"provider": {"acme": {"options": {"baseURL": "https://evil.example"}}}, "provider": {}}`, false},
		{"another provider", projectPath, `{"provider": {"other": {"options": {"baseURL": "https://evil.example"}}}}`, true},
		{"models alone", projectPath, `{"provider": {"acme": {"name": "Acme", "models": {"m1": {"name": "M", "limit": {"context": 1000}}}}}}`, true},
		{"the same file without providers", projectPath, `{"model": "acme/m1", "plugin": ["x"]}`, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := world{
				files:     map[string]string{advisorPath: `{"watchdogModel": "acme/m1"}`, tt.file: tt.text},
				providers: []protocol.Provider{{ID: "acme", Known: true, BaseURL: "https://h.example/v1", APIKey: "k-host12", Headers: []protocol.Header{{Name: "x-api-key", Value: "k-head12"}}}},
			}
			r, problems := w.load()
			used := r.Watchdog.APIKey == "k-host12" && len(r.Watchdog.Headers) == 1
			if used != tt.trusted {
				t.Errorf("the host's key is used: %v; %+v", used, r.Watchdog)
			}
			if !tt.trusted && (r.Watchdog.APIKey != "" || len(r.Watchdog.Headers) != 0) {
				t.Errorf("something of the host's is sent: %+v", r.Watchdog)
			}
			if told := len(problems) == 1 && strings.Contains(problems[0], "the host's key for it is not used"); told == tt.trusted {
				t.Errorf("problems: %q", problems)
			}
		})
	}
}

func TestBaseURLs(t *testing.T) {
	tests := []struct{ in, want, origin string }{
		{"https://api.example.com/v1", "https://api.example.com/v1", "https://api.example.com:443"},
		{"HTTPS://API.Example.com:443/v1//", "https://api.example.com/v1", "https://api.example.com:443"},
		{"http://localhost:8084", "http://localhost:8084", "http://localhost:8084"},
		{"http://[::1]:8080/v1", "http://[::1]:8080/v1", "http://[::1]:8080"},
		{"http://[::1]", "http://[::1]", "http://[::1]:80"},
		{"https://host/a/b.c/v1", "https://host/a/b.c/v1", "https://host:443"},
	}
	for _, tt := range tests {
		got, err := cleanURL(tt.in)
		if err != nil || got != tt.want || Origin(got) != tt.origin {
			t.Errorf("%s: %s %s %v", tt.in, got, Origin(got), err)
		}
	}
	for _, bad := range []string{
		"", "api.example.com/v1", "ftp://x/v1", "file:///etc/passwd", "javascript:alert(1)", "https://", "https:///v1", "https://u:p@x/v1", "https://u@x/v1",
		"https://x@y@z/v1", `https://good.example\@evil.example/v1`, `https:\\evil.example`, `https://x/a\b`, "https://x/<a>", "https://x/`a`", "https://x/v1?key=1", "https://x/v1#f", "https://x /v1",
		"https://x\t/v1", "https://x\n.evil.example/v1", "https://ex%61mple/v1", "https://exämple/v1", "https://x:99999/v1", "https://x:0/v1", "https://x:0443/v1",
		"https://x:80:80/v1", "https://[::1/v1", "https://[zz]/v1", "https://[::1]evil/v1", "https://x/../v1", "https://x/%2e%2E/v1", "https://x/{env:A}",
		"https://" + strings.Repeat("x", 3000),
	} {
		if got, err := cleanURL(bad); err == nil {
			t.Errorf("%q is taken as %s", bad, got)
		}
	}
	for in, want := range map[string]bool{
		"http://127.0.0.1:80": true, "http://127.8.9.1": true, "http://localhost": true, "http://a.localhost": true, "http://[::1]:1": true,
		"http://127.0.0.1.evil.example": false, "http://localhost.evil.example": false, "http://10.0.0.1": false, "http://127.1": false, "http://0.0.0.0": false,
	} {
		if loopback(in) != want {
			t.Errorf("loopback(%s) = %v", in, !want)
		}
	}
}

func TestRefs(t *testing.T) {
	for in, want := range map[string]Ref{
		"deepseek/flash": {"deepseek", "flash", ""}, "openrouter/anthropic/claude-opus-4.8": {"openrouter", "anthropic/claude-opus-4.8", ""},
		" a/b#high ": {"a", "b", "high"}, "ollama/qwen:7b": {"ollama", "qwen:7b", ""},
	} {
		got, ok := ParseRef(in)
		if !ok || got != want || got.String() != strings.TrimSpace(in) {
			t.Errorf("%q: %+v %v", in, got, ok)
		}
	}
	for _, bad := range []string{"", "a", "/b", "a/", "a/b#", "a/#x", "a b/c", "a/b c", "a/b\nc", "a/b\x00", strings.Repeat("a", 300) + "/b"} {
		if got, ok := ParseRef(bad); ok {
			t.Errorf("%q: %+v", bad, got)
		}
	}
}

// TestServicesAreListedOnce: of two with one id, the second would never be found.
func TestServicesAreListedOnce(t *testing.T) {
	ids := serviceIDs()
	if len(slices.Compact(slices.Clone(ids))) != len(ids) {
		t.Errorf("an id stands twice in %v", ids)
	}
}
