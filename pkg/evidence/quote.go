package evidence

import (
	"strings"
	"unicode/utf8"
)

// variants gives the forms of a quote to look for, the plain one first.
func variants(quote string) []string {
	forms := []string{quote}
	for _, strip := range [...]func(string) string{unwrap, stripNumbers, stripDiff, unescape} {
		last := forms[len(forms)-1]
		if text := strip(last); text != last && strings.TrimSpace(text) != "" {
			forms = append(forms, text)
		}
	}
	return forms
}

// unwrap takes off a Markdown fence, backticks or quotes around the whole.
func unwrap(quote string) string {
	text := strings.TrimSpace(quote)
	if strings.HasPrefix(text, "```") {
		if _, rest, ok := strings.Cut(text, "\n"); ok {
			text = rest
		}
		return strings.TrimSpace(strings.TrimRight(strings.TrimLeft(text, "`"), "`"))
	}
	for _, pair := range [...][2]string{{"`", "`"}, {`"`, `"`}, {"'", "'"}, {"“", "”"}} {
		if len(text) > 2 && strings.HasPrefix(text, pair[0]) && strings.HasSuffix(text, pair[1]) {
			return strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(text, pair[0]), pair[1]))
		}
	}
	return quote
}

// stripNumbers takes off line numbers as tools print them, when every line
// that is not blank has one and they do not fall.
func stripNumbers(quote string) string {
	lines := strings.Split(quote, "\n")
	last := -1
	for i, line := range lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		number, rest, ok := cutNumber(line)
		if !ok || number < last {
			return quote
		}
		last, lines[i] = number, rest
	}
	return strings.Join(lines, "\n")
}

// cutNumber cuts "45: ", "  45|", "45\t", "45→", "L45:" and "path:45:".
func cutNumber(line string) (number int, rest string, ok bool) {
	text := strings.TrimLeft(line, " \t")
	if number, rest, ok = cutDigits(strings.TrimPrefix(text, "L")); ok {
		return number, rest, true
	}
	if path, after, found := strings.Cut(text, ":"); found && path != "" && !strings.ContainsAny(path, " \t\"'()") {
		return cutDigits(after)
	}
	return 0, "", false
}

func cutDigits(text string) (number int, rest string, ok bool) {
	digits := 0
	for digits < len(text) && digits < 7 && text[digits] >= '0' && text[digits] <= '9' {
		number = number*10 + int(text[digits]-'0')
		digits++
	}
	if digits == 0 {
		return 0, "", false
	}
	rest = strings.TrimLeft(text[digits:], " ")
	for _, mark := range [...]string{":", "|", "\t", "→", ")", "│"} {
		if after, found := strings.CutPrefix(rest, mark); found {
			return number, after, true
		}
	}
	return 0, "", false
}

// stripDiff takes off the first column of a diff's added and common lines. A
// removed line is not in the file, so that "-" stays.
func stripDiff(quote string) string {
	lines := strings.Split(quote, "\n")
	added := false
	for i, line := range lines {
		if line == "" {
			continue
		}
		switch line[0] {
		case '+':
			added = true
		case ' ':
		default:
			return quote
		}
		lines[i] = line[1:]
	}
	if !added {
		return quote
	}
	return strings.Join(lines, "\n")
}

// unescape undoes the escapes of a model that escaped its JSON twice, or wrote HTML.
func unescape(quote string) string {
	return strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\"`, `"`,
		"&lt;", "<", "&gt;", ">", "&quot;", `"`, "&#39;", "'", "&amp;", "&").Replace(quote)
}

// elide splits a quote at its elided middles and gives the pieces in normal
// form. Pieces too small to say anything are dropped, such as the brace that
// closes an elided body. Nil: nothing is elided, or too little is left.
func elide(quote string) []string {
	quote = strings.ReplaceAll(quote, "…", "...")
	var kept []string
	total, elided, rest, from := 0, false, quote, 0
	keep := func(text string) {
		text = normalize(trimLeads(text)).text
		if s := substance(text); s >= minPiece {
			kept = append(kept, text)
			total += s
		}
	}
	for {
		at := strings.Index(rest[from:], "...")
		if at < 0 {
			break
		}
		at += from
		end := at + 3
		for end < len(rest) && rest[end] == '.' {
			end++
		}
		if !elision(rest[:at], rest[end:]) {
			from = end
			continue
		}
		keep(rest[:at])
		rest, from, elided = rest[end:], 0, true
	}
	keep(rest)
	if !elided || total < minElided {
		return nil
	}
	return kept
}

// elision tells whether three dots between before and after leave something
// out. Dots that touch a word, as in f(...args), are the language's own.
func elision(before, after string) bool {
	if strings.TrimSpace(before) == "" || strings.TrimSpace(after) == "" {
		return true
	}
	b, a := before[len(before)-1], after[0]
	open := strings.IndexByte("([{<", b)
	return (b <= ' ' || b == '/' || b == '#' || b == '*' || open >= 0) &&
		(a <= ' ' || a == '*' || open >= 0 && a == ")]}>"[open])
}

// trimLeads takes off what stands around an elision on its line: "// ...", "/* ... */".
func trimLeads(text string) string {
	text = strings.TrimSpace(text)
	for _, lead := range [...]string{"//", "/*", "#", "--", "["} {
		text = strings.TrimSpace(strings.TrimSuffix(text, lead))
	}
	for _, tail := range [...]string{"*/", "]"} {
		text = strings.TrimSpace(strings.TrimPrefix(text, tail))
	}
	return text
}

// weak tells why a quote proves nothing, before any file is opened; empty
// when it may.
func weak(quote string) string {
	text := strings.TrimSpace(unwrap(quote))
	switch {
	case text == "":
		return "the quote is empty; quote 1 to 12 lines of the file, verbatim"
	case strings.Count(text, "\n") >= maxQuoteLines:
		return "the quote has more than 12 lines; quote the lines that matter"
	case utf8.RuneCountInString(text) > maxQuoteRunes:
		return "the quote has more than 4,000 characters; quote the lines that matter"
	case substance(text) < minSubstance:
		return "the quote is too short to prove anything; quote a whole line"
	}
	return ""
}
