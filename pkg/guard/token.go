package guard

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// tokens is what a note's text comes down to for comparing.
type tokens struct {
	strict  []string // words; quoted parts count as words
	loose   []string // words outside quotes
	weighty []string // strict, with each name of the code three times
	symbols []string // names of functions: "refund" for "refund()"
	path    string   // the first path in the text
	line    uint32   // and the line that follows it, "x.go:12" or "x.go line 12"
}

// filling words change nothing about what a note is about. Counters are among
// them: "attempt", "round", "again".
var filling = splitPhrases(`a|an|the|this|that|these|those|it|its|is|are|was|were|be|been|to|of|for|in|on|at|with|from|by|as|so|and|or|also|but|still|again|once|more|please|now|just|here|there|you|your|we|i|will|would|should|must|can|could|may|might|has|have|had|do|does|did|which|when|then|than|hence|thus|because|since|if
attempt|try|round|iteration|pass|time|times|review|turn|step|reminder|repeat|repeated|repeating|reported|previously|already|before|earlier|finding|issue|note|problem|warning|blocker|concern|nit|item|number|count|line|lines|file|hash|commit|rev|revision|version|at|x|th|st|nd|rd
one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|next|another
的|了|是|在|和|与|也|都|再|又|还|仍|请|第|次|个|这|那|该|会|将|已|行|一|二|三|四|五|六|七|八|九|十|百|千|两|零`)

// tokenize cuts a text for comparing. It is bounded by the length of a note.
func tokenize(text string) tokens {
	var t tokens
	text = strings.Join(strings.Fields(norm.NFKC.String(visible(text))), " ")
	runes := []rune(strings.ReplaceAll(text, "n't", " not"))
	quote := rune(0) // the sign that will close the quoted part
	for i := 0; i < len(runes); {
		r := runes[i]
		if quote != 0 && r == quote {
			quote = 0
			i++
			continue
		}
		if quote == 0 {
			if quote = closingQuote(runes, i); quote != 0 {
				i++
				continue
			}
		}
		if cjk(r) {
			// Chinese has no spaces: pairs of characters stand for words.
			word := string(r)
			if !filling[word] {
				if i+1 < len(runes) && cjk(runes[i+1]) && !filling[string(runes[i+1])] {
					word += string(runes[i+1])
				}
				t.add(word, quote != 0, 1)
			}
			i++
			continue
		}
		if !wordPart(r) {
			i++
			continue
		}
		end := i
		for end < len(runes) && (wordPart(runes[end]) || glue(runes, end)) {
			end++
		}
		t.word(string(runes[i:end]), runes[end:], quote != 0)
		i = end
	}
	return t
}

// nameWeight is how much more a name of the code tells of a matter than a
// word does: "missing await before fetchUser" is not "... before fetchOrders".
const nameWeight = 3

// word takes one run of word characters and of the signs that join paths.
func (t *tokens) word(run string, rest []rune, quoted bool) {
	if isPath(strings.ToLower(run)) {
		if t.path == "" {
			t.path = run
			t.line = lineAfter(rest)
		}
		return
	}
	for _, part := range strings.FieldsFunc(run, func(r rune) bool { return !wordPart(r) }) {
		if isHash(strings.ToLower(part)) {
			continue
		}
		// A counter inside a name changes nothing: "step2" is "step".
		name := strings.Trim(strings.Map(dropDigit, part), "_")
		word := strings.ToLower(name)
		if word == "" || filling[word] {
			continue
		}
		called := len(rest) > 0 && rest[0] == '(' && strings.HasSuffix(run, part)
		if called {
			t.symbols = append(t.symbols, word)
		}
		if called || codeName(name) {
			t.add(word, quoted, nameWeight)
		} else {
			t.add(stem(word), quoted, 1)
		}
	}
}

func dropDigit(r rune) rune {
	if unicode.IsDigit(r) {
		return -1
	}
	return r
}

// codeName tells whether a word is written as names of code are: snake_case,
// or a capital behind a small letter.
func codeName(name string) bool {
	small := false
	for _, r := range name {
		if r == '_' || small && unicode.IsUpper(r) {
			return true
		}
		small = unicode.IsLower(r)
	}
	return false
}

func (t *tokens) add(word string, quoted bool, weight int) {
	t.strict = append(t.strict, word)
	if !quoted {
		t.loose = append(t.loose, word)
	}
	for range weight {
		t.weighty = append(t.weighty, word)
	}
}

func wordPart(r rune) bool {
	return r == '_' || (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) && !cjk(r)
}

// glue tells whether the sign at i joins what is around it to one path, name or hash.
func glue(runes []rune, i int) bool {
	if !strings.ContainsRune(`/\.-@`, runes[i]) || i+1 >= len(runes) {
		return false
	}
	return wordPart(runes[i+1]) || runes[i] == '.' && (runes[i+1] == '/' || runes[i+1] == '.')
}

// isPath tells whether a run is a path: it has a slash, or ends in what looks
// like the ending of a file's name.
func isPath(run string) bool {
	if strings.ContainsAny(run, `/\`) {
		return true
	}
	dot := strings.LastIndexByte(run, '.')
	if dot <= 0 || len(run)-dot > 6 {
		return false
	}
	for _, ending := range [...]string{
		"go", "js", "ts", "tsx", "jsx", "mjs", "cjs", "py", "rs", "java", "kt", "c", "h", "cc", "cpp", "hpp", "cs", "rb", "php", "swift",
		"scala", "sh", "sql", "json", "yaml", "yml", "toml", "xml", "html", "css", "scss", "vue", "md", "txt", "mod", "sum", "lock", "ini", "env", "cfg", "zig", "lua", "dart", "ex", "exs", "proto", "tf",
	} {
		if run[dot+1:] == ending {
			return true
		}
	}
	return false
}

// isHash tells whether a word is a commit, an id or another machine's word: at
// least seven hex digits, a digit among them.
func isHash(word string) bool {
	return len(word) >= 7 && strings.Trim(word, "0123456789abcdef") == "" && strings.ContainsAny(word, "0123456789")
}

// stem takes off the endings in which paraphrases differ most.
func stem(word string) string {
	for _, ending := range [...]string{"ing", "ed", "es", "s"} {
		if len(word) > len(ending)+3 && strings.HasSuffix(word, ending) {
			word = word[:len(word)-len(ending)]
			break
		}
	}
	if stem, ok := strings.CutSuffix(word, "y"); ok { // retry, retried
		word = stem + "i"
	}
	return word
}

// lineAfter reads ":12", " line 12", "#l12" after a path.
func lineAfter(rest []rune) uint32 {
	text := strings.TrimLeft(strings.ToLower(string(rest[:min(len(rest), 16)])), " :#(,")
	for _, word := range [...]string{"lines", "line", "l"} {
		text = strings.TrimLeft(strings.TrimPrefix(text, word), " ")
	}
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	n, err := strconv.ParseUint(text[:digits], 10, 31)
	if err != nil {
		return 0
	}
	return uint32(n)
}

// closingQuote gives the sign that closes a quoted part that opens at i, or 0
// when none opens there or it never closes. An apostrophe opens nothing.
func closingQuote(runes []rune, i int) rune {
	end := rune(0)
	switch runes[i] {
	case '`', '"':
		end = runes[i]
	case '“':
		end = '”'
	case '「':
		end = '」'
	case '《':
		end = '》'
	case '\'':
		if i == 0 || !wordPart(runes[i-1]) {
			end = '\''
		}
	}
	if end == 0 {
		return 0
	}
	for _, r := range runes[i+1 : min(len(runes), i+200)] {
		if r == end {
			return end
		}
	}
	return 0
}
