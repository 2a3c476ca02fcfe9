package config

import (
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/budget"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Plugin options may be a project's: they may narrow what the person allows, and never widen it.
func TestOptionsNarrowTheBudgetAndNeverWidenIt(t *testing.T) {
	for _, c := range []struct {
		key, file, options, want string
	}{
		{"maxTokensPerSession", "100", "50", "50"},
		{"maxTokensPerSession", "100", "200", "100"},
		{"maxTokensPerSession", "100", "0", "100"},
		{"maxTokensPerSession", "0", "200", "200"},
		{"maxTokensPerSession", "", "200", "200"},
		{"maxTokensPerReview", "100", "200", "100"},
		{"maxCostPerDay", "1.5", "0.5", "0.5"},
		{"maxCostPerDay", "1.5", "2", "1.5"},
		{"maxCostPerDay", "1.5", "0", "1.5"},
		{"pauseAtShare", "20", "90", "20"},
		{"pauseAtShare", "20", "10", "10"},
	} {
		doc := func(v string) []byte {
			if v == "" {
				return nil
			}
			return []byte(`{"` + c.key + `":` + v + `}`)
		}
		file, _ := Parse(doc(c.file), SourceFile)
		options, _ := Parse(doc(c.options), SourceOptions)
		got, _ := Merge("harness", file, options)
		for _, f := range Fields() {
			if f.Key == c.key && f.Value(&got) != c.want {
				t.Errorf("%s: advisor.json %s, options %s: got %s, want %s", c.key, c.file, c.options, f.Value(&got), c.want)
			}
		}
	}
}

func TestOptionsSetNeitherPricesNorRecordings(t *testing.T) {
	l, problems := Parse([]byte(`{"record": true, "prices": {"a/b": {"input": 0, "output": 0}}}`), SourceOptions)
	if l.Has("record") || l.Has("prices") {
		t.Error("plugin options set what advisor.json alone may")
	}
	if len(problems) != 2 || !strings.Contains(problems[0].String(), "advisor.json") {
		t.Errorf("problems: %v", problems)
	}
}

func TestPricesThatCannotBeUsedFallBackAlone(t *testing.T) {
	l, problems := Parse([]byte(`{"prices": {
		"a/good": {"input": 1, "output": 2},
		"a/free": {"input": 0, "output": 0},
		"a/negative": {"input": -1, "output": 2},
		"a/half": {"input": 1},
		"a/text": {"input": "1", "output": 2},
		"a/dear": {"input": 1001, "output": 2},
		"a/spelled": {"input": 1, "output": 2, "cacheread": 3},
		"nobody": {"input": 1, "output": 2}
	}}`), SourceFile)
	want := Prices{"a/good": {In: 1e6, Out: 2e6, CacheRead: 1e6, CacheWrite: 1e6, Known: true}, "a/free": {Known: true},
		"a/spelled": {In: 1e6, Out: 2e6, CacheRead: 1e6, CacheWrite: 1e6, Known: true}}
	got := l.config.Budget.Prices
	if len(got) != len(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for model, p := range want {
		if got[model] != p {
			t.Errorf("%s: got %+v, want %+v", model, got[model], p)
		}
	}
	if len(problems) != 6 {
		t.Errorf("%d problems: %v", len(problems), problems)
	}
}

func TestWhereAPriceComesFrom(t *testing.T) {
	hosted := map[string]protocol.Provider{"p": {ID: "p", Known: true, Prices: []protocol.ModelPrice{
		{Model: "m", Input: 2_000_000, Output: 8_000_000, CacheRead: 200_000}, {Model: "zero"}, {Model: "odd", Input: -1, Output: 5}}}}
	known := budget.Price{In: 2_000_000, Out: 8_000_000, CacheRead: 200_000, CacheWrite: 2_000_000, Known: true}
	own := budget.Price{In: 1, Out: 1, Known: true}
	for _, c := range []struct {
		name string
		k    knowledge
		e    Endpoint
		own  Prices
		want budget.Price
	}{
		{"the host's", knowledge{hosted: hosted}, Endpoint{Provider: "p", Model: "m"}, nil, known},
		{"the person's goes first", knowledge{hosted: hosted}, Endpoint{Provider: "p", Model: "m"}, Prices{"p/m": own}, own},
		{"a project's is nobody's", knowledge{hosted: hosted, priced: map[string]bool{"p": true}}, Endpoint{Provider: "p", Model: "m"}, nil, budget.Price{}},
		{"so is one of a file that cannot be read", knowledge{hosted: hosted, project: map[string]meddling{"": {}}}, Endpoint{Provider: "p", Model: "m"}, nil, budget.Price{}},
		{"a zero is no price", knowledge{hosted: hosted}, Endpoint{Provider: "p", Model: "zero"}, nil, budget.Price{}},
		{"nor is a negative one", knowledge{hosted: hosted}, Endpoint{Provider: "p", Model: "odd"}, nil, budget.Price{}},
		{"a model that nobody knows", knowledge{hosted: hosted}, Endpoint{Provider: "p", Model: "x"}, nil, budget.Price{}},
		{"a server on this machine", knowledge{}, Endpoint{Provider: "ollama", Model: "x", From: FromLocal}, nil, budget.Price{Known: true}},
	} {
		if got := c.k.price(c.own, c.e); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
	if v, err := read([]byte(`{"models": {"m": {"cost": {"input": 0}}}}`)); err != nil || !setsPrice(v) {
		t.Error("a project's price is not noticed")
	}
}
