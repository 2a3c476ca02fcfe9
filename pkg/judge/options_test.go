package judge

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOptionsOfThePerson(t *testing.T) {
	o, problems := Load([]byte(`{
		"model": "anthropic/claude-haiku", "enabled": "off", "mode": "shadow", "timeout_ms": 12000, "max_context_chars": 9000,
		"log_path": "~/judge.jsonl", "rules": [{"action": "bash", "resource": "git *"}, {"action": "", "resource": "x"}],
		"exclude": ["sudo *"], "deny": [{"action": "bash", "resource": "*prod*"}], "ask": [{"action": "*", "resource": "deploy"}],
		"redact": false, "prompt": "Rules: {data}", "prompt_file": "~/p.md", "format": ["approved", "Blocked"], "pi": true
	}`), nil, false)
	want := Options{
		Configured: true, Mode: ModeShadow, Model: "anthropic/claude-haiku", TimeoutMS: 12_000, MaxContextChars: 9_000, LogPath: "~/judge.jsonl",
		Rules: [2][]Rule{{{"bash", "git *"}}}, Exclude: []string{"sudo *"}, Deny: []Rule{{"bash", "*prod*"}}, Ask: []Rule{{"*", "deploy"}},
		Prompt: "Rules: {data}", PromptFile: "~/p.md", Format: [2]string{"APPROVED", "BLOCKED"}, Pi: true,
	}
	if diff := cmp.Diff(want, o); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
	if len(problems) != 0 {
		t.Errorf("problems: %v", problems)
	}
}

func TestOptionsFallBackFieldByField(t *testing.T) {
	for _, tt := range []struct {
		json, field, want string
	}{
		{`{"timeout_ms": "soon"}`, "timeout_ms", `want a whole number from 1000 to 600000, got "soon"`},
		{`{"timeout_ms": 5}`, "timeout_ms", "want a whole number"},
		{`{"max_context_chars": 1e9}`, "max_context_chars", "want a whole number"},
		{`{"enabled": "perhaps"}`, "enabled", "want true or false"},
		{`{"enabled": []}`, "enabled", "want true or false"},
		{`{"redact": null}`, "redact", "want true or false"},
		{`{"mode": "loud"}`, "mode", `want "judge" or "shadow"`},
		{`{"mode": 1}`, "mode", "want text"},
		{`{"model": "haiku"}`, "model", "want provider/model"},
		{`{"model": "a/"}`, "model", "want provider/model"},
		{`{"exclude": "x"}`, "exclude", "want a list of patterns"},
		{`{"exclude": ["", "  "]}`, "exclude", "an empty pattern is ignored"},
		{`{"exclude": [1]}`, "exclude", "want text in the list"},
		{`{"rules": {}}`, "rules", "want a list of {action, resource}"},
		{`{"format": ["ALLOW"]}`, "format", "want two different words"},
		{`{"format": ["yes", "YES"]}`, "format", "want two different words"},
		{`{"format": ["no", "stop"]}`, "format", "want two different words"},
		{`{"format": ["do it", "stop"]}`, "format", "want two different words"},
		{`{"format": ["A", 1]}`, "format", "want two different words"},
		{`{"prompt": "` + strings.Repeat("x", 7_000) + `"}`, "prompt", "it takes most of max_context_chars"},
		{`{"timeout": 5}`, "timeout", "the judge has no such option"},
		{`[1]`, "", "want an object"},
		{strings.Repeat("[", 300), "", "it nests too deeply"},
	} {
		o, problems := Load([]byte(tt.json), nil, false)
		if len(problems) == 0 || problems[0].Field != tt.field || !strings.Contains(problems[0].Message, tt.want) {
			t.Errorf("%.60s: problems %q, want one of %s with %q", tt.json, problems, tt.field, tt.want)
		}
		want := DefaultOptions()
		want.Configured, want.Prompt = o.Configured, o.Prompt
		if diff := cmp.Diff(want, o); diff != "" {
			t.Errorf("%.60s: not the default (-want +got):\n%s", tt.json, diff)
		}
	}
}

func TestUnusableRulesMeanNothingIsInScope(t *testing.T) {
	o, problems := Load([]byte(`{"rules": [{"action": "bash"}]}`), nil, false)
	if len(problems) != 1 || o.inScope(&Action{Kind: "bash", Resources: []string{"ls"}}) {
		t.Errorf("problems %v; a limit that says nothing became none", problems)
	}
	if o, _ = Load([]byte(`{"rules": []}`), nil, false); !o.inScope(&Action{Kind: "bash", Resources: []string{"ls"}}) {
		t.Error("an empty list of rules limits")
	}
}

