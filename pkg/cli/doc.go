// Package cli is the program superadvisor, which a person runs beside the host: what its commands mean, what they
// print and with which code they end. It is part of the guest, as everything that decides is. The outside comes
// in through Host; the loader that performs it is host/cli.ts.
package cli

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/Kayphoon/opencode-advisor/pkg/bench"
	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/guard"
	"github.com/Kayphoon/opencode-advisor/pkg/llm"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/session"
	"github.com/Kayphoon/opencode-advisor/pkg/show"
)

// Host is what a command can reach. Files are all that the person can read.
type Host interface {
	protocol.Files
	config.Asker
	// Print writes to the standard output, Complain to the standard error.
	Print(text string)
	Complain(text string)
	// Write performs a WriteFile; the answer says why it failed, or nothing.
	Write(protocol.WriteFile) (failure string)
	// Load gives the stored state of a session and takes the lease to change it.
	Load(session string) protocol.Loaded
	// Save stores it; the answer says why it failed, or nothing.
	Save(session string, state protocol.JSON) (failure string)
	// Leave leaves a wish for a session, for whatever process has it; the answer says why it could not, or nothing.
	Leave(session string, w protocol.Wish) (failure string)
	// Forget removes it.
	Forget(session string)
	// Health is what a host's process would tell beside a session that was opened in the work tree root: rules, advisors,
	// what the day has cost.
	Health(st *session.State, r *config.Resolved, problems []config.Problem, root string) show.Health
	// Probe gives what the loader knows of its surroundings, and the versions of the programs.
	Probe(programs []protocol.Fact) []protocol.Fact
	// Begin starts a trial, whose id it makes, and gives the first thing that happens in it; Next gives each
	// further one, until one has ended it.
	Begin(protocol.Trial) protocol.Tried
	Next(protocol.TrialAnswer) protocol.Tried
	// Open fixes the origins that may be contacted; once.
	Open(origins []string)
	// Ask asks a model once.
	Ask(ep config.Endpoint, req llm.Request, timeoutMS int64) (llm.Reply, error)
	// Rehearse plays a turn with a scripted model and host, and says what came of it.
	Rehearse() (said string, failed bool)
	// Replay runs a recording through a fresh core. Same tells that it decides the same; a failure, that the text
	// cannot be replayed.
	Replay(recording string) (said string, same bool, failure string)
	// Core starts a fresh core with an outside of its own.
	Core(bench.Outside) bench.Core
	// RoundTrip sends a request to an origin that is open, and waits for its end.
	RoundTrip(llm.HTTPRequest) llm.HTTPResponse
	// Sleep waits; false when there is nothing more to wait for.
	Sleep(ms int64) bool
	// Now is in milliseconds since 1970.
	Now() int64
}

// Exit codes, as the documentation has them.
const (
	OK     = 0
	Failed = 1 // the command was understood and did not succeed
	Usage  = 2 // the command line was not understood
	// Internal is a fault of ours. Broken is the loader's: the reader of the output has gone.
	Internal = 70
	Broken   = 141
)

// call is one run of a command.
type call struct {
	Host
	init   protocol.Init
	in     protocol.CLI
	cmd    *command
	values map[string]string // of the options that were given, by name
	args   []string
	colour bool
}

func (c *call) has(option string) bool {
	_, ok := c.values[option]
	return ok
}

// Print and Complain write for a person's screen: of a text that others wrote, what does not show or would move the cursor
// is written out, as JSON does it: a value for scripts stays what it is.
func (c *call) Print(text string)    { c.Host.Print(writtenOut(text, c.colour)) }
func (c *call) Complain(text string) { c.Host.Complain(writtenOut(text, c.colour)) }

func writtenOut(text string, colours bool) string {
	var b []byte
	done := 0
	for i, r := range text {
		if r == '\n' || r == '\t' || !guard.Hidden(r) || r == '\x1b' && colours && ours(text[i:]) {
			continue
		}
		b = append(b, text[done:i]...)
		done = i + utf8.RuneLen(r)
		units := []rune{r}
		if r > 0xffff {
			high, low := utf16.EncodeRune(r)
			units = []rune{high, low}
		}
		for _, u := range units {
			b = append(append(b, `\u`...), strconv.FormatInt(0x10000+int64(u), 16)[1:]...)
		}
	}
	return string(append(b, text[done:]...))
}

// ours tells whether an escape is one that paint writes.
func ours(text string) bool {
	for _, sgr := range []string{"0", bold, red, green, yellow} {
		if strings.HasPrefix(text, "\x1b["+sgr+"m") {
			return true
		}
	}
	return false
}

// say prints a line.
func (c *call) say(line string) { c.Print(line + "\n") }

// fail tells why the command did not succeed.
func (c *call) fail(why string) int {
	c.Complain(program + " " + c.cmd.name + ": " + why + "\n")
	return Failed
}

// progress tells somebody who looks on how far a long work is.
func (c *call) progress(text string) {
	if c.in.Watched {
		c.Complain(text + " ...\n")
	}
}

// An SGR parameter.
const (
	bold   = "1"
	red    = "31"
	green  = "32"
	yellow = "33"
)

func (c *call) paint(sgr, text string) string {
	if !c.colour {
		return text
	}
	return "\x1b[" + sgr + "m" + text + "\x1b[0m"
}

// colours tells whether the output may have some: on a terminal that knows them, unless the person said no.
func colours(h Host, in protocol.CLI) bool {
	if !in.Terminal {
		return false
	}
	for _, v := range h.Need(nil, []string{"NO_COLOR", "TERM"}, nil).Env {
		if v.Name == "NO_COLOR" && v.Value != "" || v.Name == "TERM" && v.Value == "dumb" {
			return false
		}
	}
	return true
}
