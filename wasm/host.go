//go:build wasip1

package main

import (
	"encoding/binary"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// The imports, see pkg/protocol/abi.go. A string crosses as pointer and length.

//go:wasmimport superadvisor http_send
func importHTTPSend(request string) int32

//go:wasmimport superadvisor http_cancel
func importHTTPCancel(id string)

//go:wasmimport superadvisor fs_stat
func importFSStat(path string, out *[protocol.StatSize]byte) int32

//go:wasmimport superadvisor fs_read
func importFSRead(path string, want *[protocol.IdentSize]byte, offset int64, buf *byte, size uint32) int32

//go:wasmimport superadvisor fs_list
func importFSList(path string, want *[protocol.IdentSize]byte, buf *byte, size uint32) int32

//go:wasmimport superadvisor fs_real
func importFSReal(path string, buf *byte, size uint32) int32

//go:wasmimport superadvisor emit
func importEmit(log string)

//go:wasmimport superadvisor interrupted
func importInterrupted() int32

// host is the engine's outside, made of the imports.
type host struct{}

const (
	// firstBuffer holds any path (4,096 bytes on Linux) and the names of an ordinary folder.
	firstBuffer = 16 << 10
	// lastBuffer holds the names of a folder of some 300,000 files.
	lastBuffer = 16 << 20
	// keptBuffer bounds what one large folder leaves behind.
	keptBuffer = 256 << 10
)

// scratch takes what the imports write; the loader's answers are copied out of it.
var scratch = make([]byte, firstBuffer)

// stat and ident are the same for fs_stat and for identities: a walk asks ten thousand times.
var (
	stat  [protocol.StatSize]byte
	ident [protocol.IdentSize]byte
)

// Stat implements protocol.Files.
func (host) Stat(path string) (protocol.Info, protocol.Errno) {
	out := &stat
	if e := importFSStat(path, out); e != 0 {
		return protocol.Info{}, protocol.Errno(e)
	}
	return protocol.Info{
		Kind:    protocol.Kind(out[0]),
		Size:    int64(binary.LittleEndian.Uint64(out[8:])),
		MTimeNS: int64(binary.LittleEndian.Uint64(out[16:])),
		Dev:     binary.LittleEndian.Uint64(out[24:]),
		Ino:     binary.LittleEndian.Uint64(out[32:]),
	}, protocol.OK
}

// Real implements protocol.Files.
func (host) Real(path string) (string, protocol.Errno) {
	b, e := fillScratch(func(buf []byte) int32 { return importFSReal(path, &buf[0], uint32(len(buf))) })
	return string(b), e
}

// Read implements protocol.Files.
func (host) Read(path string, want protocol.Info, offset int64, buf []byte) (int, protocol.Errno) {
	if len(buf) == 0 {
		return 0, protocol.OK
	}
	n := importFSRead(path, identity(want), offset, &buf[0], uint32(len(buf)))
	if n < 0 {
		return 0, protocol.Errno(-n)
	}
	if int(n) > len(buf) {
		return 0, protocol.ErrnoIO
	}
	return int(n), protocol.OK
}

// List implements protocol.Files.
func (host) List(path string, want protocol.Info) ([]protocol.Entry, protocol.Errno) {
	id := identity(want)
	b, e := fillScratch(func(buf []byte) int32 { return importFSList(path, id, &buf[0], uint32(len(buf))) })
	if e != protocol.OK {
		return nil, e
	}
	list, e := entries(b)
	if len(scratch) > keptBuffer {
		scratch = make([]byte, firstBuffer)
	}
	return list, e
}

// entries reads what fs_list writes. One string holds all names.
func entries(b []byte) ([]protocol.Entry, protocol.Errno) {
	const head = 3                                 // kind u8, length u16
	list := make([]protocol.Entry, 0, len(b)/16+1) // about as many as there are
	all := string(b)
	for at := 0; at < len(b); {
		if len(b)-at < head {
			return nil, protocol.ErrnoIO
		}
		size := int(binary.LittleEndian.Uint16(b[at+1:]))
		if len(b)-at-head < size {
			return nil, protocol.ErrnoIO
		}
		list = append(list, protocol.Entry{Kind: protocol.Kind(b[at]), Name: all[at+head : at+head+size]})
		at += head + size
	}
	return list, protocol.OK
}

// fillScratch runs an import that writes into a buffer, with larger ones until it fits.
func fillScratch(write func(buf []byte) int32) ([]byte, protocol.Errno) {
	for {
		n := write(scratch)
		switch {
		case n >= 0 && int(n) <= len(scratch):
			return scratch[:n], protocol.OK
		case n >= 0:
			return nil, protocol.ErrnoIO
		case protocol.Errno(-n) != protocol.ErrnoRange || len(scratch) >= lastBuffer:
			return nil, protocol.Errno(-n)
		}
		scratch = make([]byte, 4*len(scratch))
	}
}

func identity(want protocol.Info) *[protocol.IdentSize]byte {
	binary.LittleEndian.PutUint64(ident[:], want.Dev)
	binary.LittleEndian.PutUint64(ident[8:], want.Ino)
	return &ident
}

// sending holds the request that is on its way out: the loader takes it before it returns.
var sending []byte

// Send implements engine.Host.
func (host) Send(request protocol.HTTPSend) protocol.Errno {
	sending = protocol.AppendHTTPSend(sending[:0], &request)
	errno := importHTTPSend(protocol.TextOf(sending))
	if cap(sending) > keptBuffer {
		sending = nil
	}
	return protocol.Errno(errno)
}

// Cancel implements engine.Host.
func (host) Cancel(id string) { importHTTPCancel(id) }

// Emit implements engine.Host.
func (host) Emit(log protocol.Log) { importEmit(string(protocol.AppendLog(nil, &log))) }

// Interrupted implements engine.Host.
func (host) Interrupted() { importInterrupted() }
