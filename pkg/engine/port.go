package engine

import (
	"slices"

	"github.com/Kayphoon/opencode-advisor/pkg/breaker"
	"github.com/Kayphoon/opencode-advisor/pkg/llm"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// expired is what a wait is answered with when its time is up.
type expired struct{}

// waitFor is wait with a bound in milliseconds; the answer is then expired.
func (e *Engine) waitFor(t *task, key string, ms int64, cleanup func()) any {
	if t.dead {
		return e.wait(t, key, cleanup)
	}
	bound := "bound_" + key
	e.after(bound, ms, func() {
		if cleanup != nil && e.waiting[key] != nil {
			cleanup()
		}
		e.resume(key, expired{})
	})
	answer := e.wait(t, key, cleanup)
	e.drop(bound)
	return answer
}

// port is the outside as one task sees it. It implements llm.Port, llm.Generator and config.Asker.
type port struct {
	e *Engine
	t *task
}

// RoundTrip sends one request and waits for its end, or for its time to be up: a
// loader that never answers costs the review and nothing else.
func (p port) RoundTrip(r llm.HTTPRequest) llm.HTTPResponse { return p.roundTrip(r, 0) }

// roundTrip is RoundTrip with so many milliseconds more than the caller knows of.
func (p port) roundTrip(r llm.HTTPRequest, more int64) llm.HTTPResponse {
	r.TimeoutMS += more
	if p.t.dead {
		return llm.HTTPResponse{Failure: "cancelled"}
	}
	id := p.e.id("h")
	send := protocol.HTTPSend{ID: id, Method: r.Method, URL: r.URL, Body: protocol.TextOf(r.Body), TimeoutMS: r.TimeoutMS, MaxBytes: r.MaxBytes}
	for _, h := range r.Headers {
		send.Headers = append(send.Headers, protocol.Header{Name: h.Name, Value: h.Value})
	}
	if errno := p.e.host.Send(send); errno != protocol.OK {
		failure := "network"
		if errno == protocol.ErrnoRefused {
			failure = "origin"
		}
		return llm.HTTPResponse{Failure: failure, Detail: "the loader did not send the request: " + errno.Error()}
	}
	switch a := p.e.waitFor(p.t, id, r.TimeoutMS, func() { p.e.host.Cancel(id) }).(type) {
	case *protocol.HTTP:
		res := llm.HTTPResponse{Status: a.Status, Body: []byte(a.Body), Cut: a.Cut, Failure: a.Failure, Detail: a.Detail}
		for _, h := range a.Headers {
			res.Headers = append(res.Headers, llm.Header{Name: h.Name, Value: h.Value})
		}
		return res
	case expired:
		return llm.HTTPResponse{Failure: "timeout", Detail: "no answer in time"}
	}
	return llm.HTTPResponse{Failure: "cancelled"}
}

func (p port) Sleep(ms int64) bool { return p.e.sleep(p.t, ms) }

func (p port) Now() int64 { return p.e.now }

// Generate asks the host's own model.
func (p port) Generate(r llm.GenerateRequest) llm.GenerateResponse { return p.generate(r, 0) }

func (p port) generate(r llm.GenerateRequest, more int64) llm.GenerateResponse {
	r.TimeoutMS += more
	if p.t.dead {
		return llm.GenerateResponse{Failure: "cancelled"}
	}
	id := p.e.id("g")
	p.e.emit(&protocol.Generate{ID: id, Session: p.t.session, Provider: r.Provider, Model: r.Model,
		Prompt: r.Prompt, MaxTokens: r.MaxTokens, Effort: r.Effort, TimeoutMS: r.TimeoutMS})
	switch a := p.e.waitFor(p.t, id, r.TimeoutMS, func() { p.e.emit(&protocol.GenerateCancel{ID: id}) }).(type) {
	case *protocol.Generated:
		t := a.Tokens
		return llm.GenerateResponse{Text: a.Text, Failure: a.Failure, Detail: a.Detail, Usage: llm.Usage{
			In: t.Input + t.CacheRead + t.CacheWrite, Out: t.Output, CachedIn: t.CacheRead, CacheWrite: t.CacheWrite, Reasoning: t.Reasoning, Cost: t.Cost}}
	case expired:
		return llm.GenerateResponse{Failure: "timeout", Detail: "no answer in time"}
	}
	return llm.GenerateResponse{Failure: "cancelled"}
}

// needMS bounds the wait for the loader's own disk and host. The loader bounds each of its own answers
// below it; beyond it what is missing counts as absent.
const needMS = 20_000

// Need asks for files outside the workspace, variables and providers. After the start only files of rules beside
// advisor.json are given.
func (p port) Need(files, env, providers []string) protocol.Provided {
	return p.need(needMS, files, env, providers)
}

func (p port) need(ms int64, files, env, providers []string) protocol.Provided {
	if p.t.dead {
		return protocol.Provided{}
	}
	id := p.e.id("n")
	p.e.emit(&protocol.Need{ID: id, Files: files, Env: env, Providers: providers})
	if a, ok := p.e.waitFor(p.t, id, ms, nil).(*protocol.Provided); ok {
		return *a
	}
	return protocol.Provided{ID: id}
}

// claimMS bounds the wait for a claim. No answer is no grant, and neither is one that comes later than that,
// before the timer was heard: others count on it, see breaker.Grace.
const claimMS = breaker.Grace / 2

// claim asks for the one wake between two human messages. Other is when another process last asked.
func (p port) claim(session, key string) (granted bool, other int64) {
	if p.t.dead {
		return false, 0
	}
	id, asked := p.e.id("c"), p.e.now
	p.e.emit(&protocol.Claim{ID: id, Session: session, Key: key})
	a, ok := p.e.waitFor(p.t, id, claimMS, nil).(*protocol.Claimed)
	if !ok || p.e.now-asked > claimMS {
		return false, 0
	}
	return a.Granted, a.Other
}

// writeMS bounds the wait for the loader's disk.
const writeMS = 5_000

// writeConfig replaces advisor.json, if it still is what it was; nil when there is no answer.
func (p port) writeConfig(was, text string) *protocol.Saved {
	if p.t.dead {
		return nil
	}
	id := p.e.id("w")
	p.e.emit(&protocol.WriteConfig{ID: id, Name: "advisor.json", Was: was, Text: text})
	saved, _ := p.e.waitFor(p.t, id, writeMS, nil).(*protocol.Saved)
	return saved
}

// signalsMS bounds the wait for the host's diff stat: a nicety must not hold up a review.
const signalsMS = 1_500

// signals asks for the working tree's state and feeds it to the session.
func (p port) signals(l *live) {
	id := p.e.id("s")
	p.e.emit(&protocol.SignalsWanted{Session: l.state.ID, ID: id})
	if a, ok := p.e.waitFor(p.t, id, signalsMS, nil).(*protocol.Signals); ok {
		l.state.Log.SetSignals(a)
	}
}

// historyMS bounds the wait for the host's history, where nothing is more urgent.
const historyMS = 5_000

// history asks for the session's messages so far; nil when they do not come. Who asks while an answer is
// on its way shares it.
func (p port) history(session string, ms int64) *protocol.History {
	if p.t.dead {
		return nil
	}
	id := p.e.id("y")
	if len(p.e.histories[session]) == 0 {
		p.e.emit(&protocol.Resync{Session: session})
	}
	p.e.histories[session] = append(p.e.histories[session], id)
	h, _ := p.e.waitFor(p.t, id, ms, nil).(*protocol.History)
	if h == nil {
		// With nobody left the next one asks anew.
		p.e.histories[session] = slices.DeleteFunc(p.e.histories[session], func(other string) bool { return other == id })
	}
	return h
}

// shareHistory hands a history to those who wait for it.
func (e *Engine) shareHistory(h *protocol.History) {
	ids := e.histories[h.Session]
	delete(e.histories, h.Session)
	for _, id := range ids {
		e.resume(id, h)
	}
}
