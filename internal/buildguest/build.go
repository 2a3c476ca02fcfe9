package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/Kayphoon/opencode-advisor/internal/shrink"
	"github.com/Kayphoon/opencode-advisor/internal/snapshot"
	"github.com/Kayphoon/opencode-advisor/internal/vector"
	"github.com/Kayphoon/opencode-advisor/internal/wasmfile"
)

// memoryPages is the most the guest may grow to: 256 MB. Without a maximum a
// runaway decode would take 4 GB of the host's memory before it failed.
const memoryPages = 256 << 20 / wasmfile.PageSize

// uninlined are packages that run a few times in a turn or less and are large. Without inlining the
// judge's rules and the shell's grammar take 0.6 MB less of the module, the others 0.2 MB;
// everywhere else it is not worth the time.
var uninlined = []string{
	"github.com/Kayphoon/opencode-advisor/pkg/bench",
	"github.com/Kayphoon/opencode-advisor/pkg/cli",
	"github.com/Kayphoon/opencode-advisor/pkg/budget",
	"github.com/Kayphoon/opencode-advisor/pkg/config",
	"github.com/Kayphoon/opencode-advisor/pkg/delivery",
	"github.com/Kayphoon/opencode-advisor/pkg/engine",
	"github.com/Kayphoon/opencode-advisor/pkg/evidence",
	"github.com/Kayphoon/opencode-advisor/pkg/guard",
	"github.com/Kayphoon/opencode-advisor/pkg/llm",
	"github.com/Kayphoon/opencode-advisor/pkg/review",
	"github.com/Kayphoon/opencode-advisor/pkg/rules",
	"github.com/Kayphoon/opencode-advisor/pkg/session",
	"github.com/Kayphoon/opencode-advisor/pkg/report",
	"github.com/Kayphoon/opencode-advisor/pkg/show",
	"github.com/Kayphoon/opencode-advisor/pkg/judge",
	"mvdan.cc/sh/v3/syntax",
}

// hot are packages of ours that go over every byte of a session. The others run a few times in a turn.
var hot = []string{"pattern", "protocol", "redact", "transcript"}

// cold tells of a function by its name whether it had better be small than fast: what decides, what
// parses commands and patterns, and what prints when the runtime dies.
func cold(function string) bool {
	pkg, ours := strings.CutPrefix(function, "github.com/Kayphoon/opencode-advisor/pkg/")
	if ours {
		return !slices.ContainsFunc(hot, func(name string) bool { return strings.HasPrefix(pkg, name+".") })
	}
	for _, name := range []string{"mvdan.cc/sh/v3/", "regexp/syntax.", "runtime.print", "runtime.trace"} {
		if strings.HasPrefix(function, name) {
			return true
		}
	}
	return false
}

// barred are packages that the guest must not hold, with the reason. What the
// sandbox does not import cannot be misused, and what does not import it stays small.
var barred = map[string]string{
	"net":                           "HTTP goes through the loader",
	"os/exec":                       "the guest runs nothing",
	"os":                            "it opens the standard streams, and has a way to files; 0.2 MB",
	"time":                          "it reads time zones and settings; see pkg/utc; 0.2 MB",
	"encoding/json":                 "it needs reflection; use the codec and jsonparser; 0.7 MB",
	"crypto/sha256":                 "it brings Go's FIPS module; see pkg/digest; 0.5 MB",
	"github.com/dlclark/regexp2/v2": "its time limit never fires without threads; pkg/pattern counts steps instead",
	"github.com/dlclark/regexp2":    "its time limit never fires without threads; pkg/pattern counts steps instead",
}

