package redact

import "strings"

// assignBare decides on a value without quotes and hides it; i is the operator.
func (s *scan) assignBare(t target, start, i int) int {
	if t.kind == authorization {
		return s.authorizationHeader(t, start, i)
	}
	end, whole := s.bareEnd(t, start)
	v := s.in[start:end]
	if len(v) < 3 || end < len(s.in) && (s.in[end] == '(' || s.in[end] == '[' || s.in[end] == '{') && !t.env {
		return i + 1
	}
	if s.masked(start, end) || reference(v) || trivial(v) || !bareSecret(t, v, whole, byteAt(s.in, end)) {
		return i + 1
	}
	s.hide(start, end, s.kindOf(t, start), true)
	return end
}

// bareEnd gives the end of an unquoted value, and whether it ends its line. What would be an operator in a
// command ends it, unless the assignment is a line of a file of its own.
func (s *scan) bareEnd(t target, start int) (end int, whole bool) {
	in := s.in
	if s.bare >= start { // inside the last one, which ended there
		return s.bare, lineEnds(in, s.bare)
	}
	limit := min(len(in), start+maxValue)
	end, plain := start, true
	if strings.HasPrefix(in[start:limit], "${{") {
		if at := strings.Index(in[start:limit], "}}"); at > 0 {
			end, plain = start+at+2, false
		}
	}
	// Expansions and substitutions are stepped over, each as one.
	for end < limit {
		end = runUntil(in, end, isStop|isOperator, limit-end)
		next := -1
		if end < limit {
			next = expansionEnd(in[:min(limit, end+maxExpansion)], start, end)
		}
		if next < 0 {
			break
		}
		end, plain = next, false
	}
	if plain {
		s.bare = end
	}
	if end == len(in) || classes[in[end]]&isOperator == 0 && escape(in, end, jsonAnd) < 0 || t.query ||
		!t.env && t.op != ":" && !(t.tight && t.op == "=") || !s.lineBegins(t.from) {
		return end, lineEnds(in, end)
	}
	full := runUntil(in, end, isStop, maxValue)
	for next := escape(in, full, jsonAnd); next > 0; next = escape(in, full, jsonAnd) {
		full = runUntil(in, next, isStop, maxValue)
	}
	if !lineEnds(in, full) || !t.env && strings.IndexByte(in[end:full], '=') >= 0 || in[full-1] == ';' || in[full-1] == ')' || trivial(in[start:end]) {
		return end, lineEnds(in, end)
	}
	return full, true
}

// maxExpansion bounds what one expansion or substitution may span, in bytes.
const maxExpansion = 512

// expansionEnd gives the index behind the $(...), `...` or ${...} that the byte at in[i] belongs to, or -1. The value
// begins at start.
func expansionEnd(in string, start, i int) int {
	switch in[i] {
	case '(':
		if i > start && in[i-1] == '$' {
			return parenEnd(in, i)
		}
	case '`':
		if at := strings.IndexAny(in[i+1:], "`\n"); at >= 0 && in[i+1+at] == '`' {
			return i + at + 2
		}
	case '}':
		if open := strings.LastIndex(in[start:i], "${"); open >= 0 && strings.IndexByte(in[start+open:i], '}') < 0 {
			return i + 1
		}
	}
	return -1
}

