package cli

import (
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/session"
)

func mute(c *call) int {
	return change(c, func(s *session.State) (string, bool) { return here.Mute(s, c.arg()), false })
}

func unmute(c *call) int {
	return change(c, func(s *session.State) (string, bool) { return here.Unmute(s, c.arg()) })
}

// change changes a stored session. One that a host has open would be written over by the host.
func change(c *call, how func(*session.State) (text string, failed bool)) int {
	s, failure := c.find()
	if failure != "" {
		return c.fail(failure)
	}
	now := c.Load(s.id)
	switch {
	case now.Failure != "":
		return c.fail(now.Failure)
	case !now.Reviewer:
		return c.fail("session " + s.id + " is open in a running host, which would not hear of it; say /advisor " + c.cmd.name + " there, or close it first")
	}
	st, failure := restore(s.id, []byte(now.State))
	if failure != "" {
		return c.fail(failure)
	}
	text, failed := how(st)
	if failed {
		return c.fail(text)
	}
	if failure := c.Save(s.id, protocol.JSON(st.Append(nil))); failure != "" {
		return c.fail(failure)
	}
	c.say(text)
	return OK
}
