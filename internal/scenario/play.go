package scenario

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// play carries out one line and lets the guest come to rest.
func (w *World) play(line Line) error {
	if line.Do == "" {
		return w.event(line.Raw)
	}
	var d struct {
		MS          int64                 `json:"ms"`
		Path        string                `json:"path"`
		Text        string                `json:"text"`
		To          string                `json:"to"`
		What        string                `json:"what"`
		Session     string                `json:"session"`
		Line        string                `json:"line"`
		For         []string              `json:"for"`
		Events      []json.RawMessage     `json:"events"`
		Changes     []protocol.Change     `json:"changes"`
		Diagnostics []protocol.Diagnostic `json:"diagnostics"`
		AgentInfo   json.RawMessage       `json:"agentInfo"`
		AgentPrompt string                `json:"agentPrompt"`
		Worktrees   []string              `json:"worktrees"`
	}
	// A reply has its own shape, with a text too.
	if err := json.Unmarshal(line.Raw, &d); err != nil && line.Do != "reply" {
		return err
	}
	switch line.Do {
	case "reply":
		return w.reply(line.Raw)
	case "advance":
		return w.advance(d.MS)
	case "write":
		return write(w.Root, d.Path, d.Text)
	case "remove":
		return os.RemoveAll(filepath.Join(w.Root, filepath.FromSlash(d.Path)))
	case "symlink":
		return os.Symlink(d.To, filepath.Join(w.Root, filepath.FromSlash(d.Path)))
	case "restart":
		return w.restart()
	case "wish":
		w.wishes[cmp.Or(d.Session, "s1")] += d.Line + "\n"
	case "deny":
		w.denied[d.What] = true
	case "allow":
		delete(w.denied, d.What)
	case "look":
		w.look = d.For
	case "open":
		w.allowed = true
	case "signals":
		w.signals = &protocol.Signals{Changes: d.Changes, Diagnostics: d.Diagnostics}
	case "facts":
		w.told = protocol.Facts{AgentInfo: protocol.JSON(d.AgentInfo), AgentPrompt: d.AgentPrompt, Worktrees: d.Worktrees, WorktreesOK: d.Worktrees != nil}
	case "history":
		w.history = nil
		for _, raw := range d.Events {
			ev, err := decode(raw)
			if err != nil {
				return err
			}
			w.history = append(w.history, ev)
		}
	default:
		return fmt.Errorf("unknown directive %q", line.Do)
	}
	return nil
}

// advance moves the clock from timer to timer, so that each fires at its own time.
func (w *World) advance(ms int64) error {
	end := w.now + ms
	for {
		next := end
		for _, at := range w.timers {
			next = min(next, max(at, w.now))
		}
		w.now = next
		if err := w.pump(); err != nil {
			return err
		}
		if next == end {
			return nil
		}
	}
}

func (w *World) event(raw json.RawMessage) error {
	ev, err := decode(raw)
	if err != nil {
		return err
	}
	if s, ok := ev.(*protocol.Session); ok {
		w.facts[s.Session] = s
	} else if id := sessionOf(raw); id != "" && w.facts[id] == nil {
		s := &protocol.Session{Session: id, Complete: true}
		w.facts[id] = s
		w.post(s)
	}
	switch ev.(type) {
	case *protocol.Permission, *protocol.Decided: // a child's are told as well
	default:
		if w.ignored[sessionOf(raw)] {
			return nil
		}
	}
	w.post(ev)
	return w.pump()
}

// sessionOf gives the session of an event; s1 where none is named.
func sessionOf(raw json.RawMessage) string {
	var e struct {
		Type    string  `json:"type"`
		Session *string `json:"session"`
	}
	if json.Unmarshal(raw, &e) != nil {
		return ""
	}
	switch {
	case e.Session != nil:
		return *e.Session
	case e.Type == "abort" || e.Type == "shutdown":
		return ""
	}
	return "s1"
}

func decode(raw json.RawMessage) (protocol.Event, error) {
	var m map[string]any
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, err
	}
	if id := sessionOf(raw); id != "" {
		m["session"] = id
	}
	full, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	ev, err := protocol.DecodeEvent(full)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", raw, err)
	}
	return ev, nil
}

// describe is what is seen of a model request.
func (w *World) describe(r protocol.HTTPSend) map[string]any {
	var body struct {
		Model string `json:"model"`
		Tools []struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal([]byte(r.Body), &body); err != nil {
		return map[string]any{"broken": err.Error()}
	}
	names := []string{}
	for _, t := range body.Tools {
		names = append(names, t.Function.Name)
	}
	seen := map[string]any{"model": body.Model, "tools": strings.Join(names, " ")}
	if len(w.look) > 0 {
		has := []string{}
		for _, mark := range w.look {
			if strings.Contains(r.Body, mark) {
				has = append(has, mark)
			}
		}
		seen["has"] = has
	}
	return seen
}

// reply answers the oldest open request.
func (w *World) reply(raw json.RawMessage) error {
	if len(w.open) == 0 {
		return fmt.Errorf("no model request is open")
	}
	var r struct {
		Text      string `json:"text"`
		Reasoning string `json:"reasoning"`
		Finish    string `json:"finish"`
		ToolCalls []struct {
			Name string          `json:"name"`
			Args json.RawMessage `json:"args"`
		} `json:"toolCalls"`
		Of      string            `json:"of"`
		Status  int               `json:"status"`
		Headers map[string]string `json:"headers"`
		Body    json.RawMessage   `json:"body"`
		Failure string            `json:"failure"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return err
	}
	at := slices.IndexFunc(w.open, func(o protocol.HTTPSend) bool { return strings.Contains(o.Body, r.Of) })
	if at < 0 {
		return fmt.Errorf("no open model request holds %q", r.Of)
	}
	req := w.open[at]
	w.open = slices.Delete(w.open, at, at+1)
	answer := &protocol.HTTP{ID: req.ID, Status: r.Status, Failure: r.Failure}
	for _, name := range sortedKeys(r.Headers) {
		answer.Headers = append(answer.Headers, protocol.Header{Name: name, Value: r.Headers[name]})
	}
	switch {
	case r.Failure != "":
	case r.Body != nil:
		// A string is a body that is not JSON.
		if json.Unmarshal(r.Body, &answer.Body) != nil {
			answer.Body = string(r.Body)
		}
	default:
		message := map[string]any{"role": "assistant", "content": r.Text}
		finish := "stop"
		if r.Reasoning != "" {
			message["reasoning_content"] = r.Reasoning
		}
		var calls []any
		for i, c := range r.ToolCalls {
			args := string(c.Args)
			// Arguments given as a string are sent as they are, broken ones too.
			if len(c.Args) > 0 && c.Args[0] == '"' {
				if err := json.Unmarshal(c.Args, &args); err != nil {
					return err
				}
			}
			calls = append(calls, map[string]any{"id": fmt.Sprintf("call_%d", i+1), "type": "function",
				"function": map[string]any{"name": c.Name, "arguments": args}})
		}
		if calls != nil {
			message["tool_calls"], finish = calls, "tool_calls"
		}
		if r.Finish != "" {
			finish = r.Finish
		}
		body, err := json.Marshal(map[string]any{
			"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}},
			"usage":   map[string]any{"prompt_tokens": 100, "completion_tokens": 20},
		})
		if err != nil {
			return err
		}
		answer.Body = string(body)
	}
	if answer.Status == 0 && answer.Failure == "" {
		answer.Status = 200
	}
	w.post(answer)
	return w.pump()
}
