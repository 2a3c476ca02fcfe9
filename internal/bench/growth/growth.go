// Package growth measures what a session sends to its reviewer as it grows longer.
package growth

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/Kayphoon/opencode-advisor/internal/bench"
	"github.com/Kayphoon/opencode-advisor/pkg/engine"
	"github.com/Kayphoon/opencode-advisor/pkg/memfs"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Row is what a session of Steps steps, each of which reads a 4 KB file, sends to
// the reviewer.
type Row struct {
	Reviewer string `json:"reviewer"` // silent, or one that reads a file in every review
	Steps    int    `json:"steps"`
	Requests int    `json:"requests"`
	Bytes    int64  `json:"bytes"`
	// Cached counts a prefix that repeats the request before at a tenth, as providers bill it.
	Cached int64 `json:"cached"`
	First  int   `json:"first"` // bytes of the first request
	Last   int   `json:"last"`
	State  int   `json:"state"` // bytes of the session's stored state at the end
}

// Bench prints the table of all sizes.
var Bench = bench.Bench{Name: "growth", Title: "what a session sends to its reviewer", Run: run}

func run(w io.Writer) (any, error) {
	var rows []Row
	for _, c := range []struct {
		steps int
		reads bool
	}{{50, false}, {50, true}, {400, false}, {400, true}} {
		g, err := Measure(c.steps, c.reads)
		if err != nil {
			return nil, err
		}
		rows = append(rows, g)
	}
	Print(w, rows)
	return rows, nil
}

// host collects the requests of an engine.
type host struct {
	protocol.Files
	sent []protocol.HTTPSend
}

func (h *host) Send(r protocol.HTTPSend) protocol.Errno {
	h.sent = append(h.sent, r)
	return protocol.OK
}
func (h *host) Cancel(string)     {}
func (h *host) Emit(protocol.Log) {}
func (h *host) Interrupted()      {}

// Measure plays the session. With reads the reviewer reads one file in each review.
func Measure(steps int, reads bool) (Row, error) { return measure(steps, reads, func(string) {}) }

// measure is Measure, and shows the first request of each review.
func measure(steps int, reads bool, first func(body string)) (Row, error) {
	disk := memfs.New("/work")
	for i := range steps {
		disk.Write(fmt.Sprintf("src/file%03d.go", i), source(i))
	}
	h := &host{Files: disk}
	p := &player{host: h, engine: engine.New(h), now: 1_700_000_000_000}
	p.send(&protocol.Init{ABI: protocol.ABIVersion, Host: "harness", Seed: strings.Repeat("ab", 32), Directory: "/work", Root: "/work",
		Home: "/home", ConfigHome: "/home/.config", DataHome: "/home/.local/share",
		Options: `{"watchdogModel":"fake/reviewer","provider":{"baseURL":"http://127.0.0.1:9/v1"},"debounceMs":0,"timeoutMs":600000}`})
	p.send(&protocol.User{Session: "s", ID: "m1", Text: "Tidy up every file under src.", Typed: true, Created: 1})
	g := Row{Reviewer: "silent", Steps: steps}
	if reads {
		g.Reviewer = "reads a file in each review"
	}
	before := ""
	for i := range steps {
		path := fmt.Sprintf("src/file%03d.go", i)
		p.send(&protocol.Text{Session: "s", Message: fmt.Sprint("t", i), Text: "Next is " + path + "."},
			&protocol.Tool{Session: "s", Message: fmt.Sprint("t", i), Call: fmt.Sprint("c", i), Name: "read", Input: protocol.JSON(`{"filePath":"` + path + `"}`), Output: source(i)},
			&protocol.StepEnd{Session: "s", Message: fmt.Sprint("t", i), Finish: "tool-calls"})
		for asked := 0; len(h.sent) > 0; asked++ {
			r := h.sent[0]
			h.sent = h.sent[1:]
			if asked == 0 {
				first(r.Body)
			}
			g.Requests++
			g.Bytes += int64(len(r.Body))
			same := common(before, r.Body)
			g.Cached += int64(len(r.Body)-same) + int64(same)/10
			before = r.Body
			if g.Requests == 1 {
				g.First = len(r.Body)
			}
			g.Last = len(r.Body)
			message := map[string]any{"role": "assistant", "content": "silent"}
			if reads && asked == 0 {
				message = map[string]any{"role": "assistant", "tool_calls": []any{map[string]any{"id": "r1", "type": "function",
					"function": map[string]any{"name": "read", "arguments": `{"path":"` + path + `"}`}}}}
			}
			body, err := json.Marshal(map[string]any{"choices": []any{map[string]any{"message": message, "finish_reason": "stop"}}})
			if err != nil {
				return g, err
			}
			p.send(&protocol.HTTP{ID: r.ID, Status: 200, Body: string(body)})
		}
	}
	g.State = len(p.state)
	if g.Requests < steps {
		return g, fmt.Errorf("growth: %d requests for %d steps", g.Requests, steps)
	}
	return g, nil
}

// player answers what a loader answers by itself.
type player struct {
	host   *host
	engine *engine.Engine
	now    int64
	state  protocol.JSON
}

func (p *player) send(events ...protocol.Event) {
	for len(events) > 0 {
		p.now += 100
		out, _ := protocol.DecodeOutcome(p.engine.Call(protocol.AppendBatch(nil, protocol.Batch{Now: p.now, Events: events})))
		events = nil
		for _, ef := range out.Effects {
			switch e := ef.(type) {
			case *protocol.Need:
				events = append(events, &protocol.Provided{ID: e.ID})
			case *protocol.Load:
				events = append(events, &protocol.Loaded{Session: e.Session, Reviewer: true})
			case *protocol.Save:
				p.state = e.State
			case *protocol.Heed:
				events = append(events, &protocol.Heard{ID: e.ID})
			case *protocol.SignalsWanted:
				events = append(events, &protocol.Signals{Session: e.Session, ID: e.ID})
			}
		}
	}
}

// source is a file of about 4 KB that looks like code.
func source(i int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package src\n\n// File %d of many.\n", i)
	for n := 0; b.Len() < 4_000; n++ {
		fmt.Fprintf(&b, "func step%d_%d(in []int) (sum int) {\n\tfor _, v := range in {\n\t\tsum += v * %d\n\t}\n\treturn sum\n}\n\n", i, n, n+i)
	}
	return b.String()
}

// common gives the length of the longest common prefix.
func common(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// Print writes the growth table.
func Print(w io.Writer, rows []Row) {
	fmt.Fprintf(w, "%-28s %6s %9s %10s %18s %8s %8s %8s\n", "reviewer", "steps", "requests", "bytes sent", "prefix at a tenth", "first", "last", "state")
	for _, g := range rows {
		fmt.Fprintf(w, "%-28s %6d %9d %10d %18d %8d %8d %8d\n", g.Reviewer, g.Steps, g.Requests, g.Bytes, g.Cached, g.First, g.Last, g.State)
	}
}
