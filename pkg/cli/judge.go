package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/judge"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// judgeKinds are the actions that --action knows.
var judgeKinds = []string{"bash", "edit", "write", "read", "webfetch"}

// judged says what the judge's fixed rules make of an action. No model is asked.
func judged(c *call) int {
	if c.has("rows") {
		var rows [][2]string
		for _, r := range judge.Rows() {
			decision := string(r.Decision)
			rows = append(rows, [2]string{decision + strings.Repeat(" ", len("allow  ")-len(decision)) + r.ID, r.Reason})
		}
		var b strings.Builder
		table(&b, rows)
		c.Print(b.String())
		return OK
	}
	kind, named := c.values["action"]
	switch {
	case len(c.args) == 0:
		return misuse(c, c.cmd.name+" ", "want an input, or --rows")
	case !named:
		kind = judgeKinds[0]
	case !slices.Contains(judgeKinds, kind):
		return misuse(c, c.cmd.name+" ", "--action wants one of "+strings.Join(judgeKinds, ", ")+", got "+strconv.Quote(kind)+like(kind, judgeKinds))
	}
	place := judge.Place{Roots: []string{c.workspace()}, Cwd: c.init.Directory, Home: c.init.Home, Real: c.real, Files: c}
	v := judge.Explain(judge.ActionOf(kind, c.arg(), c.values["content"], place))
	if c.has("json") {
		c.say(string(v.AppendJSON(nil)))
	} else {
		c.say(string(v.Decision) + "  " + v.Row + ": " + v.Reason)
	}
	return OK
}

// real resolves the symbolic links of a path of which the last elements may not exist.
func (c *call) real(path string) (string, bool) {
	rest := ""
	for {
		real, e := c.Real(path)
		if e == protocol.OK {
			return strings.TrimSuffix(real, "/") + rest, true
		}
		at := strings.LastIndexByte(path, '/')
		if e != protocol.ErrnoNotFound || at <= 0 {
			return "", false
		}
		// A link to nowhere would be followed by whoever writes to it.
		if info, e := c.Stat(path); e == protocol.OK && info.Kind == protocol.KindSymlink {
			return "", false
		}
		path, rest = path[:at], path[at:]+rest
	}
}
