// Package wasmfile reads what a WebAssembly module asks for and offers, sets the
// bound of its memory, and leaves out of it what is never read. It knows the binary format just as far as that
// needs, so that the audit of our module rests on no runtime's word.
package wasmfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// PageSize is the unit of a memory's size, in bytes.
const PageSize = 64 << 10

// Module is the outside of a module.
type Module struct {
	Imports  []Import
	Exports  []Export
	Memories []Memory // its own, not imported
	HasStart bool     // a function runs at instantiation
	Types    []string // of functions, such as "(i32, i64) -> i32"
	Funcs    []uint32 // the type of each function by number, imported ones first
	Sections []Section
}

// Import is one thing that the module asks for.
type Import struct {
	Module, Name string
	Kind         Kind
	Type         string // of a function, such as "(i32, i64) -> i32"
}

// Export is one thing that the module offers.
type Export struct {
	Name  string
	Kind  Kind
	Type  string // of a function
	Index uint32 // among what is of its kind, imported ones first
}

// Memory gives a memory's size in pages. Max is 0 when there is none.
type Memory struct{ Min, Max uint32 }

// Section is one piece of the file.
type Section struct {
	ID     byte
	Name   string // of a custom section
	Offset int    // of the content in the file
	Size   int
}

// Kind says what an import or export is.
type Kind byte

// The kinds of the binary format.
const (
	Func Kind = iota
	Table
	Mem
	Global
	Tag
)

func (k Kind) String() string {
	names := [...]string{"func", "table", "memory", "global", "tag"}
	if int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("kind %d", byte(k))
}

// Section ids of the binary format.
const (
	secCustom   = 0
	SecType     = 1
	secImport   = 2
	SecFunction = 3
	SecMemory   = 5
	SecGlobal   = 6
	SecExport   = 7
	secStart    = 8
	SecCode     = 10
	SecData     = 11

	secDataCount = 12
)

const header = "\x00asm\x01\x00\x00\x00"

// Parse reads a module. It does not look into code.
func Parse(file []byte) (*Module, error) {
	if !strings.HasPrefix(string(file[:min(len(file), len(header))]), header) {
		return nil, errors.New("read module: not a WebAssembly module of version 1")
	}
	p := &parsed{}
	r := &reader{data: file, at: len(header)}
	for r.err == nil && r.at < len(file) {
		id := r.byte()
		body := r.bytes(r.count())
		if r.err != nil {
			break
		}
		s := Section{ID: id, Offset: r.at - len(body), Size: len(body)}
		if err := p.section(&s, body); err != nil {
			return nil, fmt.Errorf("read module: section %d at byte %d: %w", id, s.Offset, err)
		}
		p.module.Sections = append(p.module.Sections, s)
	}
	if r.err != nil {
		return nil, fmt.Errorf("read module: %w", r.err)
	}
	return &p.module, p.resolve()
}

// parsed is a module on the way.
type parsed struct{ module Module }

func (p *parsed) section(s *Section, body []byte) error {
	r := &reader{data: body}
	switch s.ID {
	case secCustom:
		s.Name = r.name()
		return r.err
	case SecType:
		r.each(func() { p.module.Types = append(p.module.Types, r.funcType()) })
	case secImport:
		r.each(func() {
			i := Import{Module: r.name(), Name: r.name(), Kind: Kind(r.byte())}
			switch i.Kind {
			case Func:
				t := r.u32()
				p.module.Funcs = append(p.module.Funcs, t)
				i.Type = p.typeName(t)
			case Table:
				r.byte()
				r.limits()
			case Mem:
				r.limits()
			case Global:
				r.bytes(2)
			default:
				r.fail("import %s.%s is of unknown %s", i.Module, i.Name, i.Kind)
			}
			p.module.Imports = append(p.module.Imports, i)
		})
	case SecFunction:
		r.each(func() { p.module.Funcs = append(p.module.Funcs, r.u32()) })
	case SecMemory:
		r.each(func() { p.module.Memories = append(p.module.Memories, r.limits()) })
	case SecExport:
		r.each(func() {
			p.module.Exports = append(p.module.Exports, Export{Name: r.name(), Kind: Kind(r.byte()), Index: r.u32()})
		})
	case secStart:
		p.module.HasStart = true
		r.u32()
	default:
		return nil
	}
	if r.err == nil && r.at != len(body) {
		r.fail("%d bytes are left over", len(body)-r.at)
	}
	return r.err
}

// resolve gives the exported functions their types, which may stand behind them.
func (p *parsed) resolve() error {
	for i := range p.module.Exports {
		e := &p.module.Exports[i]
		if e.Kind != Func {
			continue
		}
		if int64(e.Index) >= int64(len(p.module.Funcs)) {
			return fmt.Errorf("read module: export %s names function %d of %d", e.Name, e.Index, len(p.module.Funcs))
		}
		e.Type = p.typeName(p.module.Funcs[e.Index])
	}
	return nil
}

func (p *parsed) typeName(t uint32) string {
	if int64(t) >= int64(len(p.module.Types)) {
		return "unknown"
	}
	return p.module.Types[t]
}

