package engine

import (
	"github.com/Kayphoon/opencode-advisor/pkg/budget"
	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/delivery"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/show"
)

// journal writes down what was done, for `superadvisor report`. Of a session that another
// process looks after, that process writes.
func (e *Engine) journal(l *live, line protocol.JournalLine) {
	if !l.stores() {
		return
	}
	line.At, line.Session, line.Turn = e.wall, l.state.ID, l.state.Turns
	e.emit(&protocol.Append{Log: "journal", Line: string(protocol.AppendJournalLine(nil, line))})
}

// spent is the line of a conversation with a model that began at the given time.
func (e *Engine) spent(kind, outcome string, ep config.Endpoint, since int64, used budget.Use) protocol.JournalLine {
	return protocol.JournalLine{Kind: kind, Outcome: outcome, Model: ep.Provider + "/" + ep.Model, MS: e.now - since,
		Requests: int(used.Requests), In: used.In, Cached: used.CachedIn, Out: used.Out, Cost: used.Cost, Guessed: used.Estimated > 0}
}

// noted is the line of a note that has had its secrets taken out.
func noted(n protocol.Note, fate, wake string) protocol.JournalLine {
	return protocol.JournalLine{Kind: "note", Outcome: fate, Note: n.ID, Advisor: n.Author, Severity: n.Severity, Claimed: n.Claimed, Category: n.Category,
		Where: delivery.Where(n), Text: show.OneLine(n.Text, maxJournalText), Wake: wake}
}

// maxJournalText bounds a note's text in the journal, which is kept for long.
const maxJournalText = 600
