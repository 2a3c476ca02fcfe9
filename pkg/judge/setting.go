package judge

import (
	"errors"
	"strconv"
	"strings"

	"github.com/buger/jsonparser"
)

type parser struct{ problems []Problem }

func (p *parser) report(key, message string) {
	p.problems = append(p.problems, Problem{key, message})
}

// fields walks a JSON object. Of a repeated key the last one counts.
func (p *parser) fields(object []byte, each func(string, setting)) {
	if len(strings.TrimSpace(string(object))) == 0 {
		return
	}
	if tooNested(object) {
		p.report("", "it nests too deeply")
		return
	}
	last := map[string]setting{}
	var order []string
	err := jsonparser.ObjectEach(object, func(key, value []byte, kind jsonparser.ValueType, _ int) error {
		k := string(key)
		if _, had := last[k]; !had {
			order = append(order, k)
		}
		last[k] = setting{k, value, kind}
		return nil
	})
	if err != nil {
		p.report("", "want an object: "+err.Error())
		return
	}
	for _, k := range order {
		each(k, last[k])
	}
}

// setting is one member of the settings.
type setting struct {
	key  string
	raw  []byte
	kind jsonparser.ValueType
}

func (v setting) wrong(p *parser, want string) {
	p.report(v.key, "want "+want+", got "+quoteShort(string(v.raw))+"; the default is used")
}

func (v setting) text(p *parser) (string, bool) {
	if v.kind != jsonparser.String {
		v.wrong(p, "text")
		return "", false
	}
	s, err := jsonparser.ParseString(v.raw)
	if err != nil {
		v.wrong(p, "text")
		return "", false
	}
	return s, true
}

// flag takes true and false, and the words and numbers people write for them.
func (v setting) flag(p *parser, to *bool) {
	switch strings.ToLower(string(v.raw)) {
	case "true", "on", "yes", "1":
		*to = true
	case "false", "off", "no", "0":
		*to = false
	default:
		v.wrong(p, "true or false")
	}
}

func (v setting) number(p *parser, to *int64, least, most int64) {
	n, err := strconv.ParseInt(string(v.raw), 10, 64)
	if err == nil && (n < least || n > most) {
		err = errors.New("out of range")
	}
	if err != nil || v.kind != jsonparser.Number {
		v.wrong(p, "a whole number from "+strconv.FormatInt(least, 10)+" to "+strconv.FormatInt(most, 10))
		return
	}
	*to = n
}

func (v setting) patterns(p *parser) []string {
	if v.kind != jsonparser.Array {
		v.wrong(p, "a list of patterns")
		return nil
	}
	var out []string
	jsonparser.ArrayEach(v.raw, func(raw []byte, kind jsonparser.ValueType, _ int, _ error) {
		s, err := jsonparser.ParseString(raw)
		switch {
		case kind != jsonparser.String || err != nil:
			p.report(v.key, "want text in the list, got "+quoteShort(string(raw))+"; it is ignored")
		case strings.TrimSpace(s) == "":
			p.report(v.key, "an empty pattern is ignored")
		case len(s) > maxPattern || len(out) == maxRules:
			p.report(v.key, "too long a pattern, or too many; it is ignored")
		default:
			out = append(out, s)
		}
	})
	return out
}

// rules reads a list of {action, resource}. Unusable entries are dropped; scope
// says that an empty result would mean "judge everything", which deserves a word.
func (v setting) rules(p *parser, scope bool) []Rule {
	if v.kind != jsonparser.Array {
		v.wrong(p, "a list of {action, resource}")
		return nil
	}
	var out []Rule
	total := 0
	jsonparser.ArrayEach(v.raw, func(raw []byte, kind jsonparser.ValueType, _ int, _ error) {
		total++
		if kind != jsonparser.Object || len(out) == maxRules {
			return
		}
		action, _ := jsonparser.GetString(raw, "action")
		resource, _ := jsonparser.GetString(raw, "resource")
		if strings.TrimSpace(action) != "" && strings.TrimSpace(resource) != "" && len(action)+len(resource) <= maxPattern {
			out = append(out, Rule{action, resource})
		}
	})
	if len(out) == 0 && total > 0 {
		message := "no entry has both an action and a resource; none is used"
		if scope {
			// Meant as a limit, it must not turn into none.
			message += ", and nothing is judged by the model until it is mended"
			out = []Rule{{}}
		}
		p.report(v.key, message)
	}
	return out
}

func (v setting) format(p *parser, old [2]string) [2]string {
	var out []string
	if v.kind == jsonparser.Array {
		jsonparser.ArrayEach(v.raw, func(raw []byte, kind jsonparser.ValueType, _ int, _ error) {
			s, err := jsonparser.ParseString(raw)
			if kind != jsonparser.String || err != nil {
				s = ""
			}
			out = append(out, strings.ToUpper(strings.TrimSpace(s)))
		})
	}
	if len(out) != 2 || !wordLike(out[0]) || !wordLike(out[1]) || out[0] == out[1] {
		p.report(v.key, "want two different words, the allowing one first; "+old[0]+" and "+old[1]+" are used")
		return old
	}
	return [2]string{out[0], out[1]}
}

// wordLike reports a token that can be found as a word of its own, well inside
// the leading window of a reply.
func wordLike(s string) bool {
	if s == "" || len(s) > 20 || negators[strings.ToLower(s)] {
		return false
	}
	return strings.IndexFunc(s, func(r rune) bool { return !wordRune(r) }) < 0
}

// quoteShort shows a value of the settings in a message, cut to a line.
func quoteShort(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 40 {
		s = string(r[:40]) + "..."
	}
	return strconv.Quote(s)
}
