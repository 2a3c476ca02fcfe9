package config

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// world is the outside of a test.
type world struct {
	host      string
	options   string
	files     map[string]string
	failing   map[string]string
	env       map[string]string
	providers []protocol.Provider
	asked     struct{ files, env, providers []string }
}

func (w *world) Need(files, env, providers []string) protocol.Provided {
	var p protocol.Provided
	w.asked.files = append(w.asked.files, files...)
	w.asked.env = append(w.asked.env, env...)
	w.asked.providers = append(w.asked.providers, providers...)
	for _, f := range files {
		text, ok := w.files[f]
		p.Files = append(p.Files, protocol.File{Path: f, Text: text, Exists: ok || w.failing[f] != "", Failure: w.failing[f]})
	}
	for _, name := range env {
		v, ok := w.env[name]
		p.Env = append(p.Env, protocol.Variable{Name: name, Value: v, Set: ok})
	}
	for _, id := range providers {
		at := slices.IndexFunc(w.providers, func(o protocol.Provider) bool { return o.ID == id })
		if at < 0 {
			p.Providers = append(p.Providers, protocol.Provider{ID: id})
		} else {
			p.Providers = append(p.Providers, w.providers[at])
		}
	}
	return p
}

func (w *world) load() (*Resolved, []string) {
	r, problems := Load(w, protocol.Init{Host: cmpOr(w.host, "opencode-v2"), Directory: "/home/me/src/app/sub", Root: "/home/me/src/app",
		Home: "/home/me", ConfigHome: "/home/me/.config", DataHome: "/home/me/.local/share", Options: protocol.JSON(w.options)})
	var lines []string
	for _, p := range problems {
		lines = append(lines, p.String())
	}
	return r, lines
}

const (
	advisorPath  = "/home/me/.config/opencode/advisor.json"
	personPath   = "/home/me/.config/opencode/opencode.jsonc"
	authPath     = "/home/me/.local/share/opencode/auth.json"
	projectPath  = "/home/me/src/app/.opencode/opencode.jsonc"
	projectAbove = "/home/me/src/opencode.json"
)

func TestLoadLooksWhereItShould(t *testing.T) {
	w := world{}
	w.load()
	want := []string{
		"/home/me/.config/opencode/WATCHDOG.yml", "/home/me/.config/opencode/advisor.json", "/home/me/.config/opencode/config.json", "/home/me/.config/opencode/opencode.json",
		"/home/me/.config/opencode/opencode.jsonc", "/home/me/.local/share/opencode/auth.json",
		"/home/me/src/.opencode/opencode.json", "/home/me/src/.opencode/opencode.jsonc",
		"/home/me/src/app/.opencode/opencode.json", "/home/me/src/app/.opencode/opencode.jsonc",
		"/home/me/src/app/opencode.json", "/home/me/src/app/opencode.jsonc",
		"/home/me/src/app/sub/.opencode/opencode.json", "/home/me/src/app/sub/.opencode/opencode.jsonc",
		"/home/me/src/app/sub/opencode.json", "/home/me/src/app/sub/opencode.jsonc",
		"/home/me/src/opencode.json", "/home/me/src/opencode.jsonc",
	}
	if diff := cmp.Diff(want, w.asked.files); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"DEEPSEEK_API_KEY"}, w.asked.env); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"deepseek"}, w.asked.providers); diff != "" {
		t.Error(diff)
	}

	pi := world{host: HostPi, env: map[string]string{"PI_CODING_AGENT_DIR": "~/agents/pi"}, files: map[string]string{
		"/home/me/agents/pi/advisor.json": `{"provider": "openai", "model": "gpt", "effort": "low", "maxTokens": 5000, "enabled": true}`}}
	r, problems := pi.load()
	if problems != nil || r.Path != "/home/me/agents/pi/advisor.json" || r.Config.Consult.Model != "openai/gpt" || r.Config.Consult.MaxTokens != 5000 {
		t.Errorf("pi: %s %+v %q", r.Path, r.Config.Consult, problems)
	}
	pi = world{host: HostPi}
	if r, _ := pi.load(); r.Path != "/home/me/.pi/agent/advisor.json" {
		t.Errorf("pi: %s", r.Path)
	}
}

