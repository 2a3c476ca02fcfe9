// Command audit prints what the guest module can reach, and fails when it
// asks for anything that is not on the list: the whole power of the advisor is the
// module's import list, so the list is short and every line has its reason.
//
//	go run ./internal/audit dist/superadvisor.wasm
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/andybalholm/brotli"

	"github.com/Kayphoon/opencode-advisor/internal/wasmfile"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: audit FILE.wasm")
		os.Exit(2)
	}
	file, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "audit:", err)
		os.Exit(1)
	}
	findings, err := Audit(os.Stdout, file)
	if err != nil {
		fmt.Fprintln(os.Stderr, "audit:", err)
		os.Exit(1)
	}
	for _, f := range findings {
		fmt.Fprintln(os.Stderr, "audit: "+f)
	}
	if len(findings) > 0 {
		os.Exit(1)
	}
}

const (
	wasiModule = "wasi_snapshot_preview1"

	// MaxSize is the bound of the file, in bytes: it is downloaded with every install,
	// and compiled at every start of the host.
	MaxSize = 6_000_000
	// MaxPages is the bound of the guest's memory, 256 MB.
	MaxPages = 256 << 20 / wasmfile.PageSize
)

// allowed is one line of the list.
type allowed struct {
	module, name, typ string
	gives             string // what having it means
}

// imports is everything that the module may ask for, and the order of the table.
var imports = []allowed{
	{protocol.ImportModule, protocol.ImportHTTPSend, "(i32, i32) -> i32", "a request to an origin fixed at the start"},
	{protocol.ImportModule, protocol.ImportHTTPCancel, "(i32, i32)", "forget a request"},
	{protocol.ImportModule, protocol.ImportFSStat, "(i32, i32, i32) -> i32", "kind, size and identity of a path in the workspace"},
	{protocol.ImportModule, protocol.ImportFSRead, "(i32, i32, i32, i64, i32, i32) -> i32", "bytes of a regular file in the workspace"},
	{protocol.ImportModule, protocol.ImportFSList, "(i32, i32, i32, i32, i32) -> i32", "names in a folder of the workspace"},
	{protocol.ImportModule, protocol.ImportFSReal, "(i32, i32, i32, i32) -> i32", "a path with its symlinks resolved"},
	{protocol.ImportModule, protocol.ImportEmit, "(i32, i32)", "a line for the advisor's own log"},
	{protocol.ImportModule, protocol.ImportInterrupted, "() -> i32", "end a call that runs for too long"},

	{wasiModule, "args_get", "(i32, i32) -> i32", "none are given"},
	{wasiModule, "args_sizes_get", "(i32, i32) -> i32", "none are given"},
	{wasiModule, "clock_time_get", "(i32, i64, i32) -> i32", "the time, for Go's runtime"},
	{wasiModule, "environ_get", "(i32, i32) -> i32", "nothing is given"},
	{wasiModule, "environ_sizes_get", "(i32, i32) -> i32", "nothing is given"},
	{wasiModule, "fd_write", "(i32, i32, i32, i32) -> i32", "the runtime's last words, to the advisor's own log"},
	{wasiModule, "poll_oneoff", "(i32, i32, i32, i32) -> i32", "waiting, for Go's runtime"},
	{wasiModule, "proc_exit", "(i32)", "end this instance"},
	{wasiModule, "random_get", "(i32, i32) -> i32", "randomness, for Go's maps"},
}

// exports is everything that the module must offer, and no more.
var exports = []allowed{
	{"", "_initialize", "()", "called first"},
	{"", "abi_version", "() -> i32", "which loader it fits"},
	{"", "alloc", "(i32) -> i32", "a buffer for a batch"},
	{"", "call", "(i32, i32) -> i64", "a batch in, an outcome back"},
	{"", "free", "(i32)", "gives a buffer back"},
	{"", "memory", "", "the guest's memory"},
}

