package cli

import (
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// wish answers mute and unmute. It is left for whatever process has the session, now or later: none of them is
// asked, and none writes over it.
func wish(c *call) int {
	s, failure := c.find()
	if failure != "" {
		return c.fail(failure)
	}
	st, failure := s.restore()
	if failure != "" {
		return c.fail(failure)
	}
	w := protocol.Wish{Do: c.cmd.name, About: c.arg()}
	text, failed := here.Wish(st, w)
	if failed {
		return c.fail(text)
	}
	if failure := c.Leave(s.id, w); failure != "" {
		return c.fail(failure)
	}
	c.say(text)
	return OK
}