func TestReferencesInThePersonsFiles(t *testing.T) {
	w := world{
		files: map[string]string{
			advisorPath: `{
				// not this one: {env:COMMENTED} {file:commented}
				"watchdogModel": "mine/big", "timeoutMs": {env:MS},
				"systemPrompt": "{file:prompts/review.md}",
				"provider": {"baseURL": "{env:URL}", "apiKey": "{file:~/keys/mine}"} }`,
			"/home/me/.config/opencode/prompts/review.md": "say \"less\"\n\n",
			"/home/me/keys/mine":                          "  sk-from-file\n",
		},
		env: map[string]string{"URL": "https://api.mine.example/v1", "MS": "9000"},
	}
	r, problems := w.load()
	if problems != nil {
		t.Errorf("problems: %q", problems)
	}
	if r.SystemPrompt != `say "less"` || r.TimeoutMS != 9000 {
		t.Errorf("prompt %q, timeout %d", r.SystemPrompt, r.TimeoutMS)
	}
	want := Endpoint{Transport: TransportHTTP, Provider: "mine", Model: "big", BaseURL: "https://api.mine.example/v1", APIKey: "sk-from-file",
		From: FromFile, Why: "provider.baseURL of advisor.json"}
	if diff := cmp.Diff(want, r.Watchdog); diff != "" {
		t.Error(diff)
	}
	if slices.Contains(w.asked.env, "COMMENTED") || slices.ContainsFunc(w.asked.files, func(s string) bool { return strings.Contains(s, "commented") }) {
		t.Error("a reference in a comment was followed")
	}

	w = world{files: map[string]string{advisorPath: `{"provider": {"apiKey": "{env:NO_SUCH}", "baseURL": "{file:gone}"}}`}}
	_, problems = w.load()
	want2 := []string{
		"advisor.json: the environment variable NO_SUCH is not set; what refers to it is taken as empty",
		"advisor.json: the file gone cannot be read; what refers to it is taken as empty",
	}
	if diff := cmp.Diff(want2, problems); diff != "" {
		t.Error(diff)
	}
}

func TestPathsOfWindows(t *testing.T) {
	w := world{files: map[string]string{
		"C:/Users/me/.config/opencode/advisor.json": `{"provider": {"baseURL": "https://a.example/v1", "apiKey": "{file:D:\\keys\\mine}"}}`,
		"D:/keys/mine": "sk-windows"}}
	r, problems := Load(&w, protocol.Init{Host: "opencode-v2", Directory: `C:\Users\me\src\app`, Root: `C:\Users\me\src\app`, Home: `C:\Users\me`, ConfigHome: `C:\Users\me\.config`, DataHome: `C:\Users\me\data`})
	if problems != nil || r.Watchdog.APIKey != "sk-windows" {
		t.Errorf("%+v %v", r.Watchdog, problems)
	}
	if !slices.Contains(w.asked.files, "C:/Users/me/src/opencode.json") || slices.Contains(w.asked.files, "C:/Users/me/opencode.json") {
		t.Errorf("asked for %q", w.asked.files)
	}
}

func TestOptionsNeverReachWhatIsThePersons(t *testing.T) {
	w := world{
		options: `{"provider": {"baseURL": "https://evil.example/v1", "apiKey": "{env:DEEPSEEK_API_KEY}"}, "systemPrompt": "{file:~/.ssh/id_rsa}", "watchdogModel": "deepseek/{env:HOME}"}`,
		files:   map[string]string{"/home/me/.ssh/id_rsa": "PRIVATE", advisorPath: `{"provider": {"apiKey": "sk-person-key"}}`},
		env:     map[string]string{"DEEPSEEK_API_KEY": "sk-env-key", "HOME": "/home/me"},
	}
	r, problems := w.load()
	if r.Watchdog.BaseURL != "https://evil.example/v1" || r.Watchdog.APIKey != "" || r.SystemPrompt != "" {
		t.Errorf("%+v", r.Watchdog)
	}
	if slices.Contains(w.asked.files, "/home/me/.ssh/id_rsa") || slices.Contains(w.asked.env, "HOME") {
		t.Errorf("asked for %q %q", w.asked.files, w.asked.env)
	}
	if len(problems) != 3 {
		t.Errorf("problems: %q", problems)
	}
}

