package sessions

import (
	"fmt"
	"io"
	"time"

	"github.com/Kayphoon/opencode-advisor/internal/bench"
	"github.com/Kayphoon/opencode-advisor/internal/corpus"
	"github.com/Kayphoon/opencode-advisor/pkg/engine"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Corpus is the folder of the corpora, from the root of the repository.
const Corpus = "testdata/corpus"

// Bench plays all scripted reviewers.
var Bench = bench.Bench{Name: "sessions", Title: "what reaches a person", Run: func(w io.Writer) (any, error) {
	all, err := Load(Corpus + "/sessions")
	if err != nil {
		return nil, err
	}
	share := &timed{}
	rows, err := Scripted(all, share.start(Native))
	if err != nil {
		return nil, err
	}
	judge, err := Judge(Corpus)
	if err != nil {
		return nil, err
	}
	out := Result{rows, judge}
	out.Print(w)
	fmt.Fprintf(w, "timed: for each second that the reviewers take, the core takes 1/%.0f of a second\n", share.ratio())
	return out, nil
}}

// Result is what is kept.
type Result struct {
	Rows  []Row   `json:"reviewers"`
	Judge []Error `json:"judge"`
}

// Error is how often the permission judge is wrong in one way.
type Error struct {
	What  string `json:"what"`
	Count int    `json:"count"`
	Of    int    `json:"of"`
}

// reviewers are the scripted ones; each call makes a fresh one.
var reviewers = []struct {
	name    string
	make    func() Reviewer
	options string
}{
	{"honest", func() Reviewer { return honest{} }, ""},
	{"hallucinating", func() Reviewer { return hallucinating{} }, ""},
	{"noisy", func() Reviewer { return &noisy{} }, ""},
	{"stubborn", func() Reviewer { return &stubborn{} }, ""},
	{"silent", func() Reviewer { return silent{} }, ""},
	{"broken", func() Reviewer { return &broken{} }, ""},
	{"honest, second look", func() Reviewer { return lookedAt{honest{}} }, lookOptions},
	{"noisy, second look", func() Reviewer { return lookedAt{&noisy{}} }, lookOptions},
}

// Setup is what a reviewer runs behind.
type Setup struct {
	Start Start
	// Options are the plugin's; a scripted model and the product's defaults without them.
	Options string
	// Replace gives each session a fresh core after every turn that leaves nothing under way.
	Replace bool
	// Told hears of every note, and whether it tells of something planted. It may be nil.
	Told func(s *Scene, d *protocol.Deliver, planted bool)
	// Noticed hears of every notice about the advisor's own health. It may be nil.
	Noticed func(s *Scene, n *protocol.Notice)
}

// leastOptions are a person's least: a model and a way to it. All else is the product's default.
const leastOptions = `{"watchdogModel":"fake/reviewer","provider":{"baseURL":"http://127.0.0.1:9/v1","apiKey":"sk-bench"}}`

func (s Setup) options() string {
	if s.Options == "" {
		return leastOptions
	}
	return s.Options
}

// Scripted gives a row for each reviewer behind the core, and one for each without rules.
func Scripted(all []*Session, core Start) (rows []Row, err error) {
	for _, r := range reviewers {
		for _, rules := range []bool{true, false} {
			setup := Setup{Start: core, Options: r.options}
			if !rules && r.options != "" {
				continue // a second look is a rule
			}
			if !rules {
				setup.Start = Naive
			}
			row, err := Play(all, r.name, r.make(), setup)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", r.name, err)
			}
			row.Rules = rules
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// Play lets one reviewer watch all sessions.
func Play(all []*Session, name string, r Reviewer, setup Setup) (Row, error) {
	row := Row{Reviewer: name, Rules: true}
	for _, s := range all {
		if err := play(s, r, setup, &row); err != nil {
			return row, err
		}
	}
	row.finish()
	return row, nil
}

// Show plays one scripted reviewer and prints every note and notice.
func Show(w io.Writer, all []*Session, name string) error {
	for _, r := range reviewers {
		if r.name != name {
			continue
		}
		row, err := Play(all, name, r.make(), Setup{Start: Native, Options: r.options,
			Told: func(s *Scene, d *protocol.Deliver, planted bool) {
				verdict := "FALSE"
				if planted {
					verdict = "planted"
				}
				fmt.Fprintf(w, "%s, turn %d: %s, wake %t\n%s\n\n", s.Session.Name, s.Turn+1, verdict, d.Wake, d.Text)
			},
			Noticed: func(s *Scene, n *protocol.Notice) {
				fmt.Fprintf(w, "%s, turn %d: notice: %s\n\n", s.Session.Name, s.Turn+1, n.Text)
			},
		})
		Result{Rows: []Row{row}}.Print(w)
		return err
	}
	return fmt.Errorf("there is no reviewer %q", name)
}

// Native starts the engine itself.
func Native(out Outside, _ *Scene, _ Reviewer) (Core, error) { return native{engine.New(out)}, nil }

type native struct{ *engine.Engine }

func (n native) Call(batch []byte) ([]byte, error) { return n.Engine.Call(batch), nil }

// timed measures the core's own time against that of the reviewers' replies.
type timed struct {
	core    time.Duration
	replies int64 // ms
}

func (t *timed) start(inner Start) Start {
	return func(out Outside, s *Scene, r Reviewer) (Core, error) {
		c, err := inner(out, s, r)
		w := out.(*world)
		return &stopwatch{c, t, w, w.replied}, err
	}
}

func (t *timed) ratio() float64 {
	return float64(t.replies) / max(float64(t.core.Microseconds())/1000, 0.001)
}

type stopwatch struct {
	Core
	t    *timed
	w    *world
	last int64
}

func (s *stopwatch) Call(batch []byte) ([]byte, error) {
	begin := time.Now()
	out, err := s.Core.Call(batch)
	s.t.core += time.Since(begin)
	s.t.replies += s.w.replied - s.last
	s.last = s.w.replied
	return out, err
}

// Judge gives the errors of the permission judge over its own corpus.
func Judge(dir string) ([]Error, error) {
	for _, suite := range corpus.Suites() {
		if suite.Name != "judge" {
			continue
		}
		report, err := suite.Run(dir)
		if err != nil {
			return nil, err
		}
		var all []Error
		for _, b := range report.Bars {
			all = append(all, Error{b.What, b.Count, b.Of})
		}
		return all, nil
	}
	return nil, fmt.Errorf("there is no corpus for the judge")
}
