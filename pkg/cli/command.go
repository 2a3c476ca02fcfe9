package cli

import (
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// program is the name that a person types.
const program = "superadvisor"

// command is one command of the program.
type command struct {
	name    string
	args    string // what follows, as the help shows it; "<x>" is needed, "[x]" may be left out
	does    string // one line
	more    string // what else the help says
	options []option
	run     func(*call) int
}

// option is one option of a command.
type option struct {
	name  string // without the dashes
	value string // what its value is called; empty: it has none
	does  string
}

var (
	optHelp    = option{"help", "", "this text"}
	optJSON    = option{"json", "", "for scripts: one JSON value"}
	optSession = option{"session", "ID", "the session (its id, or the beginning of it); without it the latest of this folder"}
)

// commands are all commands, in the order of the help.
func commands() []command {
	return []command{
		{name: "doctor", does: "try everything that the advisor needs, and say how to mend what fails", run: examine,
			more: "It asks each configured model once, with some hundred tokens. A rehearsal plays a whole turn inside the module, with a scripted model and " +
				"host. Then each real host that is installed plays one, with scripted models on the loopback interface, in a folder of its own that is gone " +
				"afterwards: it sees neither your settings nor your keys. After a failure the exit code is 1; a warning does not count.",
			options: []option{{"offline", "", "ask no model"}, {"no-host", "", "start no host"}, {"opencode", "PATH", "OpenCode's program, where it is not the one on the PATH"},
				{"pi", "PATH", "pi's program"}, {"all", "", "every setting, those at their defaults too"}, optJSON}},
		{name: "install", does: "add the plugin to OpenCode's configuration, or to pi's", run: install, options: optsInstall,
			more: "The entry goes to the end of the list plugin, or plugins (packages in pi's file); everything else in the file stays as it is, comments " +
				"included, and a copy of the file is made first. Where the plugin is listed already, nothing is done."},
		{name: "uninstall", does: "take it out again", run: uninstall, options: optsInstall},
		{name: "status", does: "what the advisor does, has found and has spent in a session", run: status,
			more:    "With it what is in force in the session's folder: rules, advisors, limits, and what the day has cost in all.",
			options: []option{optSession, {"all", "", "one line for each session, the latest first"}, optJSON}},
		{name: "notes", does: "the latest notes of a session and what became of each", run: notes, options: []option{optSession, optJSON}},
		{name: "why", args: "<note>", does: "all that is known of a note: citations, what the reviewer looked at, the checks it went through", run: why,
			options: []option{optSession, optJSON}},
		{name: "mute", args: "[<note> | <path> | <category>]", does: "be quiet about that, or about everything, in a session", run: wish,
			more:    "A host that has the session open takes it up before its next note, and says so there.",
			options: []option{optSession}},
		{name: "unmute", args: "[<note> | <path> | <category>]", does: "lift a mute", run: wish, options: []option{optSession}},
		{name: "report", does: "an HTML page: what the advisor did in a session, what it kept back, what it cost", run: reportPage,
			options: []option{optSession, {"all", "", "over all sessions"}, {"out", "FILE", "where to write it (" + reportName + "); - for the standard output"}}},
		{name: "judge", args: "[input]", does: "what the permission judge's fixed rules decide about a command or another action", run: judged,
			more: "No model is asked: where no fixed rule speaks it says ask. An input that begins with a dash stands behind --.",
			options: []option{{"action", "KIND", "what the input is: bash (a command), edit, write, read (a path), webfetch (an address)"},
				{"content", "TEXT", "the new text of an edit or write"}, {"rows", "", "the table of all fixed rules"}, optJSON}},
		{name: "replay", args: "<recording>", does: "run a recording through the core, and say whether it decides the same", run: replay,
			more: "A recording is a file of the folder recordings, which record in advisor.json asks for. A decision that differs is named, and the exit code is 1."},
		{name: "bench", does: "measure what reaches a person: reviewers watch recorded sessions whose faults are known", run: measure,
			more: "Scripted reviewers watch the recordings that are part of this package; the core's decisions are those of your host. What they are and " +
				"what the columns mean is in README.md. No model is asked but with --model, which reads some 1.3 million tokens for all sessions. " +
				"It is asked as your settings say, or at --url, an OpenAI-compatible endpoint, with the key in the variable --key-env.",
			options: []option{{"reviewer", "NAME", "this scripted reviewer alone"}, {"session", "NAME", "this recording alone"},
				{"model", "NAME", "provider/model: let this one watch; with --url just its name there"}, {"url", "URL", "the endpoint of --model; it usually ends in /v1"},
				{"key-env", "NAME", "the environment variable that holds the key for --url"}, optJSON}},
		{name: "log", does: "the advisor's own log", run: log,
			options: []option{{"follow", "", "wait for more, until it is interrupted"}, {"lines", "N", "how many of the last lines (40)"}}},
	}
}

// Run carries out a command line and gives the exit code.
func Run(h Host, init protocol.Init, in protocol.CLI) int {
	for _, path := range []*string{&init.Directory, &init.Home, &init.ConfigHome, &init.DataHome, &in.State, &in.Package} {
		*path = config.Slashed(*path)
	}
	c := &call{Host: h, init: init, in: in, values: map[string]string{}}
	c.colour = colours(h, in)
	all := commands()
	name, rest := "", in.Args
	if len(rest) > 0 {
		name, rest = rest[0], rest[1:]
	}
	switch name {
	case "", "help", "--help", "-h":
		if len(rest) > 0 && name != "" && !strings.HasPrefix(rest[0], "-") {
			name = rest[0] // superadvisor help status
			rest = []string{"--help"}
			break
		}
		c.Print(help(init.Version, all))
		if name == "" {
			return Usage
		}
		return OK
	case "--version", "-v", "version":
		c.say(init.Version)
		return OK
	}
	var names []string
	for i := range all {
		if all[i].name == name {
			c.cmd = &all[i]
		}
		names = append(names, all[i].name)
	}
	if c.cmd == nil {
		what := "command "
		if strings.HasPrefix(name, "-") {
			what, names = "option ", []string{"--help", "--version"}
		}
		return misuse(c, "", "there is no "+what+strconv.Quote(name)+like(name, names))
	}
	if wrong := c.read(rest); wrong != "" {
		return misuse(c, c.cmd.name+" ", wrong)
	}
	if c.has("help") {
		c.Print(c.cmd.help())
		return OK
	}
	if wrong := c.count(); wrong != "" {
		return misuse(c, c.cmd.name+" ", wrong)
	}
	return c.cmd.run(c)
}

// misuse tells what is wrong with a command line, and where the right one is described.
func misuse(c *call, cmd, wrong string) int {
	c.Complain(program + ": " + wrong + "; see " + program + " " + cmd + "--help\n")
	return Usage
}

func like(word string, known []string) string {
	if n := config.Nearest(word, known); n != "" {
		return " (did you mean " + n + "?)"
	}
	return ""
}

// read takes options and arguments apart; what is wrong is said.
func (c *call) read(words []string) (wrong string) {
	for i := 0; i < len(words); i++ {
		word := words[i]
		if word == "--" {
			c.args = append(c.args, words[i+1:]...)
			return ""
		}
		if word == "-h" {
			word = "--help"
		}
		name, isOption := strings.CutPrefix(word, "--")
		if !isOption && strings.HasPrefix(word, "-") && len(word) > 1 {
			return "there is no option " + strconv.Quote(word)
		}
		if !isOption {
			c.args = append(c.args, word)
			continue
		}
		name, value, hasValue := strings.Cut(name, "=")
		o, known := optHelp, []string{"--help"}
		found := name == optHelp.name
		for _, one := range c.cmd.options {
			known = append(known, "--"+one.name)
			if one.name == name {
				o, found = one, true
			}
		}
		switch {
		case !found:
			return "there is no option " + strconv.Quote("--"+name) + like("--"+name, known)
		case o.value == "" && hasValue:
			return "--" + name + " takes no value"
		case o.value != "" && !hasValue:
			if i++; i == len(words) {
				return "--" + name + " needs a value: --" + name + " " + o.value
			}
			value = words[i]
		}
		c.values[name] = value
	}
	return ""
}

// count compares the arguments with those that the command has.
func (c *call) count() (wrong string) {
	least, most := strings.Count(c.cmd.args, "<"), 1
	switch {
	case c.cmd.args == "":
		most = 0
	case strings.HasPrefix(c.cmd.args, "["):
		least = 0
	}
	switch {
	case len(c.args) < least:
		return c.cmd.args + " is missing"
	case len(c.args) > most:
		return strconv.Quote(c.args[most]) + " is one argument too many"
	}
	return ""
}

// arg gives the command's argument, or nothing.
func (c *call) arg() string {
	if len(c.args) == 0 {
		return ""
	}
	return c.args[0]
}
