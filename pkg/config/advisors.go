package config

import (
	"slices"
	"strconv"
	"strings"

	"github.com/buger/jsonparser"

	"github.com/Kayphoon/opencode-advisor/pkg/pattern"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// RosterName is the file that can hold a roster, in a project or beside advisor.json.
const RosterName = "WATCHDOG.yml"

// Advisor is one of several reviewers.
type Advisor struct {
	Name         string
	Model        string // provider/model#variant; empty: the watchdog's
	Instructions string // beside the built-in ones of its name
	Tools        []string
	Ceiling      protocol.Severity // the loudest that it may say; empty: no bound
	On           []string          // what must have happened: any of edits, commands, failures; empty: anything
	Paths        []string          // globs, of which one must name a touched file; empty: any
	Source       string            // where it stands
}

// Roster is the advisors of the person, and those that a project adds to them. A project's have no model and no tools.
type Roster struct {
	Own   []Advisor
	Added []Advisor
}

// General is the name of the advisor without a part of its own, and of the only one where there is no roster.
const General = "general"

// BuiltIn are the names that have instructions of their own; pkg/review has them.
var BuiltIn = []string{General, "security", "architecture", "tests"}

// triggers are what an advisor can wait for.
var triggers = []string{"edits", "commands", "failures"}

// Bounds of a roster.
const (
	maxAdvisors     = 8
	maxInstructions = 8 << 10 // bytes of one
	maxTriggerPaths = 16
	maxAdvisorName  = 24
)

// Matches tells whether a touched file is one that the advisor waits for.
func (a Advisor) Matches(files []string) bool {
	if len(a.Paths) == 0 {
		return true
	}
	for _, glob := range a.Paths {
		g, err := pattern.CompileGlob(glob)
		if err == nil && slices.ContainsFunc(files, g.Match) {
			return true
		}
	}
	return false
}

// ParseRoster reads a WATCHDOG.yml. Person tells that it is their own, which may name models and tools.
func ParseRoster(doc []byte, source string, person bool) ([]Advisor, []Problem) {
	root, err := readYAML(doc)
	if err != nil {
		return nil, []Problem{{Source: source, Message: "it cannot be read: " + err.Error(), Mend: "mend the line; until then nothing in it is used"}}
	}
	p := parser{layer: &Layer{Source: source}}
	var list []Advisor
	for _, m := range root.members {
		if m.key != "advisors" {
			p.report(shownKey(m.key), "there is no such key", "it is ignored; known is advisors")
			continue
		}
		list = p.advisors(m.key, m.value, person)
	}
	if root.kind != jsonparser.Object {
		p.report("", "want advisors: and a list below it", "nothing in it is used")
	}
	return list, p.problems
}

// advisors reads a roster. An entry that cannot be used is left out alone, and so is a bad field of one.
func (p *parser) advisors(key string, v value, person bool) []Advisor {
	if v.kind != jsonparser.Array {
		p.report(key, "want a list of advisors, got "+v.describe(false), "it is not used")
		return nil
	}
	list := []Advisor{}
	for i, entry := range v.items {
		at := key + "[" + strconv.Itoa(i) + "]"
		if len(list) >= maxAdvisors {
			p.report(at, "there are more than "+strconv.Itoa(maxAdvisors)+" advisors", "it and what comes after it are left out")
			break
		}
		if entry.kind == jsonparser.String { // a name alone
			entry = value{kind: jsonparser.Object, members: []member{{"name", entry}}}
		}
		if !entry.isObject() {
			p.report(at, "want a name or an object, got "+entry.describe(false), "it is left out")
			continue
		}
		a := p.advisor(at, entry, person)
		switch {
		case a.Name == "":
		case slices.ContainsFunc(list, func(b Advisor) bool { return b.Name == a.Name }):
			p.report(at, "there is another one of the name "+a.Name, "it is left out; give it a name of its own")
		case a.Instructions == "" && person && !slices.Contains(BuiltIn, a.Name):
			p.report(at, "it has no instructions, and "+a.Name+" is none of "+strings.Join(BuiltIn, ", "), "it is left out; say in instructions what it should look for")
		default:
			list = append(list, a)
		}
	}
	return list
}

func (p *parser) advisor(at string, v value, person bool) Advisor {
	a := Advisor{Source: p.layer.Source}
	if a.Name = v.at("name").string(); !advisorName(a.Name) {
		p.report(at+".name", "want 1 to "+strconv.Itoa(maxAdvisorName)+" small letters, digits and -, got "+v.at("name").describe(false), "the advisor is left out")
		a.Name = ""
		return a
	}
	known := []string{"name", "model", "instructions", "tools", "ceiling", "on", "paths"}
	for _, m := range v.members {
		if len(p.problems) >= maxProblems {
			p.report("", "", "") // says so
			break
		}
		field, wrong := at+"."+m.key, ""
		text := m.value.string()
		if !person && (m.key == "model" || m.key == "tools") {
			p.report(field, "a project cannot set it", "it is ignored; only advisor.json and your own "+RosterName+" can")
			continue
		}
		switch m.key {
		case "name":
		case "model":
			if _, wrong = wantRef(text); text == "" {
				wrong = "provider/model"
			} else if wrong == "" {
				a.Model = strings.TrimSpace(text)
			}
		case "instructions":
			if text == "" || len(text) > maxInstructions {
				wrong = "text of at most " + strconv.Itoa(maxInstructions) + " bytes"
			} else {
				a.Instructions = strings.TrimSpace(text)
			}
		case "ceiling":
			if s := protocol.Severity(text); s.Rank() > 0 {
				a.Ceiling = s
			} else {
				wrong = "one of nit, concern, blocker"
			}
		case "tools":
			a.Tools, wrong = words(m.value, []string{"read", "grep", "glob"})
		case "on":
			a.On, wrong = words(m.value, triggers)
		case "paths":
			a.Paths, wrong = globs(m.value)
		default:
			mend := "it is ignored; known are " + strings.Join(known, ", ")
			if n := Nearest(m.key, known); n != "" {
				mend = "did you mean " + n + "? it is ignored"
			}
			p.report(at+"."+shownKey(m.key), "there is no such key", mend)
		}
		if wrong != "" {
			p.report(field, "want "+wrong+", got "+m.value.describe(false), "it is not used")
		}
	}
	return a
}

func advisorName(s string) bool {
	return s != "" && len(s) <= maxAdvisorName && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" && s[0] != '-'
}

// words reads a list of some of the choices, or one of them alone.
func words(v value, choices []string) (list []string, wrong string) {
	if v.kind == jsonparser.String {
		v = value{kind: jsonparser.Array, items: []value{v}}
	}
	list = []string{}
	for _, item := range v.items {
		if !slices.Contains(choices, item.string()) {
			return nil, "a list of " + strings.Join(choices, ", ")
		}
		list = append(list, item.string())
	}
	if v.kind != jsonparser.Array {
		return nil, "a list of " + strings.Join(choices, ", ")
	}
	return list, ""
}

func globs(v value) (list []string, wrong string) {
	const want = "a list of up to 16 patterns such as src/**/*.go"
	if v.kind == jsonparser.String {
		v = value{kind: jsonparser.Array, items: []value{v}}
	}
	if v.kind != jsonparser.Array || len(v.items) > maxTriggerPaths {
		return nil, want
	}
	for _, item := range v.items {
		text := item.string()
		if _, err := pattern.CompileGlob(text); err != nil || text == "" {
			return nil, want
		}
		list = append(list, text)
	}
	return list, ""
}

// takeRoster takes the person's own WATCHDOG.yml, where advisor.json has no roster.
func (r *Resolved) takeRoster(f protocol.File) []Problem {
	source := "your own " + RosterName
	switch {
	case f.Failure != "":
		return []Problem{{Source: source, Message: "it cannot be read: " + f.Failure, Mend: "mend its permissions; until then nothing in it is used"}}
	case strings.TrimSpace(f.Text) == "":
		return nil
	case len(r.Advisors.Own) > 0:
		return []Problem{{Source: source, Message: "advisor.json has advisors too", Mend: "delete one of them; those of advisor.json are used"}}
	}
	list, problems := ParseRoster([]byte(f.Text), source, true)
	if r.Advisors.Own = list; list != nil {
		r.From["advisors"] = RosterName
	}
	return problems
}

// Names lists advisors for people.
func Names(list []Advisor) string {
	names := make([]string, len(list))
	for i, a := range list {
		names[i] = a.Name
	}
	return strings.Join(names, ", ")
}
