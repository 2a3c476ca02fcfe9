package bench

import (
	"errors"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/memfs"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// player is the scripted agent and person of one session.
type player struct {
	*world
	row   *Row
	setup Setup
	idle  bool
	ids   int
	echo  []*protocol.Deliver // not yet seen by the agent
	woken []*protocol.Deliver
	calls int // tool calls
	wakes int // since the person spoke last
	said  map[string]protocol.Severity
	// reacting: the agent answers a wake.
	reacting bool
}

// maxReactions bounds how often a woken agent answers between two messages of the person, for
// what has no bound of its own.
const maxReactions = 10

// settle is how long a session is watched after its last turn: longer than any review may take.
const settle = 30 * 60_000

// play runs one session and adds what came of it to the row.
func play(s *Session, r Reviewer, setup Setup, row *Row) error {
	p := &player{row: row, setup: setup, idle: true, said: map[string]protocol.Severity{}}
	scene := &Scene{Session: s, files: tree(maps.Clone(s.Files)), matters: map[string]string{}, beside: map[string]string{}}
	p.world = &world{FS: memfs.New(root), reviewer: r, scene: scene, now: epoch, timers: map[string]int64{}, claims: map[string]bool{},
		options: setup.options(), deliver: p.delivered,
		notice: func(n *protocol.Notice) {
			row.Notices++
			if setup.Noticed != nil {
				setup.Noticed(scene, n)
			}
		},
		requests: func(in, out int64) {
			row.Requests++
			row.tokensIn += in
			row.tokensOut += out
		},
	}
	for _, path := range slices.Sorted(maps.Keys(s.Files)) {
		p.Write(path, s.Files[path])
	}
	var err error
	if p.core, err = setup.Start(p.world, scene, r); err != nil {
		return err
	}
	if err := p.begin(); err != nil {
		return err
	}
	for i, t := range s.Turns {
		scene.Turn = i
		row.Turns++
		if t.clean() {
			row.Clean++
		}
		if err := p.turn(i, t); err != nil {
			return errors.New(s.Name + ", turn " + strconv.Itoa(i+1) + ": " + err.Error())
		}
	}
	if err := p.pass(settle, p.react); err != nil {
		return err
	}
	for _, l := range scene.planted {
		if l.Kind == Defect {
			row.Planted++
			if l.told != "" {
				row.Delivered++
				row.latencies = append(row.latencies, l.after)
			}
		}
	}
	return nil
}

// spread gives a number from low to high that depends on what alone.
func spread(low, high int64, what ...string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(strings.Join(what, " ") + "\n")) // it never fails
	return low + int64(h.Sum64()%uint64(high-low+1))
}

func (p *player) id(kind string) string {
	p.ids++
	return kind + "_" + padded(p.ids)
}

// padded gives a number at least three digits, so that ids sort.
func padded(n int) string {
	text := strconv.Itoa(n)
	return strings.Repeat("0", max(0, 3-len(text))) + text
}

func (p *player) turn(n int, t Turn) error {
	for _, id := range t.Dismiss {
		l := p.scene.find(id)
		if l == nil || l.told == "" {
			continue // nothing was said of it, so there is nothing to dismiss
		}
		l.dismissed = true
		p.post(&protocol.Command{Session: sessionID, Call: p.id("cmd"), Name: "advisor", Text: "mute " + l.note})
	}
	p.post(&protocol.User{Session: sessionID, ID: p.id("msg"), Text: t.Person, Typed: true, Created: p.now}, &protocol.TurnStart{Session: sessionID})
	p.idle, p.wakes = false, 0
	for i, step := range t.Steps {
		if err := p.step(step, i == len(t.Steps)-1, spread(2_500, 9_000, p.scene.Session.Name, strconv.Itoa(n), strconv.Itoa(i))); err != nil {
			return err
		}
	}
	p.post(&protocol.TurnEnd{Session: sessionID, Outcome: "ok"})
	p.idle = true
	// A person reads, or answers at once, or goes for a coffee.
	if err := p.pass(spread(3_000, 60_000, p.scene.Session.Name, strconv.Itoa(n)), p.react); err != nil {
		return err
	}
	return p.replace()
}

// replace gives the session a fresh core where nothing is under way, as after a crash.
func (p *player) replace() (err error) {
	if !p.setup.Replace || len(p.answers)+len(p.timers) > 0 {
		return nil
	}
	if p.core, err = p.setup.Start(p.world, p.scene, p.reviewer); err != nil {
		return err
	}
	return p.begin()
}

func (p *player) step(s Step, last bool, ms int64) error {
	if err := p.pass(ms, nil); err != nil {
		return err
	}
	p.seen()
	message := p.id("step")
	if s.Text != "" {
		p.post(&protocol.Text{Session: sessionID, Message: message, Text: s.Text})
	}
	var fresh []*planted
	for _, a := range s.Acts {
		switch a.Do {
		case "label":
			fresh = append(fresh, &planted{Label: a.Label, since: p.now})
		case "mended":
			for _, l := range append(p.scene.planted, fresh...) {
				if l.ID == a.Mended {
					l.mended = true
				}
			}
		default:
			if err := p.act(a, message); err != nil {
				return err
			}
		}
	}
	p.scene.planted = append(p.scene.planted, fresh...)
	finish := "tool-calls"
	if last {
		finish = "stop"
	}
	p.post(&protocol.StepEnd{Session: sessionID, Message: message, Finish: finish})
	return p.pump()
}

