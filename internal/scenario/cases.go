package scenario

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Case is one scripted reviewer of testdata/cases: a fault that people met in systems like
// this, and what a careful product would do.
type Case struct {
	ID, Title string
	Human     []string
	Timing    struct{ PrimaryDelayMs, ReviewerDelayMs int64 }
	Reviewer  struct {
		Every   *Action
		Reviews []Action
	}
	Ideal map[string]any

	// Options are laid over the product's defaults; not in the file.
	Options map[string]any `json:"-"`
}

// Action is what the reviewer does in one review: its tool calls, then its notes or words.
type Action struct {
	Notes []struct {
		Severity, Text, File, Quote string
		Line                        int
	}
	Tools   [][]toolCall
	Text    *string
	HTTP    int
	Headers map[string]string
	Body    json.RawMessage
	Hang    bool
	DelayMs int64
}

type toolCall struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// Cases is the file.
type Cases struct {
	RequestCap int
	Workspace  struct {
		Files, Symlinks, Outside, Home, Secrets map[string]string
	}
	Cases []Case
}

// LoadCases reads the file. Its made-up secrets are broken by a sign, so that no scanner trips over them.
func LoadCases(path string) (*Cases, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var c Cases
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(data), "§", "")), &c); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return &c, nil
}

// Played is what came of a case.
type Played struct {
	Delivered, Wakes, Held     int // Held: notes with a digest of what was held back
	AfterDecision              int // delivered after the last human message
	Reviews, Requests, Longest int // Longest: requests of one review
	Notices                    []string
	Secrets, Outside, Executed int
	Capped                     bool
}

// outsideMarks are in files that no review may see.
var outsideMarks = regexp.MustCompile(`OUTSIDE-[A-Z]+-[0-9A-F]{2}`)

// Leaks counts the made-up secrets, and the marks of files outside the workspace, in a request of the reviewer.
func (all *Cases) Leaks(body string) (secrets, outside int) {
	for _, secret := range all.Workspace.Secrets {
		secrets += strings.Count(body, secret)
	}
	return secrets, len(outsideMarks.FindAllString(body, -1))
}

// player is the scripted primary, the scripted reviewer and the person.
type player struct {
	*World
	all     *Cases
	c       Case
	out     string // the folder outside the repository
	got     Played
	idle    bool
	spoken  int
	echoes  []*protocol.Deliver // not yet seen by the primary
	woken   []*protocol.Deliver
	due     map[string]int64 // answers, by request
	hanging map[string]bool  // requests that are never answered
	first   string           // the first request of the running review
	action  Action
	round   int // requests of the running review
}

// Play runs a case in dir, which is empty, to the point at which nothing is under way any more.
func (all *Cases) Play(c Case, dir string, start Start) (Played, error) {
	p := &player{World: newWorld(dir, start), all: all, c: c, out: filepath.Join(dir, "outside"), due: map[string]int64{}, hanging: map[string]bool{}, idle: true}
	// What a person sets: the product's own debounce and bounds are under test too.
	own := map[string]any{"debounceMs": nil}
	maps.Copy(own, c.Options)
	raw, err := json.Marshal(own)
	if err != nil {
		return p.got, err
	}
	if p.options, err = options(raw); err != nil {
		return p.got, err
	}
	if err := p.lay(); err != nil {
		return p.got, err
	}
	p.watch = p.hear
	if err := p.restart(); err != nil {
		return p.got, err
	}
	p.post(&protocol.Session{Session: "s1", Complete: true})
	for i, text := range c.Human {
		p.spoken = i + 1
		if err := p.turn(&protocol.User{Session: "s1", ID: fmt.Sprintf("m%d", i+1), Text: text, Typed: true, Created: p.now}); err != nil {
			return p.got, err
		}
		if err := p.quiet(); err != nil {
			return p.got, err
		}
	}
	if _, err := os.Stat(filepath.Join(p.out, "pwned")); err == nil {
		p.got.Executed++
	}
	return p.got, nil
}

