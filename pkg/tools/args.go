package tools

import (
	"bytes"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/buger/jsonparser"
)

// args are the arguments of a call. Names are compared without case, _ and -,
// so that file_path, filePath and FilePath are one; null counts as absent, and what
// nobody asks for is ignored.
type args map[string]value

type value struct {
	name string // as the model wrote it
	raw  []byte
	kind jsonparser.ValueType
}

// parseArgs reads a JSON object, also one that was encoded twice.
func parseArgs(raw []byte) (args, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] == '"' {
		if text, kind, _, err := jsonparser.Get(raw); err == nil && kind == jsonparser.String {
			if plain, err := jsonparser.ParseString(text); err == nil {
				raw = bytes.TrimSpace([]byte(plain))
			}
		}
	}
	a := args{}
	if len(raw) == 0 || string(raw) == "null" {
		return a, nil
	}
	if raw[0] != '{' {
		return nil, errors.New("the arguments must be a JSON object")
	}
	err := jsonparser.ObjectEach(raw, func(key, val []byte, kind jsonparser.ValueType, _ int) error {
		name, err := jsonparser.ParseString(key)
		if err != nil {
			return err
		}
		if kind != jsonparser.Null {
			a[foldKey(name)] = value{name, val, kind}
		}
		return nil
	})
	if err != nil {
		return nil, errors.New("the arguments are not valid JSON; send the call again with a JSON object")
	}
	return a, nil
}

func foldKey(name string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return r
	}, name))
}

// find gives the first of the names that is there.
func (a args) find(names []string) (value, bool) {
	for _, name := range names {
		if v, ok := a[name]; ok {
			return v, true
		}
	}
	return value{}, false
}

// text reads a text. A list of one text is taken for that text.
func (a args) text(names ...string) (string, bool, error) {
	v, ok := a.find(names)
	if !ok {
		return "", false, nil
	}
	s, err := v.text()
	return s, err == nil, err
}

func (v value) text() (string, error) {
	switch v.kind {
	case jsonparser.String:
		s, err := jsonparser.ParseString(v.raw)
		if err != nil {
			return "", v.wrong("a text, and its escapes are broken")
		}
		return s, nil
	case jsonparser.Number:
		return string(v.raw), nil
	case jsonparser.Array:
		items := v.items()
		if len(items) == 1 && items[0].kind == jsonparser.String {
			return items[0].text()
		}
		return "", v.wrong("one text, and is a list of " + strconv.Itoa(len(items)))
	}
	return "", v.wrong("a text, and is " + kindName(v.kind))
}

// number reads a whole number, also one written as a text or a fraction.
func (a args) number(names ...string) (int, bool, error) {
	v, ok := a.find(names)
	if !ok {
		return 0, false, nil
	}
	n, err := v.number()
	return n, err == nil, err
}

func (v value) number() (int, error) {
	text := string(v.raw)
	if v.kind != jsonparser.Number && v.kind != jsonparser.String {
		return 0, v.wrong("a number, and is " + kindName(v.kind))
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(f) {
		return 0, v.wrong("a number, and is " + quoteShort(text))
	}
	// Far beyond any line number; keeps the arithmetic of callers from overflow.
	const most = 1 << 30
	return int(max(-most, min(most, f))), nil
}

// flag reads yes or no, also as a text or a number.
func (a args) flag(names ...string) (bool, error) {
	v, ok := a.find(names)
	if !ok {
		return false, nil
	}
	switch strings.ToLower(strings.TrimSpace(string(v.raw))) {
	case "true", "1", "yes", "on":
		return true, nil
	case "false", "0", "no", "off", "":
		return false, nil
	}
	return false, v.wrong("true or false, and is " + quoteShort(string(v.raw)))
}

// items gives the elements of a list; of anything else, itself.
func (v value) items() []value {
	if v.kind != jsonparser.Array {
		return []value{v}
	}
	var items []value
	// An element that cannot be read ends the list; what came before it counts.
	_, _ = jsonparser.ArrayEach(v.raw, func(raw []byte, kind jsonparser.ValueType, _ int, err error) {
		if err == nil && kind != jsonparser.Null {
			items = append(items, value{v.name, raw, kind})
		}
	})
	return items
}

func (v value) wrong(what string) error {
	return errors.New(strconv.Quote(v.name) + " must be " + what)
}

func kindName(kind jsonparser.ValueType) string {
	switch kind {
	case jsonparser.Object:
		return "an object"
	case jsonparser.Array:
		return "a list"
	case jsonparser.Boolean:
		return "true or false"
	case jsonparser.Number:
		return "a number"
	}
	return kind.String()
}

func quoteShort(s string) string {
	if len(s) > 40 {
		s = strings.ToValidUTF8(s[:40], "") + "..."
	}
	return strconv.Quote(s)
}