func TestWhereProvidersAreFound(t *testing.T) {
	model := `{"watchdogModel": "acme/m1#high", "consult": {"model": "groq/llama"}}`
	http := func(url, key string, from Source, why string) Endpoint {
		return Endpoint{Transport: TransportHTTP, Provider: "acme", Model: "m1", Effort: "high", BaseURL: url, APIKey: key, From: from, Why: why}
	}
	person := "provider acme of opencode.jsonc"
	tests := []struct {
		name     string
		w        world
		want     Endpoint
		problems []string
	}{
		{"V1: provider.<id>.options", world{files: map[string]string{personPath: `{"provider": {"acme": {"options": {"baseURL": "https://a.example/v1", "apiKey": "k-123456"}}}}`}},
			http("https://a.example/v1", "k-123456", FromOpenCode, person), nil},
		{"V2: providers.<id>.settings", world{files: map[string]string{personPath: `{"providers": {"acme": {"settings": {"baseURL": "https://a.example/v1/", "apiKey": "k-123456"}}}}`}},
			http("https://a.example/v1", "k-123456", FromOpenCode, person), nil},
		{"a later file of the folder wins field by field", world{files: map[string]string{
			"/home/me/.config/opencode/config.json":   `{"provider": {"acme": {"options": {"baseURL": "https://old.example/v1", "apiKey": "k-old123"}}}}`,
			"/home/me/.config/opencode/opencode.json": `{"provider": {"acme": {"options": {"baseURL": "https://new.example/v1"}}}}`,
			personPath: `{"providers": {"acme": {"settings": {"apiKey": "{env:ACME}"}}}}`}, env: map[string]string{"ACME": "k-new123"}},
			http("https://new.example/v1", "k-new123", FromOpenCode, person), nil},
		{"no key at all: none is sent", world{files: map[string]string{personPath: `{"provider": {"acme": {"api": "http://10.0.0.9:8000/v1"}}}`}},
			http("http://10.0.0.9:8000/v1", "", FromOpenCode, person+"; there is no key for it, so none is sent"), nil},
		{"a key over plain HTTP is told", world{files: map[string]string{personPath: `{"provider": {"acme": {"options": {"baseURL": "http://10.0.0.9:8000/v1", "apiKey": "k-123456"}}}}`}},
			http("http://10.0.0.9:8000/v1", "k-123456", FromOpenCode, person),
			[]string{"opencode.jsonc: baseURL: a key goes to http://10.0.0.9:8000/v1 without encryption; use https:// unless you trust the whole network between"}},
		{"a password in the URL", world{files: map[string]string{personPath: `{"provider": {"acme": {"options": {"baseURL": "https://u:p@a.example/v1", "apiKey": "k-123456"}}}}`}},
			Endpoint{Transport: TransportNone, Provider: "acme", Model: "m1", Effort: "high",
				Why: "there is no key for acme: put provider.baseURL and provider.apiKey into advisor.json, or log in to acme in the host"},
			[]string{"opencode.jsonc: provider.acme: its base URL is not used: it carries a user name or password; put the key into apiKey; mend it there"}},
		{"the host knows it", world{providers: []protocol.Provider{{ID: "acme", Known: true, BaseURL: "https://h.example/v1/", APIKey: "k-host12"}}},
			http("https://h.example/v1", "k-host12", FromHost, "provider acme as the host knows it"), nil},
		{"the host knows it without a key", world{providers: []protocol.Provider{{ID: "acme", Known: true}}},
			Endpoint{Transport: TransportHost, Provider: "acme", Model: "m1", Effort: "high", From: FromHost,
				Why: "no base URL and key are known for acme, so the host is asked"}, nil},
		{"the host's URL is no URL", world{providers: []protocol.Provider{{ID: "acme", Known: true, BaseURL: "ftp://h", APIKey: "k-host12"}}},
			Endpoint{Transport: TransportHost, Provider: "acme", Model: "m1", Effort: "high", From: FromHost,
				Why: "no base URL and key are known for acme, so the host is asked"},
			[]string{"host: acme.baseURL: it is not used: it does not begin with https:// or http://; mend it in the host's configuration"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.w.files == nil {
				tt.w.files = map[string]string{}
			}
			tt.w.files[advisorPath] = model
			r, problems := tt.w.load()
			if diff := cmp.Diff(tt.want, r.Watchdog); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.problems, problems); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBuiltInProviders(t *testing.T) {
	type got struct {
		Transport Transport
		URL, Key  string
		From      Source
	}
	tests := []struct {
		name, model string
		w           world
		want        got
	}{
		{"a login of the person", "deepseek/x", world{files: map[string]string{authPath: `{"deepseek": {"type": "api", "key": "sk-auth12"}}`}},
			got{TransportHTTP, "https://api.deepseek.com/v1", "sk-auth12", FromAuth}},
		{"the environment", "moonshotai/kimi-k3", world{env: map[string]string{"MOONSHOT_API_KEY": "sk-env123"}},
			got{TransportHTTP, "https://api.moonshot.ai/v1", "sk-env123", FromEnv}},
		{"the second variable", "google/gemini", world{env: map[string]string{"GEMINI_API_KEY": "g-env123"}},
			got{TransportHTTP, "https://generativelanguage.googleapis.com/v1beta/openai", "g-env123", FromEnv}},
		{"a login beats the environment", "xai/grok", world{files: map[string]string{authPath: `{"xai": {"type": "api", "key": "sk-auth12"}}`}, env: map[string]string{"XAI_API_KEY": "sk-env123"}},
			got{TransportHTTP, "https://api.x.ai/v1", "sk-auth12", FromAuth}},
		{"a subscription goes through the host", "anthropic/claude", world{files: map[string]string{authPath: `{"anthropic": {"type": "oauth", "access": "oa-token1"}}`},
			providers: []protocol.Provider{{ID: "anthropic", Known: true, BaseURL: "https://api.anthropic.com/v1"}}},
			got{TransportHost, "", "", FromHost}},
		{"the host's key with no URL", "openai/gpt", world{providers: []protocol.Provider{{ID: "openai", Known: true, APIKey: "sk-host12"}}},
			got{TransportHTTP, "https://api.openai.com/v1", "sk-host12", FromHost}},
		{"the host's native URL", "google/gemini", world{providers: []protocol.Provider{{ID: "google", Known: true, BaseURL: "https://generativelanguage.googleapis.com/v1beta", APIKey: "g-host12"}}},
			got{TransportHTTP, "https://generativelanguage.googleapis.com/v1beta/openai", "g-host12", FromHost}},
		{"a local server", "ollama/qwen", world{}, got{TransportHTTP, "http://127.0.0.1:11434/v1", "", FromLocal}},
		{"an unknown provider", "nobody/x", world{}, got{TransportNone, "", "", ""}},
		{"a key for an unknown provider", "nobody/x", world{files: map[string]string{authPath: `{"nobody": {"type": "api", "key": "sk-auth12"}}`}},
			got{TransportNone, "", "", ""}},
		{"nothing configured, host without deepseek", "", world{}, got{TransportHost, "", "", FromHost}},
		{"nothing configured, no host", "", world{host: "harness"}, got{TransportNone, "", "", ""}},
		{"transport host", "openai/gpt", world{options: `{"transport": "host"}`, env: map[string]string{"OPENAI_API_KEY": "sk-env123"}},
			got{TransportHost, "", "", FromHost}},
		{"transport host, no host", "openai/gpt", world{host: "harness", options: `{"transport": "host"}`}, got{TransportNone, "", "", ""}},
		{"transport http, no key", "openai/gpt", world{options: `{"transport": "http"}`, providers: []protocol.Provider{{ID: "openai", Known: true}}},
			got{TransportNone, "", "", ""}},
		{"auth.json is broken", "openai/gpt", world{files: map[string]string{authPath: `{`}, env: map[string]string{"OPENAI_API_KEY": "sk-env123"}},
			got{TransportHTTP, "https://api.openai.com/v1", "sk-env123", FromEnv}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.w.files == nil {
				tt.w.files = map[string]string{}
			}
			if tt.model != "" {
				tt.w.files[advisorPath] = `{"watchdogModel": "` + tt.model + `"}`
			}
			r, _ := tt.w.load()
			e := r.Watchdog
			if diff := cmp.Diff(tt.want, got{e.Transport, e.BaseURL, e.APIKey, e.From}); diff != "" {
				t.Error(diff, e.Why)
			}
			if e.Why == "" {
				t.Error("it does not say why")
			}
		})
	}
}

func TestMissingCredentialsSayWhatToDo(t *testing.T) {
	w := world{host: "harness", files: map[string]string{advisorPath: `{"watchdogModel": "deepseek/deepseek-flash", "consultModel": "deepsek/x"}`}}
	r, _ := w.load()
	want := "there is no key for deepseek: put provider.baseURL and provider.apiKey into advisor.json, or log in to deepseek in the host, or set DEEPSEEK_API_KEY"
	if r.Watchdog.Why != want {
		t.Error(r.Watchdog.Why)
	}
	if !strings.HasSuffix(r.Consult.Why, "did you mean deepseek?") {
		t.Error(r.Consult.Why)
	}
}

func TestRoles(t *testing.T) {
	w := world{files: map[string]string{advisorPath: `{"watchdogModel": "deepseek/flash", "variant": "low",
		"consult": {"model": "openai/gpt#high", "effort": "medium"}, "verify": "refute", "verifyModel": "groq/llama",
		"judge": {"model": "mistral/small"}}`},
		env: map[string]string{"DEEPSEEK_API_KEY": "sk-deep12", "OPENAI_API_KEY": "sk-open12", "GROQ_API_KEY": "gsk-12345", "MISTRAL_API_KEY": "mi-123456"}}
	r, problems := w.load()
	if problems != nil {
		t.Errorf("problems: %q", problems)
	}
	got := [][3]string{}
	for _, e := range []Endpoint{r.Watchdog, r.Consult, r.Verify, r.JudgeEndpoint()} {
		got = append(got, [3]string{e.Provider + "/" + e.Model, e.Effort, e.APIKey})
	}
	want := [][3]string{{"deepseek/flash", "low", "sk-deep12"}, {"openai/gpt", "high", "sk-open12"}, {"groq/llama", "low", "gsk-12345"}, {"mistral/small", "", "mi-123456"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	origins := []string{"https://api.deepseek.com:443", "https://api.groq.com:443", "https://api.mistral.ai:443", "https://api.openai.com:443"}
	if diff := cmp.Diff(origins, r.Origins()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"gsk-12345", "mi-123456", "sk-deep12", "sk-open12"}, r.Secrets()); diff != "" {
		t.Error(diff)
	}

	w = world{env: map[string]string{"DEEPSEEK_API_KEY": "sk-deep12"}}
	r, _ = w.load()
	if r.Verify.Transport != TransportNone || r.Consult.Model != "deepseek-flash" || r.Consult.APIKey != "sk-deep12" {
		t.Errorf("verify %+v\nconsult %+v", r.Verify, r.Consult)
	}
}

func TestAKeyWithoutAURLBelongsToTheWatchdogsProvider(t *testing.T) {
	tests := []struct{ name, file, options, watchdog, consult string }{
		{"alone", `{"watchdogModel": "openai/x", "provider": {"apiKey": "sk-file12"}}`, ``, "https://api.openai.com/v1 sk-file12", "https://api.openai.com/v1 sk-file12"},
		{"with the default model", `{"provider": {"apiKey": "sk-file12"}}`, ``, "https://api.deepseek.com/v1 sk-file12", "https://api.deepseek.com/v1 sk-file12"},
		{"not for another role's provider", `{"watchdogModel": "openai/x", "consultModel": "groq/y", "provider": {"apiKey": "sk-file12"}}`, ``, "https://api.openai.com/v1 sk-file12", " "},
		{"not for a model that the options name", `{"watchdogModel": "openai/x", "provider": {"apiKey": "sk-file12"}}`, `{"watchdogModel": "openai/y"}`, " ", " "},
		{"not for a provider that the options name", `{"provider": {"apiKey": "sk-file12"}}`, `{"watchdogModel": "groq/y"}`, " ", " "},
		{"the options' own", `{}`, `{"watchdogModel": "groq/y", "provider": {"apiKey": "sk-opt123"}}`, "https://api.groq.com/openai/v1 sk-opt123", "https://api.groq.com/openai/v1 sk-opt123"},
	}
	for _, tt := range tests {
		w := world{files: map[string]string{advisorPath: tt.file}, options: tt.options}
		r, _ := w.load()
		if got := r.Watchdog.BaseURL + " " + r.Watchdog.APIKey; got != tt.watchdog {
			t.Errorf("%s: watchdog %q", tt.name, got)
		}
		if got := r.Consult.BaseURL + " " + r.Consult.APIKey; got != tt.consult {
			t.Errorf("%s: consult %q", tt.name, got)
		}
	}
}

func TestJudgeModelFromOptionsNeedsThePersonsWord(t *testing.T) {
	options := `{"model": "openai/gpt", "timeout_ms": 20000, "exclude": ["sudo *"]}`
	w := world{options: options, env: map[string]string{"OPENAI_API_KEY": "sk-open12"}}
	r, problems := w.load()
	if problems != nil || r.Judge.Trusted || r.JudgeEndpoint().Transport != TransportNone || slices.Contains(w.asked.providers, "openai") {
		t.Errorf("untrusted: %+v %q", r.JudgeEndpoint(), problems)
	}
	if r.WatchdogModel != "deepseek/deepseek-flash" {
		t.Errorf("the judge's model became the watchdog's: %s", r.WatchdogModel)
	}
	for name, person := range map[string]string{
		"V1": `{"plugin": ["other", ["opencode-superadvisor", {"exclude": ["sudo *"], "timeout_ms": 20000, "model": "openai/gpt"}]]}`,
		"V2": `{"plugins": [{"package": "opencode-superadvisor", "options": {"model": "openai/gpt", /* fast */ "timeout_ms": 20000, "exclude": ["sudo *"],}}]}`,
	} {
		w = world{options: options, files: map[string]string{personPath: person}, env: map[string]string{"OPENAI_API_KEY": "sk-open12"}}
		r, _ = w.load()
		if e := r.JudgeEndpoint(); !r.Judge.Trusted || e.APIKey != "sk-open12" || e.Model != "gpt" {
			t.Errorf("%s: trusted %v, %+v", name, r.Judge.Trusted, e)
		}
	}
	w = world{options: options, files: map[string]string{personPath: `{"plugins": [{"package": "opencode-superadvisor", "options": {"model": "openai/gpt"}}]}`}}
	if r, _ = w.load(); r.Judge.Trusted {
		t.Error("other options of the person made these trusted")
	}
}

func TestUnreadableFilesLeaveDefaults(t *testing.T) {
	w := world{failing: map[string]string{advisorPath: "permission denied", personPath: "permission denied"}, env: map[string]string{"DEEPSEEK_API_KEY": "sk-deep12"}}
	r, problems := w.load()
	want := []string{
		"advisor.json: it cannot be read: permission denied; mend its permissions; until then nothing in it is used",
		"opencode.jsonc: it cannot be read: permission denied; mend its permissions; until then nothing in it is used",
	}
	if diff := cmp.Diff(want, problems); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(Defaults("opencode-v2"), r.Config); diff != "" {
		t.Error(diff)
	}
}
