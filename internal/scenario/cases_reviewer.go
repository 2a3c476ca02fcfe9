package scenario

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// pass lets ms milliseconds go by: timers fire and answers come, each at its time.
func (p *player) pass(ms int64) error {
	end := p.now + ms
	for {
		if err := p.pump(); err != nil {
			return err
		}
		p.take()
		next := end
		for _, at := range p.timers {
			next = min(next, max(at, p.now))
		}
		for _, at := range p.due {
			next = min(next, max(at, p.now))
		}
		p.now = next
		answered, err := p.answer()
		if err != nil {
			return err
		}
		if !answered && next == end && p.World.due() == "" {
			return nil
		}
	}
}

// quiet lets time go by until nothing is under way. A woken primary answers, and is watched as before.
func (p *player) quiet() error {
	const longest = 30 * 60 * 1000
	for end := p.now + longest; p.now < end && !p.got.Capped; {
		if len(p.woken) > 0 {
			d := p.woken[0]
			p.woken = p.woken[1:]
			if err := p.turn(&protocol.User{Session: "s1", ID: d.ID, Text: d.Text, Typed: true, Advisor: true, Created: p.now}); err != nil {
				return err
			}
			continue
		}
		if len(p.timers) == 0 && len(p.due) == 0 && len(p.queue) == 0 {
			return nil
		}
		if err := p.pass(500); err != nil {
			return err
		}
	}
	return nil
}

// take looks at requests that came since the last look and sets when they are answered.
func (p *player) take() {
	for _, r := range p.open {
		if _, known := p.due[r.ID]; known || p.hanging[r.ID] {
			continue
		}
		p.got.Requests++
		p.got.Capped = p.got.Capped || p.got.Requests >= p.all.RequestCap
		secrets, outside := p.all.Leaks(r.Body)
		p.got.Secrets += secrets
		p.got.Outside += outside
		if !strings.Contains(r.Body, `"role":"assistant"`) && r.Body != p.first {
			p.first, p.round = r.Body, 0
			p.got.Reviews++
			p.action = p.c.Action(p.got.Reviews)
		}
		p.round++
		p.got.Longest = max(p.got.Longest, p.round)
		if p.action.Hang {
			p.hanging[r.ID] = true
			continue
		}
		p.due[r.ID] = p.now + max(p.action.DelayMs, p.c.Timing.ReviewerDelayMs)
	}
	for id := range p.due {
		if !p.isOpen(id) {
			delete(p.due, id) // cancelled
		}
	}
}

func (p *player) isOpen(id string) bool {
	for _, r := range p.open {
		if r.ID == id {
			return true
		}
	}
	return false
}

// Action is what the reviewer does in the n-th review, from 1; nothing where nothing is said.
func (c Case) Action(n int) Action {
	switch {
	case c.Reviewer.Every != nil:
		return *c.Reviewer.Every
	case n <= len(c.Reviewer.Reviews):
		return c.Reviewer.Reviews[n-1]
	}
	return Action{}
}

// answer answers the oldest request whose time has come.
func (p *player) answer() (bool, error) {
	for i, r := range p.open {
		at, ok := p.due[r.ID]
		if !ok || at > p.now {
			continue
		}
		p.open = append([]protocol.HTTPSend{r}, append(p.open[:i:i], p.open[i+1:]...)...)
		delete(p.due, r.ID)
		return true, p.reply(p.say())
	}
	return false, nil
}

// say is the reviewer's next reply.
func (p *player) say() json.RawMessage { return p.action.Reply(p.round, p.got.Reviews, p.out) }

// Reply is what the reviewer answers in the given round of a review, both from 1: the tool calls of its script, one round
// each, then reads of what it cites and its notes, then its words. A reviewer that gets no more rounds has said what
// it could. {OUT} stands for the folder out. The form is the one of the model server's replies.
func (a Action) Reply(round, review int, out string) json.RawMessage {
	reply := map[string]any{}
	switch {
	case a.HTTP != 0:
		reply["status"], reply["headers"] = a.HTTP, a.Headers
		if a.Body != nil {
			reply["body"] = a.Body
		} else {
			reply["body"] = "fails"
		}
	case round <= len(a.Tools):
		calls := slices.Clone(a.Tools[round-1])
		for i := range calls {
			calls[i].Args = json.RawMessage(strings.ReplaceAll(string(calls[i].Args), "{OUT}", out))
		}
		reply["toolCalls"] = calls
	case round == len(a.Tools)+1 && len(a.Notes) > 0:
		reply["toolCalls"] = a.notes(review)
	case a.Text != nil:
		reply["text"] = *a.Text
	default:
		reply["text"] = "No issues."
	}
	raw, err := json.Marshal(reply)
	if err != nil {
		panic(err) // maps of plain values always encode
	}
	return raw
}

// notes reads what is cited and advises.
func (a Action) notes(review int) []toolCall {
	var reads, notes []toolCall
	shown := map[string]bool{}
	for _, n := range a.Notes {
		args := map[string]any{"note": strings.ReplaceAll(n.Text, "{n}", fmt.Sprint(review)), "severity": n.Severity, "verdict": "confirmed"}
		if n.File != "" {
			if !shown[n.File] {
				shown[n.File] = true
				reads = append(reads, call("read", map[string]any{"path": n.File}))
			}
			citation := map[string]any{"file": n.File, "line": n.Line, "observedFact": n.Text}
			if n.Quote != "" {
				citation = map[string]any{"kind": "quote", "path": n.File, "line": n.Line, "quote": n.Quote, "fact": n.Text}
			}
			args["citations"] = []any{citation}
		}
		notes = append(notes, call("advise", args))
	}
	return append(reads, notes...)
}

func call(name string, args map[string]any) toolCall {
	raw, err := json.Marshal(args)
	if err != nil {
		panic(err) // maps of plain values always encode
	}
	return toolCall{name, raw}
}
