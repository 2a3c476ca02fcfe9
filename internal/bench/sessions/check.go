package sessions

import (
	"fmt"
	"maps"
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
			return fmt.Errorf("remove %s: there is no such file", a.Path)
		}
		delete(t, a.Path)
	case "read":
		if !there {
			return fmt.Errorf("read %s: there is no such file", a.Path)
		}
	case "edit":
		if n := strings.Count(text, a.Old); n != 1 || a.Old == "" {
			return fmt.Errorf("edit %s: the old lines are there %d times, want once:\n%s", a.Path, n, a.Old)
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

// check plays the files of a session and holds every label against them: its quote stands where it
// says, and at the end of the turn as well unless it was mended by then.
func (s *Session) check() error {
	files := tree(maps.Clone(s.Files))
	open, all := map[string]*Label{}, map[string]*Label{}
	for i, t := range s.Turns {
		output := ""
		fail := func(format string, args ...any) error {
			return fmt.Errorf("turn %d (script, line %d): %w", i+1, t.Line, fmt.Errorf(format, args...))
		}
		for _, id := range t.Dismiss {
			if open[id] == nil || open[id].Kind != Defect {
				return fail("it dismisses %q, which is no open defect", id)
			}
			delete(open, id)
		}
		if len(t.Steps) == 0 {
			return fail("the agent does nothing")
		}
		for _, step := range t.Steps {
			for _, a := range step.Acts {
				if err := files.apply(a); err != nil {
					return fail("%w", err)
				}
				switch a.Do {
				case "bash":
					output = a.Output
				case "mended":
					l := open[a.Mended]
					if l == nil || l.Path == "$" || files.lineOf(l.Path, l.Quote) != 0 {
						return fail("%q is not open, or not mended", a.Mended)
					}
					delete(open, a.Mended)
				case "label":
					if err := files.holds(a.Label, output); err != nil {
						return fail("label %s: %w", a.Label.ID, err)
					}
					if all[a.Label.ID] != nil {
						return fail("label %s stands twice", a.Label.ID)
					}
					open[a.Label.ID], all[a.Label.ID] = a.Label, a.Label
				}
			}
		}
		for id, l := range open {
			if l.Path != "$" && files.lineOf(l.Path, l.Quote) == 0 {
				return fail("label %s: its quote is gone from %s", id, l.Path)
			}
		}
	}
	for id, l := range open {
		if l.Kind == Stale {
			return fmt.Errorf("label %s is stale, and is never mended", id)
		}
	}
	return nil
}

func (t tree) holds(l *Label, output string) error {
	switch {
	case l.Severity.Rank() == 0:
		return fmt.Errorf("%q is no severity", l.Severity)
	case l.Kind == Defect && l.Severity == protocol.Nit:
		return fmt.Errorf("a planted defect is a concern or a blocker")
	case l.Why == "":
		return fmt.Errorf("nothing says why")
	case l.Path == "$" && (l.Quote == "" || !strings.Contains(output, l.Quote)):
		return fmt.Errorf("the command before it does not print that")
	case l.Path != "$" && t.lineOf(l.Path, l.Quote) == 0:
		return fmt.Errorf("%s does not have these lines:\n%s", l.Path, l.Quote)
	case strings.Count("\n"+t[l.Path], "\n"+l.Quote) > 1:
		return fmt.Errorf("%s has these lines more than once", l.Path)
	case l.Kind == Tempt && t.lineOf(l.RefutePath, l.RefuteQuote) == 0:
		return fmt.Errorf("what refutes it is not in %q", l.RefutePath)
	}
	return nil
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
