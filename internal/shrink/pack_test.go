package shrink

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand"
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/Kayphoon/opencode-advisor/internal/wasmfile"
	"github.com/Kayphoon/opencode-advisor/internal/wasmtest"
)

// bare is a module with one page of memory, which starts as this, and a function that is called first and does nothing.
func bare(image []byte) []byte {
	file := wasmtest.Module{Funcs: []wasmtest.Func{{Name: "_initialize", Type: "()"}}}.Bytes()
	data := append([]byte{0, opI32Const, 0, opEnd}, wasmtest.Unsigned(len(image))...)
	return append(file, wasmtest.Section(11, append(data, image...))...)
}

// started is a module's memory once the function that is called first has run.
func started(t *testing.T, file []byte, size int) []byte {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer r.Close(ctx)
	m, err := r.InstantiateWithConfig(ctx, file, wazero.NewModuleConfig().WithStartFunctions("_initialize"))
	if err != nil {
		t.Fatal(err)
	}
	memory, _ := m.Memory().Read(0, uint32(size))
	return bytes.Clone(memory)
}

func TestPackedColumnsComeBack(t *testing.T) {
	const size, streamAt = 0x10000, 0x8000
	random := rand.New(rand.NewSource(1))
	word := func() uint32 {
		switch random.Intn(4) {
		case 0:
			return 0
		case 1:
			return math.MaxUint32
		case 2:
			return uint32(random.Intn(300))
		}
		return random.Uint32()
	}
	for n := range 40 {
		image := make([]byte, size)
		copy(image, "before")
		copy(image[streamAt-6:], "behind")
		want := bytes.Clone(image)
		p := &packer{image: image}
		at := 6
		for range random.Intn(5) {
			c := column{at: at, stride: 4 + random.Intn(9), count: random.Intn(200), hole: word()}
			for x := range c.count {
				little.PutUint32(image[c.at+x*c.stride:], word())
			}
			copy(want[at:], image[at:at+c.stride*c.count])
			at += c.stride*c.count + 4
			p.take(c)
		}
		if n < 5 { // of one value in all records
			p.take(column{at: at, stride: 4, count: 100})
		}
		if err := p.store(streamAt, size-streamAt); errors.Is(err, errPack) {
			continue // a difference of 2 to the 31st
		} else if err != nil {
			t.Fatal(err)
		}
		file, err := addUnpack(bare(image), streamAt)
		if err != nil {
			t.Fatal(err)
		}
		if got := started(t, file, streamAt); !bytes.Equal(got, want[:streamAt]) {
			t.Fatalf("%d: the memory is another", n)
		}
	}
}

func TestPackNeedsRoomAndAFirstFunction(t *testing.T) {
	image := bytes.Repeat([]byte{1}, 100)
	p := &packer{image: image}
	p.take(column{stride: 4, count: 10})
	if err := p.store(50, columnHeader); !errors.Is(err, errPack) {
		t.Errorf("into too little room: error %v", err)
	}
	p = &packer{image: little.AppendUint32(nil, 1<<31)}
	p.take(column{stride: 4, count: 1})
	if err := p.store(0, 0); !errors.Is(err, errPack) {
		t.Errorf("a difference that has no number: error %v", err)
	}
	other := bytes.Replace(bare(image), []byte("_initialize"), []byte("_initialise"), 1)
	if _, err := wasmfile.Parse(other); err != nil {
		t.Fatal(err)
	}
	if _, err := addUnpack(other, 0); err == nil {
		t.Error("a module without a function that is called first: no error")
	}
}
