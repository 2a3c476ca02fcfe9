package engine

import (
	"slices"
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/delivery"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/session"
)

// commandHelp is the answer to a command that is not understood.
const commandHelp = `Possible: /advisor status | on | off | <provider>/<model> | consult <model> | watchdog <model> | notes | why <id> | mute [<id> | <path> | <category>] | unmute [<id> | <path> | <category>]`

// command answers /advisor.
func (e *Engine) command(l *live, c *protocol.Command) {
	verb, arg, _ := strings.Cut(strings.TrimSpace(c.Text), " ")
	arg = strings.TrimSpace(arg)
	text, failed := "", false
	switch strings.ToLower(verb) {
	case "", "status":
		text = e.status(l.state)
	case "notes":
		text = notes(l.state)
	case "why":
		text, failed = why(l.state, arg)
	case "mute":
		text = mute(l.state, arg)
		l.dirty = true
	case "unmute":
		text, failed = unmute(l.state, arg)
		l.dirty = true
	case "on", "off":
		e.switchTo(l, c, strings.EqualFold(verb, "on"))
		return
	case "consult", "watchdog":
		e.choose(l, c, strings.ToLower(verb), arg)
		return
	default:
		e.choose(l, c, "consult", strings.TrimSpace(c.Text))
		return
	}
	e.reply(l, c, text, failed)
}

// status is the state of the advisor in this session, for people.
func (e *Engine) status(s *session.State) string {
	var b strings.Builder
	line := func(label, text string) { b.WriteString(label + ": " + text + "\n") }
	b.WriteString(e.summary() + "\n")
	switch {
	case s.Mutes.All:
		line("advisor", "quiet in this session, because you said so; /advisor unmute lifts it")
	case !e.config.Enabled:
		line("advisor", "off; /advisor on switches it on")
	case e.config.Watchdog.Transport == config.TransportNone:
		line("advisor", "without a model: "+e.config.Watchdog.Why)
	case s.Failing >= session.Degraded:
		line("advisor", "not working, "+itoa(s.Failing)+" reviews in a row without a usable answer")
	case e.pause.Until > e.now:
		line("advisor", "pausing for "+strconv.FormatInt((e.pause.Until-e.now+59_999)/60_000, 10)+" min ("+string(e.pause.Kind)+")")
	default:
		line("advisor", "watching every "+string(e.config.ReviewMode))
	}
	line("watchdog", model(e.config.Watchdog))
	if e.config.Config.Consult.Enabled {
		line("consult", model(e.config.Consult))
	} else {
		line("consult", "off")
	}
	c := s.Counts
	line("reviews", num(c[session.CountStarted])+" started, "+num(c["review.notes"])+" with notes, "+num(c["review.silent"]+c["review.prose"])+" silent, "+
		num(c["review.empty"]+c["review.unparsed"]+c["review.timeout"]+c["review.rate_limited"]+c["review.refused"]+c["review.failed"])+" without an answer")
	line("notes", num(c[session.CountDelivered])+" delivered, "+num(c[session.CountWoken])+" woke the agent, "+dropped(c))
	line("tokens", num(c[session.CountTokensIn])+" in ("+num(c[session.CountTokensCache])+" cached), "+num(c[session.CountTokensOut])+" out")
	for _, m := range []struct {
		what string
		list []string
	}{{"notes", s.Mutes.Notes}, {"paths", s.Mutes.Paths}, {"categories", s.Mutes.Categories}} {
		if len(m.list) > 0 {
			line("muted "+m.what, strings.Join(m.list, ", "))
		}
	}
	for _, p := range e.problems {
		line("config", p.String())
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func model(ep config.Endpoint) string {
	if ep.Transport == config.TransportNone {
		return "none"
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

// notes lists the latest notes, newest first.
func notes(s *session.State) string {
	if len(s.Notes) == 0 {
		return "No notes in this session yet."
	}
	var b strings.Builder
	for _, n := range slices.Backward(s.Notes) {
		b.WriteString(n.Note.ID + " " + string(n.Note.Severity) + " (" + n.Fate + ") ")
		if where := delivery.Where(n.Note); where != "" {
			b.WriteString(where + " ")
		}
		b.WriteString(oneLine(n.Note.Text, 100) + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// why tells all that is known of a note: its citations, what the reviewer looked at, and the gates.
func why(s *session.State, id string) (text string, failed bool) {
	at := -1
	for i := range s.Notes {
		if id != "" && s.Notes[i].Note.ID == id {
			at = i
		}
	}
	if at < 0 {
		return "There is no note " + strconv.Quote(id) + ". /advisor notes lists the ids.", true
	}
	n := s.Notes[at]
	var b strings.Builder
	b.WriteString(n.Note.ID + " " + string(n.Note.Severity))
	if n.Note.Claimed != "" && n.Note.Claimed != n.Note.Severity {
		b.WriteString(" (the reviewer said " + string(n.Note.Claimed) + ")")
	}
	b.WriteString(": " + n.Note.Text + "\nfate: " + n.Fate + "\n")
	if n.Wake != "" {
		b.WriteString("wake: " + n.Wake + "\n")
	}
	for _, g := range n.Note.Gates {
		b.WriteString("gate: " + g + "\n")
	}
	for _, c := range n.Note.Citations {
		b.WriteString("citation: " + string(c.Kind) + " " + string(c.Status))
		if c.Path != "" {
			b.WriteString(" " + c.Path + ":" + itoa(c.Line))
		}
		b.WriteString(" " + oneLine(c.Quote+c.Excerpt+c.Pattern, 120) + "\n")
	}
	for _, line := range n.Tools {
		b.WriteString("looked: " + oneLine(line, 160) + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n"), false
}

// mute makes a matter quiet until it is lifted: everything without an argument, a note by its id,
// a path when it looks like one, else a category.
func mute(s *session.State, arg string) string {
	list := muteList(s, arg)
	if list == nil {
		s.Mutes.All = true
		return "The advisor is quiet in this session. /advisor unmute lifts it."
	}
	if !slices.Contains(*list, arg) {
		*list = append(*list, arg)
	}
	return "Muted: " + arg + ". /advisor unmute " + arg + " lifts it."
}

func unmute(s *session.State, arg string) (text string, failed bool) {
	list := muteList(s, arg)
	if list == nil {
		s.Mutes.All = false
		return "The advisor speaks again in this session.", false
	}
	if !slices.Contains(*list, arg) {
		return strconv.Quote(arg) + " is not muted. /advisor status lists what is.", true
	}
	*list = slices.DeleteFunc(*list, func(m string) bool { return m == arg })
	return "No longer muted: " + arg + ".", false
}

// muteList gives the list that an argument belongs to; nil for everything.
func muteList(s *session.State, arg string) *[]string {
	switch {
	case arg == "" || arg == "all":
		return nil
	case strings.HasPrefix(arg, "n_"):
		return &s.Mutes.Notes
	case strings.ContainsAny(arg, "/.*"):
		return &s.Mutes.Paths
	}
	return &s.Mutes.Categories
}
