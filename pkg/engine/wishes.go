package engine

import (
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/session"
)

// heedMS bounds the wait for the wishes that a person left beside the host. One that comes later is not lost: the
// next look asks for it again.
const heedMS = 2_000

// maxWishesTold bounds one notice about wishes.
const maxWishesTold = 4

// heed takes up what the person wished for a session beside its host, with `superadvisor mute`. It is asked for
// before each review, before notes are delivered, and before what the person says in the host, so that
// what was said last holds.
func (p port) heed(l *live) { _ = p.wish(l, "") }

// wish is heed, after a wish was left too, for whatever process reviews the session. The answer says why it was not left.
func (p port) wish(l *live, line string) (failure string) {
	theirs := line == "" && p.e.sessions[l.state.ID] == l
	for !p.t.dead {
		id, from := p.e.id("w"), l.state.Heard
		p.e.emit(&protocol.Heed{ID: id, Session: l.state.ID, Line: line, From: from})
		heard, ok := p.e.waitFor(p.t, id, heedMS, nil).(*protocol.Heard)
		switch {
		case p.t.dead:
		case !ok:
			return "the loader did not answer"
		case heard.Failure != "":
			p.e.logOnce("wishes of session " + l.state.ID + " are not heeded: " + heard.Failure)
			return heard.Failure
		case l.state.Heard == from:
			p.e.heard(l, heard, theirs)
			return ""
		}
		line = "" // it is left; another look was faster, and has taken up some of this
	}
	return "cancelled"
}

// heedOrigin takes up for a fork what the person has wished for its origin, and the origin has not taken up yet.
func (p port) heedOrigin(l *live, origin *session.State) {
	id := p.e.id("w")
	p.e.emit(&protocol.Heed{ID: id, Session: origin.ID, From: origin.Heard})
	heard, ok := p.e.waitFor(p.t, id, heedMS, nil).(*protocol.Heard)
	if !ok || heard.Failure != "" || heard.Next == origin.Heard {
		return
	}
	own := l.state.Heard
	p.e.heard(l, heard, true)
	l.state.Heard = own
}

// heard takes wishes up. It tells of those that came from elsewhere: it need not have been the person who left them.
func (e *Engine) heard(l *live, ev *protocol.Heard, tell bool) {
	if ev.Next == l.state.Heard {
		return
	}
	said, odd := slash.Heed(l.state, ev.Text, ev.Next)
	l.dirty = true
	if odd > 0 {
		e.log("warn", "session "+l.state.ID+": "+itoa(odd)+" lines of its wishes are none and are left out")
	}
	if len(said) == 0 || !tell {
		return
	}
	text := "The program superadvisor was told about this session: " + strings.Join(said[:min(len(said), maxWishesTold)], " ")
	if more := len(said) - maxWishesTold; more > 0 {
		text += " And " + itoa(more) + " more; " + string(slash) + "status lists what is muted."
	}
	e.notice(l.state.ID, "wishes"+itoa(int(ev.Next)), "info", text)
}

// wished tells what a message of the person's changed. What was left beside the host before it is older, so the message
// has the last word.
func (e *Engine) wished(l *live) {
	all := l.state.Mutes.All
	e.start("wish", l.state.ID, func(t *task) {
		port{e, t}.heed(l)
		if l.state.Mutes.All != all {
			l.state.Mutes.All, l.dirty = all, true
			e.tellMuted(l)
		}
	})
}

// tellMuted tells of what a message of the person's did.
func (e *Engine) tellMuted(l *live) {
	if l.state.Mutes.All {
		e.notice(l.state.ID, "muted"+itoa(l.state.Humans), "info", "The advisor is quiet in this session until you say \"listen to the advisor\" or run /advisor unmute.")
	} else {
		e.notice(l.state.ID, "unmuted"+itoa(l.state.Humans), "info", "The advisor speaks again in this session.")
	}
}
