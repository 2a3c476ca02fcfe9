package cli

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/report"
)

// reportName is the page that is written when none is named.
const reportName = "superadvisor-report.html"

func reportPage(c *call) int {
	in := report.Input{Version: c.init.Version, Now: c.Now()}
	if !c.has("all") {
		s, failure := c.find()
		if failure != "" {
			return c.fail(failure)
		}
		in.Session, in.Directory = s.id, s.where
		in.Host, _ = protocol.GetString(s.raw, "host")
	}
	var failure string
	if in.Lines, failure = c.journal(in.Session); failure != "" {
		return c.fail(failure)
	}
	html := string(report.HTML(in))
	out := c.values["out"]
	if out == "-" {
		c.Print(html)
		return OK
	}
	if out == "" {
		out = reportName
	}
	path := out
	if !strings.HasPrefix(path, "/") {
		path = strings.TrimSuffix(c.init.Directory, "/") + "/" + path
	}
	write := protocol.WriteFile{Path: path, Text: html, New: true}
	if was, why := readFile(c, path, maxState); why == "" {
		if !strings.HasPrefix(string(was), report.Mark) {
			return c.fail(out + " exists and is not a report of ours; name another file with --out")
		}
		write.New, write.Expect = false, string(was)
	}
	if failure := c.Write(write); failure != "" {
		return c.fail("write " + out + ": " + failure)
	}
	c.say(path)
	return OK
}

// journal reads what the advisor wrote down of a session, or of all when none is named, the oldest first.
func (c *call) journal(session string) (lines []protocol.JournalLine, failure string) {
	for _, name := range []string{"journal.log.1", "journal.log"} {
		path := c.in.State + "/logs/" + name
		text, why := readFile(c, path, maxLog)
		if why == protocol.ErrnoNotFound.Error() {
			continue
		}
		if why != "" {
			return nil, "read " + path + ": " + why
		}
		odd := 0
		for raw := range bytes.Lines(text) {
			line, err := protocol.DecodeJournalLine(bytes.TrimSpace(raw))
			switch {
			case err != nil:
				odd++
			case session == "" || line.Session == session:
				lines = append(lines, line)
			}
		}
		if odd > 0 {
			c.Complain(program + ": " + path + ": " + strconv.Itoa(odd) + " lines could not be read and are left out\n")
		}
	}
	return lines, ""
}
