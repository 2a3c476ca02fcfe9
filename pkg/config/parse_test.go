package config

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// load parses one document as a source and lays it over the defaults.
func load(t *testing.T, doc, source string) (Config, map[string]string, []string) {
	t.Helper()
	l, problems := Parse([]byte(doc), source)
	c, from := Merge("harness", l)
	var lines []string
	for _, p := range problems {
		lines = append(lines, p.String())
	}
	return c, from, lines
}

func TestDefaultsAreWhatTheReferenceSays(t *testing.T) {
	want := map[string]string{
		"enabled": "true", "watchdogModel": "deepseek/deepseek-flash", "variant": "", "provider.baseURL": "", "provider.apiKey": "",
		"transport": "auto", "reviewMode": "step", "reviewInterval": "1", "debounceMs": "300", "timeoutMs": "25000", "maxToolSteps": "3",
		"maxRequestBytes": "40960", "maxNotesPerUpdate": "3", "notesPerMessage": "6", "blockersPerMessage": "2", "notesPerSession": "60",
		"reviewsPerSession": "0", "maxTokensPerSession": "0", "maxTokensPerReview": "0", "maxCostPerDay": "0", "pauseAtShare": "0", "prices": "",
		"reviewGate": "off", "record": "false", "maxWakesPerHour": "3", "immuneTurns": "3", "requireEvidence": "true",
		"verify": "off", "verifyModel": "", "tools": `["read", "grep", "glob"]`, "systemPrompt": "", "contextFiles": "[]", "advisors": "", "projectAdvisors": "3",
		"delivery.nit": "synthetic_noreply", "delivery.concern": "synthetic_noreply", "delivery.blocker": "steer_waking",
		"consult.enabled": "true", "consult.model": "", "consult.effort": "", "consult.maxTokens": "1024",
		"consult.includeContextMessages": "12", "consult.timeoutMs": "120000", "consult.maxToolSteps": "3", "consult.maxCalls": "",
	}
	got := map[string]string{}
	for _, f := range Fields() {
		got[f.Key] = f.Default("opencode-v2")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	pi := Defaults(HostPi)
	if pi.Consult.Model != "openrouter/anthropic/claude-opus-4.8" || pi.Consult.Effort != "high" || pi.Consult.MaxTokens != 32_000 || pi.Consult.TimeoutMS != 600_000 {
		t.Errorf("pi's consultation: %+v", pi.Consult)
	}
}

func TestEveryKeyIsReadAndRemembersItsSource(t *testing.T) {
	// The seed's example, with comments and trailing commas, and the later keys.
	doc := `{
		// background reviewer
		"enabled": false,
		"watchdogModel": "deepseek/deepseek-flash#high", "variant": "low",
		"provider": {"baseURL": "http://127.0.0.1:8084/v1/", "apiKey": "your-api-key-here",},
		"transport": "http", "reviewMode": "idle", "reviewInterval": 2, "debounceMs": 0, "timeoutMs": 5e3, "maxToolSteps": 0,
		"maxRequestBytes": 8192, "maxNotesPerUpdate": 1, "notesPerMessage": 2, "blockersPerMessage": 0, "notesPerSession": 9,
		"reviewsPerSession": 10, "maxTokensPerSession": 11, "maxTokensPerReview": 12, "maxCostPerDay": 2.5, "pauseAtShare": 30,
		"prices": {"deepseek/deepseek-flash": {"input": 0.28, "output": 0.42, "cacheRead": 0.028}}, "reviewGate": "auto", "record": true, "maxWakesPerHour": 0, "immuneTurns": 0, "requireEvidence": false,
		"verify": "refute", "verifyModel": "openai/gpt", "tools": ["grep", "grep"], "systemPrompt": " be brief ",
		"contextFiles": ["AGENTS.md", "./docs/REVIEW.md"],
		"advisors": ["security", {"name": "db", "model": "openai/gpt#low", "instructions": " Queries. ", "tools": ["grep"], "ceiling": "concern",
			"on": ["edits", "failures"], "paths": ["**/*.sql"]}], "projectAdvisors": 1,
		"delivery": {"nit": "off", "concern": "off", "blocker": "synthetic_noreply"},
		"consult": {"enabled": false, "model": "moonshotai/kimi-k3", "effort": "max", "maxTokens": 2000, "includeContextMessages": 0,
			"timeoutMs": 600000, "maxToolSteps": 20, "maxCalls": 0},  /* end */
	}`
	c, from, problems := load(t, doc, SourceFile)
	if problems != nil {
		t.Errorf("problems: %q", problems)
	}
	want := Config{
		Enabled: false, WatchdogModel: "deepseek/deepseek-flash#high", Variant: "low",
		Provider: Provider{"http://127.0.0.1:8084/v1", "your-api-key-here"}, Transport: TransportHTTP,
		ReviewMode: ModeIdle, ReviewInterval: 2, DebounceMS: 0, TimeoutMS: 5000, MaxToolSteps: 0, MaxRequestBytes: 8192,
		MaxNotesPerUpdate: 1, NotesPerMessage: 2, BlockersPerMessage: 0, NotesPerSession: 9, ReviewsPerSession: 10,
		Budget: Budget{TokensPerSession: 11, TokensPerReview: 12, CostPerDay: 2_500_000, PauseAtShare: 30,
			Prices: Prices{"deepseek/deepseek-flash": {In: 280_000, Out: 420_000, CacheRead: 28_000, CacheWrite: 280_000, Known: true}}},
		ReviewGate: GateAuto, Record: true,
		MaxWakesPerHour: 0, ImmuneTurns: 0, RequireEvidence: false, Verify: VerifyRefute, VerifyModel: "openai/gpt",
		Tools: []string{"grep"}, SystemPrompt: "be brief", ContextFiles: []string{"AGENTS.md", "docs/REVIEW.md"},
		Advisors: Roster{Own: []Advisor{{Name: "security", Source: SourceFile}, {Name: "db", Model: "openai/gpt#low", Instructions: "Queries.", Tools: []string{"grep"},
			Ceiling: protocol.Concern, On: []string{"edits", "failures"}, Paths: []string{"**/*.sql"}, Source: SourceFile}}}, ProjectAdvisors: 1,
		Delivery: Delivery{ChannelOff, ChannelOff, ChannelSilent},
		Consult: Consult{Enabled: false, Model: "moonshotai/kimi-k3", Effort: "max", MaxTokens: 2000, IncludeContextMessages: 0,
			TimeoutMS: 600_000, MaxToolSteps: 20, MaxCalls: 0},
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Error(diff)
	}
	for _, f := range Fields() {
		if from[f.Key] != SourceFile {
			t.Errorf("%s is said to come from %s", f.Key, from[f.Key])
		}
	}
}

func TestEveryFieldFallsBackAlone(t *testing.T) {
	for _, f := range Fields() {
		var bad []string
		switch f.kind {
		case kindFlag:
			bad = []string{`"yes"`, `1`, `[]`}
		case kindNumber:
			bad = []string{`"3"`, `true`, `2.5`, `1e99`, strconv.Itoa(f.Min - 1), strconv.Itoa(f.Max + 1)}
		case kindWord:
			bad = []string{`"no such word"`, `""`, `1`, `{}`}
		case kindText:
			bad = []string{`1`, `true`, `["a"]`, `{"a":1}`}
		case kindAdvisors:
			bad = []string{`"security"`, `1`, `{}`}
		case kindList, kindFiles:
			bad = []string{`"read"`, `["../x"]`, `[1]`, `{}`}
		}
		for _, b := range bad {
			doc := nest(f.Key, b, `"requireEvidence": false`)
			c, from, problems := load(t, doc, SourceFile)
			want := Defaults("harness")
			want.RequireEvidence = false
			if f.Key == "requireEvidence" {
				doc = nest(f.Key, b, `"enabled": false`)
				c, from, problems = load(t, doc, SourceFile)
				want = Defaults("harness")
				want.Enabled = false
			}
			if diff := cmp.Diff(want, c); diff != "" {
				t.Errorf("%s: the rest is not as it should be:\n%s", doc, diff)
			}
			if from[f.Key] != SourceDefault {
				t.Errorf("%s: said to come from %s", doc, from[f.Key])
			}
			if len(problems) != 1 || !strings.HasPrefix(problems[0], "advisor.json: "+f.Key+": want ") {
				t.Errorf("%s: problems %q", doc, problems)
			}
		}
	}
}

func TestProblemsNameTheFieldAndTheMending(t *testing.T) {
	tests := []struct {
		name, doc, source string
		want              []string
	}{
		{"a key that is nearly right", `{"timeoutMS": 1, "reviewMod": "step", "consult": {"maxTokns": 1}}`, SourceFile, []string{
			"advisor.json: timeoutMS: there is no such key; did you mean timeoutMs? it is ignored",
			"advisor.json: reviewMod: there is no such key; did you mean reviewMode? it is ignored",
			"advisor.json: consult.maxTokns: there is no such key; did you mean consult.maxTokens? it is ignored",
		}},
		{"a key that belongs into a group", `{"maxTokens": 4000}`, SourceFile, []string{
			"advisor.json: maxTokens: there is no such key; did you mean consult.maxTokens? it is ignored",
		}},
		{"a key that is nothing like ours", `{"colour": 1, "delivery": {"gossip": "off"}}`, SourceOptions, []string{
			"options: colour: there is no such key; it is ignored",
			"options: delivery.gossip: there is no such key; it is ignored; known are delivery.nit, delivery.concern, delivery.blocker",
		}},
		{"wrong type and range", `{"timeoutMs": "fast", "maxToolSteps": 99, "tools": ["read", "rm"]}`, SourceFile, []string{
			`advisor.json: timeoutMs: want a whole number from 1000 to 600000, got the text "fast"; it is not used`,
			"advisor.json: maxToolSteps: want a whole number from 0 to 20, got 99; it is not used",
			`advisor.json: tools: want a list of read, grep, glob, got the text "rm" in it; it is not used`,
		}},
		{"a word that is nearly right", `{"reviewMode": "steps"}`, SourceFile, []string{
			`advisor.json: reviewMode: want one of step, idle, execution, got the text "steps" (did you mean step?); it is not used`,
		}},
		{"a severity made to wake", `{"delivery": {"nit": "steer_waking"}}`, SourceFile, []string{
			`advisor.json: delivery.nit: want one of synthetic_noreply, off, got the text "steer_waking"; it is not used`,
		}},
		{"a secret is never shown", `{"provider": {"apiKey": 12345678, "baseURL": "https://me:hunter2@evil.example/v1"}}`, SourceFile, []string{
			"advisor.json: provider.apiKey: want text, got something else; it is not used",
			"advisor.json: provider.baseURL: want a base URL: it carries a user name or password; put the key into apiKey, got text; it is not used",
		}},
		{"a group that is none", `{"consult": true, "judge": 1}`, SourceFile, []string{
			"advisor.json: consult: want an object, got true; it is not used",
			"advisor.json: judge: want an object, got 1; it is not used",
		}},
		{"the same key twice", `{"reviewInterval": 2, "reviewInterval": 3}`, SourceFile, []string{
			"advisor.json: reviewInterval: it stands there more than once; the last one is used; delete the others",
		}},
		{"both names of one key", `{"model": "a/b", "watchdogModel": "c/d"}`, SourceFile, []string{
			"advisor.json: model: it is another name of watchdogModel, which is there too; delete it; watchdogModel is used",
		}},
		{"both names the other way round", `{"consult": {"model": "c/d"}, "consultModel": "a/b"}`, SourceFile, []string{
			"advisor.json: consultModel: it is another name of consult.model, which is there too; delete it; consult.model is used",
		}},
		{"a reference in untrusted options", `{"provider": {"apiKey": "{env:DEEPSEEK_API_KEY}"}, "systemPrompt": "{file:~/.ssh/id_rsa}"}`, SourceOptions, []string{
			"options: provider.apiKey: {env:} and {file:} are not replaced in plugin options; it is not used; move it to advisor.json",
			"options: systemPrompt: {env:} and {file:} are not replaced in plugin options; it is not used; move it to advisor.json",
		}},
		{"not an object", `[1]`, SourceFile, []string{
			"advisor.json: want an object, got a list; put the settings into { }; until then nothing in it is used",
		}},
		{"not JSON", "{\n \"enabled\": false,\n sk-live-0123456789\n}", SourceFile, []string{
			"advisor.json: it cannot be read as JSON: line 3, column 2: want a key in quotes; mend the file; until then nothing in it is used",
		}},
		{"nothing at all", " \n", SourceFile, nil},
		{"a byte order mark", "\ufeff{}", SourceFile, nil},
		{"a control character in a value", `{"reviewMode": "a\u0007b"}`, SourceFile, []string{
			`advisor.json: reviewMode: want one of step, idle, execution, got the text "a b"; it is not used`,
		}},
		{"the judge's own names", `{"model": "a/b", "timeout_ms": 1, "exclude": [], "enabled": false}`, SourceOptions, nil},
		{"the judge's own names elsewhere", `{"timeout_ms": 1}`, SourceFile, []string{
			"advisor.json: timeout_ms: there is no such key; did you mean timeoutMs? it is ignored",
		}},
		{"null is absent", `{"timeoutMs": null, "consult": {"maxCalls": null}}`, SourceFile, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, got := load(t, tt.doc, tt.source)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAliases(t *testing.T) {
	tests := []struct{ name, doc, watchdog, consult string }{
		{"the old name", `{"model": "a/b"}`, "a/b", ""},
		{"the key wins over its alias, first", `{"watchdogModel": "c/d", "model": "a/b"}`, "c/d", ""},
		{"the key wins over its alias, last", `{"model": "a/b", "watchdogModel": "c/d"}`, "c/d", ""},
		{"a bad alias does not hide the key", `{"model": 1, "watchdogModel": "c/d"}`, "c/d", ""},
		{"consultModel", `{"consultModel": "x/y"}`, "deepseek/deepseek-flash", "x/y"},
		{"pi's older form", `{"provider": "openrouter", "model": "anthropic/claude-opus-4.8", "effort": "high", "maxTokens": 32000}`,
			"deepseek/deepseek-flash", "openrouter/anthropic/claude-opus-4.8"},
	}
	for _, tt := range tests {
		c, _, _ := load(t, tt.doc, SourceFile)
		if c.WatchdogModel != tt.watchdog || c.Consult.Model != tt.consult {
			t.Errorf("%s: watchdog %q, consult %q", tt.name, c.WatchdogModel, c.Consult.Model)
		}
	}
}

func TestOptionsWinFieldByField(t *testing.T) {
	file, _ := Parse([]byte(`{"timeoutMs": 5000, "reviewInterval": 4, "consult": {"maxCalls": 2}}`), SourceFile)
	options, _ := Parse([]byte(`{"timeoutMs": 7000, "reviewInterval": "x"}`), SourceOptions)
	c, from := Merge("harness", file, options)
	if c.TimeoutMS != 7000 || c.ReviewInterval != 4 || c.Consult.MaxCalls != 2 || c.MaxToolSteps != 3 {
		t.Errorf("%+v", c)
	}
	got := []string{from["timeoutMs"], from["reviewInterval"], from["consult.maxCalls"], from["maxToolSteps"]}
	if diff := cmp.Diff([]string{SourceOptions, SourceFile, SourceFile, SourceDefault}, got); diff != "" {
		t.Error(diff)
	}
}

func TestDeepAndLargeFilesAreRefusedNotRecursedInto(t *testing.T) {
	for name, doc := range map[string]string{
		"deep":       `{"a":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}",
		"deep, open": strings.Repeat(`{"a":`, 100_000),
		"large":      `{"systemPrompt":"` + strings.Repeat("x", 2<<20) + `"}`,
	} {
		c, _, problems := load(t, doc, SourceFile)
		if len(problems) != 1 {
			t.Errorf("%s: problems %d", name, len(problems))
		}
		if diff := cmp.Diff(Defaults("harness"), c); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	// Brackets in strings and comments do not nest.
	if _, _, problems := load(t, `{"systemPrompt":"`+strings.Repeat("[", 500)+`" /* `+strings.Repeat("{", 500)+` */}`, SourceFile); problems != nil {
		t.Errorf("problems: %q", problems)
	}
}

func TestAFloodOfKeysIsReportedOnceOrTwiceOver(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"timeoutMs": 5000`)
	for i := range 20_000 {
		b.WriteString(`,"timeoutM` + strconv.Itoa(i) + `":1,"x":2`)
	}
	c, _, problems := load(t, b.String()+`}`, SourceOptions)
	if c.TimeoutMS != 5000 || len(problems) != maxProblems {
		t.Errorf("timeout %d, %d problems", c.TimeoutMS, len(problems))
	}
	if last := problems[len(problems)-1]; !strings.Contains(last, "there are more problems") {
		t.Errorf("last: %s", last)
	}
}

// nest writes a document that sets a dotted key.
func nest(key, val, rest string) string {
	if group, name, ok := strings.Cut(key, "."); ok {
		return `{"` + group + `":{"` + name + `":` + val + `}, ` + rest + `}`
	}
	return `{"` + key + `":` + val + `, ` + rest + `}`
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"enabled": true, /* x */ "provider": {"baseURL": "http://[::1]:80/v1"},}`))
	f.Add([]byte(`{"provider":"a","model":"b","consult":{"model":1}}`))
	f.Add([]byte("{\"a\xff\":\"\\ud800\"}"))
	f.Fuzz(func(t *testing.T, doc []byte) {
		before := string(doc)
		l, problems := Parse(doc, SourceOptions)
		if string(doc) != before {
			t.Fatal("Parse wrote into the document")
		}
		c, _ := Merge("harness", l)
		for _, f := range Fields() {
			if n, ok := f.at(&c).(*int); ok && (*n < f.Min || *n > f.Max) && *n != NoCap {
				t.Errorf("%s = %d is out of bounds", f.Key, *n)
			}
		}
		if c.Delivery.Nit == ChannelWaking || c.Delivery.Concern == ChannelWaking {
			t.Error("a nit or concern may wake")
		}
		for _, p := range problems {
			if strings.ContainsAny(p.String(), "\n\r\x1b") {
				t.Errorf("a problem is not one line: %q", p)
			}
		}
	})
}
