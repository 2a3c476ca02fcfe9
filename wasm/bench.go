//go:build wasip1 && bench

package main

import (
	"runtime"
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/safefs"
	"github.com/Kayphoon/opencode-advisor/pkg/tools"
)

// The export of a module that is built for measuring and never shipped: one tool, without the
// review around it.

var benchScratch tools.Scratch

// bench runs one tool on what the loader can see. The batch is lines: root, operation, bound, pattern
// or arguments. The answer is a line of counts (matching lines, bytes of them as path:line:text, files
// searched, whether all were, bytes that a read allocated), and below it the tool's own text.
//
//go:wasmexport bench
func bench(ptr, size uint32) uint64 {
	batch, _ := buffer(ptr, size)
	part := strings.SplitN(string(batch), "\n", 4)
	before := allocated(part[1])
	counts, text := benchRun(part[0], part[1], part[2], part[3])
	result = []byte(counts + " " + strconv.FormatUint(allocated(part[1])-before, 10) + "\n" + text)
	return uint64(address(result))<<32 | uint64(len(result))
}

// allocated is asked of read alone: the answer takes longer than a small search.
func allocated(op string) uint64 {
	if op != tools.Read.Name {
		return 0
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

func benchRun(root, op, bound, arg string) (counts, text string) {
	files, err := safefs.New(host{}, root)
	if err != nil {
		return "0 0 0 false", err.Error()
	}
	env := &tools.Env{Files: files, Scratch: &benchScratch, Interrupted: host{}.Interrupted}
	for _, tool := range []tools.Tool{tools.Read, tools.Grep, tools.Glob} {
		if tool.Name == op {
			return "0 0 0 true", tool.Run(env, []byte(arg)).Text
		}
	}
	max, _ := strconv.Atoi(bound)
	lines, size := 0, 0
	out := make([]byte, 0, 64<<10)
	found, err := tools.Each(env, arg, "", func(path string, line int, text []byte) bool {
		if len(out) > 60<<10 {
			size, out = size+len(out), out[:0]
		}
		out = strconv.AppendInt(append(append(out, path...), ':'), int64(line), 10)
		out = append(append(append(out, ':'), text...), '\n')
		lines++
		return lines != max
	})
	if err != nil {
		return "0 0 0 false", err.Error()
	}
	return strconv.Itoa(lines) + " " + strconv.Itoa(size+len(out)) + " " + strconv.Itoa(found.Files) + " " + strconv.FormatBool(found.Complete), ""
}
