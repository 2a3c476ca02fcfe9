package shrink

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
)

// The numbers of a function's places have holes: the compiler counts what nothing says any more. Numbered anew, by one from
// place to place, the entries of every br_table are 0, 1, 2, and so on, and the tables of counters are short and often the same.
//
// The runtime looks into those tables at a return address, for the size of the frame, and one before it, for where the frame's pointers are.
// So the number before a place's has what stood before the old one. Number 0 is where the function begins, and 1 is left out,
// since what stands at 0 is asked for itself. For the same reason a number is left out behind the place of deferred calls.
//
// Calls that never return need a number for the tables alone, and share one with any place at which the tables say the same.

const (
	firstPlace = 2       // behind the function's begin
	lastPlace  = 1 << 14 // what the last value of a table reaches to
)

// renumber numbers the places of all functions anew, in the code and in what the tables say about it.
func (p *program) renumber(t *tables) error {
	p.markReturns()
	said := p.placesSaid()
	fixed := p.fixedPlaces()
	for n := range p.entries {
		e := &p.entries[n]
		number := e.number(p.imports)
		index := int(number) - p.imports
		if index < 0 || index >= len(p.funcs) {
			return errTables
		}
		inlined := len(e.pcdata) > pcdataInline && e.pcdata[pcdataInline] != 0
		if said[number][anything] || fixed[number] || inlined {
			continue
		}
		if err := p.funcs[index].renumber(t, e, said[number]); err != nil {
			return err
		}
	}
	return nil
}

// markReturns finds the return addresses among the constants, and which of them nothing returns to.
func (p *program) markReturns() {
	cold, push := map[uint64]bool{}, uint64(0)
	for n, f := range p.funcs {
		number := uint64(p.imports + n)
		body := f.append(nil)
		start, _, _ := bytes.Cut(helperBody(0), []byte{opCall, 0})
		switch {
		case bytes.Equal(body, pushBody()):
			push = number
		case bytes.HasPrefix(body, append(start, opCall)):
			cold[number] = true
		}
	}
	for n, f := range p.funcs {
		for x := range f.code {
			in := &f.code[x]
			if in.op != opI64Const || in.a>>counterBits != uint64(firstFunc+n) || x+1 == len(f.code) {
				continue
			}
			next := &f.code[x+1]
			switch {
			case next.op == opCall && cold[next.a]:
				in.back, in.cold, next.helper = true, true, 1
			case next.op == opCall && next.a == push && push != 0:
				in.back, next.helper = true, 1
				if x+2 < len(f.code) {
					f.code[x+2].helper = 1 // its 0 is given by the helper
				}
			case f.is(x-6, opLocalGet, opI32Const, opI32Sub, opLocalTee, opGlobalSet, opLocalGet, opI64Const, opI64Store):
				c := f.code[x-6:]
				in.back = c[1].a == word && c[3].a == c[0].a && c[4].a == globalSP && c[5].a == c[0].a && next.b == 0
			}
		}
	}
}

// fixedPlaces tells the functions of which a constant may be a place, though it is no return address of their own.
func (p *program) fixedPlaces() map[uint32]bool {
	fixed := map[uint32]bool{}
	for _, f := range p.funcs {
		for x := range f.code {
			in := &f.code[x]
			if in.op == opI64Const && !in.back && in.a&(1<<counterBits-1) != 0 {
				fixed[uint32(in.a>>counterBits)-firstFunc+uint32(p.imports)] = true
			}
			if in.op == opCall && x > 0 && f.code[x-1].op == opI32Const && f.code[x-1].a != 0 {
				fixed[uint32(in.a)] = true
			}
		}
	}
	return fixed
}

// here is what the tables say at a place: the size of the frame, and before it, where the pointers are.
type here struct{ size, pointers int32 }

