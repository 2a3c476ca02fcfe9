// Package sessions runs the bench of package pkg/bench natively: the table that is kept, and a closer look at one
// reviewer. People run the same as superadvisor bench, in the module.
package sessions

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	kept "github.com/Kayphoon/opencode-advisor/internal/bench"
	"github.com/Kayphoon/opencode-advisor/internal/corpus"
	"github.com/Kayphoon/opencode-advisor/pkg/bench"
	"github.com/Kayphoon/opencode-advisor/pkg/engine"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Corpus is the folder of the corpora, from the root of the repository.
const Corpus = "testdata/corpus"

// Bench plays all scripted reviewers.
var Bench = kept.Bench{Name: "sessions", Title: "what reaches a person", Run: func(w io.Writer) (any, error) {
	all, err := Load(Corpus + "/sessions")
	if err != nil {
		return nil, err
	}
	share := &timed{}
	out, err := Measure(Corpus, all, share.start(Native))
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(w, "%stimed: for each second that the reviewers take, the core takes 1/%.0f of a second\n", out.Text(), share.ratio())
	return out, nil
}}

// Load reads the sessions of a folder, sorted by name, and checks them.
func Load(dir string) (all []*bench.Session, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("load sessions: no .txtar file in %s", dir)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		s, err := bench.Parse(strings.TrimSuffix(filepath.Base(path), ".txtar"), string(data))
		if err == nil {
			err = s.Check()
		}
		if err != nil {
			return nil, fmt.Errorf("load session %s: %w", path, err)
		}
		all = append(all, s)
	}
	return all, nil
}

// Measure gives the whole table: all reviewers over the sessions, behind that core and without rules, and the
// permission judge over its own corpus, which lies in dir.
func Measure(dir string, all []*bench.Session, core bench.Start) (out bench.Result, err error) {
	for _, e := range bench.Entries("") {
		row, err := e.Play(all, bench.Setup{Start: core})
		if err != nil {
			return out, err
		}
		out.Rows = append(out.Rows, row)
	}
	cases, err := corpus.JudgeCases(dir)
	if err != nil {
		return out, err
	}
	out.Judge = bench.Judge(cases, nil).Errors
	return out, nil
}

// Show plays one scripted reviewer behind the core and prints every note and notice.
func Show(w io.Writer, all []*bench.Session, name string) error {
	row, err := bench.Entry{Reviewer: name, Rules: true}.Play(all, bench.Setup{Start: Native,
		Told: func(s *bench.Scene, d *protocol.Deliver, planted bool) {
			verdict := "FALSE"
			if planted {
				verdict = "planted"
			}
			fmt.Fprintf(w, "%s, turn %d: %s, wake %t\n%s\n\n", s.Session.Name, s.Turn+1, verdict, d.Wake, d.Text)
		},
		Noticed: func(s *bench.Scene, n *protocol.Notice) {
			fmt.Fprintf(w, "%s, turn %d: notice: %s\n\n", s.Session.Name, s.Turn+1, n.Text)
		},
	})
	if err == nil {
		fmt.Fprint(w, bench.Result{Rows: []bench.Row{row}}.Text())
	}
	return err
}

// Native starts the engine itself.
func Native(out bench.Outside, _ *bench.Scene, _ bench.Reviewer) (bench.Core, error) {
	return engine.New(out), nil
}

// timed measures the core's own time against that of the reviewers' replies.
type timed struct {
	core    time.Duration
	replies int64 // ms
}

func (t *timed) start(inner bench.Start) bench.Start {
	return func(out bench.Outside, s *bench.Scene, r bench.Reviewer) (bench.Core, error) {
		c, err := inner(out, s, r)
		return &stopwatch{c, t, s, s.Replied}, err
	}
}

func (t *timed) ratio() float64 {
	return float64(t.replies) / max(float64(t.core.Microseconds())/1000, 0.001)
}

type stopwatch struct {
	bench.Core
	t    *timed
	s    *bench.Scene
	last int64
}

func (s *stopwatch) Take(now int64, events []protocol.Event) []protocol.Effect {
	begin := time.Now()
	out := s.Core.Take(now, events)
	s.t.core += time.Since(begin)
	s.t.replies += s.s.Replied - s.last
	s.last = s.s.Replied
	return out
}
