package vector

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/internal/wasmfile"
)

// operand is what stands behind an instruction's name.
type operand int

const (
	none operand = iota
	number
	local
	global
	label
	opens  // no operand in the text but a label's name, which may be missing
	memory // an offset
)

const (
	noResult = 0x40
	typeI32  = 0x7f
	endOp    = 0x0b
	nop      = "\x01"
)

// instructions are those that our functions use.
var instructions = map[string]struct {
	code string
	operand
}{
	"unreachable": {"\x00", none}, "block": {"\x02", opens}, "loop": {"\x03", opens}, "if": {"\x04", opens}, "else": {"\x05", none}, "end": {"\x0b", none},
	"br": {"\x0c", label}, "br_if": {"\x0d", label}, "return": {"\x0f", none}, "select": {"\x1b", none},
	"local.get": {"\x20", local}, "local.set": {"\x21", local}, "local.tee": {"\x22", local}, "global.get": {"\x23", global}, "global.set": {"\x24", global},
	"i32.load": {"\x28", memory}, "i32.load8_u": {"\x2d", memory}, "i64.store": {"\x37", memory}, "i32.const": {"\x41", number}, "i64.const": {"\x42", number},
	"i32.eqz": {"\x45", none}, "i32.eq": {"\x46", none}, "i32.lt_u": {"\x49", none}, "i32.gt_u": {"\x4b", none}, "i32.ge_s": {"\x4e", none}, "i32.ge_u": {"\x4f", none},
	"i32.ctz": {"\x68", none}, "i32.popcnt": {"\x69", none}, "i32.add": {"\x6a", none}, "i32.sub": {"\x6b", none}, "i32.and": {"\x71", none}, "i32.or": {"\x72", none},
	"i32.shr_u": {"\x76", none}, "i64.extend_i32_u": {"\xad", none},
	"v128.load": {"\xfd\x00", memory}, "i8x16.splat": {"\xfd\x0f", none}, "i8x16.eq": {"\xfd\x23", none},
	"v128.and": {"\xfd\x4e", none}, "v128.or": {"\xfd\x50", none}, "v128.any_true": {"\xfd\x53", none}, "i8x16.bitmask": {"\xfd\x64", none},
}

// assemble makes a function's body of its text: instructions as WebAssembly's text format names them, with names for
// parameters, locals and labels.
//
//	param NAME...                     ends with the line
//	local NAME i32|i64|v128
//	block|loop|if [LABEL] ... end
//	;; a comment
func assemble(text string) ([]byte, error) {
	a := &assembler{}
	for n, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, ";;")
		a.words = strings.Fields(line)
		for len(a.words) > 0 && a.err == nil {
			a.one()
		}
		if a.err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, a.err)
		}
	}
	if len(a.open) != 0 {
		return nil, fmt.Errorf("%d blocks have no end", len(a.open))
	}
	body := append([]byte{byte(len(a.locals) / 2)}, a.locals...)
	return append(append(body, a.code...), endOp), nil
}

type assembler struct {
	words  []string // of the line, those that are left
	names  []string // of parameters and locals, by number
	locals []byte
	open   []string // labels, "" for none
	code   []byte
	err    error
}

func (a *assembler) next() string {
	if len(a.words) == 0 {
		if a.err == nil {
			a.err = fmt.Errorf("something is missing at its end")
		}
		return ""
	}
	word := a.words[0]
	a.words = a.words[1:]
	return word
}

func (a *assembler) one() {
	word := a.next()
	switch word {
	case "param":
		a.names, a.words = append(a.names, a.words...), nil
		return
	case "local":
		name, kind := a.next(), a.next()
		code, ok := map[string]byte{"i32": typeI32, "i64": 0x7e, "v128": 0x7b}[kind]
		if !ok {
			a.err = fmt.Errorf("a local is of type %q", kind)
		}
		a.names, a.locals = append(a.names, name), append(a.locals, 1, code)
		return
	}
	in, ok := instructions[word]
	if !ok {
		a.err = fmt.Errorf("there is no %q", word)
		return
	}
	a.code = append(a.code, in.code...)
	switch in.operand {
	case number:
		a.code = wasmfile.AppendSigned(a.code, a.number())
	case memory:
		a.code = binary.AppendUvarint(append(a.code, 0), uint64(a.number())) // at any address
	case local:
		a.code = append(a.code, a.index(a.names, a.next()))
	case global:
		a.code = append(a.code, a.index([]string{"sp"}, a.next())) // Go's stack pointer is the first
	case label:
		outwards := slices.Clone(a.open)
		slices.Reverse(outwards)
		a.code = append(a.code, a.index(outwards, a.next()))
	case opens:
		name := ""
		if len(a.words) > 0 {
			if _, ok := instructions[a.words[0]]; !ok {
				name = a.next()
			}
		}
		a.open, a.code = append(a.open, name), append(a.code, noResult)
	}
	if word == "end" {
		if len(a.open) == 0 {
			a.err = fmt.Errorf("an end too many")
			return
		}
		a.open = a.open[:len(a.open)-1]
	}
}

func (a *assembler) index(names []string, name string) byte {
	n := slices.Index(names, name)
	if n < 0 && a.err == nil {
		a.err = fmt.Errorf("there is no %q here", name)
	}
	return byte(max(n, 0))
}

func (a *assembler) number() int64 {
	word := a.next()
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil && a.err == nil {
		a.err = err
	}
	return n
}