// renumber numbers the places of one function anew.
func (f *function) renumber(t *tables, e *entry, said map[uint64]bool) error {
	d := f.dispatcher()
	if d == nil && f.usesPCB() {
		return nil
	}
	sizes, err := t.values(e.field(atSP))
	if err != nil {
		return err
	}
	var pointers values
	if len(e.pcdata) > pcdataStackMap {
		if pointers, err = t.values(e.pcdata[pcdataStackMap]); err != nil {
			return err
		}
	}
	at := func(place uint64) here { return here{sizes.at(place), pointers.at(place - 1)} }
	deferred := uint64(e.field(atDeferReturn))

	numbers := map[uint64]uint64{0: 0} // the new one of each place
	shared := map[here]uint64{}        // a number at which the tables say this
	newSizes, newPointers := []int32{sizes.at(0), sizes.most()}, []int32{pointers.at(0)}
	add := func(h here) uint64 {
		number := uint64(len(newSizes))
		newSizes = append(newSizes, h.size)
		newPointers = append(newPointers, h.pointers)
		if _, ok := shared[h]; !ok {
			shared[h] = number
		}
		return number
	}
	for _, place := range slices.Sorted(maps.Keys(said)) {
		if place == 0 {
			continue
		}
		numbers[place] = add(at(place))
		if place == deferred {
			add(at(place + 1))
		}
	}
	for x := range f.code {
		in := &f.code[x]
		place := in.a & (1<<counterBits - 1)
		if in.op != opI64Const || !in.back || place == 0 {
			continue
		}
		number, ok := numbers[place]
		if h := at(place); in.cold {
			if number, ok = shared[h]; !ok {
				number, ok = add(h), true
			}
		}
		if !ok {
			return errTables
		}
		in.a, in.fresh = in.a&^(1<<counterBits-1)|number, true
	}
	if len(newSizes) > lastPlace {
		return errTables
	}
	f.setPlaces(d, numbers)
	e.set(atDeferReturn, uint32(numbers[deferred]))
	e.sizes, e.pointers = appendValues(nil, newSizes), nil
	if len(pointers) > 0 {
		e.pointers = appendValues(nil, newPointers)
	}
	e.renumbered = true
	return nil
}

// usesPCB tells whether a function looks at PC_B or sets it.
func (f *function) usesPCB() bool {
	for x := range f.code {
		if in := &f.code[x]; (in.op == opLocalGet || in.op == opLocalSet || in.op == opLocalTee) && in.a == pcB {
			return true
		}
	}
	return false
}

// setPlaces writes the new numbers where they are stored and where they are read.
func (f *function) setPlaces(d *dispatcher, numbers map[uint64]uint64) {
	if d == nil {
		return
	}
	other := d.table[len(d.table)-1]
	last := firstPlace - 1
	for _, number := range numbers {
		last = max(last, int(number))
	}
	table := make([]uint32, last+2)
	for n := range table {
		table[n] = other
	}
	for place, number := range numbers {
		if place < uint64(len(d.table)) {
			table[number] = d.table[place]
		}
	}
	table[1] = table[0]
	for len(table) > 1 && table[len(table)-2] == other {
		table = table[:len(table)-1]
	}
	for x := range f.code {
		switch in := &f.code[x]; {
		case in.op == opLocalGet && in.a == pcB:
			f.code[x+1].table, f.code[x+1].fresh = table, true
		case in.op == opLocalSet && in.a == pcB:
			f.code[x-1].a, f.code[x-1].fresh = numbers[f.code[x-1].a], true
		}
	}
}

// values are what a table of counters says: each up to a place.
type values []struct {
	value int32
	until uint64
}

// values reads the table at this offset, none when it is 0.
func (t *tables) values(at uint32) (v values, err error) {
	if at == 0 {
		return nil, nil
	}
	table, _, err := t.counterTable(at)
	c := &cursor{data: table}
	value, until := int32(-1), uint64(0)
	for err == nil && c.at < len(table)-1 { // a zero ends it
		delta := c.unsigned()
		value += int32(delta>>1) ^ -int32(delta&1)
		until += c.unsigned()
		v = append(v, struct {
			value int32
			until uint64
		}{value, until})
	}
	return v, err
}

// at gives the value at a place, and behind the end the one that no table has.
func (v values) at(place uint64) int32 {
	for _, part := range v {
		if place < part.until {
			return part.value
		}
	}
	return -1
}

func (v values) most() int32 {
	most := int32(-1)
	for _, part := range v {
		most = max(most, part.value)
	}
	return most
}

// appendValues encodes a table: the value of each place, and the last for all behind it.
func appendValues(b []byte, list []int32) []byte {
	value := int32(-1)
	for n := 0; n < len(list); {
		end := n + 1
		for end < len(list) && list[end] == list[n] {
			end++
		}
		delta := list[n] - value
		value = list[n]
		b = binary.AppendUvarint(b, uint64(uint32(delta<<1)^uint32(delta>>31)))
		until := end
		if end == len(list) {
			until = lastPlace + 1
		}
		b = binary.AppendUvarint(b, uint64(until-n))
		n = end
	}
	return append(b, 0)
}