// parenEnd gives the index behind the parenthesis that closes the one at in[i], on the same line, or -1.
func parenEnd(in string, i int) int {
	depth := 0
	for ; i < len(in) && in[i] != '\n'; i++ {
		switch in[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// lineBegins reports whether only what a file of settings, a listing, a diff or a search has stands in front of in[i] on its line.
func (s *scan) lineBegins(i int) bool {
	j := i
	for j > s.floor && i-j < 128 && s.in[j-1] != '\n' {
		if s.in[j-1] == 'n' && j-2 >= s.floor && s.in[j-2] == '\\' {
			break
		}
		j--
	}
	lead := strings.TrimSpace(s.in[j:i])
	lead = strings.TrimSpace(strings.TrimSuffix(lead, "export"))
	if strings.Trim(lead, "0123456789:|+- \t\"'") == "" {
		return true
	}
	// path:12: or path-12-
	end := lead[len(lead)-1]
	number := strings.TrimRight(lead[:len(lead)-1], "0123456789")
	return (end == ':' || end == '-') && len(number) > 0 && len(number) < len(lead)-1 && number[len(number)-1] == end && !strings.ContainsAny(lead, " \t=")
}

// lineEnds reports whether nothing but blanks, a comment, an escaped line end or the end of a string follows.
func lineEnds(in string, i int) bool {
	for i < len(in) && (in[i] == ' ' || in[i] == '\t') {
		i++
	}
	if i == len(in) || in[i] == '\n' || in[i] == '\r' || in[i] == '#' {
		return true
	}
	j := i
	for j < len(in) && in[j] == '\\' && j-i < 16 {
		j++
	}
	return j < len(in) && (in[j] == '"' || j > i && (in[j] == 'n' || in[j] == 'r'))
}

func byteAt(s string, i int) byte {
	if i < len(s) {
		return s[i]
	}
	return 0
}

// bareSecret decides on a value without quotes. In code such a value is an expression, so that
// it has to look made; where configuration is written, less will do.
func bareSecret(t target, v string, whole bool, after byte) bool {
	head := v[:min(len(v), headBytes)]
	password := t.kind == "password"
	switch {
	case t.op == "=>" || t.op == ":=":
		return random(head) && identifier(head)
	case t.query:
		return len(v) >= 6 && (t.kind != anyKey || strong(head)) && (t.kind != "signature" || len(v) >= 16)
	case t.kind == anyKey:
		return strong(head) && (random(head) || len(v) >= 32 && mixed(head)) && !expression(head) && !number(head)
	case t.env:
		return len(v) >= 6 || password && len(v) >= 4
	case expression(head) || number(head):
		return false
	case identifier(head):
		if random(head) || len(v) >= 32 && mixed(head) && strings.IndexByte(head, '.') < 0 && strings.IndexByte(head, '_') < 0 {
			return true
		}
		if !password || strings.ContainsAny(head, "._") {
			return false
		}
		if t.tight && t.op == "=" && after != ',' && after != ')' && len(v) >= 7 && mixedOnce(head) { // a connection string
			return true
		}
		if !whole || hasUpperInside(head) {
			return false
		}
		if t.tight && t.op == "=" {
			return len(v) >= 4
		}
		return len(v) >= 6 && mixedOnce(head)
	}
	if password && whole && (t.tight || t.op == ":") {
		return len(v) >= 6
	}
	return strong(head)
}

// identifier reports whether v could be a name in a program.
func identifier(v string) bool {
	return classes[v[0]]&isDigit == 0 && run(v, 0, isAlnum|isUnder|isDot|isDash&^isDash, len(v)) == len(v)
}

// expression reports whether v is a call, a member or an operation.
func expression(v string) bool {
	if strings.ContainsAny(v, "([{*") || strings.Contains(v, "->") || strings.Contains(v, "::") || strings.Contains(v, "!=") || strings.Contains(strings.TrimRight(v, "="), "==") || strings.HasPrefix(v, "&") || strings.HasPrefix(v, "!") {
		return true
	}
	for part := range strings.SplitSeq(v, ".") { // process.env.TOKEN, but not a token with dots
		if part == "" || classes[part[0]]&(isLetter|isUnder) == 0 || len(part) > 20 && random(part) {
			return false
		}
	}
	return strings.IndexByte(v, '.') > 0
}

// number reports whether v is a number of at most 64 bits; keys in hex are longer.
func number(v string) bool {
	digits := strings.TrimPrefix(strings.TrimPrefix(strings.TrimLeft(v, "+-"), "0x"), "0X")
	return len(digits) <= 16 && (len(digits) < len(v) || strings.Trim(digits, "0123456789._") == "") && strings.Trim(digits, "0123456789abcdefABCDEF._") == ""
}

func hasUpperInside(v string) bool {
	return strings.ContainsAny(v[1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") && hasLower(v)
}

func mixedOnce(v string) bool {
	letter := false
	for i := range len(v) {
		letter = letter || classes[v[i]]&isLetter != 0
	}
	return letter && hasDigit(v)
}
