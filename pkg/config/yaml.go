package config

import (
	"errors"
	"strconv"
	"strings"

	"github.com/buger/jsonparser"
)

// Bounds of a YAML file. A roster of eight has some hundred lines.
const (
	maxYAML      = 64 << 10
	maxYAMLLines = 2_000
	maxYAMLDepth = 8
)

// readYAML reads the part of YAML that a roster needs: mappings and sequences by indentation, words, quoted
// text, lists in brackets, and text blocks with |. Every value is text, a mapping or a sequence. What is
// YAML and not read here (anchors, tags, several documents, braces, folding) is an error that names the line,
// and never something else than what was meant.
func readYAML(doc []byte) (value, error) {
	text := strings.TrimPrefix(string(doc), "\ufeff")
	if len(text) > maxYAML {
		return value{}, errors.New("it has more than " + strconv.Itoa(maxYAML) + " bytes")
	}
	y := &yaml{}
	for _, raw := range strings.Split(text, "\n") {
		raw = strings.TrimRight(raw, "\r")
		if len(y.lines) >= maxYAMLLines {
			return value{}, errors.New("it has more than " + strconv.Itoa(maxYAMLLines) + " lines")
		}
		body := strings.TrimLeft(raw, " ")
		y.lines = append(y.lines, yamlLine{raw, strings.TrimRight(uncommented(body), " "), len(raw) - len(body)})
	}
	if y.skip(); y.more() && y.line().text == "---" {
		y.at++
		y.skip()
	}
	if !y.more() {
		return value{kind: jsonparser.Object}, nil
	}
	v := y.block(y.line().indent, 0)
	if y.skip(); y.err == nil && y.more() {
		y.fail("it is indented less than what it belongs to")
	}
	return v, y.err
}

type yamlLine struct {
	raw, text string // text is without indentation and comment
	indent    int
}

type yaml struct {
	lines []yamlLine
	at    int
	err   error
}

func (y *yaml) more() bool     { return y.at < len(y.lines) && y.err == nil }
func (y *yaml) line() yamlLine { return y.lines[y.at] }

func (y *yaml) skip() {
	for y.at < len(y.lines) && y.line().text == "" {
		y.at++
	}
}

func (y *yaml) fail(why string) value {
	if y.err == nil {
		y.err = errors.New("line " + strconv.Itoa(min(y.at+1, len(y.lines))) + ": " + why)
	}
	return value{}
}

// block reads what stands at an indentation: a sequence or a mapping.
func (y *yaml) block(indent, depth int) value {
	if depth > maxYAMLDepth {
		return y.fail("it is nested too deep")
	}
	if item(y.line().text) {
		return y.sequence(indent, depth)
	}
	v := value{kind: jsonparser.Object}
	for y.skip(); y.more() && y.line().indent == indent; y.skip() {
		if strings.Contains(y.line().raw, "\t") && strings.Contains(y.line().raw[:len(y.line().raw)-len(strings.TrimLeft(y.line().raw, " \t"))], "\t") {
			return y.fail("it is indented with a tab; use spaces")
		}
		key, rest, ok := cutKey(y.line().text)
		if !ok {
			return y.fail("want a key, a colon and a value")
		}
		m := member{key: key}
		if rest == "|" || rest == "|-" {
			m.value = y.literal(indent)
		} else {
			y.at++
			m.value = y.after(rest, indent, depth, true)
		}
		v.members = append(v.members, m)
	}
	if y.more() && y.line().indent > indent {
		return y.fail("it is indented more than its neighbours")
	}
	return v
}

func (y *yaml) sequence(indent, depth int) value {
	v := value{kind: jsonparser.Array}
	for y.skip(); y.more() && y.line().indent == indent && item(y.line().text); y.skip() {
		rest := strings.TrimLeft(y.line().text[1:], " ")
		if _, _, mapping := cutKey(rest); mapping {
			// The item is a mapping that begins on the line of its dash.
			l := &y.lines[y.at]
			l.indent, l.text = indent+len(l.text)-len(rest), rest
			v.items = append(v.items, y.block(l.indent, depth+1))
			continue
		}
		y.at++
		v.items = append(v.items, y.after(rest, indent, depth, false))
	}
	if y.more() && y.line().indent > indent {
		return y.fail("it is indented more than its neighbours")
	}
	return v
}

