package session

import (
	"strings"
	"unicode"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// IsHuman tells whether a person typed this message. It is an allow-list over the facts
// that the adapter gives, and the only place that decides it: doubt means not human,
// because a message wrongly taken for a person's would open the breaker.
func (s *State) IsHuman(u *protocol.User) bool {
	return u.Typed &&
		u.ID != "" &&
		!u.Advisor &&
		!u.Synthetic &&
		!u.Foreign &&
		!u.Continuation &&
		!u.Custom &&
		!s.Child
}

type wishKind int

const (
	wishNone wishKind = iota
	wishMute
	wishUnmute
)

// wish finds out whether a human message tells the advisor to be quiet or to speak
// again. It is narrow on purpose: a sentence that merely mentions an advisor
// (of the person's own program, say) must not switch ours off. A clause counts
// when it starts with the order itself, a polite word or a name before it.
func wish(text string) wishKind {
	// Only what a person types by hand; a pasted file is no order.
	if len(text) > 4_000 {
		return wishNone
	}
	got := wishNone
	fenced := false
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "```") {
			fenced = !fenced
			continue
		}
		if fenced || strings.HasPrefix(trimmed, ">") {
			continue
		}
		for _, clause := range clauses(trimmed) {
			switch {
			case hasOrder(clause, muteOrders):
				got = wishMute
			case hasOrder(clause, unmuteOrders):
				got = wishUnmute
			}
		}
	}
	return got
}

var muteOrders = []string{
	"ignore the advisor", "ignore advisor", "ignore the superadvisor", "ignore superadvisor",
	"ignore what the advisor says", "ignore the advisor's notes", "ignore advisor notes",
	"mute the advisor", "mute advisor", "silence the advisor", "stop listening to the advisor",
	"don't listen to the advisor", "do not listen to the advisor",
	"忽略顾问", "忽略advisor", "忽略 advisor", "不要理会顾问", "别理顾问", "不用理顾问", "不要听顾问", "别听顾问", "静音顾问", "让顾问闭嘴",
}

var unmuteOrders = []string{
	"listen to the advisor", "unmute the advisor", "unmute advisor",
	"stop ignoring the advisor", "heed the advisor",
	"恢复顾问", "取消静音顾问", "听顾问", "请听顾问", "重新启用顾问",
}

var openers = []string{"please ", "and ", "so ", "ok ", "okay ", "just ", "but ", "then ", "now ", "again ", "请", "先", "那就", "就"}

// hasOrder tells whether clause starts with one of the orders. What follows may
// say more ("about it", "from now on"), but not make it somebody else's:
// "ignore the advisor table" or "ignore the advisor's salary" names another thing.
func hasOrder(clause string, orders []string) bool {
	for again := true; again; {
		again = false
		for _, o := range openers {
			if rest, ok := strings.CutPrefix(clause, o); ok {
				clause, again = strings.TrimSpace(rest), true
			}
		}
	}
	for _, o := range orders {
		rest, ok := strings.CutPrefix(clause, o)
		if !ok {
			continue
		}
		if rest == "" {
			return true
		}
		// Chinese is written without spaces, so what follows cannot be told
		// from the order by a blank; the list below ends the thought.
		word := strings.TrimSpace(rest)
		for _, f := range followers {
			if strings.HasPrefix(word, f) {
				return true
			}
		}
	}
	return false
}

var followers = []string{
	"about ", "on this", "on that", "for ", "from now", "here", "now", "please", "in this session", "this time", "again", "until ", "completely", "entirely", "from here",
	"的", "吧", "了", "关于", "，", "。",
}

// clauses splits a line at punctuation and folds it: lower case, single blanks, plain apostrophes.
func clauses(line string) []string {
	parts := strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(line, "’", "'")), func(r rune) bool {
		return strings.ContainsRune(".,;:!?()，。；：！？、—", r) || unicode.IsControl(r)
	})
	for i, p := range parts {
		parts[i] = strings.Join(strings.Fields(p), " ")
	}
	return parts
}
