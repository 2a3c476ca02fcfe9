package search

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/breaker"
	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/delivery"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/session"
)

// Host is what differs between hosts and configs.
type Host struct {
	Name string
	// Times: the host tells when a message was created.
	Times bool
	// MaxPerHour bounds the wakes of an hour. The clock stands still, so it bounds them all; a
	// large number shows what the rest of the rules give.
	MaxPerHour int
	// Hourly: more wakes than MaxPerHour break a promise too. A save that is lost takes the count with it.
	Hourly bool
	// Without names actions that do not happen on this host.
	Without func(action string) bool
}

// Hosts are those that make search walks for: messages with times, as all known hosts have, and without.
func Hosts() []Host {
	const unbounded = 1_000 // more than a search can wake
	return []Host{
		{Name: "host that tells times", Times: true, MaxPerHour: unbounded},
		{Name: "host without times, everything heard at once", MaxPerHour: unbounded, Without: late},
		{Name: "one process that loses no save, one wake an hour", Times: true, MaxPerHour: 1, Hourly: true, Without: func(action string) bool {
			return strings.HasPrefix(action, other) || late(action) || strings.HasSuffix(action, "loses the last save") || strings.HasSuffix(action, "is unreadable")
		}},
	}
}

// late picks the actions in which a process does not hear at once what was typed.
func late(action string) bool { return strings.Contains(action, "late") }

// Rules are the pieces under test; a test breaks one of them to see the search find it.
type Rules struct {
	Apply   func(*session.State, protocol.Event, session.Options) session.Step
	Append  func(*session.State) []byte
	Go      func(s *session.State, now int64, human string, maxPerHour int) (claim string, reason breaker.Reason)
	Claimed func(s *session.State, now int64, granted bool, other int64) breaker.Reason
	Grant   func(taken bool) bool
	Channel func(protocol.Severity) config.Channel
}

// Real are the rules as they are. The config asks that every severity wakes.
func Real() Rules {
	waking := config.Delivery{Nit: config.ChannelWaking, Concern: config.ChannelWaking, Blocker: config.ChannelWaking}
	return Rules{
		Apply:   (*session.State).Apply,
		Append:  func(s *session.State) []byte { return s.Append(nil) },
		Go:      (*session.State).GoForWake,
		Claimed: (*session.State).Claimed,
		Grant:   func(taken bool) bool { return !taken },
		Channel: func(s protocol.Severity) config.Channel { return delivery.Channel(waking, s) },
	}
}

// Result is what a search covered.
type Result struct {
	Host   string
	Depth  int
	States int      // different ones that were gone on from
	Moves  int      // tried, each from one state by one action
	Paths  *big.Int // sequences of exactly Depth actions
	// Broken is the shortest sequence that breaks a promise; empty when none does.
	Broken []string
	Why    string
}

func (r Result) String() string {
	if r.Why != "" {
		return fmt.Sprintf("%s: broken at depth %d: %s, after\n  %s", r.Host, len(r.Broken), r.Why, strings.Join(r.Broken, "\n  "))
	}
	return fmt.Sprintf("%s: %d states, %d moves, %s paths of length %d: every promise holds", r.Host, r.States, r.Moves, r.Paths, r.Depth)
}

// maxDepth keeps human messages within the numbers that a world can tell apart.
const maxDepth = notTyped - 1

// Run searches all sequences up to depth, at most maxDepth, breadth first. It stops at the first that breaks a promise;
// a broken rule lets a search grow, but not for long.
func Run(h Host, r Rules, depth int) Result {
	depth = min(depth, maxDepth)
	w := newWalker(h, r)
	var can []action
	for _, a := range actions(h) {
		if h.Without == nil || !h.Without(a.name) {
			can = append(can, a)
		}
	}
	type arrival struct {
		from int32
		by   uint8
	}
	worlds := []world{w.start()}
	index := map[world]int32{worlds[0]: 0}
	how := []arrival{{-1, 0}}
	next := [][]int32{nil}             // where each state leads, once for each action
	paths := []*big.Int{big.NewInt(1)} // of the present length, by the state that they end in
	res := Result{Host: h.Name, Depth: depth, Paths: new(big.Int)}

	trace := func(at int32, last string) []string {
		steps := []string{last}
		for ; how[at].from >= 0; at = how[at].from {
			steps = append([]string{can[how[at].by].name}, steps...)
		}
		return steps
	}
	for length := 1; length <= depth; length++ {
		reached := make([]*big.Int, len(paths))
		for at, n := range paths {
			if n == nil {
				continue
			}
			ways := int64(0) // that lead on, at the last length, where states need no number any more
			if next[at] == nil {
				next[at] = make([]int32, 0, len(can))
				for k, a := range can {
					to, ok := a.do(w, worlds[at])
					if !ok {
						continue
					}
					res.Moves++
					to = to.forget()
					if why := w.host.broken(&to, worlds[at]); why != "" {
						res.Why, res.Broken = why, trace(int32(at), a.name)
						return res
					}
					if ways++; length == depth {
						continue
					}
					i, seen := index[to]
					if !seen {
						i = int32(len(worlds))
						worlds, how, next, reached = append(worlds, to), append(how, arrival{int32(at), uint8(k)}), append(next, nil), append(reached, nil)
						index[to] = i
					}
					next[at] = append(next[at], i)
				}
			}
			if length == depth {
				ways = max(ways, int64(len(next[at])))
				res.Paths.Add(res.Paths, new(big.Int).Mul(n, big.NewInt(ways)))
				continue
			}
			for _, to := range next[at] {
				if reached[to] == nil {
					reached[to] = new(big.Int)
				}
				reached[to].Add(reached[to], n)
			}
		}
		paths = reached
	}
	res.States = len(worlds)
	return res
}

// broken tells which promise a move to another world breaks, and notes whose wake it was.
func (h Host) broken(to *world, from world) string {
	if to.wakes == from.wakes {
		return ""
	}
	bit := uint32(1) << to.echo
	again := to.woken&bit != 0
	to.woken |= bit
	switch {
	case to.humans == 0:
		return "a wake before the first human message"
	case again:
		return "a second wake for human message " + humanID(to.echo)
	case to.since > 1:
		return "a second wake since the last human message"
	case to.wakes > to.humans:
		return "more wakes than human messages"
	case h.Hourly && int(to.wakes) > h.MaxPerHour:
		return "more wakes within an hour than maxWakesPerHour"
	}
	return ""
}
