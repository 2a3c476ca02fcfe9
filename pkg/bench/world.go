package bench

import (
	"errors"
	"slices"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/memfs"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Core is the engine, native or as a module, or what takes its place.
type Core interface {
	// Take hands over what happened by now, and gives back what is to be done, valid until the next call.
	Take(now int64, events []protocol.Event) []protocol.Effect
}

// Outside is what a core's imports end in.
type Outside interface {
	protocol.Files
	Send(protocol.HTTPSend) protocol.Errno
	Cancel(id string)
	Emit(protocol.Log)
	Interrupted()
}

// Start makes a core for one session.
type Start func(out Outside, scene *Scene, r Reviewer) (Core, error)

const (
	root  = "/work"
	epoch = 1_700_000_000_000 // any fixed day
)

// answer is a reply under way.
type answer struct {
	id   string
	at   int64 // when it comes
	http *protocol.HTTP
}

// world does what a loader does, on a clock of its own.
type world struct {
	*memfs.FS
	core     Core
	reviewer Reviewer
	scene    *Scene
	now      int64
	queue    []protocol.Event
	sent     []protocol.HTTPSend // not yet given to the reviewer
	answers  []answer            // in the order in which they were asked for
	timers   map[string]int64
	state    protocol.JSON
	claims   map[string]bool
	options  string
	deliver  func(*protocol.Deliver)
	notice   func(*protocol.Notice)
	requests func(in, out int64)
}

func (w *world) Send(r protocol.HTTPSend) protocol.Errno {
	w.sent = append(w.sent, r)
	return protocol.OK
}

func (w *world) Cancel(id string) {
	w.sent = slices.DeleteFunc(w.sent, func(r protocol.HTTPSend) bool { return r.ID == id })
	w.answers = slices.DeleteFunc(w.answers, func(a answer) bool { return a.id == id })
}

func (w *world) Emit(protocol.Log) {}
func (w *world) Interrupted()      {}

func (w *world) post(events ...protocol.Event) { w.queue = append(w.queue, events...) }

// pump calls the core until it has nothing more to hear.
func (w *world) pump() error {
	for rounds := 0; len(w.queue) > 0; rounds++ {
		if rounds > 10_000 {
			return errors.New("the core never comes to rest")
		}
		events := w.queue
		w.queue = nil
		for _, ef := range w.core.Take(w.now, events) {
			w.perform(ef)
		}
		w.ask()
	}
	return nil
}

// ask gives new requests to the reviewer. One that hangs is never answered.
func (w *world) ask() {
	sent := w.sent
	w.sent = nil
	for _, r := range sent {
		w.scene.asked++
		reply, ms := w.reviewer.Answer(w.scene, r)
		if reply == nil {
			continue
		}
		in, out := usage(reply.Body)
		w.requests(in, out)
		reply.ID = r.ID
		w.scene.Replied += ms
		w.answers = append(w.answers, answer{r.ID, w.now + ms, reply})
	}
}

func (w *world) perform(ef protocol.Effect) {
	switch e := ef.(type) {
	case *protocol.Need:
		p := &protocol.Provided{ID: e.ID}
		for _, path := range e.Files {
			p.Files = append(p.Files, protocol.File{Path: path})
		}
		for _, name := range e.Env {
			p.Env = append(p.Env, protocol.Variable{Name: name})
		}
		for _, id := range e.Providers {
			p.Providers = append(p.Providers, protocol.Provider{ID: id})
		}
		w.post(p)
	case *protocol.Load:
		w.post(&protocol.Loaded{Session: e.Session, State: w.state, Reviewer: true})
	case *protocol.Save:
		w.state = e.State
		if e.ID != "" {
			w.post(&protocol.Saved{ID: e.ID})
		}
	case *protocol.Claim:
		granted := !w.claims[e.Key]
		w.claims[e.Key] = true
		w.post(&protocol.Claimed{ID: e.ID, Granted: granted})
	case *protocol.SetTimer:
		if e.MS < 0 {
			delete(w.timers, e.ID)
		} else {
			w.timers[e.ID] = w.now + e.MS
		}
	case *protocol.Heed:
		w.post(&protocol.Heard{ID: e.ID})
	case *protocol.SignalsWanted:
		w.post(&protocol.Signals{Session: e.Session, ID: e.ID})
	case *protocol.Deliver:
		w.deliver(e)
		w.post(&protocol.Receipt{Session: e.Session, ID: e.ID, State: "admitted"}, &protocol.Receipt{Session: e.Session, ID: e.ID, State: "seen"})
	case *protocol.Notice:
		w.notice(e)
	case *protocol.Generate:
		w.post(&protocol.Generated{ID: e.ID, Failure: "unsupported"})
	}
}

// pass lets ms milliseconds go by: timers fire and answers come, each at its time. After each
// of them between is called.
func (w *world) pass(ms int64, between func() error) error {
	end := w.now + ms
	for {
		if err := w.pump(); err != nil {
			return err
		}
		if between != nil {
			if err := between(); err != nil {
				return err
			}
			end = max(end, w.now) // what happened in between took its time
		}
		next, what := end, ""
		for id, at := range w.timers {
			if at < next || at == next && (what == "" || id < what) {
				next, what = at, id
			}
		}
		reply := -1
		for i, a := range w.answers {
			if a.at < next {
				next, reply = a.at, i
			}
		}
		w.now = max(w.now, next)
		switch {
		case reply >= 0:
			a := w.answers[reply]
			w.answers = slices.Delete(w.answers, reply, reply+1)
			w.post(a.http)
		case what != "":
			delete(w.timers, what)
			w.post(&protocol.Timer{ID: what})
		default:
			return nil
		}
	}
}

// write changes a file for the core, and removes it without a text.
func (w *world) write(path string, text string, there bool) {
	if there {
		w.Write(path, text)
	} else {
		w.Remove(path)
	}
}

func (w *world) begin() error {
	w.post(&protocol.Init{ABI: protocol.ABIVersion, Version: "0.0.0", Host: "harness", Seed: strings.Repeat("5a", 32), Directory: root, Root: root,
		Home: "/home", ConfigHome: "/home/.config", DataHome: "/home/.local/share", Options: protocol.JSON(w.options)},
		&protocol.Session{Session: sessionID, Complete: true})
	return w.pump()
}

const sessionID = "ses_bench"
