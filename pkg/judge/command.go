package judge

import "strings"

// Switch is the judge's runtime state: on or off, for all sessions of one
// runner. It starts as Options.Enabled says and is kept in memory only.
type Switch struct{ off bool }

// NewSwitch gives the switch as the options want it at start.
func NewSwitch(o Options) *Switch { return &Switch{off: !o.Enabled} }

// On reports whether requests are judged.
func (s *Switch) On() bool { return s != nil && !s.off }

// Set turns the switch.
func (s *Switch) Set(on bool) { s.off = !on }

// Command is the name of the slash command, without the slash.
const Command = "ai-approval"

// Run executes /ai-approval: bare it toggles, on and off set, status tells.
// Toggling and setting also close the session's breaker. The answer always
// names the state that results.
func (j *Judge) Run(args string, s *Session) string {
	switch strings.ToLower(strings.TrimSpace(args)) {
	case "":
		j.Switch.Set(!j.Switch.On())
		s.Resume()
	case "on":
		j.Switch.Set(true)
		s.Resume()
	case "off":
		j.Switch.Set(false)
		s.Resume()
	case "status":
	default:
		return "/ai-approval takes nothing (toggle), on, off or status; got " + quoteShort(args) + ". " + j.Status(s)
	}
	return j.Status(s)
}

// Status tells in a line or two how the judge stands in a session.
func (j *Judge) Status(s *Session) string {
	switch {
	case !j.Options.Configured:
		return "AI approval is not set up: configure judge (judge.model at least) in the advisor's configuration."
	case !j.Switch.On():
		return "AI approval is off: permission asks come to you, and nothing is judged or logged."
	}
	text := "AI approval is on"
	if j.Options.Mode == ModeShadow {
		text += " in shadow mode: it judges and logs, and you decide"
	}
	if j.Options.Model == "" {
		text += "; no model is set, so only the fixed rules decide"
	} else {
		text += " (" + j.Options.Model + ")"
	}
	if p := s.Paused(); p != "" {
		text += ". It is paused in this session: " + p + ". Your next message, or /ai-approval on, resumes it"
	}
	if j.Options.AskAll {
		text += ". The project's configuration leaves everything that is not denied to you"
	}
	return text + "."
}
