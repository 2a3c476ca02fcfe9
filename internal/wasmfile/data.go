package wasmfile

import (
	"encoding/binary"
	"errors"
)

// maxImage bounds what the segments of a module may span together. Ours span 3 MB.
const maxImage = 64 << 20

// readData gives the memory as the data section's segments leave it.
func readData(section []byte) ([]byte, error) {
	var image []byte
	r := &reader{data: section}
	r.each(func() {
		if kind := r.u32(); kind != 0 {
			r.fail("a data segment of kind %d is not supported", kind)
		}
		if op := r.byte(); op != opI32Const {
			r.fail("a data segment's place is no constant")
		}
		at := int(r.s32())
		if op := r.byte(); op != opEnd {
			r.fail("a data segment's place is no constant")
		}
		content := r.bytes(r.count())
		switch {
		case r.err != nil:
			return
		case at > maxImage-len(content):
			r.fail("a data segment ends beyond %d bytes", maxImage)
			return
		}
		if end := at + len(content); end > len(image) {
			image = append(image, make([]byte, end-len(image))...)
		}
		copy(image[at:], content) // a later segment wins, as in an engine
	})
	if r.err == nil && r.at != len(section) {
		r.fail("%d bytes are left over", len(section)-r.at)
	}
	return image, r.err
}

const (
	opI32Const = 0x41
	opI64Const = 0x42
	opEnd      = 0x0b

	// segmentCost is how many zeroes one more segment must save. In the file it takes some 8 bytes, but compressed, and of the time of a
	// start, it takes more than zeroes do: with 32 gzip makes 22 KB less of the guest's data than with 8.
	segmentCost = 32
)

// AppendData encodes the content of a section of data, in which a memory is segments, and leaves out the zeroes between them, for
// memory starts as zeroes.
func AppendData(b, image []byte) []byte {
	var segments []byte
	count := uint32(0)
	for at := 0; at < len(image); {
		if image[at] == 0 {
			at++
			continue
		}
		end := at + 1 // of the segment, behind its last byte that is not zero
		for next := end; next < len(image) && next-end < segmentCost; next++ {
			if image[next] != 0 {
				end = next + 1
			}
		}
		segments = append(segments, 0, opI32Const)
		segments = AppendSigned(segments, int64(int32(at)))
		segments = append(segments, opEnd)
		segments = binary.AppendUvarint(segments, uint64(end-at))
		segments = append(segments, image[at:end]...)
		count++
		at = end
	}
	return append(binary.AppendUvarint(b, uint64(count)), segments...)
}

// Image gives the module's memory as it starts.
func Image(file []byte) ([]byte, error) {
	var image []byte
	_, err := RewriteData(file, func(b []byte) error {
		image = b
		return nil
	})
	return image, err
}

// RewriteData gives a copy of the module whose memory starts as edit leaves it.
func RewriteData(file []byte, edit func(image []byte) error) ([]byte, error) {
	m, err := Parse(file)
	if err != nil {
		return nil, err
	}
	if m.Content(file, secDataCount) != nil { // tells how many segments there are
		return nil, errors.New("a module with a data count is not supported")
	}
	data := m.Content(file, SecData)
	if data == nil {
		return nil, errors.New("the module has no data")
	}
	image, err := readData(data)
	if err == nil {
		err = edit(image)
	}
	if err != nil {
		return nil, err
	}
	return m.Replace(file, map[byte][]byte{SecData: AppendData(nil, image)}), nil
}
