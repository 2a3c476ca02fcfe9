package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/buger/jsonparser"

	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/session"
	"github.com/Kayphoon/opencode-advisor/pkg/show"
	"github.com/Kayphoon/opencode-advisor/pkg/transcript"
	"github.com/Kayphoon/opencode-advisor/pkg/utc"
)

// here is how a person says a command in the shell.
const here = show.Prompt(program + " ")

// anyHost is the host whose settings are looked at where none is known.
const anyHost = "opencode-v1"

// configured reads the configuration as a host's plugin does. What only the host knows is not there.
func (c *call) configured(host string, options protocol.JSON) (*config.Resolved, []config.Problem) {
	init := c.init
	init.Host, init.Root, init.Options = host, c.workspace(), options
	return config.Load(c, init)
}

// workspace is the git work tree around the present folder, or the folder itself.
func (c *call) workspace() string {
	for dir := c.init.Directory; len(dir) > 1; dir = folder(dir) {
		if _, e := c.Stat(dir + "/.git"); e == protocol.OK {
			return dir
		}
	}
	return c.init.Directory
}

// folder gives what a path lies in.
func folder(path string) string { return path[:max(0, strings.LastIndexByte(path, '/'))] }

func status(c *call) int {
	if c.has("all") {
		return statuses(c)
	}
	s, none := c.find()
	if none != "" && !s.absent {
		return c.fail(none)
	}
	title := "session: none: " + none
	b := []byte{'{'}
	st := session.New("", transcript.New(transcript.Options{}))
	st.Host = anyHost
	if !s.absent {
		var failure string
		if st, failure = s.restore(); failure != "" {
			return c.fail(failure)
		}
		title = "session: " + s.id + where(s) + ", last used " + utc.Format(s.used())
		b = s.json(nil)
		b[len(b)-1] = ','
	}
	if s.where != "" {
		c.init.Directory = s.where // it may be a session of another folder
	}
	resolved, problems := c.configured(st.Host, "")
	health := c.Health(st, resolved, problems, c.workspace())
	if c.has("json") {
		c.say(string(append(health.AppendJSON(append(b, `"now":`...)), '}')))
		return OK
	}
	c.say(c.folded(title, 2))
	c.say(c.folded(here.Status(st, health), 2))
	return OK
}

func where(s stored) string {
	if s.where == "" {
		return ""
	}
	return " in " + s.where
}

// statuses gives a line for each session.
func statuses(c *call) int {
	list, failure := c.slots()
	if failure != "" {
		return c.fail(failure)
	}
	var out []byte
	for _, at := range list {
		s, ok := c.open(at)
		if !ok {
			continue
		}
		if c.has("json") {
			out = append(s.json(out), ',')
			continue
		}
		c.say(s.id + "  " + utc.Format(s.used()) + "  " + strconv.Itoa(s.notes(nil)) + " notes  " + s.where)
	}
	switch {
	case c.has("json"):
		c.say("[" + string(out[:max(0, len(out)-1)]) + "]")
	case len(list) == 0:
		c.say("The advisor has watched no session yet.")
	}
	return OK
}

// notes gives the stored notes, oldest first, and tells how many there are.
func (s stored) notes(each func(raw []byte)) (n int) {
	raw, kind, _, err := jsonparser.Get(s.raw, "notes")
	if err != nil || kind != jsonparser.Array {
		return 0
	}
	_, _ = jsonparser.ArrayEach(raw, func(raw []byte, _ jsonparser.ValueType, _ int, _ error) {
		n++
		if each != nil {
			each(raw)
		}
	})
	return n
}

func notes(c *call) int {
	s, failure := c.find()
	if failure != "" {
		return c.fail(failure)
	}
	if c.has("json") {
		var list [][]byte
		s.notes(func(raw []byte) { list = append(list, raw) })
		out := []byte{'['}
		for i, raw := range slices.Backward(list) {
			if out = append(out, raw...); i > 0 {
				out = append(out, ',')
			}
		}
		c.say(string(append(out, ']')))
		return OK
	}
	st, failure := s.restore()
	if failure != "" {
		return c.fail(failure)
	}
	c.say(c.folded(show.Notes(st), 2))
	return OK
}

func why(c *call) int {
	s, failure := c.find()
	if failure != "" {
		return c.fail(failure)
	}
	st, failure := s.restore()
	if failure != "" {
		return c.fail(failure)
	}
	text, failed := here.Why(st, c.arg())
	if failed {
		return c.fail(text)
	}
	if c.has("json") {
		at, _ := show.Find(st.Notes, c.arg())
		s.notes(func(raw []byte) {
			if at == 0 {
				c.say(string(raw))
			}
			at--
		})
		return OK
	}
	c.say(c.folded(text, 2))
	return OK
}
