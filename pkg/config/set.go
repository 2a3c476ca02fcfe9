package config

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/buger/jsonparser"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Set gives a JSONC document in which key (dotted, of Fields) has value, which is JSON. Everything
// else in it stays as it is, comments included. An empty document becomes a new one. In pi's
// older form consult.model stands as provider and model. A document that cannot be read is an error.
func Set(doc []byte, key, value string) ([]byte, error) {
	d, err := open(doc)
	if err != nil {
		return nil, err
	}
	group, name, nested := strings.Cut(key, ".")
	if old, _, ok := d.member(d.root, "provider"); nested && group == "consult" && ok && d.plain[old.from] == '"' {
		if name != "model" {
			return d.set(d.root, name, value)
		}
		provider, model, _ := strings.Cut(strings.Trim(value, `"`), "/")
		out, err := d.set(d.root, "provider", quotedText(provider))
		if err != nil {
			return nil, err
		}
		return Set(out, "model", quotedText(model))
	}
	for _, alias := range aliasesOf(key) {
		_, _, has := d.member(d.root, key)
		if _, _, ok := d.member(d.root, alias); ok && !has && !d.has(group, name) {
			return d.set(d.root, alias, value)
		}
	}
	if !nested {
		return d.set(d.root, key, value)
	}
	inner, _, ok := d.member(d.root, group)
	switch {
	case !ok:
		return d.set(d.root, group, "{ "+quotedText(name)+": "+value+" }")
	case d.plain[inner.from] != '{':
		return nil, errors.New(group + " is not an object")
	}
	return d.set(inner, name, value)
}

func quotedText(s string) string { return string(protocol.AppendString(nil, s)) }

// aliasesOf gives the other spellings of a key. model is none where pi's older form has it.
func aliasesOf(key string) []string {
	var list []string
	for alias, of := range aliases {
		if of == key {
			list = append(list, alias)
		}
	}
	slices.Sort(list)
	return list
}

// document is a JSONC text with what it is as plain JSON, where every offset is that of the text.
type document struct {
	text, plain []byte
	root        span
}

// span is a value: from its first byte to behind its last one.
type span struct{ from, to int }

func (d *document) read() (err error) {
	if d.plain, err = standard(d.text); err != nil {
		return err
	}
	at := len(d.plain) - len(bytes.TrimLeft(d.plain, " \t\r\n"))
	d.root = span{at, d.end(at)}
	if d.plain[at] != '{' {
		return errors.New("it is not an object")
	}
	return nil
}

// end gives where the value that begins at an offset ends. The text is known to be JSON.
func (d *document) end(at int) int {
	depth := 0
	for i := at; i < len(d.plain); i++ {
		switch c := d.plain[i]; c {
		case '"':
			for i++; d.plain[i] != '"'; i++ {
				if d.plain[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		default:
			if depth > 0 || i+1 < len(d.plain) && !bytes.ContainsRune([]byte(" \t\r\n,:]}"), rune(d.plain[i+1])) {
				continue
			}
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(d.plain)
}

// member gives the value of an object's last member of that name, as the parser takes it, and
// the value of its last member.
func (d *document) member(object span, name string) (found, last span, ok bool) {
	for i := object.from + 1; i < object.to-1; i++ {
		if d.plain[i] != '"' {
			continue // space or a comma
		}
		key := d.plain[i+1 : d.end(i)-1]
		for i = d.end(i); d.plain[i] == ':' || strings.IndexByte(" \t\r\n", d.plain[i]) >= 0; i++ {
		}
		last = span{i, d.end(i)}
		if text, err := jsonparser.ParseString(key); err == nil && text == name {
			found, ok = last, true
		}
		i = last.to - 1
	}
	return found, last, ok
}

func (d *document) has(group, name string) bool {
	inner, _, ok := d.member(d.root, group)
	if !ok || d.plain[inner.from] != '{' {
		return false
	}
	_, _, ok = d.member(inner, name)
	return ok
}

// set replaces the value of a member of an object, or adds one at the object's end.
func (d *document) set(object span, name, value string) ([]byte, error) {
	old, last, ok := d.member(object, name)
	var out []byte
	if ok {
		out = slices.Concat(d.text[:old.from], []byte(value), d.text[old.to:])
	} else {
		out = d.add(object, last, quotedText(name)+": "+value)
	}
	check := &document{text: out}
	return out, check.read()
}

func (d *document) add(object, last span, member string) []byte {
	closing := object.to - 1
	end := object.from + 1 // where the last value ends
	comma := ""
	if last.to > 0 {
		end = last.to
		if d.comma(end, closing) < 0 {
			comma = ","
		}
	}
	if !bytes.Contains(d.text[object.from:closing], []byte("\n")) {
		space := " "
		switch {
		case last.to == 0:
			member += " "
		case comma == "":
			end, space = closing, "" // behind the comma that is there
		}
		return slices.Concat(d.text[:end], []byte(comma+space+member), d.text[end:])
	}
	indent := indentAt(d.text, object.from) + "  "
	if last.to > 0 {
		indent = indentAt(d.text, end)
	}
	line := bytes.LastIndexByte(d.text[:closing], '\n') + 1
	newline := "\n"
	if bytes.Contains(d.text[object.from:closing], []byte("\r\n")) {
		newline = "\r\n"
	}
	member = indent + member + newline
	if len(bytes.TrimSpace(d.text[line:closing])) > 0 {
		line = closing // something stands before the brace
		member = newline + member
	}
	return slices.Concat(d.text[:end], []byte(comma), d.text[end:line], []byte(member), d.text[line:])
}

// indentAt gives the white space at the beginning of the line that holds an offset.
func indentAt(text []byte, at int) string {
	line := text[bytes.LastIndexByte(text[:at], '\n')+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}
