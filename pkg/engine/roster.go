package engine

import (
	"slices"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/review"
	"github.com/Kayphoon/opencode-advisor/pkg/rules"
	"github.com/Kayphoon/opencode-advisor/pkg/transcript"
)

// seat is one advisor of a review.
type seat struct {
	config.Advisor
	endpoint config.Endpoint
	author   string       // under which its notes are shown; empty for the only advisor
	role     string       // the same for its prompt
	given    []rules.File // what a project says of it
}

// team gives who reviews: the person's advisors, or else the one, and those that the project adds. A
// project adds advisors and instructions. It changes none of the person's, or a repository could silence them.
func (e *Engine) team() (seats []seat, problems []config.Problem) {
	for i, a := range e.config.Advisors.Own {
		seats = append(seats, seat{Advisor: a, endpoint: e.config.Team[i], role: review.Role(a.Name, a.Instructions)})
	}
	if seats == nil {
		seats = []seat{{Advisor: config.Advisor{Name: config.General}, endpoint: e.config.Watchdog}}
	}
	own := len(seats)
	list, problems := e.projectRoster()
	for _, a := range slices.Concat(e.config.Advisors.Added, list) {
		at := slices.IndexFunc(seats, func(s seat) bool { return s.Name == a.Name })
		switch {
		case at >= 0 && at < own && (a.Ceiling != "" || a.On != nil || a.Paths != nil):
			problems = append(problems, config.Problem{Source: a.Source, Field: a.Name, Message: "ceiling, on and paths of your own advisor are not a project's to set", Mend: "its instructions are taken, the rest is ignored"})
		case at < 0 && len(seats)-own >= e.config.ProjectAdvisors:
			problems = append(problems, config.Problem{Source: a.Source, Field: a.Name, Message: "projectAdvisors allows a project to add " + itoa(e.config.ProjectAdvisors), Mend: "it is left out; raise projectAdvisors in advisor.json if you want it"})
			continue
		}
		if at < 0 {
			at = len(seats)
			s := seat{Advisor: a, endpoint: e.config.Watchdog, author: a.Name, role: review.Role(a.Name, "")}
			if !slices.Contains(config.BuiltIn, a.Name) {
				s.author += " (project)" // or a repository could sign as anybody
				s.role = review.Role(a.Name, "Your part is what the rules of "+a.Source+" say of "+a.Name+", as far as their authority goes.")
			}
			seats = append(seats, s)
		}
		if a.Instructions != "" {
			seats[at].given = append(seats[at].given, rules.File{Name: a.Source, Owner: rules.Project, Text: "For the advisor " + a.Name + ": " + e.redact.Text(a.Instructions)})
		}
	}
	if len(seats) > 1 || len(e.config.Advisors.Own) > 0 {
		for i := range seats {
			s := &seats[i]
			if s.author == "" {
				s.author = s.Name
			}
			if s.role == "" {
				s.role = review.Role(s.Name, "")
			}
		}
	}
	return seats, problems
}

// maxRosterFile bounds a project's WATCHDOG.yml.
const maxRosterFile = 64 << 10

// keptRoster is a project's WATCHDOG.yml as it was read last.
type keptRoster struct {
	info     protocol.Info
	list     []config.Advisor
	problems []config.Problem
}

// projectRoster reads WATCHDOG.yml at the workspace's root, when it has changed.
func (e *Engine) projectRoster() ([]config.Advisor, []config.Problem) {
	file, err := e.files.Resolve(config.RosterName)
	if err != nil || file.IsDir() {
		return nil, nil
	}
	if e.roster.info != file.Info {
		e.roster = keptRoster{info: file.Info}
		data, err := e.files.Read(file, maxRosterFile)
		if err != nil {
			e.roster.problems = []config.Problem{{Source: config.RosterName, Message: "it cannot be read: " + err.Error(), Mend: "nothing in it is used"}}
		} else {
			e.roster.list, e.roster.problems = config.ParseRoster(data, config.RosterName, false)
		}
	}
	return e.roster.list, e.roster.problems
}

// calls tells whether an advisor's triggers are there in a delta.
func (s seat) calls(d transcript.Delta) bool {
	for _, on := range s.On {
		if on == "edits" && d.Facts.Edits > 0 || on == "commands" && d.Facts.Commands > 0 || on == "failures" && d.Facts.Failures > 0 {
			return s.Matches(d.Files)
		}
	}
	return len(s.On) == 0 && s.Matches(d.Files)
}

// able gives the advisors whose endpoint can be asked now; all of them when none can, so that the reason shows.
func (e *Engine) able(seats []seat) []seat {
	var list []seat
	for _, s := range seats {
		ep := endpoint(s.endpoint)
		if s.endpoint.Transport != config.TransportNone && !e.pauses[ep.Fingerprint()].Active(e.now, ep.Fingerprint()) {
			list = append(list, s)
		}
	}
	if list == nil {
		return seats
	}
	return list
}

// counter is the name of an advisor in the counters. What a project calls its own is one name, or it
// could fill the state with names.
func (s seat) counter() string {
	if strings.HasSuffix(s.author, ")") {
		return "project"
	}
	return s.Name
}
