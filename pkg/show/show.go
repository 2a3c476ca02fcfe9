// Package show tells a person what the advisor knows of a session: its state, its notes, and why each of them
// was said or not. The host's slash command and the program superadvisor say the same, in the same words.
package show

import (
	"slices"
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/budget"
	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/delivery"
	"github.com/Kayphoon/opencode-advisor/pkg/llm"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/session"
)

// Prompt is what a person writes in front of a command, with the blank behind it.
type Prompt string

// Health is what stands beside a session in its status.
type Health struct {
	Config   *config.Resolved
	Problems []config.Problem
	Pause    llm.Pause
	Now      int64
	Judge    string // how the permission judge stands; empty when there is none
	// Team are the advisors where there are several.
	Team []Member
	// Rules names the files of rules in force, the most specific last; RuleProblems is what is wrong with them.
	Rules        []string
	RuleProblems []config.Problem
	Day          *budget.Ledger // nil: what the day has cost is not known
	Out          budget.Reason  // the bound that is in the way now
}

// Member is one advisor of several.
type Member struct {
	config.Advisor
	Counter  string // its name in the counters
	Endpoint config.Endpoint
}

// part is what an advisor may say and when it is asked; empty when that is anything, always.
func (m Member) part() (text string) {
	if m.Ceiling != "" {
		text = "; says a " + string(m.Ceiling) + " at most"
	}
	if len(m.On)+len(m.Paths) > 0 {
		text += "; asked"
		if len(m.On) > 0 {
			text += " about " + strings.Join(m.On, " or ")
		}
		if len(m.Paths) > 0 {
			text += " in " + strings.Join(m.Paths, ", ")
		}
	}
	return text
}

// line tells how a member does.
func (m Member) line(c session.Counts) string {
	name := "advisor." + m.Counter + "."
	silent, notes, skipped := c[name+"silent"]+c[name+"prose"], c[name+"notes"], c[name+"skipped"]
	return model(m.Endpoint) + m.part() + "; " + num(notes) + " reviews with notes, " + num(silent) + " silent, " +
		num(c[name+"empty"]+c[name+"unparsed"]+c[name+"timeout"]+c[name+"rate_limited"]+c[name+"refused"]+c[name+"failed"]) + " without an answer, " + num(skipped) + " not called for"
}

