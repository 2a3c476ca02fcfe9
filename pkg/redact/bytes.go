package redact

// class is a set of bytes, as bits of a table that is looked up once a byte.
type class uint16

const (
	isUpper class = 1 << iota
	isLower
	isDigit
	isDash     // -
	isUnder    // _
	isDot      // .
	isBase64   // + / =
	isHook     // where the scanner stops to look
	isShape    // where it looks at the next byte too: shapes may begin here
	isNameByte // of the name in an assignment: letters, digits, _ - .
	isStop     // ends an unquoted value everywhere: blanks, quotes, brackets that close, control characters
	isOperator // ends an unquoted value in a command: ; | & < > ( )

	isLetter = isUpper | isLower
	isAlnum  = isLetter | isDigit
	isToken  = isAlnum | isDash | isUnder
)

// The tables are filled by init and not by initialisers, as the functions that the list of shapes
// names read them.
var (
	classes [256]class
	// second tells, by the first byte, which second bytes a shape can have.
	second [256][256 / 64]uint64
	// shapesBy holds the indices of shapes by their first byte.
	shapesBy [256][]uint8
)

func init() {
	for c := range 256 {
		switch b := byte(c); {
		case b >= 'A' && b <= 'Z':
			classes[c] = isUpper | isNameByte
		case b >= 'a' && b <= 'z':
			classes[c] = isLower | isNameByte
		case b >= '0' && b <= '9':
			classes[c] = isDigit | isNameByte
		case b <= ' ' || b == 0x7f:
			classes[c] = isStop
		}
	}
	classes['-'] |= isDash | isNameByte
	classes['_'] |= isUnder | isNameByte
	classes['.'] |= isDot | isNameByte
	for set, list := range map[class]string{isBase64: "+/=", isStop: "\"'`]},\\", isOperator: ";|&<>()", isHook: "[=:>-\\"} {
		for i := range len(list) {
			classes[list[i]] |= set
		}
	}
	for n := range shapes {
		first, next := shapes[n].prefix[0], shapes[n].prefix[1]
		shapesBy[first] = append(shapesBy[first], uint8(n))
		second[first][next/64] |= 1 << (next % 64)
		if classes[first]&isHook == 0 {
			classes[first] |= isShape
		}
	}
}

func alnum(c byte) bool { return classes[c]&isAlnum != 0 }

// run gives the end of the run of bytes in set that begins at s[i], looking at most limit bytes far.
func run(s string, i int, set class, limit int) int {
	end := len(s)
	if end-i > limit {
		end = i + limit
	}
	for i < end && classes[s[i]]&set != 0 {
		i++
	}
	return i
}

// runUntil gives the index of the first byte in set from s[i] on, looking at most limit bytes far.
func runUntil(s string, i int, set class, limit int) int {
	end := len(s)
	if end-i > limit {
		end = i + limit
	}
	for i < end && classes[s[i]]&set == 0 {
		i++
	}
	return i
}

// lower gives an ASCII letter in lower case.
func lower(c byte) byte {
	if classes[c]&isUpper != 0 {
		return c + 'a' - 'A'
	}
	return c
}

// hasPrefixFold reports whether s begins with prefix, which is lower case, whatever the case of s.
func hasPrefixFold(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if lower(s[i]) != prefix[i] {
			return false
		}
	}
	return true
}
