package cli

import "strings"

// maxRecording is above what the loader lets a recording grow to.
const maxRecording = 40 << 20

func replay(c *call) int {
	path := c.args[0]
	if !strings.HasPrefix(path, "/") && !strings.Contains(path, ":") {
		path = clean(c.init.Directory + "/" + path)
	}
	text, failure := readFile(c, path, maxRecording)
	if failure != "" {
		return c.fail("read " + path + ": " + failure)
	}
	said, same, failure := c.Replay(string(text))
	if failure != "" {
		return c.fail(c.args[0] + ": " + failure)
	}
	c.say(said)
	if !same {
		return Failed
	}
	return OK
}
