package mutants

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Mutant is one rule out of order: in File, Old is replaced by New. Old must be there once.
type Mutant struct {
	Name string // the rule that is broken
	File string // from the repository's root, with slashes
	Old  string
	New  string
	By   Tests // what must notice
}

// Tests is what is run for a mutant: a package from the root, and which of its tests.
type Tests struct {
	Package string
	Run     string // as go test's; empty runs all
}

// Verdict is what became of a mutant.
type Verdict struct {
	Mutant
	Killed bool
	// Detail is the first test that failed, or what is wrong with the mutant.
	Detail string
	Took   time.Duration
}

// perMutant is far more than the tests of one mutant take: a mutant that loops for ever is noticed by it.
const perMutant = 2 * time.Minute

// Source gives a file as the mutant has it.
func (m Mutant) Source(root string) (string, error) {
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m.File)))
	if err != nil {
		return "", err
	}
	text := string(data)
	switch n := strings.Count(text, m.Old); {
	case n == 0:
		return "", fmt.Errorf("%s: stale: its text is not in the file any more", m.File)
	case n > 1:
		return "", fmt.Errorf("%s: its text is there %d times, want once", m.File, n)
	case m.Old == m.New:
		return "", fmt.Errorf("%s: it changes nothing", m.File)
	}
	return strings.Replace(text, m.Old, m.New, 1), nil
}

// Run tries the mutants, some at a time, and calls report for each as it ends.
func Run(root string, all []Mutant, atOnce int, report func(Verdict)) ([]Verdict, error) {
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	woven, err := weaveAll(root, dir, all)
	if err != nil {
		return nil, err
	}
	t := &trial{root: root, woven: woven, sound: map[Tests]func() error{}}
	verdicts := make([]Verdict, len(all))
	var wg sync.WaitGroup
	var mu sync.Mutex
	slots := make(chan struct{}, max(1, atOnce))
	for i, m := range all {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			v := t.try(i+1, m)
			verdicts[i] = v
			mu.Lock()
			defer mu.Unlock()
			report(v)
		})
	}
	wg.Wait()
	return verdicts, nil
}

type trial struct {
	root  string
	woven *build

	mu    sync.Mutex
	sound map[Tests]func() error
}

var failed = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

func (t *trial) try(number int, m Mutant) (v Verdict) {
	v.Mutant = m
	start := time.Now()
	defer func() { v.Took = time.Since(start) }()
	out, err := t.run(number, m)
	switch {
	case err == nil:
		v.Detail = "survived: no test of " + m.By.Package + " fails"
	case failed.MatchString(out):
		v.Killed, v.Detail = true, innermost(out)
	case strings.Contains(out, "panic:"):
		v.Killed, v.Detail = true, "a panic"
	case errors.Is(err, context.DeadlineExceeded):
		v.Killed, v.Detail = true, "it never ends"
	default:
		v.Detail = err.Error() + "\n" + out
	}
	return v
}

// run runs the tests of a mutant. Where what was woven does not build, each mutant is built by itself,
// so that those who are to blame are found.
func (t *trial) run(number int, m Mutant) (string, error) {
	text, err := m.Source(t.root)
	if err != nil {
		return "", err
	}
	if _, err := t.woven.binary(m.By.Package); err == nil {
		if err := t.passes(m.By); err != nil {
			return "", err
		}
		if !slices.Contains(t.woven.alone, number) {
			return t.woven.run(m.By, number)
		}
	}
	dir, err := os.MkdirTemp(t.woven.dir, "alone")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	b, err := newBuild(t.root, dir, map[string]string{m.File: text})
	if err != nil {
		return "", err
	}
	return b.run(m.By, 0)
}

// passes runs tests without any mutant, once. Those that fail by themselves prove nothing.
func (t *trial) passes(tests Tests) error {
	t.mu.Lock()
	once := t.sound[tests]
	if once == nil {
		once = sync.OnceValue(func() error {
			out, err := t.woven.run(tests, 0)
			if err == nil && strings.Contains(out, "no tests to run") {
				err = errors.New("there are none")
			}
			if err != nil {
				return fmt.Errorf("its tests do not pass without it: %w\n%s", err, out)
			}
			return nil
		})
		t.sound[tests] = once
	}
	t.mu.Unlock()
	return once()
}

// innermost is the failing test that says most: the last of the first group, its subtest.
func innermost(out string) string {
	name := ""
	for _, m := range failed.FindAllStringSubmatch(out, -1) {
		if name != "" && !strings.HasPrefix(m[1], name+"/") {
			break
		}
		name = m[1]
	}
	return name
}
