package bench

import (
	"errors"
	"maps"
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// tree is a workspace by path.
type tree map[string]string

// apply does what an act does to the files.
func (t tree) apply(a Act) error {
	text, there := t[a.Path]
	switch a.Do {
	case "write":
		t[a.Path] = a.New
	case "remove":
		if !there {
			return errors.New("remove " + a.Path + ": there is no such file")
		}
		delete(t, a.Path)
	case "read":
		if !there {
			return errors.New("read " + a.Path + ": there is no such file")
		}
	case "edit":
		if n := strings.Count(text, a.Old); n != 1 || a.Old == "" {
			return errors.New("edit " + a.Path + ": the old lines are there " + strconv.Itoa(n) + " times, want once:\n" + a.Old)
		}
		t[a.Path] = strings.Replace(text, a.Old, a.New, 1)
	}
	return nil
}

// lineOf gives the line, from 1, at which the quote's lines stand; 0 where they do not.
func (t tree) lineOf(path, quote string) int {
	at := strings.Index("\n"+t[path], "\n"+quote)
	if quote == "" || at < 0 {
		return 0
	}
	return 1 + strings.Count(t[path][:at], "\n")
}

// Check plays the files of a session and holds every label against them: its quote stands where it
// says, and at the end of the turn as well unless it was mended by then. It is for those who write recordings:
// what is shipped has been checked.
func (s *Session) Check() error {
	files := tree(maps.Clone(s.Files))
	open, all := map[string]*Label{}, map[string]*Label{}
	for i, t := range s.Turns {
		output := ""
		fail := func(why string) error {
			return errors.New("turn " + strconv.Itoa(i+1) + " (script, line " + strconv.Itoa(t.Line) + "): " + why)
		}
		for _, id := range t.Dismiss {
			if open[id] == nil || open[id].Kind != Defect {
				return fail("it dismisses " + strconv.Quote(id) + ", which is no open defect")
			}
			delete(open, id)
		}
		if len(t.Steps) == 0 {
			return fail("the agent does nothing")
		}
		for _, step := range t.Steps {
			for _, a := range step.Acts {
				if err := files.apply(a); err != nil {
					return fail(err.Error())
				}
				switch a.Do {
				case "bash":
					output = a.Output
				case "mended":
					l := open[a.Mended]
					if l == nil || l.Path == "$" || files.lineOf(l.Path, l.Quote) != 0 {
						return fail(strconv.Quote(a.Mended) + " is not open, or not mended")
					}
					delete(open, a.Mended)
				case "label":
					if wrong := files.wrong(a.Label, output); wrong != "" {
						return fail("label " + a.Label.ID + ": " + wrong)
					}
					if all[a.Label.ID] != nil {
						return fail("label " + a.Label.ID + " stands twice")
					}
					open[a.Label.ID], all[a.Label.ID] = a.Label, a.Label
				}
			}
		}
		for id, l := range open {
			if l.Path != "$" && files.lineOf(l.Path, l.Quote) == 0 {
				return fail("label " + id + ": its quote is gone from " + l.Path)
			}
		}
	}
	for id, l := range open {
		if l.Kind == Stale {
			return errors.New("label " + id + " is stale, and is never mended")
		}
	}
	return nil
}

// wrong says what of a label does not hold, or nothing.
func (t tree) wrong(l *Label, output string) string {
	switch {
	case l.Severity.Rank() == 0:
		return strconv.Quote(string(l.Severity)) + " is no severity"
	case l.Kind == Defect && l.Severity == protocol.Nit:
		return "a planted defect is a concern or a blocker"
	case l.Why == "":
		return "nothing says why"
	case l.Path == "$" && (l.Quote == "" || !strings.Contains(output, l.Quote)):
		return "the command before it does not print that"
	case l.Path != "$" && t.lineOf(l.Path, l.Quote) == 0:
		return l.Path + " does not have these lines:\n" + l.Quote
	case strings.Count("\n"+t[l.Path], "\n"+l.Quote) > 1:
		return l.Path + " has these lines more than once"
	case l.Kind == Tempt && t.lineOf(l.RefutePath, l.RefuteQuote) == 0:
		return "what refutes it is not in " + strconv.Quote(l.RefutePath)
	}
	return ""
}

// Clean counts the turns in which nothing was planted.
func (s *Session) Clean() (n int) {
	for _, t := range s.Turns {
		if t.clean() {
			n++
		}
	}
	return n
}

func (t Turn) clean() bool {
	for _, step := range t.Steps {
		for _, a := range step.Acts {
			if a.Label != nil && a.Label.Kind != Tempt {
				return false
			}
		}
	}
	return true
}
