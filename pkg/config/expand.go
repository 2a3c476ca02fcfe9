package config

import (
	"bytes"
	"strings"

	"github.com/buger/jsonparser"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// place is where a byte of a JSONC text stands.
type place uint8

const (
	plain   place = iota
	quoted        // inside a string, its quotes included
	comment       // inside a comment
)

// scan calls see for each byte of a JSONC text with its place.
func scan(doc []byte, see func(i int, in place)) {
	for i := 0; i < len(doc); {
		start := i
		in := plain
		switch {
		case doc[i] == '"':
			in = quoted
			for i++; i < len(doc) && doc[i] != '"' && doc[i] != '\n'; i++ {
				if doc[i] == '\\' {
					i++
				}
			}
			i++
		case bytes.HasPrefix(doc[i:], []byte("//")):
			in = comment
			for i < len(doc) && doc[i] != '\n' {
				i++
			}
		case bytes.HasPrefix(doc[i:], []byte("/*")):
			in = comment
			if end := bytes.Index(doc[i+2:], []byte("*/")); end >= 0 {
				i += 2 + end + 2
			} else {
				i = len(doc)
			}
		default:
			i++
		}
		for ; start < min(i, len(doc)); start++ {
			see(start, in)
		}
	}
}

// reference is one {env:NAME} or {file:path} in a text.
type reference struct {
	start, end int
	env        bool
	name       string
}

// maxReferences bounds what one file can make us ask for.
const maxReferences = 64

// references finds what is to be replaced in a JSONC text; comments are passed over.
func references(doc string) []reference {
	if !strings.Contains(doc, "{env:") && !strings.Contains(doc, "{file:") {
		return nil
	}
	places := make([]place, len(doc))
	scan([]byte(doc), func(i int, in place) { places[i] = in })
	var found []reference
	for i := 0; i < len(doc) && len(found) < maxReferences; i++ {
		if doc[i] != '{' || places[i] == comment {
			continue
		}
		rest, env := strings.CutPrefix(doc[i:], "{env:")
		if !env {
			var file bool
			if rest, file = strings.CutPrefix(doc[i:], "{file:"); !file {
				continue
			}
		}
		end := strings.IndexAny(rest, "}\n\"")
		if end < 0 || rest[end] != '}' {
			continue
		}
		r := reference{start: i, env: env, name: strings.TrimSpace(rest[:end])}
		if decoded, err := jsonparser.ParseString([]byte(r.name)); err == nil {
			r.name = decoded // it stands inside a JSON string: C:\\keys\\mine
		}
		r.end = len(doc) - len(rest) + end + 1
		if r.name != "" && len(r.name) <= 1000 {
			found = append(found, r)
		}
		i = r.end - 1
	}
	return found
}

// file gives the absolute path of a {file:} reference in a file of folder base.
func (r reference) file(base, home string) string {
	name := r.name
	switch {
	case name == "~":
		return home
	case strings.HasPrefix(name, "~/"):
		return join(home, name[2:])
	case strings.HasPrefix(name, "/"):
		return join("/", name[1:])
	case len(name) > 2 && name[1] == ':' && (name[2] == '/' || name[2] == '\\'):
		return Slashed(name)
	}
	return join(base, name)
}

// expand replaces the references of a person's own file by what was provided.
// The replacement is escaped, so that a quote in a secret cannot break the
// file. Absent variables and files become nothing, with a Problem.
func expand(doc, source, base, home string, p provided) (string, []Problem) {
	refs := references(doc)
	if len(refs) == 0 {
		return doc, nil
	}
	var (
		out      []byte
		problems []Problem
		last     int
	)
	for _, r := range refs {
		out = append(out, doc[last:r.start]...)
		last = r.end
		text, missing := p.env[r.name], "the environment variable "+r.name+" is not set"
		_, ok := p.env[r.name]
		if !r.env {
			f := p.files[r.file(base, home)]
			text, ok = strings.TrimSpace(f.Text), f.Exists && f.Failure == ""
			missing = "the file " + r.name + " cannot be read"
		}
		if !ok {
			problems = append(problems, Problem{Source: source, Message: missing,
				Mend: "what refers to it is taken as empty"})
			continue
		}
		lit := protocol.AppendString(nil, text)
		out = append(out, lit[1:len(lit)-1]...)
	}
	return string(append(out, doc[last:]...)), problems
}

// join appends a relative, slash-separated path to a folder and cleans the result.
func join(base, name string) string {
	parts := strings.Split(strings.TrimRight(base, "/"), "/")
	for _, part := range strings.Split(name, "/") {
		switch part {
		case "", ".":
		case "..":
			if len(parts) > 1 {
				parts = parts[:len(parts)-1]
			}
		default:
			parts = append(parts, part)
		}
	}
	if len(parts) == 1 && parts[0] == "" {
		return "/"
	}
	return strings.Join(parts, "/")
}

// folder gives the folder of a path.
func folder(path string) string {
	if at := strings.LastIndexByte(path, '/'); at > 0 {
		return path[:at]
	}
	return "/"
}
