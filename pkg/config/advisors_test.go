package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

func problemsOf(list []Problem) string {
	var lines []string
	for _, p := range list {
		lines = append(lines, p.String())
	}
	return strings.Join(lines, "\n")
}

const roster = `# who reviews
advisors:
  - security
  - name: db
    model: openai/gpt#low
    tools: [grep]
    ceiling: concern
    on: [edits, commands]
    paths: ["**/*.sql", src/db/**]
    instructions: |
      Look at queries.
      Nothing else.
`

func TestAPersonsRoster(t *testing.T) {
	got, problems := ParseRoster([]byte(roster), "your own WATCHDOG.yml", true)
	want := []Advisor{
		{Name: "security", Source: "your own WATCHDOG.yml"},
		{Name: "db", Model: "openai/gpt#low", Tools: []string{"grep"}, Ceiling: protocol.Concern, On: []string{"edits", "commands"},
			Paths: []string{"**/*.sql", "src/db/**"}, Instructions: "Look at queries.\nNothing else.", Source: "your own WATCHDOG.yml"},
	}
	if diff := cmp.Diff(want, got); diff != "" || problems != nil {
		t.Errorf("problems %s\n%s", problemsOf(problems), diff)
	}
}

func TestAProjectNamesNoModelAndNoTools(t *testing.T) {
	inYAML, problems := ParseRoster([]byte(roster), RosterName, false)
	layer, more := Parse([]byte(`{"advisors":["security",{"name":"db","model":"openai/gpt#low","tools":["grep"],"ceiling":"concern","on":["edits","commands"],`+
		`"paths":["**/*.sql","src/db/**"],"instructions":"Look at queries.\nNothing else."}]}`), SourceOptions)
	for i, list := range [][]Advisor{inYAML, layer.config.Advisors.Added} {
		said := problemsOf([][]Problem{problems, more}[i])
		if len(list) != 2 || list[1].Model != "" || list[1].Tools != nil || list[1].Ceiling != protocol.Concern {
			t.Errorf("%+v, want both without model and tools", list)
		}
		for _, field := range []string{"advisors[1].model: a project cannot set it", "advisors[1].tools: a project cannot set it"} {
			if !strings.Contains(said, field) {
				t.Errorf("problems:\n%s\nwant %s", said, field)
			}
		}
	}
	if len(layer.config.Advisors.Own) != 0 {
		t.Error("the options set the person's own roster")
	}
}

func TestABadAdvisorIsLeftOutAlone(t *testing.T) {
	for _, c := range []struct{ entry, kept, problem string }{
		{`{"name":"Security"}`, "", `advisors[0].name: want 1 to 24 small letters`},
		{`{"name":""}`, "", "advisors[0].name"},
		{`{"instructions":"x"}`, "", "advisors[0].name"},
		{`{"name":"db"}`, "", "advisors[0]: it has no instructions, and db is none of general, security"},
		{`7`, "", "advisors[0]: want a name or an object, got 7"},
		{`"tests"},{"name":"tests"`, "tests", ""},
		{`{"name":"tests","model":"gpt"}`, "tests", "advisors[0].model: want provider/model"},
		{`{"name":"tests","ceiling":"loud"}`, "tests", "advisors[0].ceiling: want one of nit, concern, blocker"},
		{`{"name":"tests","tools":["bash"]}`, "tests", "advisors[0].tools: want a list of read, grep, glob"},
		{`{"name":"tests","tools":{}}`, "tests", "advisors[0].tools: want a list"},
		{`{"name":"tests","on":["idle"]}`, "tests", "advisors[0].on: want a list of edits, commands, failures"},
		{`{"name":"tests","paths":["[a"]}`, "tests", "advisors[0].paths: want a list of up to 16 patterns"},
		{`{"name":"tests","instruction":"x"}`, "tests", "advisors[0].instruction: there is no such key; did you mean instructions?"},
		{`{"name":"tests","apiKey":"sk-x"}`, "tests", "advisors[0].apiKey: there is no such key"},
	} {
		layer, problems := Parse([]byte(`{"advisors":[`+c.entry+`,"security"]}`), SourceFile)
		if c.problem == "" {
			layer, problems = Parse([]byte(`{"advisors":["tests","tests","security"]}`), SourceFile)
			c.problem = "advisors[1]: there is another one of the name tests"
		}
		want := strings.TrimPrefix(c.kept+", security", ", ")
		if got := Names(layer.config.Advisors.Own); got != want || !strings.Contains(problemsOf(problems), c.problem) {
			t.Errorf("%s: kept %s, problems %s; want %s and %s", c.entry, got, problemsOf(problems), want, c.problem)
		}
	}
	layer, problems := Parse([]byte(`{"advisors":[`+strings.Repeat(`{"name":"a","instructions":"x"},`, 9)+`"security"]}`), SourceFile)
	if len(layer.config.Advisors.Own) > maxAdvisors || len(problems) == 0 {
		t.Errorf("%d advisors of ten, %d problems", len(layer.config.Advisors.Own), len(problems))
	}
}

func TestTriggersOfPaths(t *testing.T) {
	a := Advisor{Paths: []string{"**/*.sql", "src/db/**"}}
	for file, want := range map[string]bool{"a.sql": true, "x/y/a.sql": true, "src/db/a.go": true, "src/a.go": false} {
		if a.Matches([]string{"README.md", file}) != want {
			t.Errorf("%s calls for it: %v, want %v", file, !want, want)
		}
	}
	if !(Advisor{}).Matches(nil) || a.Matches(nil) {
		t.Error("without paths any delta calls for it, with paths one that touches them")
	}
}

// A roster may be a stranger's, and what is wrong with it is told to the person.
func TestProblemsOfARosterAreBounded(t *testing.T) {
	var doc strings.Builder
	doc.WriteString("advisors:\n  - name: a\n")
	for i := range 1_500 {
		doc.WriteString("    k" + strings.Repeat("x", i%50) + ": v\n")
	}
	list, found := ParseRoster([]byte(doc.String()), RosterName, false)
	if len(list) != 1 || len(found) != maxProblems || !strings.Contains(found[maxProblems-1].Message, "more problems") {
		t.Errorf("%d advisors, %d problems, the last: %v", len(list), len(found), found[len(found)-1])
	}
}