func run(w io.Writer, out string, twice bool, way way) error {
	file, err := build(way)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(file)
	if twice {
		cache, err := os.MkdirTemp("", "buildguest")
		if err != nil {
			return err
		}
		defer os.RemoveAll(cache)
		way.cache = cache
		again, err := build(way)
		if err != nil {
			return err
		}
		if !bytes.Equal(file, again) {
			return fmt.Errorf("two builds differ: %x and %x", sum, sha256.Sum256(again))
		}
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(out, file, 0o644); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s: %d bytes, sha256 %x\n", out, len(file), sum)
	return err
}

// way is a way to build the guest. That of nothing is what is shipped.
type way struct {
	cache string // the build cache, if it is one of its own
	named bool   // with the names of functions, which keep their numbers
	bench bool   // with the export for measuring
	plain bool   // not started yet: Go's start is _initialize, and what the shipped module has by that name is resume
}

// build compiles the guest.
func build(way way) ([]byte, error) {
	dir, err := os.MkdirTemp("", "buildguest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "guest.wasm")
	overlay, err := writeOverlay(dir)
	if err != nil {
		return nil, err
	}
	if err := checkImports(overlay); err != nil {
		return nil, err
	}
	ldflags := "-s -w -buildid=" // no names, no debug information
	if way.named {
		ldflags = "-w -buildid="
	}
	args := []string{"build", "-overlay", overlay, "-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-ldflags=" + ldflags, "-o", out}
	if way.bench {
		args = append(args, "-tags=bench")
	}
	for _, pkg := range uninlined {
		args = append(args, "-gcflags="+pkg+"=-l")
	}
	if _, err := goTool(way.cache, append(args, "./wasm")...); err != nil {
		return nil, err
	}
	file, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	if file, err = wasmfile.ThinFuncTable(file); err != nil {
		return nil, err
	}
	if file, err = shrink.Module(file, cold); err != nil {
		return nil, err
	}
	vectors, err := vector.Find(file)
	if err != nil {
		return nil, err
	}
	if len(vectors.Missing) > 0 {
		return nil, fmt.Errorf("the module has no function %s; look what became of it, and mend internal/vector", strings.Join(vectors.Missing, ", "))
	}
	names, err := shrink.Names(file)
	if err != nil {
		return nil, err
	}
	start := func(file []byte) ([]byte, error) { return snapshot.Take(file, "resume") }
	if way.plain {
		start, names = nil, nil
	}
	if file, err = shrink.Tables(file, start); err != nil {
		return nil, err
	}
	if file, err = shrink.Empty(file, initializers(names)); err != nil {
		return nil, err
	}
	if file, err = wasmfile.SetMemoryMax(file, memoryPages); err != nil {
		return nil, err
	}
	return vectors.Put(file)
}

// initializer is the name of what the compiler made to fill a package's variables, or of a function init: what runs once, before main.
var initializer = regexp.MustCompile(`^(.*/)?[^/.]+\.(map\.)?init(\.\d+)?$`)

func initializers(names map[string][]uint32) (all []uint32) {
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if initializer.MatchString(name) {
			all = append(all, names[name]...)
		}
	}
	return all
}

// checkImports lists all that the guest would hold and refuses what it must not.
func checkImports(overlay string) error {
	list, err := goTool("", "list", "-overlay", overlay, "-deps", "./wasm")
	if err != nil {
		return err
	}
	return findBarred(strings.Fields(string(list)))
}

func findBarred(packages []string) error {
	for _, pkg := range packages {
		if why, ok := barred[pkg]; ok {
			return fmt.Errorf("the guest imports %s: %s; `go list -deps ./wasm` shows by which way", pkg, why)
		}
	}
	return nil
}

// goTool runs the go command for the guest's platform, at the module's root.
func goTool(cache string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=", "GOWASM=", "GOWORK=off")
	if cache != "" {
		cmd.Env = append(cmd.Env, "GOCACHE="+cache)
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	var missing *exec.Error
	switch {
	case errors.As(err, &missing):
		return nil, errors.New("the go command is not on the PATH; install Go 1.26 or later")
	case err != nil:
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, errs.Bytes())
	}
	return out, nil
}
