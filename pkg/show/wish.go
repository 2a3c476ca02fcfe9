package show

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/session"
)

// What a person can wish for, as a command and in a protocol.Wish.
const (
	Mute   = "mute"
	Unmute = "unmute"
)

// Bounds of what is muted in a session: reviewers are told of it in every request.
const (
	maxAbout = 300 // bytes of one matter
	maxMuted = 100 // matters of a kind
)

// Wish does what a person wishes: it makes a matter quiet until that is lifted, or lifts it. The matter is everything
// when none is named, a note by its id, a path when it looks like one, else a category.
func (p Prompt) Wish(s *session.State, w protocol.Wish) (text string, failed bool) {
	list := muteList(s, w.About)
	switch {
	case w.Do != Mute && w.Do != Unmute:
		return "There is no wish " + strconv.Quote(w.Do) + ".", true
	case len(w.About) > maxAbout || strings.ContainsFunc(w.About, unicode.IsControl):
		return "A note's id, a path or a category is one line of " + strconv.Itoa(maxAbout) + " bytes at most.", true
	case list == nil:
		s.Mutes.All = w.Do == Mute
		if s.Mutes.All {
			return "The advisor is quiet in this session. " + string(p) + "unmute lifts it.", false
		}
		return "The advisor speaks again in this session.", false
	case w.Do == Mute:
		if !slices.Contains(*list, w.About) {
			if len(*list) >= maxMuted {
				return strconv.Itoa(maxMuted) + " of these are muted already. Lift some, or mute what holds them: a folder, a category, everything.", true
			}
			*list = append(*list, w.About)
		}
		return "Muted: " + w.About + ". " + string(p) + "unmute " + w.About + " lifts it.", false
	case !slices.Contains(*list, w.About):
		return strconv.Quote(w.About) + " is not muted. " + string(p) + "status lists what is.", true
	}
	*list = slices.DeleteFunc(*list, func(m string) bool { return m == w.About })
	return "No longer muted: " + w.About + ".", false
}

// Heed does what lines of wishes say, which end at the byte next of their file, in their order. It gives what is new to the
// person, and how many lines are no wish: somebody else's, or cut off by a full disk.
func (p Prompt) Heed(s *session.State, lines string, next int64) (said []string, odd int) {
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		w, err := protocol.DecodeWish([]byte(line))
		if err != nil {
			odd++
			continue
		}
		switch text, failed := p.Wish(s, w); {
		case !failed:
			said = append(said, text)
		case w.Do != Unmute: // what is not muted any more is as it was wished
			odd++
		}
	}
	s.Heard = next
	return said, odd
}

// muteList gives the list that a matter belongs to; nil for everything.
func muteList(s *session.State, about string) *[]string {
	switch {
	case about == "" || about == "all":
		return nil
	case strings.HasPrefix(about, "n_"):
		return &s.Mutes.Notes
	case strings.ContainsAny(about, "/.*"):
		return &s.Mutes.Paths
	}
	return &s.Mutes.Categories
}
