package engine

import (
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Rehearse plays one turn through an engine of its own, whose files, model and host are scripted: the reviewer reads a
// file and leaves a note with a true quote and one with an invented quote. The first must be delivered and seen, and the second
// not. It tells what happened; failed: something else did.
func (d desk) Rehearse() (said string, failed bool) {
	s := &rehearsal{}
	e := New(s)
	seed := ""
	for range 4 {
		seed += d.e.nonce()
	}
	const session = "rehearsal"
	s.queue = []protocol.Event{
		&protocol.Init{ABI: protocol.ABIVersion, Version: d.e.init.Version, Host: "rehearsal", Seed: seed, Directory: rehearsalRoot, Root: rehearsalRoot,
			Home: "/home", ConfigHome: "/home/.config", DataHome: "/home/.local/share",
			Options: `{"watchdogModel":"rehearsal/scripted","provider":{"baseURL":"https://rehearsal.invalid/v1","apiKey":"none"},"debounceMs":0}`},
		&protocol.Session{Session: session, Complete: true},
		&protocol.User{Session: session, ID: "m1", Text: "Show the user's name.", Typed: true},
		&protocol.TurnStart{Session: session},
		&protocol.Tool{Session: session, Call: "t1", Name: "write", Input: `{"filePath":"` + rehearsalFile + `"}`, Files: []string{rehearsalFile}},
		&protocol.StepEnd{Session: session},
		&protocol.TurnEnd{Session: session, Outcome: "ok"},
	}
	// A round is one event; a turn takes some thirty.
	for round := int64(1); round < 500 && (len(s.queue) > 0 || s.delivered == 0 && len(s.timers) > 0); round++ {
		if len(s.queue) == 0 {
			s.queue = append(s.queue, &protocol.Timer{ID: s.timers[0]})
			s.timers = s.timers[1:]
		}
		ev := s.queue[0]
		s.queue = s.queue[1:]
		for _, ef := range e.Take(d.e.now+round, []protocol.Event{ev}) {
			s.perform(ef)
		}
	}
	fates, kept := "", 0
	if l := e.sessions[session]; l != nil {
		for _, n := range l.state.Notes {
			fates += ", " + n.Fate
			if n.Fate == "delivered" {
				kept++
			}
		}
		for _, d := range l.state.Deliveries {
			fates += ", " + d.State
		}
		if s.delivered == 1 && kept == 1 && len(l.state.Notes) == 2 && len(l.state.Deliveries) == 1 && l.state.Deliveries[0].State == "seen" {
			return "in a rehearsal (scripted model and host) a note with a true quote was delivered and seen, and one with an invented quote was not", false
		}
	}
	return "the rehearsal did not go as it must: " + itoa(s.sent) + " requests, " + itoa(s.delivered) + " deliveries" + fates + s.trouble, true
}

const (
	rehearsalRoot = "/rehearsal"
	rehearsalFile = rehearsalRoot + "/db.ts"
	rehearsalText = "export function findUser(id: string) {\n  return null\n}\n"
)

// rehearsalReplies are what the scripted model says, one after the other.
var rehearsalReplies = [...]string{
	`{"choices":[{"finish_reason":"tool_calls","message":{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{\"path\":\"db.ts\"}"}}]}}]}`,
	`{"choices":[{"finish_reason":"tool_calls","message":{"role":"assistant","tool_calls":[` +
		`{"id":"c2","type":"function","function":{"name":"advise","arguments":"{\"note\":\"findUser gives null for every id, and its name is then read.\",\"severity\":\"concern\",\"verdict\":\"confirmed\",\"category\":\"bug\",\"citations\":[{\"kind\":\"quote\",\"path\":\"db.ts\",\"line\":2,\"quote\":\"return null\",\"fact\":\"it gives null\"}]}"}},` +
		`{"id":"c3","type":"function","function":{"name":"advise","arguments":"{\"note\":\"Errors of the database are swallowed here.\",\"severity\":\"concern\",\"verdict\":\"confirmed\",\"category\":\"bug\",\"citations\":[{\"kind\":\"quote\",\"path\":\"db.ts\",\"line\":3,\"quote\":\"catch (error) {}\",\"fact\":\"nothing is done\"}]}"}}]}}]}`,
	`{"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"silent"}}]}`,
}

// rehearsal is the scripted outside: one file, one model, one host.
type rehearsal struct {
	queue     []protocol.Event
	timers    []string
	sent      int
	delivered int
	trouble   string
}

func (s *rehearsal) perform(ef protocol.Effect) {
	switch ef := ef.(type) {
	case *protocol.Need:
		s.hear(&protocol.Provided{ID: ef.ID})
	case *protocol.Load:
		s.hear(&protocol.Loaded{Session: ef.Session, Reviewer: true})
	case *protocol.Heed:
		s.hear(&protocol.Heard{ID: ef.ID})
	case *protocol.SignalsWanted:
		s.hear(&protocol.Signals{Session: ef.Session, ID: ef.ID})
	case *protocol.SetTimer:
		for i, id := range s.timers {
			if id == ef.ID {
				s.timers = append(s.timers[:i], s.timers[i+1:]...)
				break
			}
		}
		if ef.MS >= 0 {
			s.timers = append(s.timers, ef.ID)
		}
	case *protocol.Deliver:
		s.delivered++
		s.hear(&protocol.Receipt{Session: ef.Session, ID: ef.ID, State: "seen"})
	}
}

func (s *rehearsal) hear(ev protocol.Event) { s.queue = append(s.queue, ev) }

// Send answers with the next reply, and with the last one from then on.
func (s *rehearsal) Send(r protocol.HTTPSend) protocol.Errno {
	body := rehearsalReplies[min(s.sent, len(rehearsalReplies)-1)]
	s.sent++
	s.hear(&protocol.HTTP{ID: r.ID, Status: 200, Headers: []protocol.Header{{Name: "content-type", Value: "application/json"}}, Body: body})
	return protocol.OK
}

func (s *rehearsal) Cancel(string) {}

func (s *rehearsal) Emit(l protocol.Log) {
	if l.Level == "error" {
		s.trouble += "; " + l.Text
	}
}

func (s *rehearsal) Interrupted() {}

func (s *rehearsal) Stat(path string) (protocol.Info, protocol.Errno) {
	switch path {
	case rehearsalRoot:
		return protocol.Info{Kind: protocol.KindDir, Ino: 1}, protocol.OK
	case rehearsalFile:
		return protocol.Info{Kind: protocol.KindFile, Size: int64(len(rehearsalText)), Ino: 2}, protocol.OK
	}
	return protocol.Info{}, protocol.ErrnoNotFound
}

func (s *rehearsal) Real(path string) (string, protocol.Errno) {
	_, e := s.Stat(path)
	return path, e
}

func (s *rehearsal) Read(_ string, _ protocol.Info, offset int64, buf []byte) (int, protocol.Errno) {
	return copy(buf, rehearsalText[min(offset, int64(len(rehearsalText))):]), protocol.OK
}

func (s *rehearsal) List(string, protocol.Info) ([]protocol.Entry, protocol.Errno) {
	return []protocol.Entry{{Name: rehearsalFile[len(rehearsalRoot)+1:], Kind: protocol.KindFile}}, protocol.OK
}
