package engine

import (
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/judge"
	"github.com/Kayphoon/opencode-advisor/pkg/llm"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/safefs"
	"github.com/Kayphoon/opencode-advisor/pkg/session"
	"github.com/Kayphoon/opencode-advisor/pkg/transcript"
)

// judgePort is the outside as the judging of one ask sees it. It implements judge.Port, and llm.Port
// and llm.Generator with requests that outlive the deadline, for the log.
type judgePort struct {
	port
	l  *live // of the session that the person talks to
	ev *protocol.Permission
}

// judgeTokens is room for some thinking before a verdict of one line.
const judgeTokens = 2_000

// judgeMark is the length of the mark in front of who speaks: as much as cannot be guessed, and little of the prompt's room.
const judgeMark = 8

// judgeTail is how much of the conversation the judge is shown at most, in messages.
const judgeTail = 12

func (p *judgePort) Nonce() string { return p.e.nonce() }

// share is how long a lookup may take: ms, and a third of what is left.
func (p *judgePort) share(ms, deadline int64) int64 { return max(0, min(ms, (deadline-p.e.now)/3)) }

// Worktrees gives the list of the last minute, else the host's, else what git's own files say.
func (p *judgePort) Worktrees(deadline int64) ([]string, bool) {
	j := p.e.judging
	if list, ok := j.worktrees.Get(p.e.init.Root, p.e.now); ok {
		return list, true
	}
	list, ok := []string(nil), false
	if f := p.ask(deadline, protocol.FactsWanted{Worktrees: true}); f != nil {
		list, ok = f.Worktrees, f.WorktreesOK
	}
	if !ok {
		list, ok = p.e.gitWorktrees()
	}
	if ok {
		j.worktrees.Put(p.e.init.Root, list, p.e.now)
	}
	return list, ok
}

// ask asks the host for facts; nil when it is silent.
func (p *judgePort) ask(deadline int64, want protocol.FactsWanted) *protocol.Facts {
	if p.t.dead {
		return nil
	}
	want.ID, want.Session = p.e.id("f"), p.ev.Session
	p.e.emit(&want)
	f, _ := p.e.waitFor(p.t, want.ID, p.share(judgeFactsMS, deadline), nil).(*protocol.Facts)
	return f
}

// Facts implements judge.Port.
func (p *judgePort) Facts(deadline int64) judge.Facts {
	out := judge.Facts{Directory: p.e.init.Directory, Child: p.ev.Top != ""}
	if p.ev.Agent != "" {
		if f := p.ask(deadline, protocol.FactsWanted{Agent: p.ev.Agent}); f != nil {
			out.AgentInfo, out.AgentText = string(f.AgentInfo), f.AgentPrompt
		}
	}
	out.Mark = p.e.nonce()[:judgeMark]
	shape := transcript.Shape{Last: judgeTail, Nonce: out.Mark}
	if !out.Child {
		out.Tail = p.e.conversation(p.port, p.l, shape, p.share(judgeTailMS, deadline))
	} else if h := p.history(p.ev.Session, p.share(judgeTailMS, deadline)); h != nil {
		anyone := func(*protocol.User) bool { return true }
		out.Tail = transcript.Converse(h.Events, p.e.logOptions(), anyone, shape).Text
	}
	return out
}

// Ask implements judge.Port.
func (p *judgePort) Ask(prompt string, deadline int64, most int) (string, int, error) {
	ep := p.e.judging.endpoint
	if ep.Transport == config.TransportNone {
		return "", 0, judge.AskError{Text: ep.Why}
	}
	req := llm.Request{Messages: []llm.Message{{Role: llm.User, Text: prompt}}, MaxTokens: judgeTokens}
	reply, err := llm.Call(p, endpoint(ep), req, llm.Budget{Deadline: deadline, Requests: most, Memory: p.e.memory, Meter: p.meter(p.l, session.RoleJudge, ep)})
	if p.t.dead {
		return "", reply.Requests, judge.AskError{Gone: true}
	}
	if err == nil {
		return reply.Text, reply.Requests, nil
	}
	f, _ := llm.AsFailure(err)
	return "", reply.Requests, judge.AskError{
		Timeout: f.Kind == llm.KindTimeout,
		Retry:   f.Kind == llm.KindEmpty || f.Kind == llm.KindUnparsed,
		Text:    f.Error(),
	}
}

// RoundTrip implements llm.Port.
func (p *judgePort) RoundTrip(r llm.HTTPRequest) llm.HTTPResponse {
	return p.port.roundTrip(r, judgeLateMS)
}

// Generate implements llm.Generator.
func (p *judgePort) Generate(r llm.GenerateRequest) llm.GenerateResponse {
	return p.port.generate(r, judgeLateMS)
}

func missing(err error) bool { return safefs.KindOf(err) == safefs.KindMissing }

// maxWorktrees is far more than anybody keeps.
const maxWorktrees = 100

// gitWorktrees reads the linked worktrees out of the repository's own files; false when these are not in the workspace.
func (e *Engine) gitWorktrees() (list []string, ok bool) {
	dot, err := e.files.Resolve(".git")
	if err != nil {
		// OpenCode's workspace is the whole of a repository; where there is none, there are no worktrees.
		return nil, e.init.Host != config.HostPi && missing(err)
	}
	if !dot.IsDir() {
		// This is a linked worktree itself: it names the main one, and not the others.
		text, _ := e.files.Read(dot, 4<<10)
		if main, _, linked := strings.Cut(strings.TrimPrefix(strings.TrimSpace(string(text)), "gitdir: "), "/.git/worktrees/"); linked {
			list = append(list, main)
		}
		return list, false
	}
	dir, err := e.files.Resolve(".git/worktrees")
	if err != nil {
		return nil, missing(err)
	}
	names, err := e.files.List(dir)
	if err != nil || len(names) > maxWorktrees {
		return nil, false
	}
	for _, n := range names {
		_, text, err := e.files.ReadFile(".git/worktrees/"+n.Name+"/gitdir", 4<<10)
		path, found := strings.CutSuffix(strings.TrimSpace(string(text)), "/.git")
		if err != nil || !found {
			return nil, false
		}
		list = append(list, path)
	}
	return list, true
}
