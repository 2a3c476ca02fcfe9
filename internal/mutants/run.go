package mutants

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// Tests is what is run for a mutant: packages from the root, and which of their tests.
type Tests struct {
	Packages []string
	Run      string // as go test's; empty runs all
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
func Run(root string, all []Mutant, atOnce int, report func(Verdict)) []Verdict {
	verdicts := make([]Verdict, len(all))
	var wg sync.WaitGroup
	var mu sync.Mutex
	slots := make(chan struct{}, max(1, atOnce))
	for i, m := range all {
		wg.Add(1)
		slots <- struct{}{}
		go func() {
			defer wg.Done()
			defer func() { <-slots }()
			v := try(root, m)
			verdicts[i] = v
			mu.Lock()
			defer mu.Unlock()
			report(v)
		}()
	}
	wg.Wait()
	return verdicts
}

var failed = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

func try(root string, m Mutant) (v Verdict) {
	v.Mutant = m
	start := time.Now()
	defer func() { v.Took = time.Since(start) }()
	text, err := m.Source(root)
	if err != nil {
		v.Detail = err.Error()
		return v
	}
	dir, err := os.MkdirTemp("", "mutant")
	if err != nil {
		v.Detail = err.Error()
		return v
	}
	defer os.RemoveAll(dir)
	out, err := runTests(root, dir, m, text)
	switch {
	case err == nil:
		v.Detail = "survived: no test of " + strings.Join(m.By.Packages, ", ") + " fails"
	case strings.Contains(out, "[build failed]") || strings.Contains(out, "[setup failed]"):
		v.Detail = "does not build:\n" + out
	case failed.MatchString(out):
		v.Killed, v.Detail = true, innermost(out)
	case strings.Contains(out, "panic:"):
		v.Killed, v.Detail = true, "a panic"
	case errors.Is(err, context.DeadlineExceeded):
		v.Killed, v.Detail = true, "it never ends"
	default:
		v.Detail = "go test failed without a failing test:\n" + out
	}
	return v
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

func runTests(root, dir string, m Mutant, text string) (string, error) {
	changed := filepath.Join(dir, filepath.Base(filepath.FromSlash(m.File)))
	if err := os.WriteFile(changed, []byte(text), 0o600); err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(root, filepath.FromSlash(m.File)): changed}})
	if err != nil {
		return "", err
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return "", err
	}
	args := []string{"test", "-overlay", list, "-vet=off", "-short", "-failfast", "-timeout", perMutant.String()}
	if m.By.Run != "" {
		args = append(args, "-run", m.By.Run)
	}
	for _, p := range m.By.Packages {
		args = append(args, "./"+p)
	}
	ctx, cancel := context.WithTimeout(context.Background(), perMutant+time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return string(out), err
}
