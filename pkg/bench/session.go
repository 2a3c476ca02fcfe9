// Package bench measures what reaches a person: scripted reviewers, or a real model, over recorded sessions of a
// coding agent whose faults are labelled, through the whole core, on a clock of its own. Beside each row stands the
// same reviewer without any rules, whose every note is delivered as it came. It also counts how often the permission judge
// is wrong over labelled requests. It is part of the guest, where the command superadvisor bench runs it, and
// runs natively as well; texts come in, so it opens no file itself.
package bench

import (
	"errors"
	"strconv"
	"strings"

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

// Parse reads one session. Whether it holds is for Check to say.
func Parse(name, text string) (*Session, error) {
	prose, files := archive(text)
	s := &Session{Name: name, Prose: strings.TrimSpace(prose), Files: map[string]string{}}
	if s.Prose == "" {
		return nil, errors.New("no prose says what it is about")
	}
	for _, f := range files {
		if path, ok := strings.CutPrefix(f.name, "files/"); ok {
			s.Files[path] = f.text
		} else if f.name != "script" {
			return nil, errors.New("unknown section " + f.name)
		} else if err := s.script(f.text); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// file is a section of a txtar archive.
type file struct{ name, text string }

// archive takes a txtar archive apart: what comes before the first section, and the sections. The library reads files
// and brings os with it, which the guest must not have.
func archive(text string) (comment string, files []file) {
	into := &comment
	for line := range strings.Lines(text) {
		end := strings.TrimRight(line, "\r\n")
		if name, ok := strings.CutPrefix(end, "-- "); ok {
			if name, ok = strings.CutSuffix(name, " --"); ok && strings.TrimSpace(name) != "" {
				files = append(files, file{name: strings.TrimSpace(name)})
				into = &files[len(files)-1].text
				continue
			}
		}
		*into += strings.TrimSuffix(line, "\n") + "\n"
	}
	return comment, files
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
			return errors.New("script, line " + strconv.Itoa(n) + ": " + err.Error())
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
		return errors.New("nobody has spoken yet")
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
			return errors.New("nothing takes this text")
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
		return errors.New(strconv.Quote(mark) + " begins no line")
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
		return errors.New("a line of code follows no edit")
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
		return errors.New("unknown mark " + strconv.Quote(text))
	}
	return nil
}
