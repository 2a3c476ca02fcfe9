// Package sessions measures what reaches a person: scripted reviewers, or a real model, over the
// labelled sessions of testdata/corpus/sessions, through the whole core, on a clock of its own.
// Beside each row stands the same reviewer without any rules, whose every note is
// delivered as it came.
package sessions

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Session is one recording. The README of the corpus states the format.
type Session struct {
	Name, Prose string
	Files       map[string]string
	Turns       []Turn
}

// Turn is what follows one message of the person.
type Turn struct {
	Line    int // in the file's script, from 1
	Person  string
	Dismiss []string // labels that the person dismisses before they write
	Steps   []Step
}

// Step is one model call of the agent: its words, then its tool calls.
type Step struct {
	Text string
	Acts []Act
}

// Act is one thing that happens in a step: a tool call, or a mark.
type Act struct {
	Do      string // read, edit, write, remove, bash; label, mended
	Path    string
	Command string
	Output  string
	Exit    int
	Old     string // edit
	New     string // edit and write
	Label   *Label
	Mended  string // label's id
}

// The kinds of labels.
const (
	Defect = "defect" // planted; a good reviewer tells of it in time
	Stale  = "stale"  // planted, and mended by the agent before a note could come
	Tempt  = "tempt"  // looks wrong, and another place shows that it is right
)

// Label marks a place.
type Label struct {
	Kind, ID string
	Severity protocol.Severity
	Category string
	// Path is a file, or $ for the output of the command before it.
	Path, Quote string
	// RefutePath and RefuteQuote show why a tempting suspicion is wrong.
	RefutePath, RefuteQuote string
	Why                     string
	Again                   []string // the same matter in other words
}

// Load reads the sessions of a folder, sorted by name.
func Load(dir string) (all []*Session, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("load sessions: no .txtar file in %s", dir)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		s, err := Parse(strings.TrimSuffix(filepath.Base(path), ".txtar"), data)
		if err != nil {
			return nil, fmt.Errorf("load session %s: %w", path, err)
		}
		all = append(all, s)
	}
	return all, nil
}

// Parse reads one session and checks it.
func Parse(name string, data []byte) (*Session, error) {
	a := txtar.Parse(data)
	s := &Session{Name: name, Prose: strings.TrimSpace(string(a.Comment)), Files: map[string]string{}}
	if s.Prose == "" {
		return nil, fmt.Errorf("no prose says what it is about")
	}
	for _, f := range a.Files {
		if path, ok := strings.CutPrefix(f.Name, "files/"); ok {
			s.Files[path] = string(f.Data)
		} else if f.Name != "script" {
			return nil, fmt.Errorf("unknown section %s", f.Name)
		} else if err := s.script(string(f.Data)); err != nil {
			return nil, err
		}
	}
	return s, s.check()
}

// script reads the lines of the section script.
func (s *Session) script(text string) error {
	r := reader{s: s}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			continue
		}
		if err := r.line(n, line); err != nil {
			return fmt.Errorf("script, line %d: %w", n, err)
		}
	}
	return nil
}

// reader is a script half read. Into is what lines that begin with | are added to.
type reader struct {
	s       *Session
	person  bool // the line before was the person's
	into    *string
	dismiss []string
}

func (r *reader) turn() *Turn {
	if len(r.s.Turns) == 0 {
		return nil
	}
	return &r.s.Turns[len(r.s.Turns)-1]
}

func (r *reader) step() *Step {
	t := r.turn()
	if len(t.Steps) == 0 {
		t.Steps = append(t.Steps, Step{})
	}
	return &t.Steps[len(t.Steps)-1]
}

func (r *reader) act() *Act {
	if t := r.turn(); t != nil && len(t.Steps) > 0 {
		if acts := t.Steps[len(t.Steps)-1].Acts; len(acts) > 0 {
			return &acts[len(acts)-1]
		}
	}
	return &Act{}
}

func (r *reader) add(a Act) {
	s := r.step()
	s.Acts = append(s.Acts, a)
}

func (r *reader) line(n int, line string) error {
	mark, rest := line[:1], strings.TrimPrefix(line[1:], " ")
	person := r.person
	r.person = mark == ">"
	if mark == ">" {
		if !person {
			r.s.Turns = append(r.s.Turns, Turn{Line: n, Dismiss: r.dismiss})
			r.dismiss = nil
		}
		t := r.turn()
		t.Person = join(t.Person, rest)
		return nil
	}
	if word, id, _ := strings.Cut(rest, " "); mark == "!" && word == "dismiss" {
		r.dismiss = append(r.dismiss, id)
		return nil
	}
	if r.turn() == nil {
		return fmt.Errorf("nobody has spoken yet")
	}
	switch mark {
	case ":":
		if t := r.turn(); len(t.Steps) == 0 || len(r.step().Acts) > 0 {
			t.Steps = append(t.Steps, Step{})
		}
		r.step().Text = join(r.step().Text, rest)
	case "?":
		r.add(Act{Do: "read", Path: rest})
	case "~":
		r.add(Act{Do: "edit", Path: rest})
	case "=":
		r.add(Act{Do: "write", Path: rest})
	case "$":
		r.add(Act{Do: "bash", Command: rest})
		r.into = &r.act().Output
	case "-", "+", " ":
		return r.code(mark, line[1:])
	case "|":
		if r.into == nil {
			return fmt.Errorf("nothing takes this text")
		}
		if r.into == &r.act().Output {
			line = rest // beside a space, as it is easier to read
		} else {
			line = line[1:]
		}
		*r.into += line + "\n"
	case "!":
		return r.directive(rest)
	default:
		return fmt.Errorf("%q begins no line", mark)
	}
	return nil
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "\n" + b
}

func (r *reader) code(mark, text string) error {
	a := r.act()
	if a.Do != "edit" && (a.Do != "write" || mark != "+") {
		return fmt.Errorf("a line of code follows no edit")
	}
	if mark != "+" {
		a.Old += text + "\n"
	}
	if mark != "-" {
		a.New += text + "\n"
	}
	return nil
}

func (r *reader) directive(text string) error {
	f := strings.Fields(text)
	a := r.act()
	rest := ""
	if len(f) > 0 {
		rest = strings.TrimSpace(strings.TrimPrefix(text, f[0]))
	}
	switch {
	case len(f) == 1 && f[0] == "step":
		t := r.turn()
		t.Steps = append(t.Steps, Step{})
	case len(f) == 2 && f[0] == "exit" && a.Do == "bash":
		code, err := strconv.Atoi(f[1])
		a.Exit = code
		return err
	case len(f) == 2 && f[0] == "remove":
		r.add(Act{Do: "remove", Path: f[1]})
	case len(f) == 2 && f[0] == "mended":
		r.add(Act{Do: "mended", Mended: f[1]})
	case len(f) == 5 && (f[0] == Defect || f[0] == Stale || f[0] == Tempt):
		r.add(Act{Do: "label", Label: &Label{Kind: f[0], ID: f[1], Severity: protocol.Severity(f[2]), Category: f[3], Path: f[4]}})
		r.into = &r.act().Label.Quote
	case len(f) == 2 && f[0] == "refuted" && a.Label != nil:
		a.Label.RefutePath = f[1]
		r.into = &a.Label.RefuteQuote
	case len(f) > 2 && f[0] == "why" && a.Label != nil:
		a.Label.Why = rest
	case len(f) > 2 && f[0] == "again" && a.Label != nil:
		a.Label.Again = append(a.Label.Again, rest)
	default:
		return fmt.Errorf("unknown mark %q", text)
	}
	return nil
}