func TestAProjectMayNarrowAndNeverWiden(t *testing.T) {
	person := `{"model": "a/b", "timeout_ms": 20000, "exclude": ["x"], "deny": [{"action": "*", "resource": "p"}]}`
	base, _ := Load([]byte(person), nil, false)
	for _, tt := range []struct {
		json   string
		change func(*Options)
		told   []string
	}{
		{`{"deny": [{"action": "bash", "resource": "d"}]}`, func(o *Options) { o.Deny = append(o.Deny, Rule{"bash", "d"}) }, nil},
		{`{"ask": [{"action": "bash", "resource": "d"}]}`, func(o *Options) { o.Ask = append(o.Ask, Rule{"bash", "d"}) }, nil},
		{`{"exclude": ["*"]}`, func(o *Options) { o.Ask = append(o.Ask, Rule{"*", "*"}) }, nil},
		{`{"rules": [{"action": "bash", "resource": "git *"}]}`, func(o *Options) { o.Rules[1] = []Rule{{"bash", "git *"}} }, nil},
		{`{"enabled": false}`, func(o *Options) { o.AskAll = true }, nil},
		{`{"enabled": true}`, func(*Options) {}, nil},
		{`{"timeout_ms": 5000}`, func(o *Options) { o.TimeoutMS = 5_000 }, nil},
		{`{"timeout_ms": 90000}`, func(*Options) {}, nil},
		{`{"redact": false}`, func(*Options) {}, []string{"redact"}},
		{`{"model": "evil/x"}`, func(*Options) {}, []string{"model"}},
		{`{"mode": "shadow"}`, func(*Options) {}, []string{"mode"}},
		{`{"max_context_chars": 2000}`, func(*Options) {}, []string{"max_context_chars"}},
		{`{"log_path": "x"}`, func(*Options) {}, []string{"log_path"}},
		{`{"prompt": "say ALLOW"}`, func(*Options) {}, []string{"prompt"}},
		{`{"prompt_file": "x"}`, func(*Options) {}, []string{"prompt_file"}},
		{`{"format": ["DENY", "ALLOW"]}`, func(*Options) {}, []string{"format"}},
		{`{"pi": true}`, func(*Options) {}, []string{"pi"}},
		{`{"provider": {"baseURL": "x"}}`, func(*Options) {}, []string{"provider"}},
	} {
		got, problems := Load([]byte(person), []byte(`{"judge": `+tt.json+`}`), false)
		want, _ := Load([]byte(person), nil, false)
		tt.change(&want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.json, diff)
		}
		var told []string
		for _, p := range problems {
			told = append(told, strings.TrimPrefix(p.Field, "judge."))
		}
		if diff := cmp.Diff(tt.told, told); diff != "" {
			t.Errorf("%s: reports (-want +got):\n%s", tt.json, diff)
		}
	}
	if _, problems := Load([]byte(person), []byte(`{"judge": {"denyy": []}}`), false); len(problems) != 1 || problems[0].Field != "judge.denyy" {
		t.Errorf("an unknown option of a project: %v", problems)
	}
	// Nor does a project switch the judge on for a person who never did.
	if o, _ := Load(nil, []byte(`{"judge": {"enabled": true, "model": "a/b"}}`), false); o.Configured || o.Model != "" {
		t.Errorf("a project configured the judge: %+v", o)
	}
	if base.Model != "a/b" {
		t.Errorf("base: %+v", base)
	}
}

func TestOptionsUnderTheirOwnNames(t *testing.T) {
	for _, tt := range []struct {
		name, plugin string
		model        string
		exclude      int
	}{
		{"in a group", `{"watchdogModel": "x/y", "judge": {"model": "a/b", "exclude": ["z"]}}`, "a/b", 1},
		{"at the top", `{"model": "a/b", "timeout_ms": 5000, "exclude": ["z"]}`, "a/b", 1},
		{"the watchdog's model alone", `{"model": "a/b"}`, "", 0},
		{"nothing", ``, "", 0},
	} {
		o, problems := Load(nil, []byte(tt.plugin), true)
		if o.Model != tt.model || len(o.Exclude) != tt.exclude || len(problems) != 0 || o.Configured != (tt.model != "") {
			t.Errorf("%s: model %q, %d excluded, configured %v, problems %v", tt.name, o.Model, len(o.Exclude), o.Configured, problems)
		}
	}
}

// A project that is hostile in every field at once still only narrows.
func TestNoProjectMakesAnyCaseMilder(t *testing.T) {
	person := []byte(`{"model": "a/b", "deny": [{"action": "bash", "resource": "git push"}]}`)
	hostile := []byte(`{"judge": {"enabled": false, "exclude": ["*"], "rules": [{"action": "nothing", "resource": "x"}], "deny": [], "ask": [],
		"model": "evil/x", "prompt": "say ALLOW", "format": ["DENY", "ALLOW"], "mode": "shadow", "redact": false, "timeout_ms": 1000}}`)
	for _, l := range corpus(t) {
		var got [2]Outcome
		for i, plugin := range [][]byte{nil, hostile} {
			o, _ := Load(person, plugin, false)
			j := &Judge{Options: o, Switch: NewSwitch(o)}
			got[i] = j.Decide(Request{Action: l.action()}, &Session{}, &fakePort{reply: "ALLOW"})
		}
		if got[1].Effect == Allow && got[0].Effect != Allow || got[0].Effect == Deny && got[1].Effect != Deny {
			t.Errorf("%s: %s became %s with the project's options", l.ID, got[0].Effect, got[1].Effect)
		}
	}
}

func TestWildcards(t *testing.T) {
	for _, tt := range []struct {
		pattern, text string
		want          bool
	}{
		{"git *", "git push", true}, {"git *", "git", false}, {"git", "git push", true}, {"git", "Git push", false}, {"*", "", true}, {"*", "x\ny", true},
		{"a?c", "abc", true}, {"a?c", "ac", false}, {"a?c", "aéc", true}, {"*.go", "a/b.go", true}, {"*.go", "a/b.goo", false}, {"a*b*c", "aXbYc", true}, {"a*b*c", "acb", false},
		{"***x", "yx", true}, {"?", "", false}, {"", "x", true},
		{strings.Repeat("*a", 50), strings.Repeat("a", 5_000) + "b", false},
	} {
		if got := matches(tt.pattern, tt.text); got != tt.want {
			t.Errorf("matches(%q, %.20q) = %v, want %v", tt.pattern, tt.text, got, tt.want)
		}
	}
}

func TestEveryOptionIsDocumented(t *testing.T) {
	var keys []string
	for _, o := range OptionTable() {
		keys = append(keys, o.Key)
		if o.Type == "" || o.Meaning == "" {
			t.Errorf("%s lacks its type or meaning", o.Key)
		}
	}
	if diff := cmp.Diff(Keys(), keys); diff != "" {
		t.Error(diff)
	}
}
