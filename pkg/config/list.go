package config

import (
	"bytes"
	"errors"
	"slices"

	"github.com/buger/jsonparser"
)

// Specs gives what the entries of a list at the top of a host's configuration name, and whether the list is there.
// An entry is a text, a pair of text and options, or an object that has the text as package or source.
func Specs(doc []byte, key string) (specs []string, there bool, err error) {
	d, err := open(doc)
	if err != nil {
		return nil, false, err
	}
	list, _, ok := d.member(d.root, key)
	if !ok {
		return nil, false, nil
	}
	if d.plain[list.from] != '[' {
		return nil, false, errors.New(key + " is not a list")
	}
	for _, at := range d.elements(list) {
		specs = append(specs, d.spec(at))
	}
	return specs, true, nil
}

// Append gives the document with one more entry, which is JSON, at the end of a list. A list that is not there is made. All
// else stays as it is.
func Append(doc []byte, key, entry string) ([]byte, error) {
	d, err := open(doc)
	if err != nil {
		return nil, err
	}
	list, _, ok := d.member(d.root, key)
	if !ok {
		return d.set(d.root, key, "["+entry+"]")
	}
	if d.plain[list.from] != '[' {
		return nil, errors.New(key + " is not a list")
	}
	all := d.elements(list)
	var out []byte
	switch {
	case len(all) > 0:
		out = d.add(list, all[len(all)-1], entry)
	case bytes.Contains(d.text[list.from:list.to], []byte("\n")):
		out = d.add(list, span{}, entry)
	default:
		out = slices.Concat(d.text[:list.from+1], []byte(entry), d.text[list.from+1:])
	}
	return out, (&document{text: out}).read()
}

// Drop gives the document without one entry of a list, its comma, and its lines where nothing else stands on them.
// Comments stay.
func Drop(doc []byte, key string, n int) ([]byte, error) {
	d, err := open(doc)
	if err != nil {
		return nil, err
	}
	list, _, _ := d.member(d.root, key)
	all := d.elements(list)
	if n >= len(all) {
		return nil, errors.New(key + " is shorter than that")
	}
	gone := make([]bool, len(d.text))
	cut := func(from, to int) {
		for i := from; i < to; i++ {
			gone[i] = true
		}
	}
	it := all[n]
	cut(it.from, it.to)
	behind := list.to - 1
	if n+1 < len(all) {
		behind = all[n+1].from
	}
	// blank gives where the blanks from an offset on end, on its line.
	blank := func(at int) int {
		for at < len(d.text) && (d.text[at] == ' ' || d.text[at] == '\t') {
			at++
		}
		return at
	}
	switch comma := d.comma(it.to, behind); {
	case comma >= 0:
		cut(comma, comma+1)
		if n+1 < len(all) && blank(comma+1) == behind {
			cut(comma+1, behind)
		}
	case n > 0:
		comma = d.comma(all[n-1].to, it.from)
		cut(comma, comma+1)
		if blank(comma+1) == it.from {
			cut(comma+1, it.from)
		}
	}
	// What is left of the entry's lines goes when it is blank.
	from := bytes.LastIndexByte(d.text[:it.from], '\n') + 1
	to := it.to + bytes.IndexByte(d.text[it.to:], '\n') + 1
	empty := to > it.to
	for i := from; i < to; i++ {
		empty = empty && (gone[i] || bytes.IndexByte([]byte(" \t\r\n"), d.text[i]) >= 0)
	}
	if empty {
		cut(from, to)
	}
	out := make([]byte, 0, len(d.text))
	for i, c := range d.text {
		if !gone[i] {
			out = append(out, c)
		}
	}
	return out, (&document{text: out}).read()
}

// open reads a document; an empty one is a new one.
func open(doc []byte) (*document, error) {
	if len(bytes.TrimSpace(bytes.TrimPrefix(doc, []byte("\ufeff")))) == 0 {
		doc = []byte("{\n}\n")
	}
	d := &document{text: doc}
	return d, d.read()
}

// elements gives the values of a list.
func (d *document) elements(list span) (all []span) {
	for i := list.from + 1; i < list.to-1; i++ {
		if bytes.IndexByte([]byte(" \t\r\n,"), d.plain[i]) >= 0 {
			continue
		}
		all = append(all, span{i, d.end(i)})
		i = d.end(i) - 1
	}
	return all
}

// spec gives what an entry names; nothing when it is of no known form.
func (d *document) spec(at span) string {
	switch d.plain[at.from] {
	case '[':
		if in := d.elements(at); len(in) > 0 {
			return d.spec(in[0])
		}
	case '{':
		for _, key := range []string{"package", "source"} {
			if in, _, ok := d.member(at, key); ok {
				return d.spec(in)
			}
		}
	case '"':
		text, _ := jsonparser.ParseString(d.plain[at.from+1 : at.to-1])
		return text
	}
	return ""
}

// comma gives where the first comma between two offsets stands, outside of comments; -1 when there is none.
func (d *document) comma(from, to int) int {
	found := -1
	scan(d.text, func(i int, in place) {
		if found < 0 && i >= from && i < to && in == plain && d.text[i] == ',' {
			found = i
		}
	})
	return found
}