// SetMemoryMax gives a copy of the module whose only memory may grow to max
// pages and no further.
func SetMemoryMax(file []byte, max uint32) ([]byte, error) {
	m, err := Parse(file)
	if err != nil {
		return nil, err
	}
	if len(m.Memories) != 1 {
		return nil, fmt.Errorf("set memory maximum: the module has %d memories of its own, want 1", len(m.Memories))
	}
	low := m.Memories[0].Min
	if low > max {
		return nil, fmt.Errorf("set memory maximum: the module starts with %d pages, more than %d", low, max)
	}
	body := []byte{1, 1} // one memory, with a maximum
	body = binary.AppendUvarint(body, uint64(low))
	body = binary.AppendUvarint(body, uint64(max))

	return m.Replace(file, map[byte][]byte{SecMemory: body}), nil
}

// Content gives the content of the first section with this id, nil when there is none.
func (m *Module) Content(file []byte, id byte) []byte {
	for _, s := range m.Sections {
		if s.ID == id {
			return file[s.Offset : s.Offset+s.Size]
		}
	}
	return nil
}

// ImportedFuncs is how many functions are imported: the number of the first that is not.
func (m *Module) ImportedFuncs() (count uint32) {
	for _, i := range m.Imports {
		if i.Kind == Func {
			count++
		}
	}
	return count
}

// Bodies gives the code of each function that is not imported: its locals and instructions.
func (m *Module) Bodies(file []byte) (all [][]byte, err error) {
	r := &reader{data: m.Content(file, SecCode)}
	r.each(func() { all = append(all, r.bytes(r.count())) })
	return all, r.err
}

// AppendBodies encodes the content of a section of code.
func AppendBodies(b []byte, all [][]byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(all)))
	for _, body := range all {
		b = append(binary.AppendUvarint(b, uint64(len(body))), body...)
	}
	return b
}

// Replace gives a copy of the file in which sections have other content, by their id.
func (m *Module) Replace(file []byte, content map[byte][]byte) []byte {
	out := append(make([]byte, 0, len(file)), header...)
	for _, s := range m.Sections {
		body, ok := content[s.ID]
		if !ok {
			body = file[s.Offset : s.Offset+s.Size]
		}
		out = append(out, s.ID)
		out = binary.AppendUvarint(out, uint64(len(body)))
		out = append(out, body...)
	}
	return out
}

// AppendSigned encodes a signed number as LEB128: seven bits a byte, and the sign in
// the last byte's seventh.
func AppendSigned(b []byte, n int64) []byte {
	for n < -64 || n > 63 {
		b = append(b, byte(n)|0x80)
		n >>= 7
	}
	return append(b, byte(n)&0x7f)
}

// reader reads the binary format. After the first error everything is zero.
type reader struct {
	data []byte
	at   int
	err  error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

func (r *reader) bytes(n int) []byte {
	if r.err != nil || n > len(r.data)-r.at {
		r.fail("the file ends early")
		return nil
	}
	r.at += n
	return r.data[r.at-n : r.at]
}

func (r *reader) byte() byte {
	if b := r.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

// u32 reads an unsigned LEB128 number of 32 bits.
func (r *reader) u32() uint32 {
	var n uint64
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			if n>>32 != 0 {
				break
			}
			return uint32(n)
		}
	}
	r.fail("a number is too large")
	return 0
}

// s32 reads a place in memory: a signed LEB128 number that must not be negative.
func (r *reader) s32() int32 {
	n := r.s64()
	if n < 0 || n > math.MaxInt32 {
		r.fail("a place in memory is negative or too large")
		return 0
	}
	return int32(n)
}

// s64 reads a signed LEB128 number of 64 bits.
func (r *reader) s64() int64 {
	var n int64
	for shift := 0; shift < 70; shift += 7 {
		b := r.byte()
		n |= int64(b&0x7f) << shift
		if b < 0x80 {
			if b&0x40 != 0 && shift < 57 {
				n |= -1 << (shift + 7)
			}
			return n
		}
	}
	r.fail("a number is too large")
	return 0
}

// count reads a length; no count of anything is larger than the file.
func (r *reader) count() int {
	n := int64(r.u32())
	if n > int64(len(r.data)) {
		r.fail("the file ends early")
		return 0
	}
	return int(n)
}

func (r *reader) name() string {
	b := r.bytes(r.count())
	if !utf8.Valid(b) {
		r.fail("a name is not UTF-8")
	}
	return string(b)
}

// each reads a vector.
func (r *reader) each(one func()) {
	for n := r.count(); n > 0 && r.err == nil; n-- {
		one()
	}
}

func (r *reader) limits() Memory {
	flags := r.byte()
	if flags > 1 {
		r.fail("limits with flags %d (shared or 64 bits) are not supported", flags)
	}
	m := Memory{Min: r.u32()}
	if flags == 1 {
		m.Max = r.u32()
	}
	return m
}

func (r *reader) funcType() string {
	if form := r.byte(); form != 0x60 {
		r.fail("type form %#x is not a function", form)
	}
	params, results := r.valTypes(), r.valTypes()
	if len(results) == 0 {
		return "(" + strings.Join(params, ", ") + ")"
	}
	return "(" + strings.Join(params, ", ") + ") -> " + strings.Join(results, ", ")
}

func (r *reader) valTypes() (names []string) {
	known := map[byte]string{0x7f: "i32", 0x7e: "i64", 0x7d: "f32", 0x7c: "f64", 0x7b: "v128", 0x70: "funcref", 0x6f: "externref"}
	r.each(func() {
		b := r.byte()
		if known[b] == "" {
			r.fail("value type %#x is not known", b)
		}
		names = append(names, known[b])
	})
	return names
}
