package redact

import "strings"

// openQuote gives the start of a quoted value and what ends it: a quote with the backslashes that nesting in other
// strings put in front of it. A prefix letter (f"", r”, $”) is stepped over. No quote: an empty string.
func openQuote(in string, i int) (start int, quote string) {
	if i+1 < len(in) && strings.IndexByte("fFrRbBuU@$", in[i]) >= 0 && (in[i+1] == '"' || in[i+1] == '\'') {
		i++
	}
	j := i
	for j < len(in) && in[j] == '\\' && j-i < 16 {
		j++
	}
	if j == len(in) || in[j] != '"' && in[j] != '\'' && in[j] != '`' {
		return i, ""
	}
	quote = in[i : j+1]
	if strings.HasPrefix(in[j+1:], quote+quote) && quote != "`" { // """ of Python
		return j + 3, quote
	}
	return j + 1, quote
}

// closeQuote gives the index of the end of a quoted value. A line end, the end of an outer string, the end of the
// text and maxValue end it too: texts are cut anywhere.
func closeQuote(in string, start int, quote string) int {
	depth := len(quote) - 1 // backslashes in front of the quote
	for i := start; i < len(in) && i-start < maxValue; i++ {
		switch c := in[i]; c {
		case '\n', '\r':
			return i
		case '\\':
			j := i
			for j < len(in) && in[j] == '\\' {
				j++
			}
			n := j - i
			if j < len(in) && in[j] == quote[depth] && n <= depth {
				return i // its own quote, or that of an outer string
			}
			if j < len(in) && in[j] == 'n' && depth > 0 && n <= depth {
				return i // a line end of the text inside the string
			}
			i = j // what follows is escaped
		case quote[depth]:
			return i
		}
	}
	return min(len(in), start+maxValue)
}

// maxValue bounds a quoted value, in bytes.
const maxValue = 4096

// headBytes is how much of a value is looked at to tell what it is.
const headBytes = 160

// quotedSecret decides on a value in quotes.
func quotedSecret(t target, v string) bool {
	if reference(v) || trivial(v) || len(v) < 4 {
		return false
	}
	head := v[:min(len(v), headBytes)]
	if !t.env && !hasDigit(head) && secretKind(head) != "" {
		return false // a name in its turn: PASSWORD_FIELD = "db_password"
	}
	shellish := t.env || t.tight && t.op == "="
	if !shellish && (strings.Contains(head, "${") || strings.Contains(head, "#{") || strings.Contains(head, "{{") || strings.Contains(head, "{}") || strings.Contains(head, "%s") || strings.Contains(head, "%v")) {
		return false // built from other values
	}
	if t.query {
		return len(v) >= 6
	}
	switch t.kind {
	case "password":
		if sentence(v) {
			return t.env || hasDigit(v) && !strings.Contains(strings.ToLower(head), "password")
		}
		return len(v) >= 6 || t.env || mixed(v)
	case anyKey:
		return strong(v) && (random(v) || len(v) >= 24)
	case "signature":
		return len(v) >= 16
	}
	if sentence(v) {
		return t.env && !strings.Contains(v, ". ")
	}
	if t.env {
		return len(v) >= 6
	}
	return strong(v) || len(v) >= 20 && hasBothCases(v) && random(v)
}
