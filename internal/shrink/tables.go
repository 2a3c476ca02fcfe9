package shrink

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/Kayphoon/opencode-advisor/internal/wasmfile"
)

// Tables leaves out of a module what Go's tables of functions hold for the text of a traceback
// alone: files, lines, arguments, the functions that were inlined, and nearly all names. A traceback
// then names each function by its number in the module, and knows no lines. The places of each function are numbered
// anew, in the code as well, and what is left of the tables is packed.
//
// What stays is what the program itself depends on: how large each frame is and where its pointers
// are, the deferred calls, "runtime." in front of the runtime's functions (it tells its own
// goroutines by that), the names that a nil receiver's panic tells, and what was inlined into
// wrappers, for recover counts frames. See RATIONALE.md.
//
// Before the tables are packed, when they lie in memory as the runtime reads them, start may give another module with the same code
// and tables: the one that has been started. It may be nil.
func Tables(file []byte, start func(file []byte) ([]byte, error)) ([]byte, error) {
	file, t, err := thinned(file)
	if err != nil {
		return nil, fmt.Errorf("thin the tables for tracebacks: %w", err)
	}
	if start != nil {
		if file, err = start(file); err != nil {
			return nil, err
		}
	}
	if file, err = t.packed(file); err != nil {
		return nil, fmt.Errorf("pack the tables of functions: %w", err)
	}
	return file, nil
}