func (p *player) lay() error {
	ws := p.all.Workspace
	for _, tree := range []struct {
		root  string
		files map[string]string
	}{{p.Root, ws.Files}, {p.out, ws.Outside}, {p.Home, ws.Home}} {
		if err := lay(tree.root, tree.files); err != nil {
			return err
		}
	}
	for name, to := range ws.Symlinks {
		if err := os.Symlink(p.place(to), filepath.Join(p.Root, name)); err != nil {
			return err
		}
	}
	return nil
}

func (p *player) place(text string) string { return strings.ReplaceAll(text, "{OUT}", p.out) }

// hear counts what reaches the session and the person.
func (p *player) hear(ef protocol.Effect) {
	switch e := ef.(type) {
	case *protocol.Deliver:
		p.got.Delivered += len(e.Notes)
		if strings.Contains(e.Text, "Held back") {
			p.got.Held++
		}
		if p.spoken == len(p.c.Human) {
			p.got.AfterDecision += len(e.Notes)
		}
		// A session that runs takes a message in at its next step; only an idle one is woken.
		if e.Wake && p.idle {
			p.got.Wakes++
			p.woken = append(p.woken, e)
			return
		}
		p.echoes = append(p.echoes, e)
	case *protocol.Notice:
		p.got.Notices = append(p.got.Notices, e.Text)
	}
}

var directive = regexp.MustCompile(`\[\[(\w+) ([^\]]*)\]\]`)

// turn is the primary at work: one model request for each directive of the input, then an answer.
func (p *player) turn(input *protocol.User) error {
	p.idle = false
	p.post(input)
	p.post(&protocol.TurnStart{Session: "s1"})
	for i, d := range directive.FindAllStringSubmatch(input.Text, -1) {
		if err := p.pass(p.c.Timing.PrimaryDelayMs); err != nil {
			return err
		}
		p.seen()
		tool, ms := p.execute(fmt.Sprintf("%s_%d", input.ID, i+1), d[1], d[2])
		if err := p.pass(ms); err != nil {
			return err
		}
		p.post(tool)
		p.post(&protocol.StepEnd{Session: "s1", Finish: "tool-calls", Files: tool.Files})
		if err := p.pass(0); err != nil {
			return err
		}
	}
	if err := p.pass(p.c.Timing.PrimaryDelayMs); err != nil {
		return err
	}
	p.seen()
	p.post(&protocol.Text{Session: "s1", Text: "Done with " + input.ID + "."})
	p.post(&protocol.StepEnd{Session: "s1", Finish: "stop"})
	p.post(&protocol.TurnEnd{Session: "s1", Outcome: "ok"})
	p.idle = true
	return p.pass(0)
}

// seen shows the primary what was delivered silently.
func (p *player) seen() {
	for _, d := range p.echoes {
		p.post(&protocol.User{Session: "s1", ID: d.ID, Text: d.Text, Typed: true, Advisor: true, Created: p.now})
	}
	p.echoes = nil
}

// execute does what a directive says, inside the workspace, and how long it takes.
func (p *player) execute(call, name, arg string) (*protocol.Tool, int64) {
	t := &protocol.Tool{Session: "s1", Call: call, Name: name}
	switch name {
	case "read":
		t.Input = inputOf("filePath", arg)
		data, err := os.ReadFile(filepath.Join(p.Root, arg))
		t.Output, t.Failed = string(data), err != nil
	case "write":
		path, text, _ := strings.Cut(arg, " ")
		text = strings.ReplaceAll(text, `\n`, "\n")
		t.Input = inputOf("filePath", path, "content", text)
		t.Files = []string{path}
		t.Failed = write(p.Root, path, text) != nil
		t.Output = "Wrote file successfully."
	case "bash":
		t.Input = inputOf("command", arg)
		t.HasExit = true
		ms := int64(0)
		for part := range strings.SplitSeq(arg, ";") {
			verb, rest, _ := strings.Cut(strings.TrimSpace(part), " ")
			switch verb {
			case "echo":
				t.Output += rest + "\n"
			case "sleep":
				ms += 1000
			case "cat":
				data, _ := os.ReadFile(filepath.Join(p.Root, rest))
				t.Output += string(data)
			}
		}
		return t, ms
	}
	return t, 0
}

func inputOf(pairs ...string) protocol.JSON {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	data, err := json.Marshal(m)
	if err != nil {
		panic(err) // strings always encode
	}
	return protocol.JSON(data)
}
