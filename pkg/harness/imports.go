package harness

import (
	"context"
	"encoding/binary"
	"math"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// imports answers the guest's own imports, see pkg/protocol/abi.go. None of them traps:
// a pointer that leads out of memory is an invalid argument.
type imports struct {
	files protocol.Files
	http  HTTP
	log   func(protocol.Log)
	// until is when the running call has to end.
	until time.Time
}

const (
	i32 = api.ValueTypeI32
	i64 = api.ValueTypeI64
)

// importTypes lists the parameters of each import; the result is an i32 unless noResult.
var importTypes = map[string][]api.ValueType{
	protocol.ImportHTTPSend:    {i32, i32},
	protocol.ImportHTTPCancel:  {i32, i32},
	protocol.ImportFSStat:      {i32, i32, i32},
	protocol.ImportFSRead:      {i32, i32, i32, i64, i32, i32},
	protocol.ImportFSList:      {i32, i32, i32, i32, i32},
	protocol.ImportFSReal:      {i32, i32, i32, i32},
	protocol.ImportEmit:        {i32, i32},
	protocol.ImportInterrupted: {},
}

var noResult = map[string]bool{protocol.ImportHTTPCancel: true, protocol.ImportEmit: true}

func (im *imports) instantiate(ctx context.Context, r wazero.Runtime) error {
	answers := map[string]func(m memory, arg []uint64) int32{
		protocol.ImportHTTPSend:    im.httpSend,
		protocol.ImportHTTPCancel:  im.httpCancel,
		protocol.ImportFSStat:      im.fsStat,
		protocol.ImportFSRead:      im.fsRead,
		protocol.ImportFSList:      im.fsList,
		protocol.ImportFSReal:      im.fsReal,
		protocol.ImportEmit:        im.emit,
		protocol.ImportInterrupted: im.interrupted,
	}
	b := r.NewHostModuleBuilder(protocol.ImportModule)
	for name, answer := range answers {
		results := []api.ValueType{i32}
		if noResult[name] {
			results = nil
		}
		f := func(_ context.Context, mod api.Module, stack []uint64) {
			n := answer(memory{mod.Memory()}, stack)
			if results != nil {
				stack[0] = api.EncodeI32(n)
			}
		}
		b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(f), importTypes[name], results).Export(name)
	}
	_, err := b.Instantiate(ctx)
	return err
}

// memory reads the guest's memory by the arguments of an import.
type memory struct{ api.Memory }

// at gives the bytes at a pointer and length, as a view that writes through.
func (m memory) at(ptr, size uint64) ([]byte, bool) {
	return m.Read(api.DecodeU32(ptr), api.DecodeU32(size))
}

// want reads the identity at a pointer.
func (m memory) want(ptr uint64) (info protocol.Info, ok bool) {
	b, ok := m.at(ptr, protocol.IdentSize)
	if ok {
		info.Dev = binary.LittleEndian.Uint64(b)
		info.Ino = binary.LittleEndian.Uint64(b[8:])
	}
	return info, ok
}

func (im *imports) httpSend(m memory, arg []uint64) int32 {
	b, ok := m.at(arg[0], arg[1])
	if !ok {
		return int32(protocol.ErrnoInvalid)
	}
	e, err := protocol.DecodeEffect(b)
	request, ok := e.(*protocol.HTTPSend)
	if err != nil || !ok {
		return int32(protocol.ErrnoInvalid)
	}
	if im.http == nil {
		return int32(protocol.ErrnoRefused)
	}
	return int32(im.http.Send(*request))
}

func (im *imports) httpCancel(m memory, arg []uint64) int32 {
	if id, ok := m.at(arg[0], arg[1]); ok && im.http != nil {
		im.http.Cancel(string(id))
	}
	return 0
}

func (im *imports) fsStat(m memory, arg []uint64) int32 {
	path, ok := m.at(arg[0], arg[1])
	out, ok2 := m.at(arg[2], protocol.StatSize)
	if !ok || !ok2 {
		return int32(protocol.ErrnoInvalid)
	}
	info, e := im.files.Stat(string(path))
	if e != protocol.OK {
		return int32(e)
	}
	clear(out)
	out[0] = byte(info.Kind)
	binary.LittleEndian.PutUint64(out[8:], uint64(info.Size))
	binary.LittleEndian.PutUint64(out[16:], uint64(info.MTimeNS))
	binary.LittleEndian.PutUint64(out[24:], info.Dev)
	binary.LittleEndian.PutUint64(out[32:], info.Ino)
	return 0
}

func (im *imports) fsRead(m memory, arg []uint64) int32 {
	path, ok := m.at(arg[0], arg[1])
	want, ok2 := m.want(arg[2])
	buf, ok3 := m.at(arg[4], arg[5])
	if !ok || !ok2 || !ok3 || len(buf) > math.MaxInt32 {
		return -int32(protocol.ErrnoInvalid)
	}
	n, e := im.files.Read(string(path), want, int64(arg[3]), buf)
	if e != protocol.OK {
		return -int32(e)
	}
	return int32(n)
}

func (im *imports) fsList(m memory, arg []uint64) int32 {
	path, ok := m.at(arg[0], arg[1])
	want, ok2 := m.want(arg[2])
	buf, ok3 := m.at(arg[3], arg[4])
	if !ok || !ok2 || !ok3 {
		return -int32(protocol.ErrnoInvalid)
	}
	entries, e := im.files.List(string(path), want)
	if e != protocol.OK {
		return -int32(e)
	}
	size := 0
	for _, entry := range entries {
		if len(entry.Name) > math.MaxUint16 {
			return -int32(protocol.ErrnoNameTooLong)
		}
		size += 3 + len(entry.Name)
	}
	if size > len(buf) {
		return -int32(protocol.ErrnoRange)
	}
	out := buf[:0]
	for _, entry := range entries {
		out = append(out, byte(entry.Kind))
		out = binary.LittleEndian.AppendUint16(out, uint16(len(entry.Name)))
		out = append(out, entry.Name...)
	}
	return int32(size)
}

func (im *imports) fsReal(m memory, arg []uint64) int32 {
	path, ok := m.at(arg[0], arg[1])
	buf, ok2 := m.at(arg[2], arg[3])
	if !ok || !ok2 {
		return -int32(protocol.ErrnoInvalid)
	}
	real, e := im.files.Real(string(path))
	switch {
	case e != protocol.OK:
		return -int32(e)
	case len(real) > len(buf):
		return -int32(protocol.ErrnoRange)
	}
	return int32(copy(buf, real))
}

func (im *imports) emit(m memory, arg []uint64) int32 {
	if b, ok := m.at(arg[0], arg[1]); ok && im.log != nil {
		if l, err := protocol.DecodeEffect(b); err != nil {
			im.log(protocol.Log{Level: "warn", Text: "the guest emitted what is not a log line: " + err.Error()})
		} else if line, ok := l.(*protocol.Log); ok {
			im.log(*line)
		}
	}
	return 0
}

// interrupted throws, by a panic that becomes the error of the call.
func (im *imports) interrupted(memory, []uint64) int32 {
	if time.Now().After(im.until) {
		panic(ErrDeadline)
	}
	return 0
}
