package redact

import "strings"

// target is the left side of an assignment.
type target struct {
	name string
	kind string // see secretKind
	from int    // where the name begins
	op   string // = : := => ?=
	env  bool   // NAME=value as environments are written: capitals, no blanks
	// tight is set when no blank stands on either side of the operator; query when ? or & stands in front of the name.
	tight, query bool
	quoted       bool // a quote closes the name, as in JSON
}

// assignment decides at an = or : whether a secret is assigned, hides it, and gives where to go on.
func (s *scan) assignment(i int) int {
	t, value, ok := s.target(i)
	if !ok {
		return i + 1
	}
	start, quote := openQuote(s.in, value)
	if quote == "" || quote == "`" && t.tight && t.op == "=" { // of a shell, where ` is no quote
		return s.assignBare(t, value, i)
	}
	end := closeQuote(s.in, start, quote)
	v := s.in[start:end]
	if t.tight && !t.quoted && len(v) > 0 && strings.IndexByte(" ),;+]}.", v[0]) >= 0 {
		return i + 1 // the quote ends a string that ends in "password:"
	}
	if t.kind == authorization {
		if skip := scheme(v); skip > 0 && len(v)-skip >= 6 && !reference(v[skip:]) && !s.masked(start, end) && !strings.ContainsAny(v[skip:], " {%") {
			s.hide(start+skip, end, t.kind, false)
			return end
		}
		return i + 1
	}
	if s.masked(start, end) || !quotedSecret(t, v) {
		return i + 1
	}
	s.hide(start, end, s.kindOf(t, start), false)
	return end
}

// kindOf gives the kind that the value itself shows, else the one its name says.
func (s *scan) kindOf(t target, start int) string {
	if from, to, kind := s.shapeAt(start); to > 0 && from == start {
		return kind
	}
	return t.kind
}

// target reads the name in front of the operator at in[i], and gives where the value begins.
func (s *scan) target(i int) (t target, value int, ok bool) {
	in := s.in
	j := i
	for j > s.floor && (in[j-1] == ' ' || in[j-1] == '\t') && i-j < 24 {
		j--
	}
	blanks := j < i
	if j == s.floor {
		return t, 0, false
	}
	// Most operators are ruled out by the byte in front of them.
	c := in[j-1]
	if in[i] == '=' && !blanks && c == '?' {
		j--
		c = in[max(j-1, s.floor)]
	}
	for j > s.floor && (c == '"' || c == '\'' || c == '`' || c == '\\' || c == ']') && i-j < 32 {
		if j--; j == s.floor {
			return t, 0, false
		}
		t.quoted = true
		c = in[j-1]
	}
	if !alnum(c) && c != '_' {
		return t, 0, false
	}
	end := j
	for j > s.floor && classes[in[j-1]]&isNameByte != 0 && end-j < maxName {
		j--
	}
	if in[i] == '=' && typeWord(in[j:end]) { // const token: string = "..."
		k := j
		for k > s.floor && (in[k-1] == ' ' || in[k-1] == ':') && j-k < 8 {
			k--
		}
		if k < j {
			end = k
			for k > s.floor && classes[in[k-1]]&isNameByte != 0 && end-k < maxName {
				k--
			}
			j = k
		}
	}
	t.query = j > s.floor && (in[j-1] == '?' || in[j-1] == '&' || in[j-1] == ';' && j-4 >= s.floor && in[j-4:j] == "amp;" ||
		j-3 >= s.floor && (in[j-3:j] == "%3F" || in[j-3:j] == "%26"))
	if j > s.floor && in[j-1] == '\\' { // what stands here is an escape of a string: \n or \u0026
		if strings.HasPrefix(in[j:end], jsonAnd) {
			t.query = true
			j += len(jsonAnd)
		} else if in[j] == 'n' || in[j] == 'r' || in[j] == 't' {
			j++
		}
	}
	t.from = j
	t.name = strings.Trim(in[j:end], "-.")
	if t.name == "" || !nameEnd[t.name[len(t.name)-1]] {
		return t, 0, false
	}
	if t.kind = secretKind(t.name); t.kind == "" && t.query && in[i] == '=' {
		t.kind = queryKind(t.name)
	}
	if t.kind == "" {
		return t, 0, false
	}
	value = i + 1
	t.op = in[i : i+1]
	if value < len(in) {
		switch next := in[value]; {
		case in[i] == ':' && next == '=', in[i] == '=' && next == '>':
			t.op = in[i : i+2]
			value++
		case in[i] == '=' && escape(in, value, jsonGreater) > 0:
			t.op = "=>"
			value = escape(in, value, jsonGreater)
		case next == '=' || next == '~' || in[i] == ':' && next == ':':
			return t, 0, false
		}
	}
	if in[i] == ':' && i > s.floor && in[i-1] == ':' {
		return t, 0, false
	}
	after := value
	for value < len(in) && (in[value] == ' ' || in[value] == '\t') && value-after < 24 {
		value++
	}
	t.tight = !blanks && value == after
	t.env = t.tight && t.op == "=" && allCaps(t.name)
	return t, value, value < len(in)
}

// nameEnd holds the last characters of all names that secretKind and queryKind know, and digits.
var nameEnd = func() (t [256]bool) {
	for _, c := range "desnytlhgcDESNYTLHGC_0123456789" {
		t[c] = true
	}
	return t
}()

// queryKind knows names that are secret in a URL alone.
func queryKind(name string) string {
	switch strings.ToLower(name) {
	case "sig", "signature", "x-amz-signature", "x-goog-signature":
		return "signature"
	case "key", "auth", "code", "pass", "pwd":
		return anyKey
	}
	return ""
}

func typeWord(w string) bool {
	switch w {
	case "string", "str", "String", "any", "text", "SecretStr", "CharSequence":
		return true
	}
	return false
}