func thinned(file []byte) ([]byte, *tables, error) {
	m, err := wasmfile.Parse(file)
	if err != nil {
		return nil, nil, err
	}
	p := &program{imports: len(m.Imports)}
	if err := p.read(m, file); err != nil {
		return nil, nil, err
	}
	var t *tables
	file, err = wasmfile.RewriteData(file, func(image []byte) (err error) {
		if t, err = findTables(image); err == nil {
			err = t.thin(p)
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if m, err = wasmfile.Parse(file); err != nil {
		return nil, nil, err
	}
	return m.Replace(file, map[byte][]byte{wasmfile.SecCode: p.append(nil)}), t, nil
}

// packed gives the module with its tables packed, and a function that writes them out.
func (t *tables) packed(file []byte) ([]byte, error) {
	stream := 0
	file, err := wasmfile.RewriteData(file, func(image []byte) (err error) {
		stream, err = t.pack(image)
		return err
	})
	if err != nil {
		return nil, err
	}
	return addUnpack(file, stream)
}

// Names gives the numbers of the functions that have each name. Only static functions share one.
func Names(file []byte) (map[string][]uint32, error) {
	m, err := wasmfile.Parse(file)
	if err != nil {
		return nil, err
	}
	image, err := wasmfile.Image(file)
	if err != nil {
		return nil, err
	}
	t, err := findTables(image)
	if err != nil {
		return nil, fmt.Errorf("read the table of functions: %w", err)
	}
	entries, err := t.read()
	if err != nil {
		return nil, fmt.Errorf("read the table of functions: %w", err)
	}
	names := map[string][]uint32{}
	for n := range entries {
		names[entries[n].name] = append(names[entries[n].name], entries[n].number(len(m.Imports)))
	}
	return names, nil
}

// Numbers of Go 1.26's internal/abi, and the sizes of what its linker writes.
const (
	tableMagic = "\xf1\xff\xff\xff\x00\x00\x01\x08" // pcHeader: Go 1.20 and later, counters of 1, words of 8 bytes
	headerSize = 72

	idWrapper = 23 // funcID of code that the compiler made up

	pcdataStackMap, pcdataInline = 1, 2
	funcdataInline               = 3
	funcdataArgs, funcdataWraps  = 5, 7 // and what is between them
	noFuncdata                   = 1<<32 - 1

	funcSize    = 44     // of a function's entry, before its tables
	inlineSize  = 16     // of one inlined call
	flagAsm     = 4      // of a function in assembly
	counterBits = 16     // a program counter is the function's number and 16 bits of the place in it
	firstFunc   = 0x1000 // what the linker adds to a function's number
)

// Fields of an entry.
const (
	atName        = 4
	atDeferReturn = 12
	atSP          = 16
	atFile        = 20
	atLine        = 24
	atTables      = 28
	atUnit        = 32
	atStart       = 36
	atID          = 40
	atFlag        = 41
	atFuncdatas   = 43
)

// tables are the linker's tables about functions, each a part of the memory.
type tables struct {
	names, units, files, counters, funcs []byte // funcs begins with the index
	count                                int    // of functions
	funcdata                             []byte // from its start to the end of all tables

	namesAt, funcsAt int // where the names and the functions begin in memory
	texts, numbers   int // bytes of the names that are no numbers, and numbers behind them
	entry            int // bytes of each function's entry
}

// findTables finds them by their header, for a stripped module has no names.
func findTables(image []byte) (*tables, error) {
	for from := 0; ; {
		found := bytes.Index(image[from:], []byte(tableMagic))
		if found < 0 {
			return nil, errors.New("the module has none that Go 1.26 makes")
		}
		if t := tablesAt(image, from+found); t != nil {
			return t, nil
		}
		from += found + 1
	}
}

// tablesAt reads the header at this place, and the module's description that points to it. It is nil when
// the two do not agree in everything.
func tablesAt(image []byte, at int) *tables {
	word := func(at int) int {
		if at < 0 || at > len(image)-8 {
			return -1
		}
		return int(int64(binary.LittleEndian.Uint64(image[at:])))
	}
	count := word(at + 8)
	starts := []int{at + headerSize} // of names, units, files, counters and functions
	for n := range 5 {
		starts = append(starts[:n], at+word(at+32+8*n))
	}
	if count < 1 || count > len(image)/funcSize || !slices.IsSorted(starts) || starts[0] < at+headerSize || starts[4] > len(image) {
		return nil
	}
	description := bytes.Index(image, binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, uint64(at)), uint64(starts[0])))
	if description < 0 {
		return nil
	}
	field := func(n int) int { return word(description + 8*n) }
	// A slice of each table follows the pointer to the header, then one of the index.
	for n, start := range starts {
		if field(1+3*n) != start {
			return nil
		}
	}
	const index, funcdata, end = 16, 40, 41
	if field(index) != starts[4] || field(index+1) != count+1 || field(funcdata) < starts[4] || field(end) < field(funcdata) || field(end) > len(image) {
		return nil
	}
	return &tables{
		names:    image[starts[0]:starts[1]],
		units:    image[starts[1]:starts[2]],
		files:    image[starts[2]:starts[3]],
		counters: image[starts[3]:starts[4]],
		funcs:    image[starts[4] : starts[4]+field(14)],
		count:    count,
		funcdata: image[field(funcdata):field(end)],
		namesAt:  starts[0],
		funcsAt:  starts[4],
	}
}

var little = binary.LittleEndian

// entry is what the tables say about one function.
type entry struct {
	fixed    []byte   // the fields of the same size
	pcdata   []uint32 // offsets into the counters
	funcdata []uint32 // offsets into the funcdata
	name     string
	named    bool // by its name, not by its number

	renumbered      bool   // the tables of counters are these
	sizes, pointers []byte // of the frame, in the frame
}

func (e *entry) field(at int) uint32  { return little.Uint32(e.fixed[at:]) }
func (e *entry) set(at int, n uint32) { little.PutUint32(e.fixed[at:], n) }
func (e *entry) wrapper() bool        { return e.fixed[atID] == idWrapper }
func (e *entry) number(imports int) uint32 {
	return e.field(0) - firstFunc + uint32(imports)
}

var errTables = errors.New("they are not as Go 1.26 writes them")

// read gives all entries, as copies.
func (t *tables) read() ([]entry, error) {
	all := make([]entry, t.count)
	for n := range all {
		if 8*n+8 > len(t.funcs) {
			return nil, errTables
		}
		at := uint64(little.Uint32(t.funcs[8*n+4:]))
		if at+funcSize > uint64(len(t.funcs)) {
			return nil, errTables
		}
		e := entry{fixed: bytes.Clone(t.funcs[at : at+funcSize])}
		rest := t.funcs[at+funcSize:]
		words := func(n int) (list []uint32) {
			for ; n > 0 && len(rest) >= 4; n-- {
				list = append(list, little.Uint32(rest))
				rest = rest[4:]
			}
			return list
		}
		tables, datas := e.field(atTables), int(e.fixed[atFuncdatas])
		if tables > 16 || e.field(0) != little.Uint32(t.funcs[8*n:]) || e.field(0) < firstFunc {
			return nil, errTables
		}
		e.pcdata, e.funcdata = words(int(tables)), words(datas)
		name := e.field(atName)
		if len(e.pcdata) != int(tables) || len(e.funcdata) != datas || uint64(name) >= uint64(len(t.names)) {
			return nil, errTables
		}
		text, _, _ := bytes.Cut(t.names[name:], []byte{0})
		e.name = string(text)
		all[n] = e
	}
	return all, nil
}

// counterTable gives the table of counters at this offset, and the largest value in it.
func (t *tables) counterTable(at uint32) (table []byte, most int32, err error) {
	if uint64(at) >= uint64(len(t.counters)) {
		return nil, 0, errTables
	}
	c := &cursor{data: t.counters[at:]}
	value := int32(-1)
	for first := true; ; first = false {
		delta := c.unsigned()
		if c.err != nil {
			return nil, 0, errTables
		}
		if delta == 0 && !first {
			return c.data[:c.at], most, nil
		}
		value += int32(delta>>1) ^ -int32(delta&1) // zigzag
		most = max(most, value)
		c.unsigned() // how far it holds
	}
}

func (t *tables) thin(p *program) (err error) {
	if p.entries, err = t.read(); err != nil {
		return err
	}
	all := p.entries
	if err := t.dropInlined(all); err != nil {
		return err
	}
	for n := range all {
		e := &all[n]
		for _, at := range []int{atFile, atLine, atUnit, atStart} {
			e.set(at, 0)
		}
		for kind := range e.pcdata {
			if kind != pcdataStackMap && kind != pcdataInline { // where a thread may be stopped, live arguments, bounds
				e.pcdata[kind] = 0
			}
		}
		for kind := funcdataArgs; kind <= funcdataWraps && kind < len(e.funcdata); kind++ {
			e.funcdata[kind] = noFuncdata
		}
	}
	clear(t.units)
	clear(t.files)
	if err := p.renumber(t); err != nil {
		return err
	}
	if err := t.writeNames(all, p.imports); err != nil {
		return err
	}
	if err := t.writeCounters(all); err != nil {
		return err
	}
	return t.write(all)
}

// dropInlined forgets what was inlined, but for wrappers: recover does not count a wrapper as a frame, but
// the method that was inlined into it. Elsewhere it makes no difference, for a function that recovers is not inlined.
func (t *tables) dropInlined(all []entry) error {
	// Offsets that something else uses: equal contents are stored once.
	used := map[uint32]bool{}
	var dropped []span
	for n := range all {
		e := &all[n]
		for kind, at := range e.funcdata {
			if kind != funcdataInline || at == noFuncdata {
				used[at] = true
				continue
			}
			if kind >= len(e.funcdata) || pcdataInline >= len(e.pcdata) || uint64(at) > uint64(len(t.funcdata)) {
				return errTables
			}
			size := 0
			if table := e.pcdata[pcdataInline]; table != 0 {
				_, most, err := t.counterTable(table)
				if err != nil {
					return err
				}
				size = inlineSize * (int(most) + 1)
			}
			if size > len(t.funcdata)-int(at) {
				return errTables
			}
			if e.wrapper() {
				for n := 0; n < size; n += inlineSize {
					used[at+uint32(n)] = true
				}
				continue
			}
			dropped = append(dropped, span{int(at), int(at) + size})
			e.funcdata[kind], e.pcdata[pcdataInline] = noFuncdata, 0
		}
	}
	for _, d := range dropped {
		clash := false
		for at := d.from; at < d.to; at++ {
			clash = clash || used[uint32(at)]
		}
		if !clash {
			clear(t.funcdata[d.from:d.to])
		}
	}
	return nil
}

type span struct{ from, to int }

// Names that are numbers are records of two words, to be packed: "", or "runtime." before the number, which has four digits.
const (
	prefix     = "runtime."
	digits     = 4
	nameRecord = len(prefix) + digits + 1
)

// writeNames writes the names that stay, and numbers for the others.
func (t *tables) writeNames(all []entry, imports int) error {
	names := []byte{0} // no name
	for n := range all {
		e := &all[n]
		if e.wrapper() && strings.Contains(e.name, ".(*") || // for runtime.panicwrap
			strings.HasPrefix(e.name, "reflect.") { // for runtime.getArgInfo
			e.set(atName, uint32(len(names)))
			names = append(append(names, e.name...), 0)
			e.named = true
		}
	}
	t.texts = len(names)
	for n := range all {
		e := &all[n]
		if e.named {
			continue
		}
		number := fmt.Sprintf("%s%0*d\x00", prefix, digits, e.number(imports))
		if len(number) != nameRecord {
			return errTables
		}
		at := len(names)
		if !strings.HasPrefix(e.name, prefix) {
			at += len(prefix)
		}
		e.set(atName, uint32(at))
		names = append(names, number...)
		t.numbers++
	}
	if len(names) > len(t.names) {
		return errTables
	}
	clear(t.names)
	copy(t.names, names)
	return nil
}

// writeCounters writes the tables of counters that are still used, side by side and each once.
func (t *tables) writeCounters(all []entry) error {
	counters := []byte{0} // no table
	written := map[string]uint32{"": 0}
	write := func(table []byte) uint32 {
		at, ok := written[string(table)]
		if !ok {
			at = uint32(len(counters))
			written[string(table)] = at
			counters = append(counters, table...)
		}
		return at
	}
	move := func(at uint32) (uint32, error) {
		if at == 0 {
			return 0, nil
		}
		table, _, err := t.counterTable(at)
		return write(table), err
	}
	for n := range all {
		e := &all[n]
		if e.renumbered {
			e.set(atSP, write(e.sizes))
			if len(e.pcdata) > pcdataStackMap {
				e.pcdata[pcdataStackMap] = write(e.pointers)
			}
			continue
		}
		at, err := move(e.field(atSP))
		if err != nil {
			return err
		}
		e.set(atSP, at)
		for kind := range e.pcdata {
			if e.pcdata[kind], err = move(e.pcdata[kind]); err != nil {
				return err
			}
		}
	}
	if len(counters) > len(t.counters) {
		return errTables
	}
	clear(t.counters)
	copy(t.counters, counters)
	return nil
}

// write writes the entries behind the index, all as long as the longest has to be.
func (t *tables) write(all []entry) error {
	pcdatas, funcdatas := 0, 0
	for n := range all {
		e := &all[n]
		for kind, at := range e.pcdata {
			if at != 0 {
				pcdatas = max(pcdatas, kind+1)
			}
		}
		for kind, at := range e.funcdata {
			if at != noFuncdata {
				funcdatas = max(funcdatas, kind+1)
			}
		}
	}
	start := 8*len(all) + 8 // the index ends with the last function's end
	t.entry = funcSize + 4*pcdatas + 4*funcdatas
	if start+t.entry*len(all) > len(t.funcs) {
		return errTables
	}
	clear(t.funcs[start:])
	for n := range all {
		e := &all[n]
		e.set(atTables, uint32(pcdatas))
		e.fixed[atFuncdatas] = byte(funcdatas)
		at := start + n*t.entry
		little.PutUint32(t.funcs[8*n+4:], uint32(at))
		out := append(t.funcs[at:at], e.fixed...)
		for kind := range pcdatas {
			word := uint32(0)
			if kind < len(e.pcdata) {
				word = e.pcdata[kind]
			}
			out = little.AppendUint32(out, word)
		}
		for kind := range funcdatas {
			word := uint32(noFuncdata)
			if kind < len(e.funcdata) {
				word = e.funcdata[kind]
			}
			out = little.AppendUint32(out, word)
		}
	}
	return nil
}

// pack makes columns of the index, of the entries and of the names that are numbers, and stores them behind the names.
func (t *tables) pack(image []byte) (at int, err error) {
	p := &packer{image: image}
	p.take(column{at: t.funcsAt, stride: 8, count: t.count + 1})
	p.take(column{at: t.funcsAt + 4, stride: 8, count: t.count + 1})
	entries := t.funcsAt + 8*t.count + 8
	pcdatas := int(little.Uint32(image[entries+atTables:]))
	for at := 0; at < t.entry; at += 4 {
		c := column{at: entries + at, stride: t.entry, count: t.count}
		if at >= funcSize+4*pcdatas {
			c.hole = noFuncdata
		}
		p.take(c)
	}
	for at := 0; at < nameRecord-1; at += 4 {
		p.take(column{at: t.namesAt + t.texts + at, stride: nameRecord, count: t.numbers})
	}
	free := t.texts + nameRecord*t.numbers
	return t.namesAt + free, p.store(t.namesAt+free, len(t.names)-free)
}
