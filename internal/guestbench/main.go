// Command guestbench runs the Go benchmarks of a package as WebAssembly under wazero, made
// smaller as the guest is, and prints the median of several rounds of each, beside how
// many times slower its baseline is: the benchmark of the same group that is named last.
//
//	go run ./internal/guestbench [-bench regexp] [-count n] [-time d] [-plain] ./pkg/protocol
//
// With -plain the code stays as the compiler wrote it, to see what internal/shrink is worth.
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"

	"github.com/Kayphoon/opencode-advisor/internal/shrink"
)

func main() {
	bench := flag.String("bench", ".", "which benchmarks, as in go test")
	count := flag.Int("count", 7, "rounds")
	time := flag.String("time", "100ms", "time of one round")
	plain := flag.Bool("plain", false, "do not shrink the code")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	out, err := run(flag.Arg(0), *plain, *count, "-test.run=^$", "-test.bench="+*bench, "-test.benchtime="+*time)
	if err != nil {
		fmt.Fprintln(os.Stderr, "guestbench:", err)
		os.Exit(1)
	}
	if err := report(os.Stdout, out); err != nil {
		fmt.Fprintln(os.Stderr, "guestbench:", err)
		os.Exit(1)
	}
}

// run builds the tests of a package for wasm and gives what they print in all rounds. A round
// runs them all, so that a busy machine is busy for each of them.
func run(pkg string, plain bool, rounds int, args ...string) (string, error) {
	dir, err := os.MkdirTemp("", "guestbench")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "test.wasm")
	build := exec.Command("go", "test", "-c", "-o", file, pkg)
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if text, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the tests of %s: %w\n%s", pkg, err, text)
	}
	wasm, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	if !plain {
		if wasm, err = shrink.Module(wasm, nil); err != nil {
			return "", err
		}
	}
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	defer r.Close(ctx)
	wasi_snapshot_preview1.MustInstantiate(ctx, r)
	compiled, err := r.CompileModule(ctx, wasm)
	if err != nil {
		return "", err
	}
	var out, errs bytes.Buffer
	config := wazero.NewModuleConfig().WithName("").WithArgs(append([]string{"test"}, args...)...).WithStdout(&out).WithStderr(&errs).
		WithSysNanotime().WithSysWalltime().WithRandSource(rand.Reader).
		WithFSConfig(wazero.NewFSConfig().WithReadOnlyDirMount(filepath.FromSlash(pkg), "/"))
	for range rounds {
		m, err := r.InstantiateModule(ctx, compiled, config)
		if exit, ok := err.(*sys.ExitError); err != nil && (!ok || exit.ExitCode() != 0) {
			return "", fmt.Errorf("%w\n%s%s", err, out.String(), errs.String())
		}
		if m != nil {
			_ = m.Close(ctx)
		}
	}
	return out.String(), nil
}

// result is one benchmark and the nanoseconds of its rounds.
type result struct {
	name   string
	rounds []float64
}

func (r result) median() float64 {
	slices.Sort(r.rounds)
	return r.rounds[len(r.rounds)/2]
}

// parse reads what go test prints.
func parse(out string) (all []*result) {
	byName := map[string]*result{}
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") || f[3] != "ns/op" {
			continue
		}
		ns, err := strconv.ParseFloat(f[2], 64)
		if err != nil {
			continue
		}
		name := strings.TrimPrefix(f[0], "Benchmark")
		if byName[name] == nil {
			byName[name] = &result{name: name}
			all = append(all, byName[name])
		}
		byName[name].rounds = append(byName[name].rounds, ns)
	}
	return all
}

func report(w io.Writer, out string) error {
	all := parse(out)
	if len(all) == 0 {
		return fmt.Errorf("no benchmark ran:\n%s", out)
	}
	last := map[string]float64{} // of each group
	for _, r := range all {
		group, _, _ := strings.Cut(r.name, "/")
		last[group] = r.median()
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "in the guest\tmedian\tbaseline\t")
	for _, r := range all {
		group, _, grouped := strings.Cut(r.name, "/")
		ratio := ""
		if grouped {
			ratio = fmt.Sprintf("x %.1f", last[group]/r.median())
		}
		fmt.Fprintf(tw, "%s\t%.1f us\t%s\t\n", r.name, r.median()/1000, ratio)
	}
	return tw.Flush()
}
