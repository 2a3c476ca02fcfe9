package e2e

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/Kayphoon/opencode-advisor/internal/hosts"
	"github.com/Kayphoon/opencode-advisor/internal/modelserver"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Who an entry of the timeline is about.
const (
	Person   = "person"
	Agent    = "agent"
	Reviewer = "reviewer"
	Advisor  = "advisor" // a note that reached the session
	Dropped  = "dropped" // a note that did not, with the reason
	Screen   = "toast"
)

// Entry is one thing that happened in a scene.
type Entry struct {
	At  time.Time
	Who string
	// Tool is the tool of a call, with its most telling argument; empty when something was said.
	Tool string
	Text string // what was said, or the first line of what the tool gave
	// Woke tells of a note that it woke the agent.
	Woke bool
	// Cites is the first quote of a dropped note, with its place.
	Cites string

	delivery string // its id
}

// Timeline tells what happened so far, by time: the session and the toasts from the host's events, the reviewer's
// calls from the requests of its model, the dropped notes from the advisor's state. The last word of a review is on
// no wire and not here.
func (c *Scene) Timeline(reviewer string) ([]Entry, error) {
	out := append(c.spoken(), reviewed(c.stage.Model.Requests(), reviewer)...)
	state, err := c.State()
	if err != nil || state == nil {
		return out, err
	}
	woke := map[string]bool{}
	for _, d := range state.Deliveries {
		woke[d.ID] = d.Woke
	}
	for i := range out {
		out[i].Woke = woke[out[i].delivery]
	}
	for _, n := range state.Notes {
		if n.Fate != "delivered" {
			out = append(out, Entry{At: time.UnixMilli(n.At), Who: Dropped, Text: n.Fate, Cites: cited(n.Note)})
		}
	}
	slices.SortStableFunc(out, func(a, b Entry) int { return a.At.Compare(b.At) })
	return out, nil
}

func cited(n protocol.Note) string {
	for _, c := range n.Citations {
		if c.Kind == protocol.CiteQuote {
			return c.Path + ":" + strconv.Itoa(c.Line) + " has " + firstLine(c.Quote)
		}
	}
	return ""
}

// spoken reads the host's events. A part is told of many times; its last form counts.
func (c *Scene) spoken() []Entry {
	var out []Entry
	role, told := map[string]string{}, map[string]bool{}
	for _, e := range c.Heard() {
		var p struct {
			Info struct{ ID, Role string }
			Part struct {
				hosts.Part
				MessageID string
				Time      struct{ End int64 }
			}
			Time int64
		}
		if json.Unmarshal(e.Properties, &p) != nil {
			continue
		}
		if e.Type == "message.updated" {
			role[p.Info.ID] = p.Info.Role
		}
		if e.Type == "tui.toast.show" {
			var t Toast
			if json.Unmarshal(e.Properties, &t) == nil {
				out = append(out, Entry{At: e.At, Who: Screen, Text: t.Message})
			}
		}
		if e.Type != "message.part.updated" || told[p.Part.ID] {
			continue
		}
		entry := Entry{At: time.UnixMilli(p.Time), Who: Agent, Text: p.Part.Text}
		switch {
		case string(p.Part.Metadata["advisor"]) == "true":
			entry.Who = Advisor
			_ = json.Unmarshal(p.Part.Metadata["id"], &entry.delivery) // without one it woke nobody
		case role[p.Part.MessageID] == "user":
			entry.Who = Person
		case p.Part.Type == "tool" && ended(p.Part.State):
			entry.Tool, entry.Text = toolOf(p.Part.Part)
		case p.Part.Type != "text" || p.Part.Time.End == 0:
			continue // not text, or still being written
		}
		told[p.Part.ID] = true
		if entry.Text != "" || entry.Tool != "" {
			out = append(out, entry)
		}
	}
	return out
}

func ended(state json.RawMessage) bool {
	status := toolStatus(state)
	return status == "completed" || status == "error"
}

func toolOf(p hosts.Part) (tool, text string) {
	var s struct {
		Input         json.RawMessage
		Output, Error string
	}
	if json.Unmarshal(p.State, &s) != nil {
		return p.Tool, ""
	}
	return p.Tool + " " + telling(s.Input), firstLine(s.Output + s.Error)
}

// telling gives the argument by which a person knows what a call is about.
func telling(args json.RawMessage) string {
	var a struct{ FilePath, Path, Pattern, Command, Severity, Verdict string }
	if json.Unmarshal(args, &a) != nil {
		return ""
	}
	for _, s := range []string{a.FilePath, a.Pattern, a.Path, a.Command} {
		if s != "" {
			return s
		}
	}
	return strings.TrimSpace(a.Severity + " " + a.Verdict)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// fenced is the mark in front of what a tool of the reviewer shows of the workspace.
var fenced = regexp.MustCompile(`^<<<[0-9a-f]+\n`)

// reviewed reads the reviewer's calls and their answers from the requests that carry them back to it.
func reviewed(requests []modelserver.Request, model string) []Entry {
	var out []Entry
	seen := 0 // messages of the review so far
	for _, r := range requests {
		if r.Model != model || r.Kind != "chat" {
			continue
		}
		var body struct {
			Messages []struct {
				Role      string
				Content   string
				ToolCalls []struct {
					ID       string
					Function struct{ Name, Arguments string }
				} `json:"tool_calls"`
				ToolCallID string `json:"tool_call_id"`
			}
		}
		if json.Unmarshal(r.Body, &body) != nil {
			continue
		}
		if len(body.Messages) <= seen {
			seen = 0 // a new review
		}
		calls := map[string]int{}
		for i, m := range body.Messages {
			for _, c := range m.ToolCalls {
				if i >= seen && seen > 0 {
					calls[c.ID] = len(out)
					out = append(out, Entry{At: r.Time, Who: Reviewer, Tool: c.Function.Name + " " + telling(json.RawMessage(c.Function.Arguments))})
				}
			}
			if at, ok := calls[m.ToolCallID]; ok && m.Role == "tool" {
				out[at].Text = firstLine(fenced.ReplaceAllString(m.Content, ""))
			}
		}
		seen = len(body.Messages)
	}
	return out
}
