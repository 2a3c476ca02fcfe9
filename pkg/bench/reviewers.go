package bench

import (
	"errors"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

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

// Reviewers names the scripted ones.
func Reviewers() (names []string) {
	for _, r := range reviewers {
		names = append(names, r.name)
	}
	return names
}

// Setup is what a reviewer runs behind.
type Setup struct {
	Start Start
	// Options are the plugin's; a scripted model and the product's defaults without them.
	Options string
	// Replace gives each session a fresh core after every turn that leaves nothing under way.
	Replace bool
	// Played hears of every session once it is over. It may be nil.
	Played func(s *Session)
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

// Entry is a row of the table that is still to be played: a scripted reviewer behind the core, or without rules.
type Entry struct {
	Reviewer string
	Rules    bool
}

// Entries are the rows of one scripted reviewer, or of all where the name is empty. A name that nobody has gives none.
func Entries(name string) (all []Entry) {
	for _, r := range reviewers {
		if name != "" && name != r.name {
			continue
		}
		all = append(all, Entry{r.name, true})
		if r.options == "" { // a second look is a rule
			all = append(all, Entry{r.name, false})
		}
	}
	return all
}

// Play lets the entry's reviewer watch all sessions. Of the setup it chooses the options, and without rules the start.
func (e Entry) Play(all []*Session, setup Setup) (Row, error) {
	for _, r := range reviewers {
		if r.name != e.Reviewer {
			continue
		}
		setup.Options = r.options
		if !e.Rules {
			setup.Start = Naive
		}
		row, err := Play(all, r.name, r.make(), setup)
		row.Rules = e.Rules
		return row, err
	}
	return Row{}, errors.New("there is no reviewer " + e.Reviewer)
}

// Play lets one reviewer watch all sessions.
func Play(all []*Session, name string, r Reviewer, setup Setup) (Row, error) {
	row := Row{Reviewer: name, Rules: true}
	for _, s := range all {
		if err := play(s, r, setup, &row); err != nil {
			return row, errors.New(name + ": " + err.Error())
		}
		if setup.Played != nil {
			setup.Played(s)
		}
	}
	row.finish()
	return row, nil
}