// seen shows the agent what was delivered silently.
func (p *player) seen() {
	for _, d := range p.echo {
		p.post(&protocol.User{Session: sessionID, ID: d.ID, Text: d.Text, Typed: true, Advisor: true, Created: p.now})
	}
	p.echo = nil
}

// act performs one tool call of the agent.
func (p *player) act(a Act, message string) error {
	if err := p.scene.files.apply(a); err != nil {
		return err
	}
	text, there := p.scene.files[a.Path]
	p.calls++
	t := &protocol.Tool{Session: sessionID, Message: message, Call: "call_" + padded(p.calls)}
	switch a.Do {
	case "read":
		t.Name, t.Input, t.Output = "read", input("filePath", root+"/"+a.Path), numbered(text)
	case "edit":
		t.Name, t.Input, t.Output = "edit", input("filePath", root+"/"+a.Path, "oldString", a.Old, "newString", a.New), "Edit applied successfully."
	case "write":
		t.Name, t.Input, t.Output = "write", input("filePath", root+"/"+a.Path, "content", a.New), "Wrote file successfully."
	case "remove":
		t.Name, t.Input, t.HasExit = "bash", input("command", "rm "+a.Path), true
	case "bash":
		t.Name, t.Input, t.Output, t.HasExit, t.Exit = "bash", input("command", a.Command), a.Output, true, a.Exit
	}
	if a.Do == "edit" || a.Do == "write" || a.Do == "remove" {
		t.Files = []string{a.Path}
		p.write(a.Path, text, there)
	}
	p.post(t)
	return nil
}

func numbered(text string) string {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(text) {
		n++
		number := strconv.Itoa(n)
		b.WriteString(strings.Repeat(" ", max(0, 5-len(number))) + number + "| " + line)
	}
	return b.String()
}

// input is an object of texts: each key and its value.
func input(pairs ...string) protocol.JSON {
	var b []byte
	for i := 0; i < len(pairs); i += 2 {
		b = protocol.AppendString(append(b, ','), pairs[i])
		b = protocol.AppendString(append(b, ':'), pairs[i+1])
	}
	b[0] = '{'
	return protocol.JSON(append(b, '}'))
}

// withoutHeld leaves out the line that counts what was held back, which tells of nothing.
func withoutHeld(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "Held back, ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// delivered judges a note at the moment at which it comes.
func (p *player) delivered(d *protocol.Deliver) {
	r, s := p.row, p.scene
	if d.Wake {
		r.Wakes++
		p.wakes++
		r.MostWakes = max(r.MostWakes, p.wakes)
	}
	text := withoutHeld(d.Text)
	severity := protocol.Severity(d.Severity)
	r.count(severity)
	cites := citesOf(text)
	about, stale := s.about(cites), s.stale(cites)
	if s.isBeside(text) {
		about = nil
	}
	key := s.matter(text, cites)
	if about != nil {
		key = about.ID
	}
	if was, again := p.said[key]; again && severity.Rank() <= was.Rank() {
		r.Repeats++
	}
	if severity.Rank() > p.said[key].Rank() {
		p.said[key] = severity
	}
	if stale {
		r.Stale++
	}
	switch {
	case about != nil && about.dismissed:
		r.Dismissed++
		r.alarm(severity)
	case about == nil, about.mended, stale, !about.real():
		r.alarm(severity)
	case about.told == "":
		about.told, about.after = severity, p.now-about.since
		if len(d.Notes) > 0 {
			about.note = d.Notes[0]
		}
	}
	if p.setup.Told != nil {
		p.setup.Told(s, d, about != nil && about.real() && !about.mended && !about.dismissed && !stale)
	}
	if d.Wake && p.idle && !p.reacting {
		p.woken = append(p.woken, d)
	} else {
		p.echo = append(p.echo, d)
	}
}

// react lets an idle agent that was woken answer, and be watched as before.
func (p *player) react() error {
	for len(p.woken) > 0 && p.idle && !p.reacting && p.wakes <= maxReactions {
		d := p.woken[0]
		p.woken = p.woken[1:]
		p.idle, p.reacting = false, true
		p.post(&protocol.User{Session: sessionID, ID: d.ID, Text: d.Text, Typed: true, Advisor: true, Created: p.now}, &protocol.TurnStart{Session: sessionID})
		err := p.step(Step{Text: "I have read the advisor's note and will come back to it with the person."}, true, spread(2_500, 9_000, p.scene.Session.Name, d.ID))
		p.post(&protocol.TurnEnd{Session: sessionID, Outcome: "ok"})
		p.idle, p.reacting = true, false
		if err != nil {
			return err
		}
		if err := p.pump(); err != nil {
			return err
		}
	}
	p.woken = nil
	return nil
}
