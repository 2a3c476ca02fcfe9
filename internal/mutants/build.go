package mutants

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// build is the repository as some mutants change it, and the tests that were built from it.
type build struct {
	root  string
	dir   string // of its own: the changed files and the binaries
	args  []string
	alone []int // the numbers of mutants that are not in it: they change more than bodies of functions

	mu    sync.Mutex
	tests map[string]func() (string, error) // per package
}

// variables is how the mutants of a package know which of them is in force.
const variables = `package %s

import (
	"os"
	"strconv"
)

var %s, _ = strconv.Atoi(os.Getenv("%[2]s"))
`

// weaveAll weaves all mutants into their files. Their numbers begin with 1.
func weaveAll(root, dir string, all []Mutant) (*build, error) {
	texts := map[string]map[int]string{}
	for i, m := range all {
		text, err := m.Source(root)
		if err != nil {
			continue // it is told of when its turn comes
		}
		if texts[m.File] == nil {
			texts[m.File] = map[int]string{}
		}
		texts[m.File][i+1] = text
	}
	var alone []int
	changed := map[string]string{}
	for name, mutants := range texts {
		src, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		woven, left, err := weave(string(src), mutants)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		alone = append(alone, left...)
		changed[name] = woven
		f, _ := parse(woven)
		if f == nil {
			return nil, fmt.Errorf("%s: what was woven is no Go", name)
		}
		changed[filepath.ToSlash(filepath.Join(filepath.Dir(name), chosen+".go"))] = fmt.Sprintf(variables, f.name, chosen)
	}
	b, err := newBuild(root, dir, changed)
	if err == nil {
		b.alone = alone
	}
	return b, err
}

// newBuild has the texts given instead of what is on the disk.
func newBuild(root, dir string, changed map[string]string) (*build, error) {
	replaced := map[string]string{}
	for i, name := range slices.Sorted(maps.Keys(changed)) {
		at := filepath.Join(dir, strconv.Itoa(i)+".go")
		if err := os.WriteFile(at, []byte(changed[name]), 0o600); err != nil {
			return nil, err
		}
		replaced[filepath.Join(root, filepath.FromSlash(name))] = at
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return nil, err
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return nil, err
	}
	return &build{root: root, dir: dir, args: []string{"test", "-c", "-overlay", list, "-vet=off", "-ldflags=-s -w"}, tests: map[string]func() (string, error){}}, nil
}

// binary builds the tests of a package, once.
func (b *build) binary(pkg string) (string, error) {
	b.mu.Lock()
	once := b.tests[pkg]
	if once == nil {
		at := filepath.Join(b.dir, strings.ReplaceAll(pkg, "/", "_")+".test")
		once = sync.OnceValues(func() (string, error) {
			cmd := exec.Command("go", append(slices.Clone(b.args), "-o", at, "./"+pkg)...)
			cmd.Dir = b.root
			if out, err := cmd.CombinedOutput(); err != nil {
				return "", fmt.Errorf("does not build:\n%s", out)
			}
			return at, nil
		})
		b.tests[pkg] = once
	}
	b.mu.Unlock()
	return once()
}

// run runs tests with one mutant in force, until one fails.
func (b *build) run(tests Tests, mutant int) (string, error) {
	at, err := b.binary(tests.Package)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), perMutant+time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, at, "-test.paniconexit0", "-test.short", "-test.failfast", "-test.timeout="+perMutant.String(), "-test.run="+tests.Run)
	cmd.Dir = filepath.Join(b.root, filepath.FromSlash(tests.Package))
	cmd.Env = append(os.Environ(), chosen+"="+strconv.Itoa(mutant), "PWD="+cmd.Dir)
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return string(out), err
}
