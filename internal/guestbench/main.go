// Command guestbench runs the Go benchmarks of a package as WebAssembly under wazero, made
// smaller and with vector instructions as the guest is, and prints the median of several rounds of each, beside how
// many times slower its baseline is: the benchmark of the same group that is named last.
//
//	go run ./internal/guestbench [-bench regexp] [-count n] [-time d] [-plain] [-check x] [-keep name] ./pkg/protocol
//
// With -plain the code stays as the compiler wrote it, to see what internal/shrink and internal/vector are worth. With -check
// it fails when the first of a group is not x times as fast as the baseline. With -keep the table goes to
// testdata/bench/name.json.
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
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

	kept "github.com/Kayphoon/opencode-advisor/internal/bench"
	"github.com/Kayphoon/opencode-advisor/internal/shrink"
	"github.com/Kayphoon/opencode-advisor/internal/vector"
)

func main() {
	bench := flag.String("bench", ".", "which benchmarks, as in go test")
	count := flag.Int("count", 7, "rounds")
	time := flag.String("time", "100ms", "time of one round")
	plain := flag.Bool("plain", false, "leave the code as it is")
	bar := flag.Float64("check", 0, "fail when the first of a group is not this many times as fast as its baseline")
	keep := flag.String("keep", "", "name of the file in testdata/bench that keeps the table")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := measure(flag.Arg(0), *plain, *count, *bar, *keep, "-test.run=^$", "-test.bench="+*bench, "-test.benchtime="+*time); err != nil {
		fmt.Fprintln(os.Stderr, "guestbench:", err)
		os.Exit(1)
	}
}

func measure(pkg string, plain bool, rounds int, bar float64, keep string, args ...string) error {
	out, err := run(pkg, plain, rounds, args...)
	if err != nil {
		return err
	}
	rows := table(out)
	if len(rows) == 0 {
		return fmt.Errorf("no benchmark ran:\n%s", out)
	}
	if err := report(os.Stdout, rows); err != nil {
		return err
	}
	if keep != "" {
		err = kept.Write("testdata/bench", keep, map[string]any{"command": "go run ./internal/guestbench -keep " + keep + " " + pkg, "guest": rows})
	}
	return errors.Join(err, check(rows, bar))
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
		vectors, err := vector.Find(wasm) // of which a package need not have all
		if err != nil {
			return "", err
		}
		if wasm, err = vectors.Put(wasm); err != nil {
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

// row is what is told of one benchmark.
type row struct {
	Name  string  `json:"name"`
	Us    float64 `json:"us"`                 // microseconds, the median of the rounds
	Times float64 `json:"baseline,omitempty"` // how many times slower the baseline of its group is; 0 outside a group
	group string
}

func table(out string) (rows []row) {
	all := parse(out)
	last := map[string]float64{} // of each group
	for _, r := range all {
		group, _, _ := strings.Cut(r.name, "/")
		last[group] = r.median()
	}
	for _, r := range all {
		one := row{Name: r.name, Us: hundredths(r.median() / 1000)}
		if group, _, grouped := strings.Cut(r.name, "/"); grouped {
			one.group, one.Times = group, hundredths(last[group]/r.median())
		}
		rows = append(rows, one)
	}
	return rows
}

func hundredths(x float64) float64 { return math.Round(100*x) / 100 }

// check names each group whose first benchmark is not bar times as fast as its baseline.
func check(rows []row, bar float64) error {
	var missed []error
	seen := map[string]bool{"": true}
	for _, r := range rows {
		if !seen[r.group] && r.Times < bar {
			missed = append(missed, fmt.Errorf("bar missed: %s is %.2f times as fast as its baseline, the bar is %.2f", r.Name, r.Times, bar))
		}
		seen[r.group] = true
	}
	return errors.Join(missed...)
}

func report(w io.Writer, rows []row) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "in the guest\tmedian\tbaseline\t")
	for _, r := range rows {
		ratio := ""
		if r.group != "" {
			ratio = fmt.Sprintf("x %.1f", r.Times)
		}
		fmt.Fprintf(tw, "%s\t%.1f us\t%s\t\n", r.Name, r.Us, ratio)
	}
	return tw.Flush()
}
