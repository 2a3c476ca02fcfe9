package guard

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"golang.org/x/text/unicode/norm"
)

// Bounds of what a note carries, in characters.
const (
	MaxText     = 2000
	maxFact     = 500
	maxCategory = 32
	maxAuthor   = 64
)

// maxRounds bounds how deep marks within marks are taken out one by one.
const maxRounds = 8

// cutMark ends a text that was cut here.
const cutMark = " [cut]"

// Clean makes a text that a model wrote fit to stand in another model's
// context: at most max characters of it, without control, bidi and invisible
// characters, without marks that close a fence or open a role ("</system>",
// "<|im_start|>", "[INST]", "USER:", "```"). The rest is left as it is.
func Clean(text string, max int) string {
	// Four bytes a character, and room for what goes: what is beyond cannot count.
	if limit := 16*max + 1024; len(text) > limit {
		text = text[:limit]
	}
	text = norm.NFC.String(visible(text))
	// Taking one mark out can join two halves of another: "<<b>/system>".
	for range maxRounds {
		next := stripMarks(text)
		if next == text {
			return cut(strings.TrimSpace(text), max)
		}
		text = next
	}
	// Nobody nests marks that deep by accident. What marks are made of goes.
	text = strings.Map(func(r rune) rune {
		if strings.ContainsRune("<>＜＞﹤﹥‹›〈〉⟨⟩[]`~:：﹕", r) {
			return -1
		}
		return r
	}, text)
	return cut(strings.TrimSpace(text), max)
}

// Printable takes control, bidi and invisible characters out of code that must
// otherwise stay as it is: quotes, excerpts, patches.
func Printable(code string) string { return visible(code) }

// Hidden tells whether a character does not show, moves a cursor or turns the direction of what stands around it.
func Hidden(r rune) bool { return r == '\u2028' || r == '\u2029' || hidden(r) }

// cleanNote cleans every field of a note that a model wrote.
func cleanNote(note protocol.Note) protocol.Note {
	note.Text = Clean(note.Text, MaxText)
	note.Category = oneLine(Clean(note.Category, maxCategory))
	note.Author = oneLine(Clean(note.Author, maxAuthor))
	note.Patch = Printable(note.Patch)
	cites := make([]protocol.Citation, len(note.Citations))
	for i, c := range note.Citations {
		c.Fact = Clean(c.Fact, maxFact)
		c.Quote, c.Excerpt = Printable(c.Quote), Printable(c.Excerpt)
		c.Path, c.Glob, c.Pattern = oneLine(visible(c.Path)), oneLine(visible(c.Glob)), oneLine(visible(c.Pattern))
		c.Call = oneLine(visible(c.Call))
		cites[i] = c
	}
	note.Citations = cites
	if len(cites) == 0 {
		note.Citations = nil
	}
	return note
}

func oneLine(text string) string {
	return strings.Join(strings.Fields(text), " ")
}

// visible takes out what does not show: controls but line break and tab, the
// formats (bidi, zero-width, tags), variation selectors, private use, and
// whole terminal escapes. Line ends become "\n".
func visible(text string) string {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size <= 1:
			out = utf8.AppendRune(out, utf8.RuneError)
		case r == 0x1b && i+1 < len(text) && text[i+1] == '[':
			for size = 2; i+size < len(text) && (text[i+size] < 0x40 || text[i+size] > 0x7e); size++ {
			}
			size = min(size+1, len(text)-i)
		case r == '\r', r == '\u2028', r == '\u2029', r == '\u0085':
			if r != '\r' || i+1 >= len(text) || text[i+1] != '\n' {
				out = append(out, '\n')
			}
		case r == '\n', r == '\t':
			out = append(out, byte(r))
		case hidden(r):
		default:
			out = append(out, text[i:i+size]...)
		}
		i += size
	}
	return string(out)
}

func hidden(r rune) bool {
	if r < 0x7f {
		return r < 0x20
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Variation_Selector) ||
		r == 0x034F || r == 0x115F || r == 0x1160 || r == 0x3164 || r == 0xFFA0 // joiner and fillers: shown as nothing
}

// cut shortens text to max characters, mark included, and never inside a
// character that is made of several.
func cut(text string, max int) string {
	if utf8.RuneCountInString(text) <= max {
		return text
	}
	runes := []rune(text)
	if max <= len(cutMark) {
		return string(runes[:max])
	}
	end := max - len(cutMark)
	// A character with more than 32 parts is no character; cut it.
	for back := 0; back < 32 && end > 0 && joins(runes, end); back++ {
		end--
	}
	return strings.TrimRight(string(runes[:end]), " \n\t") + cutMark
}

// joins tells whether the rune at i belongs to the character before it.
func joins(runes []rune, i int) bool {
	r := runes[i]
	switch {
	case unicode.IsMark(r), r >= 0x1F3FB && r <= 0x1F3FF: // accents, skin tones
		return true
	case r >= 0x1160 && r <= 0x11FF: // the later parts of a Korean syllable
		return true
	case flag(r): // flags are pairs
		before := 0
		for i-before > 0 && flag(runes[i-before-1]) {
			before++
		}
		return before%2 == 1
	}
	return false
}

func flag(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }
