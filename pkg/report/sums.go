package report

import (
	"slices"

	"github.com/Kayphoon/opencode-advisor/pkg/breaker"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

const (
	delivered = "delivered"
	woke      = string(breaker.Allowed)
)

// sums are the totals of a journal.
type sums struct {
	humans, turns, wakes, kept int
	said                       map[protocol.Severity]int
	fates, outcomes            map[string]int // of notes that were kept back, and of reviews
	asks, answers              map[string]int // decisions of the judge, and whether the person said the same
	reviews                    spending       // of all reviews
	models                     []*spending    // by model and kind
}

// spending is what conversations with a model took.
type spending struct {
	model, kind           string
	n, requests           int
	in, cached, out, cost int64
	guessed               bool
	took                  []int64
}

func total(lines []protocol.JournalLine) *sums {
	s := &sums{said: map[protocol.Severity]int{}, fates: map[string]int{}, outcomes: map[string]int{}, asks: map[string]int{}, answers: map[string]int{}}
	for _, l := range lines {
		switch l.Kind {
		case "human":
			s.humans++
		case "turn":
			s.turns++
		case "review":
			s.outcomes[l.Outcome]++
			s.reviews.add(l)
			s.of(l).add(l)
		case "consult":
			s.of(l).add(l)
		case "judge":
			s.asks[l.Outcome]++
		case "answer":
			s.answers[l.Outcome]++
		case "withdrawn": // counted as said when it was sent
			s.said[l.Severity]--
			s.kept++
			s.fates[l.Outcome]++
		case "note":
			if l.Outcome != delivered {
				s.kept++
				s.fates[l.Outcome]++
				continue
			}
			s.said[l.Severity]++
			if l.Wake == woke {
				s.wakes++
			}
		}
	}
	return s
}

// of gives the account of a line's model.
func (s *sums) of(l protocol.JournalLine) *spending {
	for _, m := range s.models {
		if m.model == l.Model && m.kind == l.Kind {
			return m
		}
	}
	m := &spending{model: l.Model, kind: l.Kind}
	s.models = append(s.models, m)
	return m
}

func (s *sums) unanswered() (n int) {
	for _, name := range []string{"empty", "unparsed", "timeout", "rate_limited", "refused", "failed"} {
		n += s.outcomes[name]
	}
	return n
}

func (s *spending) add(l protocol.JournalLine) {
	s.n++
	s.requests += l.Requests
	s.in += l.In
	s.cached += l.Cached
	s.out += l.Out
	s.cost += l.Cost
	s.guessed = s.guessed || l.Guessed
	s.took = append(s.took, l.MS)
}

// at is the time within which so many of a hundred ended; 0 without any.
func (s *spending) at(percent int) int64 {
	if len(s.took) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s.took))
	return sorted[min(len(sorted)-1, len(sorted)*percent/100)]
}

func (s *spending) guess() string {
	if s.guessed {
		return "estimated: the price of a model is not known"
	}
	return "of all reviews"
}
