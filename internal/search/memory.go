package search

import (
	"fmt"
	"slices"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/breaker"
	"github.com/Kayphoon/opencode-advisor/pkg/session"
	"github.com/Kayphoon/opencode-advisor/pkg/transcript"
)

// memory is what a process holds of the session, as far as a later wake can depend on it.
type memory struct {
	human                                    string
	at                                       int64
	past                                     []string // sorted: only membership counts below breaker.MaxPast
	spent, sealed, behind, compacting, unfit bool
	met                                      bool  // human messages were seen
	wakes                                    int   // of the last hour
	woke                                     int64 // the last wake, unless it came before the present message
	ours                                     []string
}

const sessionID = "s1"

// canonical takes a state down to what counts.
func canonical(s *session.State, ids []string) memory {
	m := memory{
		human: s.Breaker.Human, at: s.Breaker.At, past: slices.Sorted(slices.Values(s.Breaker.Past)), spent: s.Breaker.Spent,
		sealed: s.Sealed, behind: s.Behind, compacting: s.Compacting, unfit: s.Unfit, met: s.Humans > 0, wakes: len(s.Breaker.Wakes),
	}
	if n := len(s.Breaker.Wakes); n > 0 && m.at != 0 && s.Breaker.Wakes[n-1] >= m.at {
		m.woke = s.Breaker.Wakes[n-1]
	}
	for _, id := range ids {
		if s.IsOurs(id) {
			m.ours = append(m.ours, id)
		}
	}
	return m
}

// state is a session in which only what counts is filled in.
func (m memory) state() *session.State {
	s := session.New(sessionID, transcript.New(transcript.Options{}))
	s.Breaker = breaker.State{Human: m.human, At: m.at, Past: slices.Clone(m.past), Spent: m.spent, Wakes: slices.Repeat([]int64{epoch}, m.wakes)}
	if m.woke != 0 {
		s.Breaker.Wakes[m.wakes-1] = m.woke
	}
	s.Sealed, s.Behind, s.Compacting, s.Unfit = m.sealed, m.behind, m.compacting, m.unfit
	if m.met {
		s.Humans = 1
	}
	for _, id := range m.ours {
		s.Delivered(session.Delivery{ID: id, State: "sent"})
	}
	return s
}

func (m memory) key() string {
	return fmt.Sprint(m.human, "|", m.at, "|", strings.Join(m.past, ","), "|", m.spent, m.sealed, m.behind, m.compacting, m.unfit, m.met, "|", m.wakes, "|", m.woke, "|", strings.Join(m.ours, ","))
}

// memories numbers the different memories, so that a world is a small comparable value.
type memories struct {
	all   []memory
	index map[string]int32
}

// none stands for no stored state.
const none int32 = -1

func (ms *memories) number(m memory) int32 {
	k := m.key()
	if i, ok := ms.index[k]; ok {
		return i
	}
	i := int32(len(ms.all))
	ms.all = append(ms.all, m)
	ms.index[k] = i
	return i
}
