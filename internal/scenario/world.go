package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Guest is the engine, native or as a module.
type Guest interface {
	Call(batch []byte) ([]byte, error)
	// Restart replaces it by a fresh one.
	Restart() error
}

// Start makes a guest whose imports end in the world.
type Start func(w *World) (Guest, error)

// World is the outside of a guest: a workspace on disk, a clock, a store, open
// requests. It does what a loader does, with nothing left to chance.
type World struct {
	Root, Home string

	guest   Guest
	start   Start
	options json.RawMessage
	now     int64
	queue   []protocol.Event
	open    []protocol.HTTPSend
	timers  map[string]int64
	states  map[string]string
	claims  map[string]bool
	ledgers map[string]string
	wishes  map[string]string
	denied  map[string]bool
	signals *protocol.Signals
	history []protocol.Event
	told    protocol.Facts // what a FactsWanted is answered with
	kept    protocol.JSON
	facts   map[string]*protocol.Session
	ignored map[string]bool
	shown   map[string]bool // notices, by session and key
	ready   bool
	look    []string
	allowed bool // a request may stay open at the end
	seen    bytes.Buffer
	watch   func(protocol.Effect) // is told of what is performed; may be nil
	logs    []protocol.Log
}

const (
	epoch  = 1_700_000_000_000 // any fixed day
	apiKey = "sk-scenario"
	// BaseURL is where the runner's model server would be.
	BaseURL = "http://127.0.0.1:9/v1"
)

// Run plays a scenario in dir, which is empty, and returns what was seen. With
// replace the guest is replaced after every line at which no request is open and no timer runs.
func Run(s *Scenario, dir string, start Start, replace bool) (seen string, err error) {
	w := newWorld(dir, start)
	if w.options, err = options(s.Options); err != nil {
		return "", err
	}
	if err := lay(w.Root, s.Files); err != nil {
		return "", err
	}
	if err := lay(w.Home, s.Home); err != nil {
		return "", err
	}
	if err := w.restart(); err != nil {
		return "", err
	}
	for _, line := range s.Script {
		if err := w.play(line); err != nil {
			return w.seen.String(), fmt.Errorf("script.jsonl:%d: %w", line.Number, err)
		}
		if replace && len(w.open) == 0 && len(w.timers) == 0 {
			if err := w.restart(); err != nil {
				return w.seen.String(), fmt.Errorf("script.jsonl:%d: replace the guest: %w", line.Number, err)
			}
		}
	}
	if len(w.open) > 0 && !w.allowed {
		return w.seen.String(), fmt.Errorf("a model request is open at the end")
	}
	return w.seen.String(), nil
}

func newWorld(dir string, start Start) *World {
	return &World{
		Root: filepath.Join(dir, "workspace"), Home: filepath.Join(dir, "home"),
		start: start, now: epoch,
		timers: map[string]int64{}, states: map[string]string{}, claims: map[string]bool{}, ledgers: map[string]string{}, wishes: map[string]string{},
		denied: map[string]bool{}, shown: map[string]bool{}, facts: map[string]*protocol.Session{}, ignored: map[string]bool{},
	}
}

func options(own json.RawMessage) (json.RawMessage, error) {
	all := map[string]any{
		"watchdogModel": "fake/reviewer",
		"provider":      map[string]any{"baseURL": BaseURL, "apiKey": apiKey},
		"debounceMs":    0,
	}
	if len(own) > 0 {
		var over map[string]any
		if err := json.Unmarshal(own, &over); err != nil {
			return nil, fmt.Errorf("options.json: %w", err)
		}
		for k, v := range over {
			if v == nil {
				delete(all, k)
			} else {
				all[k] = v
			}
		}
	}
	return json.Marshal(all)
}

func lay(root string, files map[string]string) error {
	if err := os.MkdirAll(root, 0o755); err != nil {
		return err
	}
	for name, text := range files {
		if err := write(root, name, text); err != nil {
			return err
		}
	}
	return nil
}

func write(root, name, text string) error {
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// restart gives the world a new guest. The store, the claims and the clock stay; what
// the old guest had begun is lost.
func (w *World) restart() error {
	if w.guest == nil {
		g, err := w.start(w)
		if err != nil {
			return err
		}
		w.guest = g
	} else if err := w.guest.Restart(); err != nil {
		return err
	}
	w.open = nil
	w.timers = map[string]int64{}
	w.ready = false
	w.queue = nil
	w.post(&protocol.Init{
		ABI: protocol.ABIVersion, Version: "0.0.0", Host: "harness",
		Seed:      strings.Repeat("5a", 32),
		Directory: w.Root, Root: w.Root, Home: w.Home,
		ConfigHome: filepath.Join(w.Home, ".config"),
		DataHome:   filepath.Join(w.Home, ".local", "share"),
		Options:    protocol.JSON(w.options),
		Kept:       w.kept,
	})
	for _, id := range sortedKeys(w.facts) {
		if !w.ignored[id] {
			w.post(w.facts[id])
		}
	}
	return w.pump()
}

func (w *World) post(ev protocol.Event) { w.queue = append(w.queue, ev) }

// pump calls the guest until it has nothing more to hear, firing timers that are due.
func (w *World) pump() error {
	for rounds := 0; ; rounds++ {
		if rounds > 10_000 {
			return fmt.Errorf("the guest never comes to rest")
		}
		if len(w.queue) == 0 {
			if id := w.due(); id != "" {
				delete(w.timers, id)
				w.post(&protocol.Timer{ID: id})
				continue
			}
			return nil
		}
		batch := protocol.Batch{Now: w.now, Events: w.queue}
		w.queue = nil
		reply, err := w.guest.Call(protocol.AppendBatch(nil, batch))
		if err != nil {
			return fmt.Errorf("call the guest: %w", err)
		}
		out, failures := protocol.DecodeOutcome(reply)
		if len(failures) > 0 {
			return fmt.Errorf("decode the guest's answer: %w", failures[0])
		}
		for _, ef := range out.Effects {
			if err := w.perform(ef); err != nil {
				return err
			}
		}
	}
}

func (w *World) due() string {
	first := ""
	for id, at := range w.timers {
		if at <= w.now && (first == "" || at < w.timers[first] || at == w.timers[first] && id < first) {
			first = id
		}
	}
	return first
}

func (w *World) see(kind string, fields map[string]any) {
	line := map[string]any{"type": kind}
	for k, v := range fields {
		line[k] = v
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(line); err != nil {
		panic(err) // maps of strings and numbers always encode
	}
	w.seen.Write(b.Bytes())
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