// Audit prints the module's outside as a table, and gives a sentence for
// everything that is not as it must be.
func Audit(w io.Writer, file []byte) (findings []string, err error) {
	m, err := wasmfile.Parse(file)
	if err != nil {
		return nil, err
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "IMPORT\tNAME\tTYPE\tGIVES")
	used := map[string]wasmfile.Import{}
	for _, i := range m.Imports {
		if finding := checkImport(i); finding != "" {
			findings = append(findings, finding)
			fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", printable(i.Module), printable(i.Name), i.Type, "NOT ALLOWED")
		}
		used[i.Module+"."+i.Name] = i
	}
	for _, a := range imports {
		i, ok := used[a.module+"."+a.name]
		if !ok {
			findings = append(findings, "import "+a.module+"."+a.name+" is on the list, and the module does not ask for it: take it off the list")
		}
		if ok && checkImport(i) == "" {
			fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", a.module, a.name, a.typ, a.gives)
		}
	}
	if err := tw.Flush(); err != nil {
		return nil, err
	}
	fmt.Fprintln(tw, "\nEXPORT\tTYPE\tFOR")
	findings = append(findings, checkExports(tw, m.Exports)...)
	if err := tw.Flush(); err != nil {
		return nil, err
	}
	findings = append(findings, checkLimits(w, m, len(file))...)
	if err := printSizes(w, file); err != nil {
		return nil, err
	}
	return findings, nil
}

func checkImport(i wasmfile.Import) string {
	name := printable(i.Module) + "." + printable(i.Name)
	for _, a := range imports {
		if a.module == i.Module && a.name == i.Name {
			if i.Kind != wasmfile.Func || i.Type != a.typ {
				return fmt.Sprintf("import %s is %s %s, want func %s", name, i.Kind, i.Type, a.typ)
			}
			return ""
		}
	}
	return fmt.Sprintf("import %s is not on the list: the module must not be able to ask for it; see internal/audit", name)
}

func checkExports(w io.Writer, have []wasmfile.Export) (findings []string) {
	found := map[string]bool{}
	for _, e := range have {
		i := 0
		for i < len(exports) && exports[i].name != e.Name {
			i++
		}
		switch {
		case i == len(exports):
			findings = append(findings, fmt.Sprintf("export %s is not on the list", printable(e.Name)))
		case e.Type != exports[i].typ:
			findings = append(findings, fmt.Sprintf("export %s is %s %s, want %s", e.Name, e.Kind, e.Type, exports[i].typ))
		}
		found[e.Name] = true
	}
	for _, a := range exports {
		if !found[a.name] {
			findings = append(findings, fmt.Sprintf("export %s is missing: the loader needs it", a.name))
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", a.name, a.typ, a.gives)
	}
	return findings
}

func checkLimits(w io.Writer, m *wasmfile.Module, size int) (findings []string) {
	if m.HasStart {
		findings = append(findings, "the module has a start function: it would run before the loader looked at it")
	}
	if len(m.Memories) != 1 {
		return append(findings, fmt.Sprintf("the module has %d memories of its own, want 1", len(m.Memories)))
	}
	memory := m.Memories[0]
	bound := "without bound"
	if memory.Max != 0 {
		bound = fmt.Sprintf("at most %d MB", int64(memory.Max)*wasmfile.PageSize>>20)
	}
	fmt.Fprintf(w, "\nmemory: %.1f MB at the start, %s\n", float64(memory.Min)*wasmfile.PageSize/(1<<20), bound)
	if memory.Max != MaxPages {
		findings = append(findings, fmt.Sprintf("the memory's maximum is %d pages, want %d (256 MB): build with make build", memory.Max, MaxPages))
	}
	if size > MaxSize {
		findings = append(findings, fmt.Sprintf("the file has %d bytes, more than %d; `go list -deps ./wasm` shows what is linked", size, MaxSize))
	}
	return findings
}

// printSizes prints the file's size as it is, as npm packs it, and by brotli.
func printSizes(w io.Writer, file []byte) error {
	var zipped, brotlied bytes.Buffer
	zip, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
	if err != nil {
		return err
	}
	// Brotli's levels 10 and 11 take eight times as long for a tenth less.
	for _, packer := range []io.WriteCloser{zip, brotli.NewWriterLevel(&brotlied, 9)} {
		if _, err := packer.Write(file); err != nil {
			return err
		}
		if err := packer.Close(); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(w, "size:   %d bytes of at most %d; gzip %d, brotli %d\n", len(file), MaxSize, zipped.Len(), brotlied.Len())
	return err
}

// printable keeps a hostile name from writing over the table.
func printable(s string) string {
	q := fmt.Sprintf("%q", s)
	return strings.TrimSuffix(strings.TrimPrefix(q, `"`), `"`)
}
