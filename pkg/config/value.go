package config

import (
	"math"
	"strconv"

	"github.com/buger/jsonparser"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// maxDepth bounds the nesting of a configuration file. The parsers recurse, and
// JavaScript's stack is what a guest recurses on; no real file nests past 20.
const maxDepth = 64

// maxDocument bounds a configuration file, in bytes. OpenCode's own hold some
// dozens of KB with large model lists.
const maxDocument = 1 << 20

// value is one JSON value of a configuration file.
type value struct {
	kind    jsonparser.ValueType
	text    string // a string's content, or the raw text of a number, boolean or null
	members []member
	items   []value
}

type member struct {
	key   string
	value value
}

// get gives the last member of that name, as JavaScript would.
func (v value) get(key string) (value, bool) {
	for i := len(v.members) - 1; i >= 0; i-- {
		if v.members[i].key == key {
			return v.members[i].value, true
		}
	}
	return value{}, false
}

// at follows a path of keys; a missing step gives the zero value.
func (v value) at(path ...string) value {
	for _, key := range path {
		v, _ = v.get(key)
	}
	return v
}

// string gives a string's content, or "".
func (v value) string() string {
	if v.kind != jsonparser.String {
		return ""
	}
	return v.text
}

func (v value) isObject() bool { return v.kind == jsonparser.Object }

// describe names what was found, for a message. A secret's content is left out.
func (v value) describe(secret bool) string {
	switch v.kind {
	case jsonparser.String:
		if secret {
			return "text"
		}
		return "the text " + shown(v.text)
	case jsonparser.Number, jsonparser.Boolean:
		if secret {
			return "something else"
		}
		return v.text
	case jsonparser.Object:
		return "an object"
	case jsonparser.Array:
		return "a list"
	case jsonparser.Null:
		return "null"
	}
	return "nothing"
}

// read parses a JSONC document into a tree.
func read(doc []byte) (value, error) {
	std, err := standard(doc)
	if err != nil {
		return value{}, err
	}
	raw, kind, _, err := jsonparser.Get(std)
	if err != nil {
		return value{}, err
	}
	return tree(raw, kind)
}

// tree decodes one value; raw is without quotes when it is a string.
func tree(raw []byte, kind jsonparser.ValueType) (value, error) {
	v := value{kind: kind}
	var err error
	switch kind {
	case jsonparser.String:
		v.text, err = jsonparser.ParseString(raw)
	case jsonparser.Object:
		err = jsonparser.ObjectEach(raw, func(key, raw []byte, kind jsonparser.ValueType, _ int) error {
			m, err := tree(raw, kind)
			v.members = append(v.members, member{string(key), m})
			return err
		})
	case jsonparser.Array:
		_, err = jsonparser.ArrayEach(raw, func(raw []byte, kind jsonparser.ValueType, _ int, _ error) {
			item, bad := tree(raw, kind)
			if bad != nil && err == nil {
				err = bad
			}
			v.items = append(v.items, item)
		})
	default:
		v.text = string(raw)
	}
	return v, err
}

// whole reads a whole number; 3.0 and 25e3 are whole too.
func whole(v value) (int, bool) {
	if v.kind != jsonparser.Number {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.text, 64)
	// Below 2^53 every whole float64 is exact; no bound of ours comes near.
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int(f), true
}

// json writes the value back as compact JSON.
func (v value) json(b []byte) []byte {
	switch v.kind {
	case jsonparser.String:
		return protocol.AppendString(b, v.text)
	case jsonparser.Object:
		b = append(b, '{')
		for i, m := range v.members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(protocol.AppendString(b, m.key), ':')
			b = m.value.json(b)
		}
		return append(b, '}')
	case jsonparser.Array:
		b = append(b, '[')
		for i, item := range v.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.json(b)
		}
		return append(b, ']')
	}
	return append(b, v.text...)
}
