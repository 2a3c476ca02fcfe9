package cli

import (
	"strings"
	"unicode/utf8"
)

const (
	purpose = "looks after opencode-superadvisor, the second model that watches your coding agent"
	codes   = "0 done, 1 it did not succeed, 2 the command line is wrong, 70 a fault of the advisor, 141 nobody reads the output"
)

// columns is how wide a line is at most, unless a word of it is wider: a terminal has as many.
const columns = 80

// help is the list of commands.
func help(version string, all []command) string {
	var b strings.Builder
	b.WriteString(fold(program+" "+version+" "+purpose+".", 0) + "\n\nusage: " + program + " <command> [options]\n\n")
	var rows [][2]string
	for _, c := range all {
		rows = append(rows, [2]string{c.name, c.does})
	}
	table(&b, rows)
	b.WriteString("\n" + fold(program+" <command> --help explains a command, --version prints the version. Where the shell does not find it, write npx "+packageName+" instead of "+program+".", 0) + "\n" + fold("Exit codes: "+codes+".", 2) + "\n")
	return b.String()
}

// help is a command's own.
func (c *command) help() string {
	var b strings.Builder
	b.WriteString(fold(program+" "+c.name+": "+c.does, 2) + "\n\nusage: " + program + " " + c.name)
	if c.args != "" {
		b.WriteString(" " + c.args)
	}
	b.WriteString(" [options]\n\n")
	var rows [][2]string
	for _, o := range append(c.options, optHelp) {
		rows = append(rows, [2]string{strings.TrimSuffix("--"+o.name+" "+o.value, " "), o.does})
	}
	table(&b, rows)
	if c.more != "" {
		b.WriteString("\n" + fold(c.more, 0) + "\n")
	}
	return b.String()
}

func table(b *strings.Builder, rows [][2]string) {
	width := 0
	for _, r := range rows {
		width = max(width, len(r[0]))
	}
	for _, r := range rows {
		b.WriteString(fold("  "+r[0]+strings.Repeat(" ", width-len(r[0])+2)+r[1], width+4) + "\n")
	}
}

// fold breaks lines at blanks so that each fits into the columns; what follows in a line stands in by indent.
func fold(text string, indent int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		for {
			at := len(line)
			if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > columns {
				at = breakOf(line, indent)
			}
			b.WriteString(line[:at])
			if at == len(line) {
				break
			}
			b.WriteByte('\n')
			line = strings.Repeat(" ", indent) + line[at+1:]
		}
	}
	return b.String()
}

// breakOf gives the last blank of a line up to which it fits, or else the first that there is; its end when there is none.
func breakOf(line string, indent int) int {
	at, n := len(line), 0
	for i, r := range line {
		if r == ' ' && i > indent && (at == len(line) || n <= columns) {
			at = i
		}
		n++
	}
	return at
}

// folded folds for a person at a terminal: who reads lines in a pipe gets them whole.
func (c *call) folded(text string, indent int) string {
	if !c.in.Terminal {
		return text
	}
	return fold(text, indent)
}

// Markdown is the documentation of all commands, from what the help says.
func Markdown() string {
	var b strings.Builder
	b.WriteString("| command | does | options |\n| --- | --- | --- |\n")
	for _, c := range commands() {
		use := strings.TrimSuffix(c.name+" "+c.args, " ")
		does := c.does
		if c.more != "" {
			does += ". " + c.more
		}
		var options []string
		for _, o := range c.options {
			options = append(options, "`"+strings.TrimSuffix("--"+o.name+" "+o.value, " ")+"` "+o.does)
		}
		b.WriteString("| `" + strings.ReplaceAll(use, "|", `\|`) + "` | " + does + " | " + strings.Join(options, "; ") + " |\n")
	}
	return b.String() + "\nExit codes: " + codes + ".\n"
}