// Status is the state of the advisor in this session, for people.
func (p Prompt) Status(s *session.State, h Health) string {
	var b strings.Builder
	line := func(label, text string) { b.WriteString(label + ": " + text + "\n") }
	b.WriteString(Summary(h.Config) + "\n")
	switch {
	case s.Mutes.All:
		line("advisor", "quiet in this session, because you said so; "+string(p)+"unmute lifts it")
	case !h.Config.Enabled:
		line("advisor", "off; /advisor on switches it on")
	case h.Config.Watchdog.Transport == config.TransportNone && len(h.Team) == 0:
		line("advisor", "without a model: "+h.Config.Watchdog.Why)
	case s.Failing >= session.Degraded:
		line("advisor", "not working, "+strconv.Itoa(s.Failing)+" reviews in a row without a usable answer")
	case h.Pause.Until > h.Now:
		line("advisor", "pausing for "+strconv.FormatInt((h.Pause.Until-h.Now+59_999)/60_000, 10)+" min ("+string(h.Pause.Kind)+")")
	default:
		line("advisor", "watching every "+string(h.Config.ReviewMode))
	}
	line("watchdog", model(h.Config.Watchdog))
	for _, m := range h.Team {
		line("advisor "+m.Name, m.line(s.Counts))
	}
	if h.Config.Config.Consult.Enabled {
		line("consult", model(h.Config.Consult))
	} else {
		line("consult", "off")
	}
	if h.Judge != "" {
		line("judge", h.Judge)
	}
	c := s.Counts
	line("reviews", num(c[session.CountStarted])+" started, "+num(c["review.notes"])+" with notes, "+num(c["review.silent"]+c["review.prose"])+" silent, "+
		num(c["review.empty"]+c["review.unparsed"]+c["review.timeout"]+c["review.rate_limited"]+c["review.refused"]+c["review.failed"])+" without an answer")
	line("notes", num(c[session.CountDelivered])+" delivered, "+num(c[session.CountWoken])+" woke the agent, "+dropped(c))
	spending(line, s.Counts, h)
	for _, m := range []struct {
		what string
		list []string
	}{{"notes", s.Mutes.Notes}, {"paths", s.Mutes.Paths}, {"categories", s.Mutes.Categories}} {
		if len(m.list) > 0 {
			line("muted "+m.what, strings.Join(m.list, ", "))
		}
	}
	if len(h.Rules) > 0 {
		line("rules", strings.Join(h.Rules, ", "))
	}
	for _, problem := range h.RuleProblems {
		line("rules", problem.String())
	}
	for _, problem := range h.Problems {
		line("config", problem.String())
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func model(ep config.Endpoint) string {
	if ep.Transport == config.TransportNone {
		return "none"
	}
	if ep.Model == "" {
		return "the host's own model"
	}
	s := ep.Provider + "/" + ep.Model
	if ep.Effort != "" {
		s += " (" + ep.Effort + ")"
	}
	if ep.Transport == config.TransportHost {
		return s + " through the host"
	}
	return s + " at " + ep.BaseURL + ", from " + string(ep.From)
}

// dropped is how many notes were dropped, and for which reasons, the most frequent first.
func dropped(c session.Counts) string {
	var total int64
	var reasons []protocol.Count
	for _, count := range c.Sorted() {
		name, ok := strings.CutPrefix(count.Name, "dropped.")
		if !ok || count.N == 0 {
			continue
		}
		total += count.N
		at := len(reasons)
		for at > 0 && reasons[at-1].N < count.N {
			at--
		}
		reasons = slices.Insert(reasons, at, protocol.Count{Name: name, N: count.N})
	}
	text := num(total) + " dropped"
	for i, r := range reasons {
		text += [2]string{" (", ", "}[min(i, 1)] + num(r.N) + " " + r.Name
	}
	if len(reasons) > 0 {
		text += ")"
	}
	return text
}

func num(n int64) string { return strconv.FormatInt(n, 10) }

// Notes lists the latest notes, newest first.
func Notes(s *session.State) string {
	if len(s.Notes) == 0 {
		return "No notes in this session yet."
	}
	var b strings.Builder
	for _, n := range slices.Backward(s.Notes) {
		b.WriteString(n.Note.ID + " " + string(n.Note.Severity) + " (" + n.Fate + ") ")
		if n.Note.Author != "" {
			b.WriteString("from " + n.Note.Author + " ")
		}
		if where := delivery.Where(n.Note); where != "" {
			b.WriteString(where + " ")
		}
		b.WriteString(OneLine(n.Note.Text, 100) + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Find gives which note has an id, and how many others have it too: the same matter found again has the same id. The one
// that was delivered is meant, else the latest; -1 is none.
func Find(notes []protocol.StoredNote, id string) (at, others int) {
	at = -1
	for i, n := range notes {
		if id == "" || n.Note.ID != id {
			continue
		}
		if at >= 0 {
			others++
		}
		if at < 0 || notes[at].Fate != "delivered" {
			at = i
		}
	}
	return at, others
}

// Why tells all that is known of a note: its citations, what the reviewer looked at, and the gates.
func (p Prompt) Why(s *session.State, id string) (text string, failed bool) {
	at, again := Find(s.Notes, id)
	if at < 0 {
		return "There is no note " + strconv.Quote(id) + ". " + string(p) + "notes lists the ids.", true
	}
	n := s.Notes[at]
	var b strings.Builder
	b.WriteString(n.Note.ID + " " + string(n.Note.Severity))
	if n.Note.Claimed != "" && n.Note.Claimed != n.Note.Severity {
		b.WriteString(" (the reviewer said " + string(n.Note.Claimed) + ")")
	}
	if n.Note.Author != "" {
		b.WriteString(" from " + n.Note.Author)
	}
	b.WriteString(": " + n.Note.Text + "\nfate: " + n.Fate + "\n")
	if again > 0 {
		b.WriteString("again: " + strconv.Itoa(again) + " more with this id; " + string(p) + "notes has what became of each\n")
	}
	if n.Wake != "" {
		b.WriteString("wake: " + n.Wake + "\n")
	}
	for _, g := range n.Note.Gates {
		b.WriteString("gate: " + g + "\n")
	}
	for _, c := range n.Note.Citations {
		b.WriteString("citation: " + string(c.Kind) + " " + string(c.Status))
		if c.Path != "" {
			b.WriteString(" " + c.Path + ":" + strconv.Itoa(c.Line))
		}
		b.WriteString(" " + OneLine(c.Quote+c.Excerpt+c.Pattern, 120) + "\n")
	}
	for _, line := range n.Tools {
		b.WriteString("looked: " + OneLine(line, 160) + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n"), false
}

// Summary is the settings in one line.
func Summary(r *config.Resolved) string {
	if !r.Enabled {
		return "disabled"
	}
	c := r.Consult
	switch {
	case !r.Config.Consult.Enabled:
		return "enabled · without consultations"
	case c.Transport == config.TransportNone:
		return "enabled · without a model"
	case c.Model == "":
		return "enabled · the host's own model"
	}
	return "enabled · " + Told(c.Provider+"/"+c.Model, c.Effort)
}

// Told is a model with its effort.
func Told(model, effort string) string {
	if effort == "" {
		return model
	}
	return model + " · " + effort
}

// OneLine puts a text into one line of at most n bytes and three dots.
func OneLine(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > n {
		for n > 0 && s[n]&0xC0 == 0x80 {
			n--
		}
		s = s[:n] + "..."
	}
	return s
}
