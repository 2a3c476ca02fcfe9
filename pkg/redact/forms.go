package redact

import "strings"

// How < > & are written in JSON that is made for web pages, Go's among it.
// A JSON string inside another has more backslashes in front.
const (
	jsonLess    = "u003c"
	jsonGreater = "u003e"
	jsonAnd     = "u0026"
)

// escape gives the index behind what stands at in[i] when it is backslashes and then code, else -1.
func escape(in string, i int, code string) int {
	j := i
	for j < len(in) && in[j] == '\\' && j-i < 16 {
		j++
	}
	if j == i || !strings.HasPrefix(in[j:], code) {
		return -1
	}
	return j + len(code)
}

// element hides the text of <password>...</password> and the like; at in[i] is the > of the opening tag, and start is behind it.
func (s *scan) element(i, start int) int {
	in := s.in
	j := i
	for j > s.floor && classes[in[j-1]]&isNameByte != 0 && i-j < maxName {
		j--
	}
	if j == i || j == s.floor || !nameEnd[in[i-1]] {
		return i + 1
	}
	if in[j-1] == '\\' && strings.HasPrefix(in[j:i], jsonLess) {
		j += len(jsonLess)
	} else if in[j-1] != '<' {
		return i + 1
	}
	kind := secretKind(in[j:i])
	if kind == "" {
		return i + 1
	}
	end := runUntil(in, start, isOperator, maxValue)
	if at := strings.Index(in[start:end], `\`+jsonLess); at >= 0 {
		end = start + at
	}
	if end == len(in) || in[end] != '<' && in[end] != '\\' || strings.IndexByte(in[start:end], '\n') >= 0 {
		return i + 1
	}
	v := strings.TrimRight(in[start:end], `\`)
	if len(v) < 4 || s.masked(start, start+len(v)) || reference(v) || trivial(v) || sentence(v) || kind == anyKey && !random(v) {
		return i + 1
	}
	s.hide(start, start+len(v), kind, false)
	return start + len(v)
}

// flag hides the value of --password VALUE, of curl -u user:VALUE, sshpass -p VALUE and mysql -pVALUE; in[i] is a dash.
func (s *scan) flag(i int) int {
	in := s.in
	if i > s.floor && (alnum(in[i-1]) || in[i-1] == '_') {
		return i + 1
	}
	if strings.HasPrefix(in[i:], "--") {
		return s.longFlag(i)
	}
	if i+2 >= len(in) || in[i+1] != 'u' && in[i+1] != 'p' {
		return i + 1
	}
	before := in[max(s.floor, i-200):i]
	before = before[strings.LastIndexAny(before, "\n;|&")+1:]
	if in[i+1] == 'u' {
		if !strings.Contains(before, "curl ") && !strings.Contains(before, "wget ") {
			return i + 1
		}
		return s.userFlag(i, i+2)
	}
	start := i + 2
	switch {
	case strings.HasSuffix(strings.TrimRight(before, " "), "sshpass"):
		start = skipBlanks(in, start)
	case (strings.Contains(before, "mysql") || strings.Contains(before, "mariadb")) && in[start] != ' ':
	default:
		return i + 1
	}
	return s.flagValue(i, start, "password", false)
}

// longFlag hides the value of a flag whose name says that it is secret. With = it is an assignment and comes later.
func (s *scan) longFlag(i int) int {
	in := s.in
	end := run(in, i+2, isToken, maxName)
	if end >= len(in) || in[end] != ' ' || end == i+2 {
		return i + 1
	}
	name := in[i+2 : end]
	if name == "user" && strings.Contains(in[max(s.floor, i-200):i], "curl ") {
		return s.userFlag(i, end)
	}
	kind := ""
	if nameEnd[in[end-1]] {
		kind = secretKind(name)
	}
	if kind == "" || kind == authorization {
		return i + 2
	}
	return s.flagValue(i+1, skipBlanks(in, end), kind, true)
}

// flagValue hides the value at start when it is one; i is where to go on from otherwise. In prose, words
// follow flags too: with prose set, a bare value must have a digit in it.
func (s *scan) flagValue(i, start int, kind string, prose bool) int {
	from, quote := openQuote(s.in, start)
	end := 0
	if quote != "" {
		end = closeQuote(s.in, from, quote)
	} else {
		end = runUntil(s.in, from, isStop|isOperator, maxValue)
	}
	v := s.in[from:end]
	if len(v) < 3 || v[0] == '-' || s.masked(from, end) || reference(v) || trivial(v) {
		return i + 1
	}
	if quote == "" && prose && !(mixedOnce(v) && len(v) >= 6) || kind == anyKey && !random(v) {
		return i + 1
	}
	s.hide(from, end, kind, quote == "")
	return end
}

// userFlag hides the password of user:password at or behind start.
func (s *scan) userFlag(i, start int) int {
	if start < len(s.in) && s.in[start] == '=' {
		start++
	}
	from, quote := openQuote(s.in, skipBlanks(s.in, start))
	end := 0
	if quote != "" {
		end = closeQuote(s.in, from, quote)
	} else {
		end = runUntil(s.in, from, isStop|isOperator, maxValue)
	}
	at := strings.IndexByte(s.in[from:end], ':')
	if at < 0 || s.masked(from, from+at) {
		return i + 1
	}
	from += at + 1
	v := s.in[from:end]
	if len(v) < 3 || s.masked(from, end) || reference(v) || trivial(v) {
		return i + 1
	}
	s.hide(from, end, "password", quote == "")
	return end
}

func skipBlanks(in string, i int) int {
	for i < len(in) && (in[i] == ' ' || in[i] == '\t') {
		i++
	}
	return i
}
