package judge

import (
	"strings"
	"unicode"

	"github.com/buger/jsonparser"
)

// leadingWindow is how much of a reply's first line may hold the verdict, in
// characters: enough for "**Verdict: ALLOW**", too little for a quotation.
const leadingWindow = 32

// unsureWord is how the model says that the person should be asked.
const unsureWord = "UNSURE"

// negators turn the meaning of a verdict that follows them. With -n't and
// non- they cover what English has.
var negators = set(`not no cannot cant can't never nope nor neither without dont don't wont won't shouldnt shouldn't wouldnt wouldn't isnt isn't
	doesnt doesn't didnt didn't mustnt mustn't refuse refuses unable instead rather hardly against un nein non ni`)

func set(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

// labels may stand before a verdict however strict one must be.
var labels = set(`verdict decision answer judgement judgment result final my the is ruling response reply permission action`)

// parseVerdict reads a model's reply. Only the leading window of the first line
// that is not empty is trusted: the verdict stands there as a word of its own,
// in capitals, outside backticks, with no negator before it and not beside
// the other one. A JSON object is read by the same rules, in its verdict. data
// is the text that the model was shown: a verdict that the reply may be quoting
// from it does not count. None: the reply says nothing that can be used.
func parseVerdict(reply string, format [2]string, data string) (Decision, string) {
	reply = strings.TrimSpace(strings.TrimPrefix(reply, "\ufeff"))
	if object := jsonReply(reply); object != "" {
		word, reason, ok := jsonVerdict(object)
		if !ok || strings.Contains(data, object) {
			return None, ""
		}
		d, _ := lineVerdict(word, format, data)
		return d, oneLine(reason, len(reason))
	}
	line, rest, _ := strings.Cut(reply, "\n")
	d, reason := lineVerdict(line, format, data)
	if d == None {
		return None, ""
	}
	for reason == "" && rest != "" {
		line, rest, _ = strings.Cut(strings.TrimSpace(rest), "\n")
		reason = strings.Trim(line, "`*_# \t-")
	}
	return d, oneLine(reason, len(reason))
}

// lineVerdict finds the verdict in the leading window of a line.
func lineVerdict(line string, format [2]string, data string) (Decision, string) {
	line = strings.TrimSpace(line)
	window := []rune(line)
	if len(window) > leadingWindow {
		window = window[:leadingWindow]
	}
	text := stripCode(string(window))
	at, d, word := -1, None, ""
	for _, v := range []struct {
		word string
		d    Decision
	}{{format[0], Allow}, {format[1], Deny}, {unsureWord, Ask}} {
		if !strings.Contains(text, v.word) {
			continue
		}
		if word != "" {
			return None, "" // two of them, in whatever way
		}
		at, d, word = wordAt(text, v.word), v.d, v.word
	}
	if at < 0 {
		return None, ""
	}
	if negated(text[:at]) || quoting(text[:at], line, word, data) {
		return None, ""
	}
	_, reason, _ := strings.Cut(line, word)
	return d, strings.Trim(reason, "`*_\"' \t:;,.-–—")
}

// stripCode takes out what stands between backticks; an open one takes the rest.
func stripCode(s string) string {
	var out strings.Builder
	for {
		before, after, ok := strings.Cut(s, "`")
		out.WriteString(before)
		if !ok {
			return out.String()
		}
		_, s, ok = strings.Cut(after, "`")
		if !ok {
			return out.String()
		}
		out.WriteByte(' ')
	}
}

func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_'
}

// wordAt finds a token as a word of its own: no letter, digit or sign that
// joins words touches its first occurrence. -1: it is not there.
func wordAt(s, token string) int {
	at := strings.Index(s, token)
	if at < 0 {
		return -1
	}
	before, after := []rune(s[:at]), []rune(s[at+len(token):])
	if n := len(before); n > 0 && (wordRune(before[n-1]) || strings.ContainsRune("-='’$/\\.@", before[n-1])) {
		return -1
	}
	if len(after) > 0 && (wordRune(after[0]) || strings.ContainsRune("='’/\\?", after[0]) || after[0] == '-' && len(after) > 1 && wordRune(after[1])) {
		return -1
	}
	return at
}

// negated reports a negator among the words before the verdict.
func negated(before string) bool {
	before = strings.ToLower(strings.ReplaceAll(before, "’", "'"))
	for _, w := range strings.FieldsFunc(before, func(r rune) bool { return !wordRune(r) && r != '\'' && r != '-' }) {
		w = strings.Trim(w, "'-")
		if negators[w] || strings.HasSuffix(w, "n't") || strings.HasPrefix(w, "non-") {
			return true
		}
		for _, part := range strings.Split(w, "-") {
			if negators[part] {
				return true
			}
		}
	}
	return false
}

// quoting reports a verdict that may be the request's own words: they hold the
// token, and the reply does not begin with it, or is one of their lines, or
// goes on as they do.
func quoting(before, line, token, data string) bool {
	if !strings.Contains(data, token) {
		return false
	}
	for _, l := range strings.Split(data, "\n") {
		if strings.TrimSpace(l) == line {
			return true
		}
	}
	for _, w := range strings.FieldsFunc(strings.ToLower(before), func(r rune) bool { return strings.ContainsRune(" \t*_#:-", r) }) {
		if !labels[w] { // quotation marks and signs of comments among them
			return true
		}
	}
	tail := strings.TrimRight(line[strings.Index(line, token):], "`*_\"' \t.!")
	return len(tail) > len(token) && strings.Contains(data, cutTo(tail, chars(token)+8))
}

// jsonReply gives the object that a reply consists of, with or without the
// marks of a code block, or "".
func jsonReply(reply string) string {
	if after, ok := strings.CutPrefix(reply, "```"); ok {
		lang, body, _ := strings.Cut(after, "\n")
		lang = strings.TrimSpace(lang)
		if lang != "" && !strings.EqualFold(lang, "json") {
			return ""
		}
		body, _, ok = strings.Cut(body, "```")
		if !ok {
			return ""
		}
		reply = strings.TrimSpace(body)
	}
	if !strings.HasPrefix(reply, "{") || tooNested([]byte(reply)) {
		return ""
	}
	return reply
}

// jsonVerdict reads the verdict of an object. Two of them are none.
func jsonVerdict(object string) (word, reason string, ok bool) {
	count := 0
	err := jsonparser.ObjectEach([]byte(object), func(key, value []byte, kind jsonparser.ValueType, _ int) error {
		switch strings.ToLower(string(key)) {
		case "verdict", "decision", "answer", "result":
			count++
			if s, err := jsonparser.ParseString(value); err == nil && kind == jsonparser.String {
				word, ok = s, true
			} else {
				count++
			}
		case "reason", "explanation", "why", "message":
			if s, err := jsonparser.ParseString(value); err == nil && kind == jsonparser.String {
				reason = s
			}
		}
		return nil
	})
	return word, reason, ok && err == nil && count == 1
}
