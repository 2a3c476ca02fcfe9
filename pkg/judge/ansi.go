package judge

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// ansi decodes the escapes of $'...'.
func ansi(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			out.WriteByte(s[i])
			continue
		}
		i++
		digits := func(base, most int) {
			j := i + 1
			for j < len(s) && j-i <= most && digit(s[j], base) {
				j++
			}
			if j == i+1 {
				out.WriteByte('\\')
				out.WriteByte(s[i])
				return
			}
			n, _ := strconv.ParseUint(s[i+1:j], base, 32)
			if s[i] == 'x' {
				out.WriteByte(byte(n))
			} else {
				out.WriteString(string(utf8.AppendRune(nil, rune(n))))
			}
			i = j - 1
		}
		switch c := s[i]; c {
		case 'n':
			out.WriteByte('\n')
		case 't':
			out.WriteByte('\t')
		case 'r':
			out.WriteByte('\r')
		case 'a', 'b', 'f', 'v':
			out.WriteByte(map[byte]byte{'a': 7, 'b': 8, 'f': 12, 'v': 11}[c])
		case 'e', 'E':
			out.WriteByte(27)
		case 'x':
			digits(16, 2)
		case 'u':
			digits(16, 4)
		case 'U':
			digits(16, 8)
		case 'c':
			if i+1 < len(s) {
				i++
				out.WriteByte(s[i] & 0x1f)
			}
		case '0', '1', '2', '3', '4', '5', '6', '7':
			j := i
			for j < len(s) && j-i < 3 && digit(s[j], 8) {
				j++
			}
			n, _ := strconv.ParseUint(s[i:j], 8, 32)
			out.WriteByte(byte(n))
			i = j - 1
		case '\\', '\'', '"', '?':
			out.WriteByte(c)
		default:
			out.WriteByte('\\')
			out.WriteByte(c)
		}
	}
	return out.String()
}

func digit(c byte, base int) bool {
	if base == 8 {
		return c >= '0' && c <= '7'
	}
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}
