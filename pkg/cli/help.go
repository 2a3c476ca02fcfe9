package cli

import "strings"

const (
	purpose = "looks after opencode-superadvisor, the second model that watches your coding agent"
	codes   = "0 done, 1 it did not succeed, 2 the command line is wrong, 70 a fault of the advisor, 141 nobody reads the output"
)

// help is the list of commands.
func help(version string, all []command) string {
	var b strings.Builder
	b.WriteString(program + " " + version + " " + purpose + ".\n\nusage: " + program + " <command> [options]\n\n")
	var rows [][2]string
	for _, c := range all {
		rows = append(rows, [2]string{c.name, c.does})
	}
	table(&b, rows)
	b.WriteString("\n" + program + " <command> --help tells more of one, --version the version.\nExit codes: " + codes + ".\n")
	return b.String()
}

// help is a command's own.
func (c *command) help() string {
	var b strings.Builder
	b.WriteString(program + " " + c.name + ": " + c.does + "\n\nusage: " + program + " " + c.name)
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
		b.WriteString("\n" + c.more + "\n")
	}
	return b.String()
}

func table(b *strings.Builder, rows [][2]string) {
	width := 0
	for _, r := range rows {
		width = max(width, len(r[0]))
	}
	for _, r := range rows {
		b.WriteString("  " + r[0] + strings.Repeat(" ", width-len(r[0])+2) + r[1] + "\n")
	}
}

// Markdown is the documentation of all commands, from what the help says.
func Markdown() string {
	var b strings.Builder
	b.WriteString("| command | does | options |\n| --- | --- | --- |\n")
	for _, c := range commands() {
		use := strings.TrimSuffix(c.name+" "+c.args, " ")
		does := c.does
		if c.more != "" {
			does += ". " + strings.ReplaceAll(c.more, "\n", " ")
		}
		var options []string
		for _, o := range c.options {
			options = append(options, "`"+strings.TrimSuffix("--"+o.name+" "+o.value, " ")+"` "+o.does)
		}
		b.WriteString("| `" + strings.ReplaceAll(use, "|", `\|`) + "` | " + does + " | " + strings.Join(options, "; ") + " |\n")
	}
	return b.String() + "\nExit codes: " + codes + ".\n"
}
