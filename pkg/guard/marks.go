package guard

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// roles are the names under which chat formats, hosts and fences speak. A tag with one of
// these words in its name goes; so does a line's opening "system:".
var roles = []string{
	"system", "user", "assistant", "human", "developer", "tool", "function", "instruction", "instructions",
	"reminder", "prompt", "advisor", "context", "ai", "model", "claude", "gpt", "im_start", "im_end",
	"系统", "用户", "助手", "人类", "开发者", "工具", "指令",
}

// labels are the roles that open a line of dialogue. Less than roles, because
// "Context: ..." and "Function: ..." open honest sentences.
var labels = []string{"system", "user", "assistant", "human", "developer", "tool", "系统", "用户", "助手", "人类", "开发者", "工具"}

// stripMarks takes fence marks, special tokens and role labels out of a text.
func stripMarks(text string) string {
	out := make([]byte, 0, len(text))
	lineStart := true
	for i := 0; i < len(text); {
		rest := text[i:]
		if n := markLen(rest); n > 0 {
			if open := opener(rest); open > 0 && !boundary(out) && rest[open] != '/' && rest[open] != '|' {
				// List<User>: a type, most likely. It stays readable and is no tag.
				out = append(out, "‹"...)
				n = open
			}
			i += n
			continue
		}
		if lineStart || boundary(out) {
			if n := labelLen(rest, lineStart); n > 0 {
				i += n
				continue
			}
		}
		if n := closerLen(rest); n > 0 { // "</div>": readable, and closes nothing
			out = append(out, "‹/"...)
			i += n
			continue
		}
		_, size := utf8.DecodeRuneInString(rest)
		if c := rest[0]; c == '\n' {
			lineStart = true
		} else if !strings.ContainsRune(" \t*_#>-", rune(c)) {
			lineStart = false
		}
		out = append(out, rest[:size]...)
		i += size
	}
	return string(out)
}

// boundary tells whether a word can begin after what is written so far.
func boundary(out []byte) bool {
	if len(out) == 0 {
		return true
	}
	c := out[len(out)-1]
	return c < 0x80 && !(c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z')
}

// markLen gives the length of the mark that text opens with: a code fence, a
// special token, or a tag that is named after a role.
func markLen(text string) int {
	switch text[0] {
	case '`', '~':
		n := 0
		for n < len(text) && text[n] == text[0] {
			n++
		}
		if n < 3 {
			return 0
		}
		// The language goes with its fence.
		end := n
		for end < len(text) && (text[end] >= 'a' && text[end] <= 'z' || text[end] >= '0' && text[end] <= '9') {
			end++
		}
		if end < len(text) && text[end] == '\n' {
			return end
		}
		return n
	case '[':
		for _, token := range [...]string{"[INST]", "[/INST]"} {
			if len(text) >= len(token) && strings.EqualFold(text[:len(token)], token) {
				return len(token)
			}
		}
		return 0
	}
	open := opener(text)
	if open == 0 {
		return 0
	}
	if strings.HasPrefix(text[open:], "|") || strings.HasPrefix(text[open:], "｜") {
		return tokenLen(text, open)
	}
	return roleTagLen(text, open)
}

// opener gives the length of a "<" or of a sign that looks like it.
func opener(text string) int {
	for _, sign := range [...]string{"<", "＜", "﹤", "‹", "〈", "⟨"} {
		if strings.HasPrefix(text, sign) {
			return len(sign)
		}
	}
	return 0
}

// closing gives the end of the first ">" or look-alike within 80 bytes, or 0.
func closing(text string) int {
	text = text[:min(len(text), 80)]
	best := 0
	for _, sign := range [...]string{">", "＞", "﹥", "›", "〉", "⟩"} {
		if at := strings.Index(text, sign); at >= 0 && (best == 0 || at+len(sign) < best) {
			best = at + len(sign)
		}
	}
	return best
}

// tokenLen measures "<|...|>".
func tokenLen(text string, open int) int {
	end := closing(text[open:])
	if end == 0 || strings.ContainsAny(text[open:open+end], " \n") {
		return 0
	}
	return open + end
}

// maxTag is how many bytes of a tag are looked at.
const maxTag = 120

// roleTagLen measures a tag whose name has a role in it, opening or closing,
// with attributes or without.
func roleTagLen(text string, open int) int {
	text = text[:min(len(text), maxTag)] // so that a run of openers costs no more than its length
	body := strings.TrimLeft(text[open:], "/／<| ")
	name := body
	if at := strings.IndexFunc(body, func(r rune) bool { return !tagRune(r) }); at >= 0 {
		name = body[:at]
	}
	if name == "" || len(name) > 60 {
		return 0
	}
	words := strings.FieldsFunc(fold(name), func(r rune) bool { return r == '-' || r == '_' || r == ':' || r == '.' })
	if !slices.ContainsFunc(words, func(w string) bool { return slices.Contains(roles, w) || w == "sys" }) {
		return 0
	}
	if strings.HasPrefix(text[open:], " ") {
		// "a < user and b > c" compares; "< system >" is a tag.
		if after := strings.TrimLeft(body[len(name):], " /"); after == "" || closing(after[:min(len(after), 3)]) == 0 {
			return 0
		}
	}
	end := closing(text[open:])
	if end == 0 {
		// Never closed: the opening alone must not stay.
		return len(text) - len(body) + len(name)
	}
	for strings.HasPrefix(text[open+end:], ">") { // "<<SYS>>"
		end++
	}
	return open + end
}

func tagRune(r rune) bool {
	return r == '-' || r == '_' || r == ':' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= 0x80 && closing(string(r)) == 0
}

// closerLen measures "</" before a name.
func closerLen(text string) int {
	open := opener(text)
	if open == 0 || strings.HasPrefix(text, "‹") {
		return 0
	}
	for _, slash := range [...]string{"/", "／"} {
		if strings.HasPrefix(text[open:], slash) {
			return open + len(slash)
		}
	}
	return 0
}

// labelLen measures "SYSTEM:" and its kin. Within a line only capitals count: "system: on"
// there is ordinary prose or YAML.
func labelLen(text string, lineStart bool) int {
	for _, label := range labels {
		if len(text) <= len(label) || !strings.EqualFold(text[:len(label)], label) {
			continue
		}
		if !lineStart && (text[:len(label)] != strings.ToUpper(label) || label[0] >= 0x80) {
			continue
		}
		rest := strings.TrimLeft(text[len(label):], " *_")
		for _, colon := range [...]string{":", "：", "﹕"} {
			if after, ok := strings.CutPrefix(rest, colon); ok {
				return len(text) - len(strings.TrimLeft(after, " *_"))
			}
		}
	}
	return 0
}
