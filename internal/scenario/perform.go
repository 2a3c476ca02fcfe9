package scenario

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// perform does what a loader does with an effect, and notes what is seen from outside.
func (w *World) perform(ef protocol.Effect) error {
	if w.watch != nil {
		w.watch(ef)
	}
	switch e := ef.(type) {
	case *protocol.Need:
		if w.ready && !w.rulesAlone(e) {
			w.see("refused", map[string]any{"what": "need"})
			return nil
		}
		w.post(w.provide(e))
	case *protocol.Ready:
		w.ready = true
	case *protocol.Load:
		if w.denied["load"] {
			w.post(&protocol.Loaded{Session: e.Session, Failure: "unreadable", Reviewer: true})
			return nil
		}
		loaded := &protocol.Loaded{Session: e.Session, State: protocol.JSON(w.states[e.Session]), Reviewer: true}
		if loaded.State == "" && e.Origin != "" {
			loaded.Inherited = protocol.JSON(w.states[e.Origin])
		}
		w.post(loaded)
	case *protocol.Save:
		failure := ""
		if w.denied["save"] {
			failure = "unwritable"
		} else {
			w.states[e.Session] = string(e.State)
		}
		if e.ID != "" {
			w.post(&protocol.Saved{ID: e.ID, Failure: failure})
		}
	case *protocol.Forget:
		delete(w.states, e.Session)
	case *protocol.Claim:
		granted := !w.claims[e.Key] && !w.denied["claim"]
		w.claims[e.Key] = w.claims[e.Key] || granted
		w.see("claim", map[string]any{"granted": granted})
		w.post(&protocol.Claimed{ID: e.ID, Granted: granted})
	case *protocol.Tally:
		if e.Line != "" {
			w.ledgers[e.Name] += e.Line + "\n"
		}
		if e.ID == "" {
			return nil
		}
		text := w.ledgers[e.Name]
		w.post(&protocol.Tallied{ID: e.ID, Text: text[min(int(e.From), len(text)):], Next: int64(len(text))})
	case *protocol.Heed:
		if e.Line != "" {
			w.wishes[e.Session] += e.Line + "\n"
		}
		text := w.wishes[e.Session]
		w.post(&protocol.Heard{ID: e.ID, Text: text[min(int(e.From), len(text)):], Next: int64(len(text))})
	case *protocol.SetTimer:
		if e.MS < 0 {
			delete(w.timers, e.ID)
		} else {
			w.timers[e.ID] = w.now + e.MS
		}
	case *protocol.SignalsWanted:
		s := &protocol.Signals{}
		if w.signals != nil {
			s, w.signals = w.signals, nil
		}
		s.Session, s.ID = e.Session, e.ID
		w.post(s)
	case *protocol.Resync:
		w.post(&protocol.History{Session: e.Session, Events: w.history})
	case *protocol.Deliver:
		w.see("deliver", map[string]any{
			"session": e.Session, "wake": e.Wake, "severity": e.Severity, "text": e.Text,
			"description": e.Description, "toast": e.Toast,
		})
		w.post(&protocol.Receipt{Session: e.Session, ID: e.ID, State: "admitted"})
		if !w.denied["seen"] {
			w.post(&protocol.Receipt{Session: e.Session, ID: e.ID, State: "seen"})
		}
	case *protocol.Notice:
		if key := e.Session + "\x00" + e.Key; w.shown[key] {
			return nil
		} else {
			w.shown[key] = true
		}
		w.see("notice", map[string]any{"variant": e.Variant, "text": e.Text})
	case *protocol.Answer:
		w.see("answer", map[string]any{"call": e.Call, "text": e.Text, "failed": e.Failed})
	case *protocol.Decision:
		w.see("decision", map[string]any{"call": e.Call, "effect": e.Effect, "message": e.Message})
	case *protocol.Ignore:
		w.ignored[e.Session] = true
		w.see("ignore", map[string]any{"session": e.Session, "reason": e.Reason})
	case *protocol.Generate:
		w.post(&protocol.Generated{ID: e.ID, Failure: "unsupported"})
	case *protocol.FactsWanted:
		f := w.told
		f.ID = e.ID
		w.post(&f)
	case *protocol.Keep:
		w.kept = e.State
	case *protocol.Append:
		if e.Log == "judge" {
			return w.record(e.Line)
		}
	case *protocol.GenerateCancel, *protocol.Status:
	case *protocol.WriteConfig:
		saved, err := w.writeConfig(e)
		if err != nil {
			return err
		}
		w.post(saved)
	default:
		return fmt.Errorf("the guest asks for %T, which no runner performs", ef)
	}
	return nil
}

// rulesAlone tells whether a need is one that the loader serves after the start too: files of rules beside advisor.json.
func (w *World) rulesAlone(e *protocol.Need) bool {
	for _, path := range e.Files {
		rel, err := filepath.Rel(filepath.Join(w.Home, ".config", "opencode"), path)
		if err != nil || !filepath.IsLocal(rel) || filepath.Ext(rel) != ".md" || filepath.Clean(path) != path {
			return false
		}
	}
	return len(e.Env)+len(e.Providers) == 0
}

// record notes a line of the judge's log. Of the prompt, which holds a nonce, only that there is one.
func (w *World) record(line string) error {
	var fields map[string]any
	if err := json.Unmarshal([]byte(line), &fields); err != nil {
		return fmt.Errorf("the judge's log: %w in %s", err, line)
	}
	if prompt, ok := fields["prompt"].(string); ok {
		fields["prompt"] = prompt != ""
	}
	w.see("log", fields)
	return nil
}

func (w *World) provide(e *protocol.Need) *protocol.Provided {
	p := &protocol.Provided{ID: e.ID}
	for _, path := range e.Files {
		f := protocol.File{Path: path}
		text, err := os.ReadFile(path)
		switch {
		case err == nil:
			f.Text, f.Exists = string(text), true
		case !os.IsNotExist(err):
			f.Exists, f.Failure = true, err.Error()
		}
		p.Files = append(p.Files, f)
	}
	for _, name := range e.Env {
		p.Env = append(p.Env, protocol.Variable{Name: name})
	}
	for _, id := range e.Providers {
		p.Providers = append(p.Providers, protocol.Provider{ID: id})
	}
	return p
}

// Send is the http_send import: the request waits for a reply of the script.
func (w *World) Send(r protocol.HTTPSend) protocol.Errno {
	w.open = append(w.open, r)
	w.see("request", w.describe(r))
	return protocol.OK
}

// Cancel is the http_cancel import.
func (w *World) Cancel(id string) {
	w.open = slices.DeleteFunc(w.open, func(r protocol.HTTPSend) bool { return r.ID == id })
}

// Emit is the emit import.
func (w *World) Emit(l protocol.Log) { w.logs = append(w.logs, l) }

// Interrupted is the interrupted import; the native engine is never given up.
func (w *World) Interrupted() {}

// writeConfig replaces a file of the person's, if it still is what the guest takes it for.
func (w *World) writeConfig(e *protocol.WriteConfig) (*protocol.Saved, error) {
	const folder = ".config/opencode/"
	was, err := os.ReadFile(filepath.Join(w.Home, folder+e.Name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if string(was) != e.Was {
		return &protocol.Saved{ID: e.ID, Failure: "changed", Text: string(was)}, nil
	}
	return &protocol.Saved{ID: e.ID}, write(w.Home, folder+e.Name, e.Text)
}
