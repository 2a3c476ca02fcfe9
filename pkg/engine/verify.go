package engine

import (
	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/evidence"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/review"
	"github.com/Kayphoon/opencode-advisor/pkg/session"
	"github.com/Kayphoon/opencode-advisor/pkg/transcript"
)

// secondLook lets a concern or a blocker be refuted before it is said, where verify is
// "refute". A refuted note is dropped, one that cannot be told comes down a step:
// a blocker to a concern, a concern to a nit.
func (e *Engine) secondLook(p port, l *live, note protocol.Note) (protocol.Note, bool) {
	if e.config.Config.Verify != config.VerifyRefute || note.Severity.Rank() < protocol.Concern.Rank() || e.config.Verify.Transport == config.TransportNone {
		return note, false
	}
	v := newView(e, l, "", transcript.Delta{}, false, e.config.Tools)
	says, res := review.Refute(p.model(p.meter(l, session.RoleReview, e.config.Verify)), review.Look{
		Endpoint: endpoint(e.config.Verify),
		Note:     e.redactNote(note),
		Goal:     l.state.Log.Cut(0).Goal,
		Nonce:    e.nonce(),
		Steps:    e.config.MaxToolSteps,
		MaxBytes: e.config.MaxRequestBytes,
		Deadline: e.now + int64(e.config.TimeoutMS),
	}, v.tools)
	p.heed(l) // it took a while
	s := l.state
	s.Counts.Add("second_look."+string(says), 1)
	if res.Failure != nil {
		e.log("warn", "second look in "+s.ID+": "+res.Failure.Error())
	}
	switch says {
	case review.RefutedAfter:
		return note, true
	case review.Holds:
		return note, false
	}
	to := protocol.Nit
	if note.Severity == protocol.Blocker {
		to = protocol.Concern
	}
	return evidence.Lower(note, to, "second look: could not tell"), false
}