// after reads the value behind a colon or a dash: on the same line, or as a block on the next ones. A
// sequence may stand at the indentation of its key.
func (y *yaml) after(rest string, indent, depth int, key bool) value {
	if rest != "" {
		y.at--
		v := y.scalar(rest)
		y.at++
		return v
	}
	y.skip()
	if y.more() {
		if l := y.line(); l.indent > indent || key && l.indent == indent && item(l.text) {
			return y.block(l.indent, depth+1)
		}
	}
	return value{kind: jsonparser.Null, text: "null"}
}

// literal reads the lines of a text block, which are deeper than its key.
func (y *yaml) literal(indent int) value {
	var lines []string
	depth := 0
	for y.at++; y.at < len(y.lines); y.at++ {
		raw := y.line().raw
		body := strings.TrimLeft(raw, " ")
		if body == "" {
			lines = append(lines, "")
			continue
		}
		own := len(raw) - len(body)
		if own <= indent || depth > 0 && own < depth {
			break
		}
		if depth == 0 {
			depth = own
		}
		lines = append(lines, raw[depth:])
	}
	return value{kind: jsonparser.String, text: strings.TrimSpace(strings.Join(lines, "\n"))}
}

func (y *yaml) scalar(s string) value {
	if s[0] != '[' {
		text, rest := y.word(s, "")
		if rest != "" {
			return y.fail("there is something behind the closing quote")
		}
		return value{kind: jsonparser.String, text: text}
	}
	v := value{kind: jsonparser.Array}
	for s = strings.TrimLeft(s[1:], " "); y.err == nil; s = strings.TrimLeft(s, " ") {
		if s == "]" {
			return v
		}
		if s == "" || s[0] == ']' || s[0] == ',' {
			break
		}
		var text string
		text, s = y.word(s, ",]")
		v.items = append(v.items, value{kind: jsonparser.String, text: text})
		if s = strings.TrimLeft(s, " "); strings.HasPrefix(s, ",") {
			s = s[1:]
		} else if s != "]" {
			break
		}
	}
	return y.fail("want a list of words in brackets, on one line")
}

// word reads one word, quoted or not. One that is not quoted ends at any of the stops.
func (y *yaml) word(s, stops string) (text, rest string) {
	switch s[0] {
	case '"':
		for i := 1; i < len(s); i++ {
			switch s[i] {
			case '\\':
				i++
			case '"':
				text, err := jsonparser.ParseString([]byte(s[1:i]))
				if err != nil {
					y.fail("it has an escape that is not known")
				}
				return text, s[i+1:]
			}
		}
		y.fail("a quote is not closed on its line")
		return "", ""
	case '\'':
		for i := 1; i < len(s); i++ {
			if s[i] != '\'' {
				continue
			}
			if i+1 < len(s) && s[i+1] == '\'' {
				i++
				continue
			}
			return strings.ReplaceAll(s[1:i], "''", "'"), s[i+1:]
		}
		y.fail("a quote is not closed on its line")
		return "", ""
	}
	if strings.IndexByte("&*!|>{}%@`?,[]-", s[0]) >= 0 && (s[0] != '-' || len(s) == 1 || s[1] == ' ') {
		y.fail("it begins with " + s[:1] + ", which is not read here; put it into quotes")
	}
	end := len(s)
	if stops != "" {
		if i := strings.IndexAny(s, stops); i >= 0 {
			end = i
		}
	}
	text = strings.TrimRight(s[:end], " ")
	if strings.Contains(text, ": ") {
		y.fail("there is a second colon in it; put the text into quotes")
	}
	return text, s[end:]
}

// item tells whether a line begins an item of a sequence.
func item(text string) bool { return text == "-" || strings.HasPrefix(text, "- ") }

// cutKey takes a line apart at the colon behind its key, which is a plain word.
func cutKey(text string) (key, rest string, ok bool) {
	i := 0
	for i < len(text) && (text[i] == '_' || text[i] == '-' && i > 0 || text[i]|0x20 >= 'a' && text[i]|0x20 <= 'z') {
		i++
	}
	if i == 0 || i >= len(text) || text[i] != ':' || i+1 < len(text) && text[i+1] != ' ' {
		return "", "", false
	}
	return text[:i], strings.TrimLeft(text[i+1:], " "), true
}

// uncommented takes a comment off a line: from a # that begins it or follows a blank, outside of quotes.
func uncommented(s string) string {
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote == '"' && c == '\\', quote == '\'' && strings.HasPrefix(s[i:], "''"):
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && (i == 0 || strings.IndexByte(" [,", s[i-1]) >= 0):
			quote = c
		case c == '#' && (i == 0 || s[i-1] == ' '):
			return s[:i]
		}
	}
	return s
}
