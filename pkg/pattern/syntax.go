package pattern

import (
	"errors"
	"regexp/syntax"
	"strings"
)

// ErrNewline is returned for a pattern that no single line can match.
var ErrNewline = errors.New(`the pattern asks for a line break (\n), and the search looks at one line at a time; search for one of the lines instead`)

// needsNewline says whether re cannot match without a line break.
func needsNewline(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if r == '\n' {
				return true
			}
		}
	case syntax.OpCharClass:
		return len(re.Rune) == 2 && re.Rune[0] == '\n' && re.Rune[1] == '\n'
	case syntax.OpCapture, syntax.OpPlus:
		return needsNewline(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min > 0 && needsNewline(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if needsNewline(sub) {
				return true
			}
		}
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			if !needsNewline(sub) {
				return false
			}
		}
		return true
	}
	return false
}

// beyondRE2 says whether the other matcher may know what RE2 refuses.
func beyondRE2(code syntax.ErrorCode) bool {
	switch code {
	case syntax.ErrInvalidPerlOp, syntax.ErrInvalidEscape, syntax.ErrInvalidRepeatOp, syntax.ErrMissingRepeatArgument, syntax.ErrInvalidNamedCapture:
		return true
	}
	return false
}

// describe turns the parser's error into what its author should do.
func describe(err error) error {
	var bad *syntax.Error
	if !errors.As(err, &bad) {
		return err
	}
	switch bad.Code {
	case syntax.ErrLarge, syntax.ErrNestingDepth, syntax.ErrInvalidRepeatSize:
		return tooLarge(string(bad.Code) + " `" + bad.Expr + "`")
	case syntax.ErrMissingParen, syntax.ErrUnexpectedParen:
		return errors.New("the pattern has a ( without its ), or the other way round; write \\( for the character itself")
	case syntax.ErrMissingBracket:
		return errors.New("the pattern has a [ without its ]; write \\[ for the character itself")
	case syntax.ErrMissingRepeatArgument:
		return errors.New("the pattern has nothing to repeat before `" + bad.Expr + "`; write \\" + bad.Expr + " for the character itself")
	case syntax.ErrTrailingBackslash:
		return errors.New("the pattern ends in a lone backslash; write \\\\ for the character itself")
	}
	return errors.New("the pattern is malformed: " + string(bad.Code) + " `" + bad.Expr + "`")
}

func quote(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune(`\.+*?()|[]{}^$`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// unescapeUnicode turns the \uXXXX of JavaScript and Java into RE2's \x{XXXX}.
func unescapeUnicode(expr string) string {
	if !strings.Contains(expr, `\u`) {
		return expr
	}
	var b strings.Builder
	for i := 0; i < len(expr); i++ {
		if expr[i] != '\\' || i+1 == len(expr) {
			b.WriteByte(expr[i])
			continue
		}
		if rest := expr[i+2:]; expr[i+1] == 'u' {
			if len(rest) >= 4 && isHex(rest[:4]) {
				b.WriteString(`\x{` + rest[:4] + `}`)
				i += 5
				continue
			}
			if end := strings.IndexByte(rest, '}'); end > 1 && rest[0] == '{' && isHex(rest[1:end]) {
				b.WriteString(`\x` + rest[:end+1])
				i += 2 + end
				continue
			}
		}
		b.WriteString(expr[i : i+2])
		i++
	}
	return b.String()
}

func isHex(s string) bool {
	return strings.Trim(s, "0123456789abcdefABCDEF") == ""
}
