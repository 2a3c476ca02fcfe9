package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
)

// grant says yes to what the agent may not do unasked, as a person would: OpenCode asks before it reads an env file.
func (c *Scene) grant(ctx context.Context) {
	for done := 0; ; done++ {
		var asked []string
		err := c.hear(ctx, "a question", func() bool {
			asked = nil
			for _, e := range c.Heard() {
				var p struct{ ID, SessionID string }
				if e.Type == "permission.asked" && json.Unmarshal(e.Properties, &p) == nil && p.SessionID == c.ID {
					asked = append(asked, p.ID)
				}
			}
			return len(asked) > done
		})
		if err != nil {
			return
		}
		// A refusal leaves the agent waiting, and the case fails by it.
		_ = c.Call(ctx, "POST", "/permission/"+asked[done]+"/reply", map[string]string{"reply": "once"}, nil)
	}
}

// turnsEnded counts the turns of the session, whoever started them: it falls idle after each.
func (c *Scene) turnsEnded() int {
	n := 0
	for _, e := range c.Heard() {
		var p struct{ SessionID string }
		if e.Type == "session.idle" && json.Unmarshal(e.Properties, &p) == nil && p.SessionID == c.ID {
			n++
		}
	}
	return n
}

// quiet waits until nothing is under way after the n-th human message: the host is idle, the advisor has heard of the
// end of every turn, owes no review, and what it said lies in the session. The agent has answered what was to wake it;
// in a turn that was under way it did so without one more.
func (c *Scene) quiet(ctx context.Context, humans int) ([]Line, error) {
	var lines []Line
	err := c.poll(ctx, fmt.Sprintf("quiet after human message %d", humans), func() (bool, error) {
		state, err := c.State()
		if err != nil || state == nil || state.Owed || state.Busy || state.Turns < humans || state.Turns != c.turnsEnded() {
			return false, err
		}
		var busy map[string]json.RawMessage
		if err := c.Call(ctx, "GET", "/session/status", nil, &busy); err != nil || busy[c.ID] != nil {
			return false, err
		}
		if lines, err = c.Lines(ctx); err != nil {
			return false, err
		}
		for _, d := range state.Deliveries {
			at := slices.IndexFunc(lines, func(l Line) bool { return l.Delivery == d.ID })
			if at < 0 || d.Woke && !slices.ContainsFunc(lines[at:], func(l Line) bool { return l.Who == Agent }) {
				return false, nil
			}
		}
		return true, nil
	})
	return lines, err
}
