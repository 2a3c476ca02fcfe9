package cli

import (
	"bytes"
	"strconv"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

const (
	// maxLog bounds what is read of a log; the loader moves one aside at 2 MB.
	maxLog = 4 << 20
	// lookMS is how often a followed log is looked at.
	lookMS = 400
)

func log(c *call) int {
	lines := 40
	if text, ok := c.values["lines"]; ok {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return misuse(c, c.cmd.name+" ", "--lines wants a whole number, got "+strconv.Quote(text))
		}
		lines = n
	}
	path := c.in.State + "/logs/advisor.log"
	text, failure := readFile(c, path, maxLog)
	if missing := failure == protocol.ErrnoNotFound.Error(); missing && !c.has("follow") {
		return c.fail("there is none yet: what goes wrong in a host is written to " + path)
	} else if failure != "" && !missing {
		return c.fail("read " + path + ": " + failure)
	}
	c.Print(string(last(text, lines)))
	if !c.has("follow") {
		return OK
	}
	seen := len(text)
	for c.Sleep(lookMS) {
		text, failure := readFile(c, path, maxLog)
		if failure != "" {
			continue // it is being moved aside
		}
		if len(text) < seen { // it was: its end is there, and a new one begins
			if old, failure := readFile(c, path+".1", maxLog); failure == "" {
				c.Print(string(old[min(seen, len(old)):]))
			}
			seen = 0
		}
		if whole := bytes.LastIndexByte(text, '\n') + 1; whole > seen {
			c.Print(string(text[seen:whole]))
			seen = whole
		}
	}
	return OK
}

// last gives the last n lines of a text.
func last(text []byte, n int) []byte {
	at := len(text)
	for ; n > 0 && at > 0; n-- {
		at = bytes.LastIndexByte(text[:at-1], '\n') + 1
	}
	return text[at:]
}
