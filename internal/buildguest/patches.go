package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// patch changes one text of Go's runtime for the guest.
type patch struct{ file, from, to string }

// patches cut off what the guest cannot reach, so that the linker leaves it out: the tracer and the profilers, for
// which only packages ask that the guest does not link (see RATIONALE.md), GODEBUG and what only it switches on, and the longest of
// what is printed before the runtime dies. What dies still says why.
var patches = []patch{
	// Only runtime/trace starts the tracer.
	{"traceruntime.go", "\treturn trace.enabled\n", "\treturn false\n"},
	{"traceruntime.go", "\treturn trace.enabledWithAllocFree\n", "\treturn false\n"},
	{"traceruntime.go", "\treturn trace.shutdown.Load()\n", "\treturn false\n"},
	{"traceruntime.go", "\treturn tl.gen != 0\n", "\treturn false\n"},
	atStart("traceallocfree.go", "func (tl traceLocker) SpanFree(s *mspan) {", "return"),
	// Types of several modules are the same; there is one module.
	atStart("type.go", "func typelinksinit() {", "return"),
	// A counter is its function's number and 16 bits, so that the table from counters to functions is not needed.
	{"symtab.go", "\tffb := (*findfuncbucket)(add(unsafe.Pointer(datap.findfunctab), b*unsafe.Sizeof(findfuncbucket{})))\n" +
		"\tidx := ffb.idx + uint32(ffb.subbuckets[i])\n", "\t_, _ = b, i\n\tidx := pcOff - datap.ftab[0].entryoff\n"},
	// Only runtime/pprof and runtime.MemProfile read profiles.
	atStart("mprof.go", "func mProf_Malloc(mp *m, p unsafe.Pointer, size uintptr) {", "return"),
	atStart("mprof.go", "func saveblockevent(cycles, rate int64, skip int, which bucketType) {", "return"),
	atStart("mprof.go", "func tryRecordGoroutineProfile(gp1 *g, pcbuf []uintptr, yield func()) {", "return"),
	// The host's GODEBUG is nothing that should change what the guest does.
	atStart("runtime1.go", "func parsegodebug(godebug string, seen map[string]bool) {", "return"),
	atStart("proc.go", "func schedtrace(detailed bool) {", "return"),
	atStart("mcheckmark.go", "func checkFinalizersAndCleanups() {", "return"),
	atStart("mgcmark_greenteagc.go", "func dumpScanStats() {", "return"),
	atStart("mgcscavenge.go", "func printScavTrace(releasedBg, releasedEager uintptr, forced bool) {", "return"),
	atStart("traceback.go", "func printAncestorTraceback(ancestor ancestorInfo) {", "return"),
	{"mgc.go", "\tif debug.gctrace > 0 {\n", "\tif false {\n"},
	// Words before a death. The message itself is printed elsewhere.
	atStart("mgcmark.go", "func gcDumpObject(label string, obj, off uintptr) {", "return"),
	atStart("mgcsweep.go", "func (s *mspan) reportZombies() {", `throw("found pointer to free object")`),
	atStart("hexdump.go", "func hexdumpWords(p, len uintptr, mark func(uintptr, hexdumpMarker)) {", "return"),
	atStart("traceback.go", "func tracebackHexdump(stk stack, frame *stkframe, bad uintptr) {", "return"),
	atStart("traceback.go", "func printCgoTraceback(callers *cgoCallers) {", "return"),
	atStart("error.go", "func printanycustomtype(i any) {", `print("(", toRType(efaceOf(&i)._type).string(), ")"); return`),
	atStart("traceback.go", "func printArgs(f funcInfo, argp unsafe.Pointer, pc uintptr) {", "return"),
	atStart("traceback.go", "func printOneCgoTraceback(pc uintptr, commitFrame func() (pr, stop bool), arg *cgoSymbolizerArg) bool {", "return true"),
	// The guest is started when it is built, so what is drawn then is known to everybody. It draws again when it resumes. The key of all
	// hashes cannot change, for maps are filled with them, so a hash takes all of its map's own random number and not half of it.
	{"rand.go", "func mrandinit(mp *m) {\n", forMain + "func mrandinit(mp *m) {\n"},
	{"hash32.go", "uint32(4^hashkey[0])", "uint32(4^hashkey[0]^seed>>32)"},
	{"hash32.go", "uint32(8^hashkey[0])", "uint32(8^hashkey[0]^seed>>32)"},
	{"hash32.go", "uint32(s^hashkey[0])", "uint32(s^hashkey[0]^seed>>32)"},
	// What the collector frees holds no bad content, as it does to find bugs, but none.
	atStart("mgcsweep.go", "func clobberfree(x unsafe.Pointer, size uintptr) {", "memclrNoHeapPointers(x, size); return"),
}

// forMain are two functions of the guest's main package that only the runtime can have.
const forMain = `//go:linkname guestReseed main.reseed
func guestReseed() {
	globalRand.init = false
	randinit()
	mrandinit(getg().m)
}

//go:linkname guestTidy main.tidy
func guestTidy() {
	debug.clobberfree = 1
	GC() // which sweeps what the one before it left
	GC()
	debug.clobberfree = 0
}

`

// atStart is a patch that puts a statement at the start of a function, which makes the rest dead code.
func atStart(file, function, statement string) patch {
	return patch{file, function + "\n", function + "\n\tif true {\n\t\t" + statement + "\n\t}\n"}
}

// writePatched writes the patched files into dir, and gives for each of the runtime's the one to take instead.
func writePatched(goroot, dir string, patches []patch) (map[string]string, error) {
	text, replace := map[string]string{}, map[string]string{}
	for _, p := range patches {
		path := filepath.Join(goroot, "src", "runtime", p.file)
		if _, ok := text[path]; !ok {
			b, err := os.ReadFile(path)
			if err != nil {
				return nil, fmt.Errorf("patch Go's runtime: %w", err)
			}
			text[path] = string(b)
		}
		if n := strings.Count(text[path], p.from); n != 1 {
			return nil, fmt.Errorf("patch Go's runtime: %s has %d times %q, want once; look what this Go made of it, and mend patches.go", path, n, p.from)
		}
		text[path] = strings.Replace(text[path], p.from, p.to, 1)
		replace[path] = filepath.Join(dir, p.file)
	}
	for path, to := range replace {
		if err := os.WriteFile(to, []byte(text[path]), 0o600); err != nil {
			return nil, err
		}
	}
	return replace, nil
}
