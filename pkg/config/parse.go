package config

import (
	"slices"
	"strconv"
	"strings"

	"github.com/buger/jsonparser"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// The sources of settings, as Problems and Merge name them.
const (
	SourceDefault = "default"
	SourceFile    = "advisor.json"
	SourceOptions = "options"
)

// Layer is what one source sets, and nothing beside it.
type Layer struct {
	Source string
	Judge  protocol.JSON // the judge object as it stands, for pkg/judge
	config Config
	set    map[string]bool // by Field.Key
}

// Has reports whether the layer sets a key.
func (l Layer) Has(key string) bool { return l.set[key] }

// Parse reads a JSONC document. Every field is judged by itself: what cannot
// be used is left out of the Layer and reported. An empty document sets nothing.
// Options additionally may hold the judge's settings under their own names.
func Parse(doc []byte, source string) (Layer, []Problem) {
	l := Layer{Source: source, set: map[string]bool{}}
	if strings.TrimSpace(strings.TrimPrefix(string(doc), "\ufeff")) == "" {
		return l, nil
	}
	root, err := read(doc)
	if err != nil {
		return l, []Problem{{Source: source, Message: "it cannot be read as JSON: " + err.Error(),
			Mend: "mend the file; until then nothing in it is used"}}
	}
	if !root.isObject() {
		return l, []Problem{{Source: source, Message: "want an object, got " + root.describe(true),
			Mend: "put the settings into { }; until then nothing in it is used"}}
	}
	p := parser{layer: &l, seen: map[string]string{}, judge: source == SourceOptions && judgeNames(root)}
	p.object("", piShape(root))
	if j, ok := root.get("judge"); ok && j.isObject() {
		l.Judge = protocol.JSON(j.json(nil))
	}
	return l, p.problems
}

type parser struct {
	layer    *Layer
	seen     map[string]string // key -> the spelling that set it
	judge    bool              // the judge's own option names stand at the top
	problems []Problem
}

func (p *parser) report(field, message, mend string) {
	if len(p.problems) >= maxProblems {
		p.problems = append(p.problems[:maxProblems-1], Problem{Source: p.layer.Source,
			Message: "there are more problems than are listed here", Mend: "mend these first"})
		return
	}
	p.problems = append(p.problems, Problem{Source: p.layer.Source, Field: field, Message: message, Mend: mend})
}

// maxProblems bounds what one document can make us report; looking for the
// nearest key is the dearest thing done here.
const maxProblems = 40

// object goes through the members of the object called name.
func (p *parser) object(name string, v value) {
	count := map[string]int{}
	for _, m := range v.members {
		count[m.key]++
	}
	for _, m := range v.members {
		if len(p.problems) >= maxProblems {
			p.problems = append(p.problems[:maxProblems-1], Problem{Source: p.layer.Source,
				Message: "there are more problems than are listed here", Mend: "mend these first; what comes behind them is not used"})
			return
		}
		key := m.key
		if name != "" {
			key = name + "." + m.key
		}
		if count[m.key]--; count[m.key] > 0 {
			p.report(shownKey(key), "it stands there more than once", "the last one is used; delete the others")
			continue
		}
		p.member(name, key, m.value)
	}
}

func (p *parser) member(parent, key string, v value) {
	if parent == "" {
		if key == "$schema" || p.judge && slices.Contains(judgeKeys, key) {
			return
		}
		if key == "judge" {
			if !v.isObject() {
				p.report(key, "want an object, got "+v.describe(false), "it is not used")
			}
			return
		}
		if slices.Contains(groups, key) {
			if v.isObject() {
				p.object(key, v)
			} else {
				p.report(key, "want an object, got "+v.describe(key == "provider"), "it is not used")
			}
			return
		}
	}
	canonical, alias := aliases[key]
	if !alias {
		canonical = key
	}
	at := slices.IndexFunc(fields, func(f Field) bool { return f.Key == canonical })
	if at < 0 {
		p.unknown(parent, key)
		return
	}
	if first, twice := p.seen[canonical]; twice {
		used, left := first, key
		if !alias {
			used, left = key, first
		}
		p.report(left, "it is another name of "+used+", which is there too", "delete it; "+used+" is used")
		if alias {
			return
		}
	}
	if fields[at].Own && p.layer.Source == SourceOptions {
		p.report(key, "plugin options cannot set it", "it is not used; move it to advisor.json")
		return
	}
	if p.set(fields[at], key, v) {
		p.seen[canonical] = key
		p.layer.set[canonical] = true
	}
}

// unknown reports a key that means nothing, with the nearest one that does.
func (p *parser) unknown(parent, key string) {
	var known []string
	if parent == "" {
		known = append(known, groups...)
		known = append(known, "judge")
		for alias := range aliases {
			known = append(known, alias)
		}
		slices.Sort(known)
	}
	for _, f := range fields {
		if group, _, nested := strings.Cut(f.Key, "."); !nested && parent == "" || nested && group == parent {
			known = append(known, f.Key)
		}
	}
	mend := "it is ignored"
	if near := Nearest(key, known); near != "" {
		mend = "did you mean " + near + "? it is ignored"
	} else if parent != "" {
		mend = "it is ignored; known are " + strings.Join(known, ", ")
	} else if at := slices.IndexFunc(fields, func(f Field) bool { return strings.HasSuffix(f.Key, "."+key) }); at >= 0 {
		mend = "did you mean " + fields[at].Key + "? it is ignored"
	}
	p.report(shownKey(key), "there is no such key", mend)
}

// shownKey keeps a strange key from breaking a message.
func shownKey(key string) string {
	if word(key) && len(key) <= 60 {
		return key
	}
	return shown(key)
}

// groups are the keys that hold an object of fields.
var groups = []string{"provider", "consult", "delivery"}

// set puts v into the layer when it fits the field. null means absent.
func (p *parser) set(f Field, key string, v value) bool {
	if v.kind == jsonparser.Null {
		return false
	}
	wrong := func(got string) bool {
		p.report(key, "want "+f.Type()+", got "+got, "it is not used")
		return false
	}
	c := &p.layer.config
	switch f.kind {
	case kindFlag:
		if v.kind != jsonparser.Boolean {
			return wrong(v.describe(f.Secret))
		}
		*f.at(c).(*bool) = v.text == "true"
	case kindNumber:
		n, ok := whole(v)
		if !ok || n < f.Min || n > f.Max {
			return wrong(v.describe(f.Secret))
		}
		*f.at(c).(*int) = n
	case kindWord:
		if v.kind != jsonparser.String || !slices.Contains(f.Choices, v.text) {
			return wrong(v.describe(f.Secret) + near(v.text, f.Choices))
		}
		f.setText(c, v.text)
	case kindText:
		if v.kind != jsonparser.String {
			return wrong(v.describe(f.Secret))
		}
		if p.layer.Source == SourceOptions && (strings.Contains(v.text, "{env:") || strings.Contains(v.text, "{file:")) {
			// A cloned project may have written the options.
			p.report(key, "{env:} and {file:} are not replaced in plugin options", "it is not used; move it to advisor.json")
			return false
		}
		clean, want := f.check(v.text)
		if want != "" {
			p.report(key, "want "+want+", got "+v.describe(f.Secret || strings.Contains(v.text, "@")), "it is not used")
			return false
		}
		f.setText(c, clean)
		return clean != "" || f.Key == "systemPrompt" || f.Key == "variant"
	case kindList, kindFiles:
		return p.list(f, key, v)
	case kindMoney:
		n, ok := dollars(v)
		if !ok || n > Money(f.Max)*1e6 {
			return wrong(v.describe(false))
		}
		*f.at(c).(*Money) = n
	case kindPrices:
		return p.prices(f, key, v)
	case kindAdvisors:
		r := f.at(c).(*Roster)
		if p.layer.Source == SourceOptions { // which a project may have written
			r.Added = p.advisors(key, v, false)
		} else {
			r.Own = p.advisors(key, v, true)
		}
		return r.Own != nil || r.Added != nil
	}
	return true
}

// list reads a list of words. One bad entry spoils the list: half a list of
// tools is not what anybody meant.
func (p *parser) list(f Field, key string, v value) bool {
	if v.kind != jsonparser.Array {
		p.report(key, "want "+f.Type()+", got "+v.describe(false), "it is not used")
		return false
	}
	list := []string{}
	for _, item := range v.items {
		text, want := item.string(), ""
		if f.kind == kindFiles {
			text, want = wantFile(text)
		} else if !slices.Contains(f.Choices, text) {
			want = f.Type()
		}
		if item.kind != jsonparser.String || want != "" {
			p.report(key, "want "+cmpOr(want, f.Type())+", got "+item.describe(false)+" in it"+near(item.string(), f.Choices), "it is not used")
			return false
		}
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	if f.kind == kindFiles && len(list) > maxContextFiles {
		p.report(key, "want "+f.Type()+", got "+strconv.Itoa(len(list)), "it is not used")
		return false
	}
	*f.at(&p.layer.config).(*[]string) = list
	return true
}

// maxContextFiles keeps what a review always carries small; see Field.Type.
const maxContextFiles = 8

func cmpOr(s, or string) string {
	if s != "" {
		return s
	}
	return or
}

func near(got string, choices []string) string {
	if n := Nearest(got, choices); n != "" {
		return " (did you mean " + n + "?)"
	}
	return ""
}
