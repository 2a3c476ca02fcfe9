package redact

import "strings"

// reference reports whether a value is wholly a reference or a placeholder: $NAME, ${NAME}, $(command), `command`,
// {{ template }}, {env:NAME}, <your key>, %s, %NAME%, ***. Such a value is no secret, and a
// judge of commands must see it.
func reference(v string) bool {
	v = strings.TrimSpace(v)
	if v == "" {
		return true
	}
	switch v[0] {
	case '$':
		return dollar(v)
	case '`':
		return len(v) > 1 && strings.IndexByte(v[1:], '`') == len(v)-2
	case '{':
		return strings.HasSuffix(v, "}") && strings.Count(v, "}") <= 2
	case '<':
		return strings.HasSuffix(v, ">") && strings.IndexByte(v, '>') == len(v)-1
	case '%':
		return len(v) <= 3 || v[len(v)-1] == '%' && run(v, 1, isToken, len(v)) == len(v)-1
	case '#':
		return strings.HasPrefix(v, "#{") && strings.IndexByte(v, '}') == len(v)-1
	}
	return strings.Trim(v, "*") == "" || strings.Trim(v, "xX") == "" || strings.Trim(v, ".…") == "" || strings.Trim(v, "-_?0") == ""
}

// dollar reports whether v is one expansion or substitution and nothing else.
func dollar(v string) bool {
	if len(v) < 2 {
		return true
	}
	switch v[1] {
	case '{':
		if strings.HasPrefix(v, "${{") {
			return strings.Index(v, "}}") == len(v)-2
		}
		// A default may hold a secret: ${PASSWORD:-hunter2}.
		return strings.IndexByte(v, '}') == len(v)-1 && run(v, 2, isAlnum|isUnder|isDot, len(v)) == len(v)-1
	case '(':
		return parenEnd(v, 1) == len(v)
	}
	if strings.HasPrefix(v, "$env:") {
		v = v[4:]
	}
	return run(v, 1, isAlnum|isUnder, len(v)) == len(v) || len(v) == 2
}

// trivial reports whether a value is a word that stands for a secret or a type, and not one.
func trivial(v string) bool {
	if len(v) > 24 {
		return false
	}
	var b [24]byte
	for i := range len(v) {
		b[i] = lower(v[i])
	}
	return trivialWords[string(b[:len(v)])]
}

var trivialWords = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`password passwd passphrase pass pwd pw secret secrets token tokens key apikey api_key api-key user username credential credentials
		string str text bytes byte buffer number integer int bool boolean any object null nil none undefined void unknown true false yes no on off
		required optional redacted hidden masked removed omitted example changeme change-me placeholder default empty value values your-password your_password
		your-token your_token your-api-key your_api_key your-api-key-here yourpassword foobar foo bar baz test testing dummy fake mock sample todo xxx bearer basic
		prompt input stdin env environment file read write interactive base64 plain plaintext varchar char self this new`) {
		m[w] = true
	}
	return m
}()

// strong reports whether a value without a context looks made rather than written: digits and letters, no blank, no
// path, no expression.
func strong(v string) bool {
	return len(v) >= 8 && mixed(v) && !strings.ContainsAny(v, " \t()[]{}<>") && !strings.Contains(v, "://") && v[0] != '/' && v[0] != '.' && v[0] != '~'
}

// random reports whether v looks like the output of a generator: long, and its letters and digits change often.
func random(v string) bool {
	if len(v) < 16 || !hasLower(v) && strings.IndexByte(v, '_') >= 0 { // NL80211_TX_MIC_KEY
		return false
	}
	digits, changes, longest, word := 0, 0, 0, 0
	for i := range len(v) {
		c := classes[v[i]]
		if c&isDigit != 0 {
			digits++
		}
		if c&isLower != 0 || i > 0 && c&isUpper != 0 && classes[v[i-1]]&isUpper != 0 {
			word++
		} else {
			word = 0
		}
		longest = max(longest, word)
		if i > 0 && c&isAlnum != classes[v[i-1]]&isAlnum {
			changes++
		}
	}
	return digits >= 2 && changes*5 >= len(v) && longest < 9
}

// sentence reports whether v is words for people: error messages and labels are assigned to such names too.
func sentence(v string) bool {
	return strings.Contains(v, " ")
}
