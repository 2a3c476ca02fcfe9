package bench

import (
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/delivery"
	"github.com/Kayphoon/opencode-advisor/pkg/dialog"
	"github.com/Kayphoon/opencode-advisor/pkg/llm"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/safefs"
	"github.com/Kayphoon/opencode-advisor/pkg/tools"
	"github.com/Kayphoon/opencode-advisor/pkg/transcript"
)

// naive is an advisor without rules, the baseline: it shows the same delta, gives the same tools, and delivers
// every note as it came. No citation is checked, nothing is remembered, no bound holds, and every
// blocker wakes. It takes the place of the core, so that the same player plays it.
type naive struct {
	out      Outside
	scene    *Scene
	reviewer Reviewer
	log      *transcript.Log
	files    *safefs.FS
	now      int64
	ids      int
	waiting  map[string][]protocol.Note
	count    func(reply *protocol.HTTP)
}

// Naive starts it.
func Naive(out Outside, scene *Scene, r Reviewer) (Core, error) {
	files, err := safefs.New(out, root)
	if err != nil {
		return nil, err
	}
	n := &naive{out: out, scene: scene, reviewer: r, files: files, log: transcript.New(transcript.Options{Root: root}), waiting: map[string][]protocol.Note{}}
	if w, ok := out.(*world); ok {
		n.count = func(reply *protocol.HTTP) {
			in, out := usage(reply.Body)
			w.requests(in, out)
		}
	}
	return n, nil
}

func (n *naive) Take(now int64, events []protocol.Event) (effects []protocol.Effect) {
	n.now = now
	for _, ev := range events {
		switch e := ev.(type) {
		case *protocol.User:
			if e.Advisor {
				n.log.AddOther(e)
			} else {
				n.log.AddHuman(e)
			}
		case *protocol.Text:
			n.log.AddText(e)
		case *protocol.Tool:
			n.log.AddTool(e)
		case *protocol.StepEnd:
			n.log.StepEnd(e)
			if notes, ms := n.review(); len(notes) > 0 {
				n.ids++
				id := "review_" + strings.Repeat("i", n.ids)
				n.waiting[id] = notes
				effects = append(effects, &protocol.SetTimer{ID: id, MS: ms})
			}
		case *protocol.Timer:
			for _, note := range n.waiting[e.ID] {
				n.ids++
				note.ID = "n_" + strings.Repeat("i", n.ids)
				effects = append(effects, delivery.Effect(sessionID, "", note, note.Severity == protocol.Blocker, ""))
			}
			delete(n.waiting, e.ID)
		}
	}
	return effects
}

// review holds a whole review at once and tells how long it would have taken.
func (n *naive) review() ([]protocol.Note, int64) {
	delta := n.log.Cut(20 << 10)
	if delta.Empty() {
		return nil, 0
	}
	const nonce = "6e61697665"
	box := &openBox{Toolbox: tools.NewToolbox(&tools.Env{Files: n.files, Cache: &tools.Cache{}, Ledger: &safefs.Ledger{}, Scratch: &tools.Scratch{}}, []string{"read", "grep", "glob"}, true)}
	port := &hurried{n: n, now: n.now}
	dialog.Run(func(ep llm.Endpoint, req llm.Request, deadline int64, _ func(llm.Request) (llm.Request, bool)) (llm.Reply, error) {
		return llm.Call(port, ep, req, llm.Budget{Deadline: deadline})
	}, dialog.Conversation{
		Endpoint: llm.Endpoint{Provider: "fake", Model: "reviewer", BaseURL: "http://127.0.0.1:9/v1"},
		Messages: []llm.Message{{Role: llm.System, Text: "Review what the agent did. Call advise for every fault."}, {Role: llm.User, Text: delta.Render(nonce)}},
		Steps:    3, MaxBytes: 40_960, Nonce: nonce, Deadline: n.now + 25_000,
	}, box)
	n.log.Commit(delta.Cursor)
	return box.notes, port.now - n.now
}

// openBox takes every note.
type openBox struct {
	*tools.Toolbox
	notes []protocol.Note
}

func (b *openBox) Done() bool { return false }

func (b *openBox) Call(c llm.ToolCall) dialog.Answer {
	if c.Malformed != "" {
		return dialog.Malformed(c.Name)
	}
	if c.Name != tools.AdviseName {
		return dialog.FromWorkspace(b.Run(c.Name, c.Args))
	}
	note, err := b.Advise(c.Args)
	if err != nil {
		return dialog.Answer{Text: "advise: " + err.Error()}
	}
	if note.Verdict != protocol.Refuted {
		for i := range note.Citations {
			note.Citations[i].Status = protocol.CiteVerified // it takes the model's word for it
		}
		b.notes = append(b.notes, note)
	}
	return dialog.Answer{Text: "Noted."}
}

// hurried is the outside of a review that is held at once: time goes by, and nobody waits.
type hurried struct {
	n   *naive
	now int64
}

func (h *hurried) Now() int64          { return h.now }
func (h *hurried) Sleep(ms int64) bool { h.now += ms; return true }

func (h *hurried) RoundTrip(r llm.HTTPRequest) llm.HTTPResponse {
	send := protocol.HTTPSend{ID: "h", Body: string(r.Body)}
	h.n.scene.asked++
	reply, ms := h.n.reviewer.Answer(h.n.scene, send)
	if reply == nil || ms > r.TimeoutMS {
		h.now += r.TimeoutMS
		return llm.HTTPResponse{Failure: "timeout"}
	}
	h.now += ms
	if h.n.count != nil {
		h.n.count(reply)
	}
	out := llm.HTTPResponse{Status: reply.Status, Body: []byte(reply.Body), Failure: reply.Failure, Detail: reply.Detail}
	for _, head := range reply.Headers {
		out.Headers = append(out.Headers, llm.Header(head))
	}
	return out
}
